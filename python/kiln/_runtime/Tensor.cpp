// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Objects.h"
#include <cstring>

using namespace kiln::python;

namespace {

PyObject *tensorNew(PyTypeObject *, PyObject *args, PyObject *keywords) {
  static const char *names[] = {"dtype", "shape", "data", nullptr};
  const char *dtype = nullptr, *bytes = nullptr;
  PyObject *shape = nullptr;
  Py_ssize_t size = 0;
  std::vector<int64_t> sizes;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "sO|y#:Tensor",
                                   const_cast<char **>(names), &dtype, &shape,
                                   &bytes, &size))
    return nullptr;
  const ElementType *type = elementType(dtype);
  if (!type || !readSizes(shape, sizes))
    return nullptr;
  KilnTensor *handle = nullptr;
  if (kilnTensorCreate(type->type, int(sizes.size()), sizes.data(), &handle))
    return raise();
  // Creating it has found out that the size is one.
  int64_t expected = type->bytes;
  for (int64_t one : sizes)
    expected *= one;
  if (bytes && expected != size) {
    kilnTensorDestroy(handle);
    return PyErr_Format(PyExc_ValueError, "expected %lld bytes, found %lld",
                        static_cast<long long>(expected),
                        static_cast<long long>(size));
  }
  if (bytes && size)
    std::memcpy(kilnTensorData(handle), bytes, size_t(size));
  return wrapTensor(handle);
}

void tensorFree(PyObject *self) {
  finish<TensorObject>(self, kilnTensorDestroy);
}

PyObject *tensorDType(PyObject *self, void *) {
  return PyUnicode_FromString(
      elementType(kilnTensorDType(tensorOf(self))).name);
}
PyObject *tensorShape(PyObject *self, void *) {
  return tupleOf(kilnTensorShape(tensorOf(self)),
                 kilnTensorRank(tensorOf(self)));
}
PyObject *tensorStrides(PyObject *self, void *) {
  return tupleOf(kilnTensorStrides(tensorOf(self)),
                 kilnTensorRank(tensorOf(self)));
}
PyObject *tensorOnDevice(PyObject *self, void *) {
  return PyBool_FromLong(kilnTensorIsOnDevice(tensorOf(self)));
}

/// DLPack's structs, as far as a capsule's owner looks into them.
struct Managed { // DLManagedTensor
  void *data;
  int32_t deviceType, deviceId;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byteOffset;
  void *context;
  void (*deleter)(Managed *);
};
struct ManagedVersioned { // DLManagedTensorVersioned
  uint32_t major, minor;
  void *context;
  void (*deleter)(ManagedVersioned *);
  uint64_t flags;
  void *data;
  int32_t deviceType, deviceId;
};

constexpr const char *kPlain = "dltensor";
constexpr const char *kVersioned = "dltensor_versioned";

/// A capsule that nobody took is freed with what it holds.
void dropPlain(PyObject *capsule) {
  if (!PyCapsule_IsValid(capsule, kPlain))
    return;
  auto *managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule, kPlain));
  if (managed && managed->deleter)
    managed->deleter(managed);
}
void dropVersioned(PyObject *capsule) {
  if (!PyCapsule_IsValid(capsule, kVersioned))
    return;
  auto *managed = static_cast<ManagedVersioned *>(
      PyCapsule_GetPointer(capsule, kVersioned));
  if (managed && managed->deleter)
    managed->deleter(managed);
}

/// __dlpack__(stream=None, max_version=None, ...)
PyObject *tensorToDLPack(PyObject *self, PyObject *, PyObject *keywords) {
  PyObject *version =
      keywords ? PyDict_GetItemString(keywords, "max_version") : nullptr;
  bool isVersioned = false;
  if (version && version != Py_None) {
    PyObject *major = PySequence_GetItem(version, 0);
    if (!major)
      return nullptr;
    isVersioned = PyLong_AsLong(major) >= 1;
    Py_DECREF(major);
  }
  PyObject *capsule = nullptr;
  if (isVersioned) {
    DLManagedTensorVersioned *managed = nullptr;
    if (kilnTensorToDLPackVersioned(tensorOf(self), &managed))
      return raise();
    capsule = PyCapsule_New(managed, kVersioned, dropVersioned);
  } else {
    DLManagedTensor *managed = nullptr;
    if (kilnTensorToDLPack(tensorOf(self), &managed))
      return raise();
    capsule = PyCapsule_New(managed, kPlain, dropPlain);
  }
  return capsule;
}

PyObject *tensorDLPackDevice(PyObject *self, PyObject *) {
  DLManagedTensor *managed = nullptr;
  if (kilnTensorToDLPack(tensorOf(self), &managed))
    return raise();
  auto *view = reinterpret_cast<Managed *>(managed);
  PyObject *pair =
      Py_BuildValue("(ii)", int(view->deviceType), int(view->deviceId));
  view->deleter(view);
  return pair;
}

PyObject *tensorSaveNpy(PyObject *self, PyObject *args) {
  PyObject *path = nullptr;
  if (!PyArg_ParseTuple(args, "O&:save_npy", PyUnicode_FSConverter, &path))
    return nullptr;
  int status = kilnTensorSaveNpy(tensorOf(self), PyBytes_AsString(path));
  Py_DECREF(path);
  if (status)
    return raise();
  Py_RETURN_NONE;
}

