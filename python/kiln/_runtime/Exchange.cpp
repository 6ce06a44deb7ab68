// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls with tensors of a framework that has DLPack's exchange interface in C
// (`__dlpack_c_exchange_api__`): no Python object is made for an argument, and
// results arrive as tensors of the framework.
#include "Exchange.h"
#include <algorithm>
#include <cstring>
#include <utility>

using namespace kiln::python;

namespace {

/// With `isSignless` unsigned integers are those without sign that prim has.
KilnDType typeOf(const View &view, bool isSignless) {
  struct Known {
    uint8_t code, bits;
    KilnDType type;
  };
  static constexpr Known known[] = {
      {2, 32, KILN_DTYPE_F32},        {0, 64, KILN_DTYPE_I64},
      {6, 8, KILN_DTYPE_I1},          {4, 16, KILN_DTYPE_BF16},
      {2, 16, KILN_DTYPE_F16},        {2, 64, KILN_DTYPE_F64},
      {0, 8, KILN_DTYPE_I8},          {0, 16, KILN_DTYPE_I16},
      {0, 32, KILN_DTYPE_I32},        {1, 8, KILN_DTYPE_U8},
      {1, 16, KILN_DTYPE_U16},        {1, 32, KILN_DTYPE_U32},
      {1, 64, KILN_DTYPE_U64},        {10, 8, KILN_DTYPE_F8E4M3FN},
      {12, 8, KILN_DTYPE_F8E5M2},     {11, 8, KILN_DTYPE_F8E4M3FNUZ},
      {13, 8, KILN_DTYPE_F8E5M2FNUZ}, {14, 8, KILN_DTYPE_F8E8M0FNU}};
  static constexpr Known signless[] = {{1, 8, KILN_DTYPE_I8},
                                       {1, 16, KILN_DTYPE_I16},
                                       {1, 32, KILN_DTYPE_I32},
                                       {1, 64, KILN_DTYPE_I64}};
  for (const Known &one : signless)
    if (isSignless && one.code == view.code && one.bits == view.bits)
      return one.type;
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

/// Whether only a flag says that numbers change their sign: `flag` is the
/// method that asks for it. True after an error, too.
bool isFlagged(PyObject *object, const char *flag) {
  PyObject *answer = PyObject_CallMethod(object, flag, nullptr);
  bool is = !answer || PyObject_IsTrue(answer) != 0;
  Py_XDECREF(answer);
  return is;
}

/// Whether the tensor may be the negative of what its memory holds: the
/// imaginary part of a conjugate is. With more elements there is room between
/// them.
bool maybeNegative(const View &view) {
  return view.code == 2 && std::all_of(view.shape, view.shape + view.ndim,
                                       [](int64_t size) { return size == 1; });
}

/// A complex number is two in a package, along a last dimension: makes a
/// complex tensor the one of its parts that packages have.
void takeApart(View &view, Shapes &shapes) {
  std::vector<int64_t> &shape =
      shapes.emplace_back(view.shape, view.shape + view.ndim);
  shape.push_back(2);
  view.shape = shape.data();
  view.code = 2;
  view.bits /= 2;
  ++view.ndim;
}

/// Makes a tensor of parts the complex one. False if it is none of parts.
bool putTogether(View &view) {
  int last = view.ndim - 1;
  if (view.code != 2 || last < 0 || view.shape[last] != 2 ||
      (view.strides && view.strides[last] != 1))
    return false;
  for (int d = 0; view.strides && d < last; ++d) {
    if (view.strides[d] % 2 && view.shape[d] > 1)
      return false;
    view.strides[d] /= 2;
  }
  view.code = kComplex;
  view.bits *= 2;
  view.ndim = last;
  return true;
}

/// Gives a tensor its dimensions in another order. False if that does not name
/// each of them once.
bool reorder(View &view, PyObject *order, Shapes &shapes) {
  auto rank = size_t(view.ndim);
  if (!PyBytes_Check(order) || size_t(PyBytes_Size(order)) != rank ||
      !view.strides)
    return false;
  const char *dims = PyBytes_AsString(order);
  std::vector<int64_t> &made = shapes.emplace_back(2 * rank);
  for (size_t d = 0; d < rank; ++d) {
    auto from = size_t(static_cast<unsigned char>(dims[d]));
    if (from >= rank || std::memchr(dims, dims[d], d))
      return false;
    made[d] = view.shape[from];
    made[rank + d] = view.strides[from];
  }
  view.shape = made.data();
  view.strides = made.data() + rank;
  return true;
}

/// Gives a result the sizes and strides in `layout`, numbers of 64 bits. False
/// if these are not as many as it has.
bool relayout(View &view, PyObject *layout) {
  size_t bytes = size_t(view.ndim) * sizeof(int64_t);
  if (!PyBytes_Check(layout) || size_t(PyBytes_Size(layout)) != 2 * bytes ||
      !view.strides)
    return false;
  std::memcpy(view.shape, PyBytes_AsString(layout), bytes);
  std::memcpy(view.strides, PyBytes_AsString(layout) + bytes, bytes);
  return true;
}

/// The part of an argument or result at place `i` in a tuple of `forms`; null
/// where it is as it is.
PyObject *formOf(PyObject *forms, Py_ssize_t part, size_t i) {
  PyObject *list = forms && PyTuple_Check(forms) && part < PyTuple_Size(forms)
                       ? PyTuple_GetItem(forms, part)
                       : nullptr;
  if (!list || !PyTuple_Check(list) || Py_ssize_t(i) >= PyTuple_Size(list))
    return nullptr;
  PyObject *form = PyTuple_GetItem(list, Py_ssize_t(i));
  return form == Py_None ? nullptr : form;
}

} // namespace

Taken kiln::python::take(const Exchange *exchange, PyObject *object,
                         bool isSignless, KilnLentTensor &taken, Shapes *shapes,
                         Place place, PyObject *order) {
  View view = {};
  if (exchange->view(object, &view)) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_TypeError, "expected a tensor");
    return Taken::failed;
  }
  if (shapes && order && !reorder(view, order, *shapes))
    return Taken::no;
  bool isComplex = shapes && view.code == kComplex;
  bool hasFlag =
      isComplex ? isFlagged(object, "is_conj")
                : shapes && maybeNegative(view) && isFlagged(object, "is_neg");
  if (hasFlag)
    return PyErr_Occurred() ? Taken::failed : Taken::no;
  if (isComplex && !isRowMajor(view))
    return Taken::no;
  if (isComplex)
    takeApart(view, *shapes);
  KilnDType type = typeOf(view, isSignless);
  bool isThere = view.deviceType == place.type &&
                 (place.isHost() || view.deviceId == place.number);
  if (!isThere && !place.isHost())
    return Taken::no;
  if (type == KILN_DTYPE_NONE || !isThere) {
    PyErr_SetString(PyExc_TypeError,
                    "unsupported: a tensor of this type, or on a device");
    return Taken::failed;
  }
  if (!isComplex && !isRowMajor(view))
    return Taken::no;
  // The shape is the tensor's own, which the caller holds, or in `shapes`.
  taken = {static_cast<char *>(view.data) + view.byteOffset, type, view.ndim,
           view.shape, nullptr};
  return Taken::yes;
}

