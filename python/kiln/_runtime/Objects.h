// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The module kiln._runtime: packages, sessions and tensors of kiln-c/Runtime.h
// as Python objects, in the part of Python's C interface that stays the same
// from version 3.9 on.
#ifndef KILN_PYTHON_OBJECTS_H
#define KILN_PYTHON_OBJECTS_H

#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "kiln-c/Runtime.h"
#include <cstdint>
#include <vector>

namespace kiln::python {

extern PyObject *errorClass; ///< kiln.Error
extern PyObject *packageType, *sessionType, *tensorType;
bool makePackageType();
bool makeSessionType();
bool makeTensorType();
/// Functions of the module that make tensors.
PyObject *fromDLPack(PyObject *, PyObject *args);
PyObject *loadNpy(PyObject *, PyObject *args);
PyObject *atAddress(PyObject *, PyObject *args);
/// Calls with tensors of a framework.
PyObject *exchangeCall(PyObject *, PyObject *args);
PyObject *bindCall(PyObject *, PyObject *args);
PyObject *lentCall(PyObject *, PyObject *args);
PyObject *bindQueuedCall(PyObject *, PyObject *args);

struct PackageObject {
  PyObject_HEAD KilnPackage *handle;
};
struct SessionObject {
  PyObject_HEAD KilnSession *handle;
};
struct TensorObject {
  PyObject_HEAD KilnTensor *handle;
};
inline KilnPackage *packageOf(PyObject *object) {
  return reinterpret_cast<PackageObject *>(object)->handle;
}
inline KilnSession *sessionOf(PyObject *object) {
  return reinterpret_cast<SessionObject *>(object)->handle;
}
inline KilnTensor *tensorOf(PyObject *object) {
  return reinterpret_cast<TensorObject *>(object)->handle;
}

/// Raises kiln.Error with the reason of the last failure.
PyObject *raise();
/// Raises TypeError for objects of other types.
bool isA(PyObject *object, PyObject *type);
/// A list of `count` texts.
template <typename Fn> PyObject *listOf(size_t count, Fn &&text) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < count; ++i) {
    PyObject *item = PyUnicode_FromString(text(i));
    if (!item || PyList_Append(list, item) != 0)
      Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}
PyObject *tupleOf(const int64_t *values, int count);
bool readSizes(PyObject *sequence, std::vector<int64_t> &sizes);

/// A type of elements: its name, the bytes of one, and the nearest of numpy's.
struct ElementType {
  const char *name;
  KilnDType type;
  int bytes;
  const char *numpy;
};
const ElementType &elementType(KilnDType type);
/// Null after raising ValueError.
const ElementType *elementType(const char *name);

/// Takes the tensor over.
PyObject *wrapTensor(KilnTensor *tensor);

/// Runs `call` without the interpreter's lock.
template <typename Fn> int unlocked(Fn &&call) {
  PyThreadState *state = PyEval_SaveThread();
  int status = call();
  PyEval_RestoreThread(state);
  return status;
}

/// An object of a type, without calling its constructor.
template <typename T, typename Handle>
PyObject *makeObject(PyObject *type, Handle handle, void (*destroy)(Handle)) {
  auto *cls = reinterpret_cast<PyTypeObject *>(type);
  auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(cls, Py_tp_alloc));
  auto *object = reinterpret_cast<T *>(allocate(cls, 0));
  if (object)
    object->handle = handle;
  else
    destroy(handle);
  return reinterpret_cast<PyObject *>(object);
}

/// Frees what `destroy` frees, then the object and its hold on its type.
template <typename T, typename Fn> void finish(PyObject *object, Fn destroy) {
  PyTypeObject *type = Py_TYPE(object);
  destroy(reinterpret_cast<T *>(object)->handle);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

template <typename Fn> PyCFunction asFunction(Fn *fn) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(fn));
}
PyObject *makeType(const char *name, size_t size, newfunc create,
                   destructor destroy, PyMethodDef *methods,
                   PyGetSetDef *properties, const char *doc);

} // namespace kiln::python

#endif
