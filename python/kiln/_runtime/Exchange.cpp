// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls with tensors of a framework that has DLPack's exchange interface in C
// (`__dlpack_c_exchange_api__`): no Python object is made for an argument, and
// results arrive as tensors of the framework.
#include "Objects.h"

using namespace kiln::python;

namespace {

/// DLPack's structs, as far as they are looked into.
struct View { // DLTensor
  void *data;
  int32_t deviceType, deviceId;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};
struct Exchange { // DLPackExchangeAPI
  uint32_t major, minor;
  Exchange *previous;
  void *allocate, *fromObject;
  int (*toObject)(DLManagedTensorVersioned *managed, void **object);
  int (*view)(void *object, View *view);
};
constexpr int32_t kHost = 1; // kDLCPU

KilnDType typeOf(const View &view) {
  struct Known {
    uint8_t code, bits;
    KilnDType type;
  };
  // Unsigned integers are passed as the signless ones that prim has.
  static constexpr Known known[] = {
      {2, 32, KILN_DTYPE_F32}, {0, 64, KILN_DTYPE_I64},
      {6, 8, KILN_DTYPE_I1},   {4, 16, KILN_DTYPE_BF16},
      {2, 16, KILN_DTYPE_F16}, {2, 64, KILN_DTYPE_F64},
      {0, 8, KILN_DTYPE_I8},   {0, 16, KILN_DTYPE_I16},
      {0, 32, KILN_DTYPE_I32}, {1, 8, KILN_DTYPE_I8},
      {1, 16, KILN_DTYPE_I16}, {1, 32, KILN_DTYPE_I32},
      {1, 64, KILN_DTYPE_I64}};
  for (const Known &one : known)
    if (one.code == view.code && one.bits == view.bits && view.lanes == 1)
      return one.type;
  return KILN_DTYPE_NONE;
}

bool isRowMajor(const View &view) {
  for (int d = 0; d < view.ndim; ++d)
    if (view.shape[d] == 0) // whatever its strides
      return true;
  int64_t expected = 1;
  for (int d = view.ndim - 1; d >= 0; --d) {
    if (view.shape[d] != 1 && view.strides && view.strides[d] != expected)
      return false;
    expected *= view.shape[d];
  }
  return true;
}

/// The argument tensors of one call.
struct Arguments {
  std::vector<KilnTensor *> tensors;
  ~Arguments() {
    for (KilnTensor *one : tensors)
      kilnTensorDestroy(one);
  }
};

/// 0: taken; 1: not row-major on the host, so that the caller has to make it so
/// first; -1: raised.
int take(const Exchange *exchange, PyObject *object, Arguments &arguments) {
  View view = {};
  if (exchange->view(object, &view)) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_TypeError, "expected a tensor");
    return -1;
  }
  KilnDType type = typeOf(view);
  if (type == KILN_DTYPE_NONE || view.deviceType != kHost) {
    PyErr_SetString(PyExc_TypeError,
                    "unsupported: a tensor of this type, or on a device");
    return -1;
  }
  if (!isRowMajor(view))
    return 1;
  KilnTensor *tensor = nullptr;
  char *data = static_cast<char *>(view.data) + view.byteOffset;
  if (kilnTensorWrap(type, view.ndim, view.shape, nullptr, data, &tensor)) {
    raise();
    return -1;
  }
  arguments.tensors.push_back(tensor);
  return 0;
}

} // namespace

/// exchange(session, entry, api, arguments): a list of the framework's tensors,
/// or None where an argument is not row-major.
PyObject *kiln::python::exchangeCall(PyObject *, PyObject *args) {
  PyObject *session = nullptr, *capsule = nullptr, *given = nullptr;
  const char *entry = nullptr;
  if (!PyArg_ParseTuple(args, "OsOO!:exchange", &session, &entry, &capsule,
                        &PyList_Type, &given) ||
      !isA(session, sessionType))
    return nullptr;
  auto *exchange = static_cast<const Exchange *>(
      PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
  if (!exchange)
    return nullptr;
  if (exchange->major != 1) {
    PyErr_SetString(PyExc_TypeError, "unsupported: this version of DLPack");
    return nullptr;
  }
  Arguments arguments;
  Py_ssize_t count = PyList_Size(given);
  arguments.tensors.reserve(size_t(count));
  for (Py_ssize_t i = 0; i < count; ++i)
    if (int status = take(exchange, PyList_GetItem(given, i), arguments)) {
      if (status < 0)
        return nullptr;
      Py_RETURN_NONE;
    }
  int numResults = kilnEntryNumResults(sessionOf(session), entry);
  if (numResults < 0)
    return raise();
  std::vector<KilnTensor *> results(size_t(numResults), nullptr);
  KilnCallOptions options = {};
  options.structSize = sizeof options;
  if (unlocked([&] {
        return kilnSessionCall(
            sessionOf(session), entry, arguments.tensors.size(),
            arguments.tensors.data(), results.size(), results.data(), &options);
      }))
    return raise();
  PyObject *list = PyList_New(numResults);
  for (int i = 0; i < numResults; ++i) {
    DLManagedTensorVersioned *managed = nullptr;
    void *object = nullptr;
    if (list && kilnTensorToDLPackVersioned(results[i], &managed)) {
      raise();
      Py_CLEAR(list);
    } else if (list && exchange->toObject(managed, &object)) {
      if (!PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "the framework takes no such tensor");
      Py_CLEAR(list);
    } else if (list) {
      PyList_SetItem(list, i, static_cast<PyObject *>(object));
    }
    kilnTensorDestroy(results[i]);
  }
  return list;
}