const Exchange *kiln::python::exchangeIn(PyObject *capsule) {
  auto *exchange = static_cast<const Exchange *>(
      PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
  if (exchange && exchange->major != 1) {
    PyErr_SetString(PyExc_TypeError, "unsupported: this version of DLPack");
    return nullptr;
  }
  return exchange;
}

namespace {

/// The interface of an object's type; null, without an error, if it has none.
const Exchange *exchangeOf(PyObject *object) {
  PyObject *capsule =
      PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)),
                             "__dlpack_c_exchange_api__");
  const Exchange *exchange = capsule ? exchangeIn(capsule) : nullptr;
  Py_XDECREF(capsule); // the type has it, too
  PyErr_Clear();
  return exchange;
}

/// Calls an entry; false after raising.
bool run(PyObject *session, const char *entry,
         const std::vector<KilnLentTensor> &arguments,
         std::vector<KilnTensor *> &results) {
  int count = kilnEntryNumResults(sessionOf(session), entry);
  results.assign(size_t(std::max(count, 0)), nullptr);
  if (count >= 0 && !unlocked([&] {
        return kilnSessionRunLent(sessionOf(session), entry, arguments.size(),
                                  arguments.data(), results.size(),
                                  results.data());
      }))
    return true;
  raise();
  return false;
}

} // namespace

