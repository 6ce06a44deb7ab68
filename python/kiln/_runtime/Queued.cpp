// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls with tensors that a framework has on a device: in its memory, and in
// the stream in which it works at the time.
#include "Exchange.h"
#include <algorithm>
#include <cstring>
#include <memory>

using namespace kiln::python;

namespace {

/// Calls are kept for so many kinds of arguments.
constexpr size_t kMostKnown = 32;
/// After so many kinds of arguments for which no call can be prepared, none is
/// tried any more.
constexpr int kMostFailures = 4;
constexpr int kMostSizes = 64;

/// A prepared call, with what allocates memory for it.
struct Known {
  KilnPreparedCall *call = nullptr;
  /// Arguments for the framework's function: for each result, then for scratch
  /// memory where there is some.
  PyObject *allocations = nullptr;
  size_t numResults = 0;

  ~Known() {
    kilnPreparedCallDestroy(call);
    Py_XDECREF(allocations);
  }
};

struct Caller {
  Place place;
  void *defaultQueue = nullptr; ///< what the driver has for the stream 0
  std::vector<std::shared_ptr<Known>> known; ///< the latest one first
  int failures = 0;
  bool hasFailed = false; ///< to prepare the call that goes another way now
  bool isKept = false;    ///< a graph of the framework has recorded a call
};

/// What the functions carry: a tuple, so that Python finds cycles through it.
enum Field : Py_ssize_t {
  kCaller,
  kSession,
  kEntry,
  kExchange,
  kCurrentDevice,
  kCurrentStream,
  kIsRecording,
  kStreamArguments,
  kAllocate,
  kTypes,
  kComplexes,
  kOtherwise
};
PyObject *fieldOf(PyObject *self, Field field) {
  return PyTuple_GetItem(self, field);
}

constexpr const char *kCapsule = "kiln_queued_call";

void freeCaller(PyObject *capsule) {
  delete static_cast<Caller *>(PyCapsule_GetPointer(capsule, kCapsule));
}

/// (shape, row-major strides, type): what a framework makes a tensor by.
PyObject *allocationOf(const std::vector<int64_t> &shape, PyObject *type) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * std::max<int64_t>(shape[d], 1);
  PyObject *sizes = tupleOf(shape.data(), int(shape.size()));
  PyObject *steps = tupleOf(strides.data(), int(strides.size()));
  if (sizes && steps)
    return Py_BuildValue("(NNO)", sizes, steps, type);
  Py_XDECREF(sizes);
  Py_XDECREF(steps);
  return nullptr;
}

/// What allocates for a call; null after raising.
PyObject *allocationsOf(PyObject *self, const KilnPreparedCall *call,
                        size_t count) {
  PyObject *types = fieldOf(self, kTypes), *list = PyList_New(0);
  const char *complexes = PyBytes_AsString(fieldOf(self, kComplexes));
  auto numComplexes = size_t(PyBytes_Size(fieldOf(self, kComplexes)));
  auto add = [&](const std::vector<int64_t> &shape, size_t type) {
    PyObject *of = PyTuple_GetItem(types, Py_ssize_t(type));
    PyObject *one = of ? allocationOf(shape, of) : nullptr;
    if (!one || PyList_Append(list, one) != 0)
      Py_CLEAR(list);
    Py_XDECREF(one);
  };
  for (size_t i = 0; list && i < count; ++i) {
    std::vector<int64_t> shape(kMostSizes);
    int rank =
        kilnPreparedCallResult(call, i, nullptr, shape.data(), kMostSizes);
    shape.resize(size_t(std::clamp(rank, 0, kMostSizes)));
    // Its two parts are the last dimension in a package.
    if (i < numComplexes && complexes[i] && !shape.empty())
      shape.pop_back();
    add(shape, i);
  }
  size_t scratch = kilnPreparedCallScratchBytes(call);
  if (list && scratch)
    add({int64_t(scratch)}, count);
  PyObject *all = list ? PyList_AsTuple(list) : nullptr;
  Py_XDECREF(list);
  return all;
}

