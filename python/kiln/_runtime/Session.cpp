// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Objects.h"

using namespace kiln::python;

namespace {

PyObject *sessionNew(PyTypeObject *, PyObject *args, PyObject *keywords) {
  static const char *names[] = {"package", "target", nullptr};
  PyObject *package = nullptr;
  const char *target = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|z:Session",
                                   const_cast<char **>(names), &package,
                                   &target) ||
      !isA(package, packageType))
    return nullptr;
  KilnSession *handle = nullptr;
  if (unlocked([&] {
        return kilnSessionCreate(packageOf(package), target, &handle);
      }))
    return raise();
  return makeObject<SessionObject>(sessionType, handle, kilnSessionDestroy);
}

void sessionFree(PyObject *self) {
  finish<SessionObject>(self, kilnSessionDestroy);
}

PyObject *sessionEntries(PyObject *self, void *) {
  KilnSession *session = sessionOf(self);
  return listOf(kilnSessionNumEntries(session),
                [&](size_t i) { return kilnSessionEntry(session, i); });
}

PyObject *sessionDevices(PyObject *self, void *) {
  KilnSession *session = sessionOf(self);
  return listOf(kilnSessionNumDevices(session),
                [&](size_t i) { return kilnSessionDeviceName(session, i); });
}

/// The unsigned type of integers that a program has without sign.
KilnDType unsignedType(KilnDType type) {
  switch (type) {
  case KILN_DTYPE_I8:
    return KILN_DTYPE_U8;
  case KILN_DTYPE_I16:
    return KILN_DTYPE_U16;
  case KILN_DTYPE_I32:
    return KILN_DTYPE_U32;
  case KILN_DTYPE_I64:
    return KILN_DTYPE_U64;
  default:
    return type;
  }
}

/// ((name, dtype, shape), ...) of the arguments or the results; None stands for
/// a dynamic size.
PyObject *describe(KilnSession *session, const char *entry, bool isArgument) {
  int count = isArgument ? kilnEntryNumArguments(session, entry)
                         : kilnEntryNumResults(session, entry);
  if (count < 0)
    return raise();
  PyObject *all = PyTuple_New(count);
  for (int i = 0; all && i < count; ++i) {
    KilnDType type = KILN_DTYPE_NONE;
    std::vector<int64_t> shape(64);
    int rank =
        isArgument
            ? kilnEntryArgument(session, entry, i, &type, shape.data(), 64)
            : kilnEntryResult(session, entry, i, &type, shape.data(), 64);
    if (isArgument ? kilnEntryArgumentIsUnsigned(session, entry, i)
                   : kilnEntryResultIsUnsigned(session, entry, i))
      type = unsignedType(type);
    const char *name = isArgument ? kilnEntryArgumentName(session, entry, i)
                                  : kilnEntryResultName(session, entry, i);
    PyObject *sizes = tupleOf(shape.data(), rank < 0 ? 0 : rank);
    PyObject *item = sizes ? Py_BuildValue("(ssN)", name ? name : "",
                                           elementType(type).name, sizes)
                           : nullptr;
    if (!item || PyTuple_SetItem(all, i, item) != 0) {
      Py_DECREF(all);
      return nullptr;
    }
  }
  return all;
}

PyObject *sessionSignature(PyObject *self, PyObject *args) {
  const char *entry = nullptr;
  if (!PyArg_ParseTuple(args, "s:signature", &entry))
    return nullptr;
  PyObject *arguments = describe(sessionOf(self), entry, true);
  PyObject *results =
      arguments ? describe(sessionOf(self), entry, false) : nullptr;
  if (!results) {
    Py_XDECREF(arguments);
    return nullptr;
  }
  return Py_BuildValue("(NN)", arguments, results);
}

/// written(entry): for each argument, whether a call writes it.
PyObject *sessionWritten(PyObject *self, PyObject *args) {
  const char *entry = nullptr;
  if (!PyArg_ParseTuple(args, "s:written", &entry))
    return nullptr;
  int count = kilnEntryNumArguments(sessionOf(self), entry);
  if (count < 0)
    return raise();
  PyObject *all = PyTuple_New(count);
  for (int i = 0; all && i < count; ++i) {
    PyObject *flag =
        PyBool_FromLong(kilnEntryArgumentIsWritten(sessionOf(self), entry, i));
    if (PyTuple_SetItem(all, i, flag) != 0)
      Py_CLEAR(all);
  }
  return all;
}

bool readTensors(PyObject *sequence, std::vector<KilnTensor *> &tensors) {
  Py_ssize_t count = PySequence_Size(sequence);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *item = PySequence_GetItem(sequence, i);
    bool isTensor = item && isA(item, tensorType);
    if (isTensor)
      tensors.push_back(tensorOf(item)); // the sequence holds it
    Py_XDECREF(item);
    if (!isTensor)
      return false;
  }
  return count >= 0;
}

