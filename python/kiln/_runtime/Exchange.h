// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DLPack's exchange interface in C: tensors of a framework without an object
// for each.
#ifndef KILN_PYTHON_EXCHANGE_H
#define KILN_PYTHON_EXCHANGE_H

#include "Objects.h"
#include <list>

namespace kiln::python {

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
/// DLManagedTensorVersioned.
struct Managed {
  uint32_t major, minor;
  void *context;
  void (*deleter)(Managed *self);
  uint64_t flags;
  View tensor;
};
constexpr uint8_t kComplex = 5; // kDLComplex

/// A device as DLPack numbers it.
struct Place {
  int32_t type = 1; // kDLCPU
  int32_t number = 0;
  bool isHost() const { return type == 1; }
};

/// Shapes that packages have for tensors of another shape.
using Shapes = std::list<std::vector<int64_t>>;

/// What became of an argument: taken; or not row-major on the host, so that the
/// caller has to make it so first; or Python's error is set.
enum class Taken : uint8_t { yes, no, failed };

/// With `isSignless` unsigned integers are those without sign that prim has.
/// `shapes` is for complex tensors, which are taken where it is given. The
/// tensor has to be at `place`. `order` (null: as they are), with `shapes`: the
/// dimensions as the package has them, a byte for each.
Taken take(const Exchange *exchange, PyObject *object, bool isSignless,
           KilnLentTensor &taken, Shapes *shapes = nullptr, Place place = {},
           PyObject *order = nullptr);

/// The interface in a capsule; null after raising.
const Exchange *exchangeIn(PyObject *capsule);

} // namespace kiln::python

#endif