/// The call for these arguments, prepared now if there is none; null, after
/// raising or not, where there can be none.
std::shared_ptr<Known> find(PyObject *self, Caller &caller,
                            const std::vector<KilnLentTensor> &arguments) {
  auto &known = caller.known;
  auto found =
      std::find_if(known.begin(), known.end(), [&](const auto &candidate) {
        return kilnPreparedCallFits(candidate->call, arguments.size(),
                                    arguments.data());
      });
  if (found != known.end()) {
    caller.failures = 0;
    std::rotate(known.begin(), found, found + 1);
    return known.front();
  }
  if (caller.failures >= kMostFailures || caller.hasFailed)
    return nullptr;
  KilnSession *session = sessionOf(fieldOf(self, kSession));
  const char *entry = PyBytes_AsString(fieldOf(self, kEntry));
  auto made = std::make_shared<Known>();
  if (unlocked([&] {
        return kilnSessionPrepare(session, entry, arguments.size(),
                                  arguments.data(), &made->call);
      })) {
    // Anything else may go better the next time.
    constexpr char kUnsupported[] = "unsupported";
    const char *why = kilnLastError();
    caller.failures +=
        why && !std::strncmp(why, kUnsupported, sizeof kUnsupported - 1);
    caller.hasFailed = true;
    return nullptr;
  }
  made->numResults = size_t(std::max(kilnEntryNumResults(session, entry), 0));
  made->allocations = allocationsOf(self, made->call, made->numResults);
  if (!made->allocations)
    return nullptr;
  caller.failures = 0;
  known.insert(known.begin(), made);
  if (known.size() > kMostKnown)
    known.pop_back();
  return made;
}

/// Takes all arguments.
Taken takeAll(PyObject *self, const Caller &caller, PyObject *given,
              std::vector<KilnLentTensor> &arguments, Shapes &shapes) {
  const Exchange *exchange = exchangeIn(fieldOf(self, kExchange));
  if (!exchange)
    return Taken::failed;
  arguments.assign(size_t(PyTuple_Size(given)), {});
  for (size_t i = 0; i < arguments.size(); ++i) {
    Taken taken =
        take(exchange, PyTuple_GetItem(given, Py_ssize_t(i)),
             /*isSignless=*/true, arguments[i], &shapes, caller.place);
    if (taken != Taken::yes)
      return taken;
  }
  return Taken::yes;
}

/// Whether the framework works on the device of the call: 1, 0, or -1 after
/// raising.
int isCurrent(PyObject *self, const Caller &caller) {
  PyObject *number =
      PyObject_CallObject(fieldOf(self, kCurrentDevice), nullptr);
  if (!number)
    return -1;
  long current = PyLong_AsLong(number);
  Py_DECREF(number);
  return PyErr_Occurred() ? -1 : current == caller.place.number;
}

/// The stream in which the framework works on the device; null after raising.
void *currentQueue(PyObject *self, const Caller &caller) {
  PyObject *number = PyObject_CallObject(fieldOf(self, kCurrentStream),
                                         fieldOf(self, kStreamArguments));
  void *stream = number ? PyLong_AsVoidPtr(number) : nullptr;
  Py_XDECREF(number);
  return stream || PyErr_Occurred() ? stream : caller.defaultQueue;
}

/// Has the framework allocate what a call needs: a list of tensors; null after
/// raising. `addresses` gets where they lie.
PyObject *allocate(PyObject *self, const Known &known,
                   std::vector<void *> &addresses) {
  const Exchange *exchange = exchangeIn(fieldOf(self, kExchange));
  Py_ssize_t count = PyTuple_Size(known.allocations);
  PyObject *list = PyList_New(count);
  addresses.clear();
  for (Py_ssize_t i = 0; list && i < count; ++i) {
    View view = {};
    PyObject *tensor = PyObject_CallObject(
        fieldOf(self, kAllocate), PyTuple_GetItem(known.allocations, i));
    if (!tensor || PyList_SetItem(list, i, tensor) != 0 ||
        exchange->view(tensor, &view)) {
      if (!PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "expected a tensor");
      Py_CLEAR(list);
      break;
    }
    addresses.push_back(static_cast<char *>(view.data) + view.byteOffset);
  }
  return list;
}

/// Keeps for ever what calls need where a graph of the framework records one:
/// only the framework knows how long it replays their kernels. `otherwise`
/// holds the session, and tensors that are added to each call. False after
/// raising.
bool keepRecorded(PyObject *self, Caller &caller) {
  if (caller.isKept)
    return true;
  PyObject *made = PyObject_CallObject(fieldOf(self, kIsRecording), nullptr);
  int isRecording = made ? PyObject_IsTrue(made) : -1;
  Py_XDECREF(made);
  if (isRecording <= 0)
    return isRecording == 0;
  caller.isKept = true;
  Py_INCREF(fieldOf(self, kOtherwise));
  return true;
}