/// call(entry, arguments, results=None, grid=None, flags=0): a list of results.
PyObject *sessionCall(PyObject *self, PyObject *args, PyObject *keywords) {
  static const char *names[] = {"entry", "arguments", "results",
                                "grid",  "flags",     nullptr};
  const char *entry = nullptr;
  PyObject *arguments = nullptr, *into = Py_None, *grid = Py_None;
  unsigned flags = 0;
  if (!PyArg_ParseTupleAndKeywords(
          args, keywords, "sO!|OOI:call", const_cast<char **>(names), &entry,
          &PyTuple_Type, &arguments, &into, &grid, &flags))
    return nullptr;
  std::vector<KilnTensor *> given, results;
  if (!readTensors(arguments, given))
    return nullptr;
  KilnCallOptions options = {};
  options.structSize = sizeof options;
  options.flags = flags;
  int numResults = kilnEntryNumResults(sessionOf(self), entry);
  if (numResults < 0)
    return raise();
  if (into != Py_None) {
    options.flags |= KILN_CALL_INTO;
    if (!readTensors(into, results))
      return nullptr;
  } else {
    results.resize(size_t(numResults));
  }
  if (grid != Py_None) {
    std::vector<int64_t> sizes;
    if (!readSizes(grid, sizes))
      return nullptr;
    if (sizes.empty() || sizes.size() > 3) {
      PyErr_SetString(PyExc_ValueError, "a grid has one to three sizes");
      return nullptr;
    }
    for (size_t i = 0; i < 3; ++i)
      options.grid[i] = i < sizes.size() ? sizes[i] : 1;
  }
  // Both sequences stay as they are: tuples, held by the caller.
  if (unlocked([&] {
        return kilnSessionCall(sessionOf(self), entry, given.size(),
                               given.data(), results.size(), results.data(),
                               &options);
      }))
    return raise();
  PyObject *list = PyList_New(0);
  if (into != Py_None)
    return list;
  for (KilnTensor *result : results) {
    PyObject *tensor = wrapTensor(result);
    if (!tensor || !list || PyList_Append(list, tensor) != 0)
      Py_CLEAR(list);
    Py_XDECREF(tensor);
  }
  return list;
}

PyObject *sessionUpload(PyObject *self, PyObject *args) {
  PyObject *tensor = nullptr;
  unsigned device = 0;
  if (!PyArg_ParseTuple(args, "O|I:upload", &tensor, &device) ||
      !isA(tensor, tensorType))
    return nullptr;
  KilnTensor *made = nullptr;
  if (unlocked([&] {
        return kilnSessionUpload(sessionOf(self), tensorOf(tensor), device,
                                 &made);
      }))
    return raise();
  return wrapTensor(made);
}

PyObject *sessionDownload(PyObject *self, PyObject *tensor) {
  if (!isA(tensor, tensorType))
    return nullptr;
  KilnTensor *made = nullptr;
  if (unlocked([&] {
        return kilnSessionDownload(sessionOf(self), tensorOf(tensor), &made);
      }))
    return raise();
  return wrapTensor(made);
}

PyObject *sessionSynchronize(PyObject *self, PyObject *) {
  if (unlocked([&] { return kilnSessionSynchronize(sessionOf(self)); }))
    return raise();
  Py_RETURN_NONE;
}

/// use_queue(device, native): later calls put their work into a queue of the
/// driver's own kind, given by its address; 0: into one of the session again.
PyObject *sessionUseQueue(PyObject *self, PyObject *args) {
  unsigned device = 0;
  unsigned long long native = 0;
  if (!PyArg_ParseTuple(args, "IK:use_queue", &device, &native))
    return nullptr;
  if (unlocked([&] {
        return kilnSessionUseQueue(sessionOf(self), device,
                                   reinterpret_cast<void *>(native));
      }))
    return raise();
  Py_RETURN_NONE;
}

PyObject *sessionTrim(PyObject *self, PyObject *) {
  if (kilnSessionTrim(sessionOf(self)))
    return raise();
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"signature", sessionSignature, METH_VARARGS, nullptr},
    {"written", sessionWritten, METH_VARARGS, nullptr},
    {"call", asFunction(sessionCall), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"upload", sessionUpload, METH_VARARGS, nullptr},
    {"download", sessionDownload, METH_O, nullptr},
    {"synchronize", sessionSynchronize, METH_NOARGS, nullptr},
    {"use_queue", sessionUseQueue, METH_VARARGS, nullptr},
    {"trim", sessionTrim, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef properties[] = {
    {"entries", sessionEntries, nullptr, nullptr, nullptr},
    {"devices", sessionDevices, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

} // namespace

bool kiln::python::makeSessionType() {
  sessionType = makeType("kiln._runtime.Session", sizeof(SessionObject),
                         sessionNew, sessionFree, methods, properties,
                         "A package on the devices of one of its targets.");
  return sessionType;
}
