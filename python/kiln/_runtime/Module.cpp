// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Objects.h"
#include <cstring>

using namespace kiln::python;

PyObject *kiln::python::errorClass = nullptr;
PyObject *kiln::python::packageType = nullptr;
PyObject *kiln::python::sessionType = nullptr;
PyObject *kiln::python::tensorType = nullptr;

static constexpr ElementType kTypes[] = {
    {"i1", KILN_DTYPE_I1, 1, "|b1"},
    {"i4", KILN_DTYPE_I4, 1, "|i1"},
    {"i8", KILN_DTYPE_I8, 1, "|i1"},
    {"i16", KILN_DTYPE_I16, 2, "<i2"},
    {"i32", KILN_DTYPE_I32, 4, "<i4"},
    {"i48", KILN_DTYPE_I48, 8, "<i8"},
    {"i64", KILN_DTYPE_I64, 8, "<i8"},
    {"u8", KILN_DTYPE_U8, 1, "|u1"},
    {"u16", KILN_DTYPE_U16, 2, "<u2"},
    {"u32", KILN_DTYPE_U32, 4, "<u4"},
    {"u64", KILN_DTYPE_U64, 8, "<u8"},
    {"f16", KILN_DTYPE_F16, 2, "<f2"},
    {"bf16", KILN_DTYPE_BF16, 2, "<u2"},
    {"f32", KILN_DTYPE_F32, 4, "<f4"},
    {"f64", KILN_DTYPE_F64, 8, "<f8"},
    {"f8E4M3FN", KILN_DTYPE_F8E4M3FN, 1, "|u1"},
    {"f8E5M2", KILN_DTYPE_F8E5M2, 1, "|u1"},
    {"f8E4M3FNUZ", KILN_DTYPE_F8E4M3FNUZ, 1, "|u1"},
    {"f8E5M2FNUZ", KILN_DTYPE_F8E5M2FNUZ, 1, "|u1"},
    {"f8E8M0FNU", KILN_DTYPE_F8E8M0FNU, 1, "|u1"},
    {"f6E2M3FN", KILN_DTYPE_F6E2M3FN, 1, "|u1"},
    {"f6E3M2FN", KILN_DTYPE_F6E3M2FN, 1, "|u1"},
    {"f4E2M1FN", KILN_DTYPE_F4E2M1FN, 1, "|u1"},
    {"index", KILN_DTYPE_INDEX, 8, "<i8"},
    {"f8E4M3", KILN_DTYPE_F8E4M3, 1, "|u1"},
    {"f8E3M4", KILN_DTYPE_F8E3M4, 1, "|u1"},
    {"f8E4M3B11FNUZ", KILN_DTYPE_F8E4M3B11FNUZ, 1, "|u1"}};

const ElementType &kiln::python::elementType(KilnDType type) {
  for (const ElementType &known : kTypes)
    if (known.type == type)
      return known;
  static constexpr ElementType none = {"none", KILN_DTYPE_NONE, 1, "|V1"};
  return none;
}

const ElementType *kiln::python::elementType(const char *name) {
  for (const ElementType &known : kTypes)
    if (!std::strcmp(known.name, name))
      return &known;
  PyErr_Format(PyExc_ValueError, "unknown type of elements '%s'", name);
  return nullptr;
}

PyObject *kiln::python::raise() {
  PyErr_SetString(errorClass, kilnLastError());
  return nullptr;
}

bool kiln::python::isA(PyObject *object, PyObject *type) {
  int is = PyObject_IsInstance(object, type);
  if (is == 0)
    PyErr_Format(PyExc_TypeError, "expected a %R, found %R", type, object);
  return is == 1;
}

PyObject *kiln::python::tupleOf(const int64_t *values, int count) {
  PyObject *tuple = PyTuple_New(count);
  for (int i = 0; tuple && i < count; ++i) {
    PyObject *number = PyLong_FromLongLong(values[i]);
    if (!number || PyTuple_SetItem(tuple, i, number) != 0)
      Py_CLEAR(tuple);
  }
  return tuple;
}

bool kiln::python::readSizes(PyObject *sequence, std::vector<int64_t> &sizes) {
  Py_ssize_t count = PySequence_Size(sequence);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *item = PySequence_GetItem(sequence, i);
    if (!item)
      return false;
    sizes.push_back(PyLong_AsLongLong(item));
    Py_DECREF(item);
  }
  return count >= 0 && !PyErr_Occurred();
}

PyObject *kiln::python::makeType(const char *name, size_t size, newfunc create,
                                 destructor destroy, PyMethodDef *methods,
                                 PyGetSetDef *properties, const char *doc) {
  PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(create)},
                         {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
                         {Py_tp_methods, methods},
                         {Py_tp_getset, properties},
                         {Py_tp_doc, const_cast<char *>(doc)},
                         {0, nullptr}};
  PyType_Spec spec = {name, int(size), 0, Py_TPFLAGS_DEFAULT, slots};
  return PyType_FromSpec(&spec);
}

static PyMethodDef methods[] = {
    {"from_dlpack", fromDLPack, METH_VARARGS, nullptr},
    {"load_npy", loadNpy, METH_VARARGS, nullptr},
    {"at_address", atAddress, METH_VARARGS, nullptr},
    {"exchange", exchangeCall, METH_VARARGS, nullptr},
    {"bind", bindCall, METH_VARARGS, nullptr},
    {"call_lent", lentCall, METH_VARARGS, nullptr},
    {"bind_queued", bindQueuedCall, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

static bool add(PyObject *module, const char *name, PyObject *object) {
  Py_XINCREF(object); // one for the module, one for this library
  return object && PyModule_AddObject(module, name, object) == 0;
}

PyMODINIT_FUNC PyInit__runtime() {
  static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                   "kiln._runtime",
                                   nullptr,
                                   -1,
                                   methods,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr};
  PyObject *module = PyModule_Create(&definition);
  if (!module)
    return nullptr;
  errorClass = PyErr_NewExceptionWithDoc("kiln.Error",
                                         "What the runtime says went wrong.",
                                         PyExc_RuntimeError, nullptr);
  if (makePackageType() && makeSessionType() && makeTensorType() &&
      add(module, "Error", errorClass) && add(module, "Package", packageType) &&
      add(module, "Session", sessionType) &&
      add(module, "Tensor", tensorType) &&
      !PyModule_AddStringConstant(module, "version", kilnRuntimeVersion()) &&
      !PyModule_AddIntConstant(module, "ON_DEVICE", KILN_CALL_ON_DEVICE) &&
      !PyModule_AddIntConstant(module, "NO_WAIT", KILN_CALL_NO_WAIT))
    return module;
  Py_DECREF(module);
  return nullptr;
}