/// Queues a call: the list of results; null after raising.
PyObject *queue(PyObject *self, Caller &caller, const Known &known,
                const std::vector<KilnLentTensor> &arguments) {
  std::vector<void *> addresses;
  void *stream = currentQueue(self, caller);
  if ((!stream && PyErr_Occurred()) || !keepRecorded(self, caller))
    return nullptr;
  PyObject *list = allocate(self, known, addresses);
  if (!list)
    return nullptr;
  bool hasScratch = addresses.size() > known.numResults;
  void *scratch = hasScratch ? addresses.back() : nullptr;
  // Another thread that has the session may wait for the interpreter's lock.
  if (unlocked([&] {
        return kilnPreparedCallRun(known.call, arguments.size(),
                                   arguments.data(), known.numResults,
                                   addresses.data(), scratch, stream);
      })) {
    Py_DECREF(list);
    return raise();
  }
  // Behind the work in its stream the framework may use the memory again.
  if (hasScratch &&
      PyList_SetSlice(list, Py_ssize_t(known.numResults),
                      Py_ssize_t(known.numResults) + 1, nullptr) != 0)
    Py_CLEAR(list);
  return list;
}

/// The results, or null: after raising or, with `isPossible` cleared, where
/// these arguments do not go this way.
PyObject *tryQueued(PyObject *self, PyObject *given, bool &isPossible) {
  auto &caller = *static_cast<Caller *>(
      PyCapsule_GetPointer(fieldOf(self, kCaller), kCapsule));
  int isHere = isCurrent(self, caller);
  if (isHere <= 0) {
    isPossible = false;
    return nullptr;
  }
  // Kept for the next call.
  thread_local std::vector<KilnLentTensor> kept;
  std::vector<KilnLentTensor> arguments = std::move(kept);
  Shapes shapes;
  Taken taken = takeAll(self, caller, given, arguments, shapes);
  std::shared_ptr<Known> known =
      taken == Taken::yes ? find(self, caller, arguments) : nullptr;
  PyObject *list = known ? queue(self, caller, *known, arguments) : nullptr;
  isPossible = known != nullptr;
  kept = std::move(arguments);
  return list;
}

/// The function of a graph's arguments.
PyObject *queuedCall(PyObject *self, PyObject *args) {
  auto &caller = *static_cast<Caller *>(
      PyCapsule_GetPointer(fieldOf(self, kCaller), kCapsule));
  caller.hasFailed = false;
  bool isPossible = true;
  PyObject *list = tryQueued(self, args, isPossible);
  if (isPossible || PyErr_Occurred())
    return list;
  return PyObject_CallObject(fieldOf(self, kOtherwise), args);
}

/// The same; None where the arguments do not go this way.
PyObject *tryCall(PyObject *self, PyObject *args) {
  bool isPossible = true;
  PyObject *list = tryQueued(self, args, isPossible);
  if (isPossible || PyErr_Occurred())
    return list;
  Py_RETURN_NONE;
}

} // namespace

/// bind_queued(session, entry, api, (device type, number, queue of stream 0),
/// (current device, current stream, is recording, allocate), types, complexes,
/// otherwise):
/// two functions of the entry's arguments, which are tensors on the device.
/// Both put a call into the stream current_stream(number) and return its
/// results, which allocate(shape, strides, type) made; `types` are those of the
/// results, then that of a byte. Where that is not possible, as another device
/// is the current one, or an argument is not row-major or is elsewhere, the
/// first one calls `otherwise`, and the second one returns None.
PyObject *kiln::python::bindQueuedCall(PyObject *, PyObject *args) {
  PyObject *session = nullptr, *capsule = nullptr, *types = nullptr,
           *complexes = nullptr, *otherwise = nullptr, *device = nullptr,
           *stream = nullptr, *recording = nullptr, *allocate = nullptr;
  const char *entry = nullptr;
  int type = 0, number = 0;
  unsigned long long first = 0;
  if (!PyArg_ParseTuple(args, "OsO(iiK)(OOOO)O!SO:bind_queued", &session,
                        &entry, &capsule, &type, &number, &first, &device,
                        &stream, &recording, &allocate, &PyTuple_Type, &types,
                        &complexes, &otherwise) ||
      !isA(session, sessionType) || !exchangeIn(capsule))
    return nullptr;
  static PyMethodDef call = {"kiln_call", queuedCall, METH_VARARGS, nullptr};
  static PyMethodDef attempt = {"kiln_try", tryCall, METH_VARARGS, nullptr};
  auto made = std::make_unique<Caller>();
  made->place = {type, number};
  made->defaultQueue = reinterpret_cast<void *>(uintptr_t(first));
  PyObject *caller = PyCapsule_New(made.get(), kCapsule, freeCaller);
  if (!caller)
    return nullptr;
  made.release();
  PyObject *self = Py_BuildValue("(NOyOOOO(i)OOOO)", caller, session, entry,
                                 capsule, device, stream, recording, number,
                                 allocate, types, complexes, otherwise);
  PyObject *both =
      self ? Py_BuildValue("(NN)", PyCFunction_NewEx(&call, self, nullptr),
                           PyCFunction_NewEx(&attempt, self, nullptr))
           : nullptr;
  Py_XDECREF(self);
  return both;
}