/// The results of a call with `count` arguments, as a list of the framework's
/// tensors; null with `isRowMajor` cleared where an argument is not row-major,
/// or after raising. A result is complex where `complexes` has a byte that is
/// not zero at its place, if it has one there. `forms` (null: none): a tuple of
/// the orders of arguments and one of the layouts of results, each None where
/// nothing changes.
template <typename Fn>
static PyObject *callWith(PyObject *session, const char *entry,
                          const Exchange *exchange, PyObject *complexes,
                          PyObject *forms, size_t count, Fn &&argument,
                          bool &isRowMajor) {
  // Kept for the next call: blocks of this size are what malloc tidies up for.
  thread_local std::vector<KilnLentTensor> kept;
  std::vector<KilnLentTensor> arguments = std::move(kept);
  arguments.assign(count, {});
  Shapes shapes;
  for (size_t i = 0; i < count; ++i)
    switch (take(exchange, argument(i), /*isSignless=*/true, arguments[i],
                 &shapes, Place(), formOf(forms, 0, i))) {
    case Taken::yes:
      break;
    case Taken::no:
      isRowMajor = false;
      return nullptr;
    case Taken::failed:
      return nullptr;
    }
  std::vector<KilnTensor *> results;
  if (!run(session, entry, arguments, results))
    return nullptr;
  kept = std::move(arguments);
  auto numResults = Py_ssize_t(results.size());
  PyObject *list = PyList_New(numResults);
  auto isComplex = [&](Py_ssize_t i) {
    return complexes && i < PyBytes_Size(complexes) &&
           PyBytes_AsString(complexes)[i];
  };
  for (Py_ssize_t i = 0; i < numResults; ++i) {
    DLManagedTensorVersioned *managed = nullptr;
    void *object = nullptr;
    if (list && kilnTensorToDLPackVersioned(results[size_t(i)], &managed)) {
      raise();
      Py_CLEAR(list);
    } else if (auto *own = reinterpret_cast<Managed *>(managed);
               list && isComplex(i) && !putTogether(own->tensor)) {
      own->deleter(own);
      PyErr_SetString(PyExc_TypeError, "expected real and imaginary parts");
      Py_CLEAR(list);
    } else if (PyObject *layout = formOf(forms, 1, size_t(i));
               list && layout && !relayout(own->tensor, layout)) {
      own->deleter(own);
      PyErr_SetString(PyExc_TypeError,
                      "expected sizes and strides of all dimensions");
      Py_CLEAR(list);
    } else if (list && exchange->toObject(managed, &object)) {
      if (!PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "the framework takes no such tensor");
      Py_CLEAR(list);
    } else if (list) {
      PyList_SetItem(list, i, static_cast<PyObject *>(object));
    }
    kilnTensorDestroy(results[size_t(i)]);
  }
  return list;
}

/// exchange(session, entry, api, arguments, complexes=b"", forms=None): a list
/// of the framework's tensors, or None where an argument is not row-major.
/// `forms`: for each argument the order in which the package has its
/// dimensions, as bytes, and for each result sizes and strides, as bytes of
/// numbers of 64 bits; None instead of one that is as it is.
PyObject *kiln::python::exchangeCall(PyObject *, PyObject *args) {
  PyObject *session = nullptr, *capsule = nullptr, *given = nullptr,
           *complexes = nullptr, *forms = nullptr;
  const char *entry = nullptr;
  if (!PyArg_ParseTuple(args, "OsOO!|SO:exchange", &session, &entry, &capsule,
                        &PyList_Type, &given, &complexes, &forms) ||
      !isA(session, sessionType))
    return nullptr;
  const Exchange *exchange = exchangeIn(capsule);
  if (!exchange)
    return nullptr;
  bool isRowMajor = true;
  PyObject *list = callWith(
      session, entry, exchange, complexes, forms, size_t(PyList_Size(given)),
      [&](size_t i) { return PyList_GetItem(given, Py_ssize_t(i)); },
      isRowMajor);
  if (!isRowMajor)
    Py_RETURN_NONE;
  return list;
}