/// What numpy.asarray asks for: the memory as it is. Types that numpy lacks are
/// unsigned integers of their width.
PyObject *tensorArrayInterface(PyObject *self, void *) {
  KilnTensor *tensor = tensorOf(self);
  if (kilnTensorIsOnDevice(tensor)) {
    PyErr_SetString(PyExc_AttributeError, "the tensor is on a device");
    return nullptr;
  }
  const ElementType &type = elementType(kilnTensorDType(tensor));
  int rank = kilnTensorRank(tensor);
  std::vector<int64_t> strides(kilnTensorStrides(tensor),
                               kilnTensorStrides(tensor) + rank);
  for (int64_t &stride : strides)
    stride *= type.bytes;
  PyObject *shape = tupleOf(kilnTensorShape(tensor), rank);
  PyObject *steps = shape ? tupleOf(strides.data(), rank) : nullptr;
  PyObject *address =
      steps ? PyLong_FromVoidPtr(kilnTensorData(tensor)) : nullptr;
  if (!address) {
    Py_XDECREF(shape);
    Py_XDECREF(steps);
    return nullptr;
  }
  return Py_BuildValue("{s:i,s:N,s:N,s:s,s:(NO)}", "version", 3, "shape", shape,
                       "strides", steps, "typestr", type.numpy, "data", address,
                       Py_False);
}

PyMethodDef methods[] = {
    {"__dlpack__", asFunction(tensorToDLPack), METH_VARARGS | METH_KEYWORDS,
     nullptr},
    {"__dlpack_device__", tensorDLPackDevice, METH_NOARGS, nullptr},
    {"save_npy", tensorSaveNpy, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef properties[] = {
    {"dtype", tensorDType, nullptr, nullptr, nullptr},
    {"shape", tensorShape, nullptr, nullptr, nullptr},
    {"strides", tensorStrides, nullptr, nullptr, nullptr},
    {"on_device", tensorOnDevice, nullptr, nullptr, nullptr},
    {"__array_interface__", tensorArrayInterface, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

} // namespace

PyObject *kiln::python::wrapTensor(KilnTensor *tensor) {
  return makeObject<TensorObject>(tensorType, tensor, kilnTensorDestroy);
}

/// from_dlpack(capsule, session=None): takes the capsule's tensor over.
PyObject *kiln::python::fromDLPack(PyObject *, PyObject *args) {
  PyObject *capsule = nullptr, *session = Py_None;
  if (!PyArg_ParseTuple(args, "O|O:from_dlpack", &capsule, &session) ||
      (session != Py_None && !isA(session, sessionType)))
    return nullptr;
  KilnSession *of = session == Py_None ? nullptr : sessionOf(session);
  KilnTensor *tensor = nullptr;
  if (PyCapsule_IsValid(capsule, kVersioned)) {
    auto *managed = static_cast<DLManagedTensorVersioned *>(
        PyCapsule_GetPointer(capsule, kVersioned));
    // A call of another thread may hold the session, and free what is torch's.
    if (unlocked([&] {
          return kilnTensorFromDLPackVersioned(of, managed, &tensor);
        }))
      return raise();
    PyCapsule_SetName(capsule, "used_dltensor_versioned");
  } else if (PyCapsule_IsValid(capsule, kPlain)) {
    auto *managed =
        static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule, kPlain));
    if (unlocked([&] { return kilnTensorFromDLPack(of, managed, &tensor); }))
      return raise();
    PyCapsule_SetName(capsule, "used_dltensor");
  } else {
    PyErr_SetString(PyExc_TypeError, "expected an unused DLPack capsule");
    return nullptr;
  }
  return wrapTensor(tensor);
}

PyObject *kiln::python::loadNpy(PyObject *, PyObject *args) {
  PyObject *path = nullptr;
  if (!PyArg_ParseTuple(args, "O&:load_npy", PyUnicode_FSConverter, &path))
    return nullptr;
  KilnTensor *tensor = nullptr;
  int status = kilnTensorLoadNpy(PyBytes_AsString(path), &tensor);
  Py_DECREF(path);
  return status ? raise() : wrapTensor(tensor);
}

bool kiln::python::makeTensorType() {
  tensorType = makeType("kiln._runtime.Tensor", sizeof(TensorObject), tensorNew,
                        tensorFree, methods, properties,
                        "A tensor on the host or on a device of a session.");
  return tensorType;
}

/// The owner of a tensor's memory is let go, whatever thread that is in.
static void releaseOwner(void *user) {
  PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(static_cast<PyObject *>(user));
  PyGILState_Release(state);
}

/// at_address(dtype, shape, address, owner): a tensor of memory that lives
/// while `owner` does.
PyObject *kiln::python::atAddress(PyObject *, PyObject *args) {
  const char *dtype = nullptr;
  PyObject *shape = nullptr, *owner = nullptr;
  unsigned long long address = 0;
  std::vector<int64_t> sizes;
  if (!PyArg_ParseTuple(args, "sOKO:at_address", &dtype, &shape, &address,
                        &owner))
    return nullptr;
  const ElementType *type = elementType(dtype);
  if (!type || !readSizes(shape, sizes))
    return nullptr;
  KilnTensor *tensor = nullptr;
  if (kilnTensorImport(type->type, int(sizes.size()), sizes.data(), nullptr,
                       reinterpret_cast<void *>(uintptr_t(address)),
                       releaseOwner, owner, &tensor))
    return raise();
  Py_INCREF(owner);
  return wrapTensor(tensor);
}