/// What bind() returns, called: `self` is (session, entry, api, otherwise,
/// complexes, forms).
static PyObject *boundCall(PyObject *self, PyObject *args) {
  const Exchange *exchange = exchangeIn(PyTuple_GetItem(self, 2));
  if (!exchange)
    return nullptr;
  bool isRowMajor = true;
  PyObject *list = callWith(
      PyTuple_GetItem(self, 0), PyBytes_AsString(PyTuple_GetItem(self, 1)),
      exchange, PyTuple_GetItem(self, 4), PyTuple_GetItem(self, 5),
      size_t(PyTuple_Size(args)),
      [&](size_t i) { return PyTuple_GetItem(args, Py_ssize_t(i)); },
      isRowMajor);
  if (!isRowMajor)
    return PyObject_CallObject(PyTuple_GetItem(self, 3), args);
  return list;
}

/// bind(session, entry, api, otherwise, complexes, forms=None): a function of
/// the entry's arguments that does what exchange() does, and calls `otherwise`
/// with them where one is not row-major. No frame of Python lies between its
/// caller and the call.
PyObject *kiln::python::bindCall(PyObject *, PyObject *args) {
  static PyMethodDef definition = {"kiln_call", boundCall, METH_VARARGS,
                                   nullptr};
  PyObject *session = nullptr, *capsule = nullptr, *otherwise = nullptr,
           *complexes = nullptr, *forms = Py_None;
  const char *entry = nullptr;
  if (!PyArg_ParseTuple(args, "OsOOS|O:bind", &session, &entry, &capsule,
                        &otherwise, &complexes, &forms) ||
      !isA(session, sessionType) || !exchangeIn(capsule))
    return nullptr;
  PyObject *bound = Py_BuildValue("(OyOOOO)", session, entry, capsule,
                                  otherwise, complexes, forms);
  PyObject *function =
      bound ? PyCFunction_NewEx(&definition, bound, nullptr) : nullptr;
  Py_XDECREF(bound);
  return function;
}

/// call_lent(session, entry, arguments): a list of kiln.Tensor, or None where
/// an argument is no tensor on the host whose framework has the interface.
PyObject *kiln::python::lentCall(PyObject *, PyObject *args) {
  PyObject *session = nullptr, *given = nullptr;
  const char *entry = nullptr;
  if (!PyArg_ParseTuple(args, "OsO!:call_lent", &session, &entry, &PyTuple_Type,
                        &given) ||
      !isA(session, sessionType))
    return nullptr;
  Py_ssize_t count = PyTuple_Size(given);
  std::vector<KilnLentTensor> arguments(static_cast<size_t>(count));
  const PyTypeObject *last = nullptr;
  const Exchange *exchange = nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *object = PyTuple_GetItem(given, i);
    if (reinterpret_cast<PyObject *>(Py_TYPE(object)) == tensorType) {
      arguments[size_t(i)].tensor = tensorOf(object);
      continue;
    }
    if (Py_TYPE(object) != last)
      exchange = exchangeOf(object);
    last = Py_TYPE(object);
    if (!exchange || take(exchange, object, /*isSignless=*/false,
                          arguments[size_t(i)]) != Taken::yes) {
      PyErr_Clear(); // the caller's other way says what is wrong
      Py_RETURN_NONE;
    }
  }
  std::vector<KilnTensor *> results;
  if (!run(session, entry, arguments, results))
    return nullptr;
  PyObject *list = PyList_New(Py_ssize_t(results.size()));
  for (size_t i = 0; i < results.size(); ++i) {
    PyObject *tensor = wrapTensor(results[i]);
    if (!tensor)
      Py_CLEAR(list);
    else if (list)
      PyList_SetItem(list, Py_ssize_t(i), tensor);
    else
      Py_DECREF(tensor);
  }
  return list;
}
