// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an SSA value is while a program is being evaluated: a scalar, a tensor
// in contiguous storage, or a view of memory.
#ifndef KILN_EVAL_VALUE_H
#define KILN_EVAL_VALUE_H

#include "kiln/System/DType.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace kiln::eval {

using runtime::DType;

class Buffer;

/// The element type that `type` (an element type or a shaped type) has at
/// evaluation; none if it cannot be evaluated.
DType dtypeOf(mlir::Type type);

/// The product of the sizes.
int64_t countElements(llvm::ArrayRef<int64_t> shape);
/// Row-major strides, in elements.
llvm::SmallVector<int64_t, 4> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// A strided window of a buffer. Strides count elements of `dtype`.
struct View {
  std::shared_ptr<Buffer> buffer;
  DType dtype = DType::none;
  int64_t byteOffset = 0;
  llvm::SmallVector<int64_t, 4> sizes;
  llvm::SmallVector<int64_t, 4> strides;
};

/// A scalar, a tensor or a view. Copying shares the storage; data is written
/// only by its creator, before it is shared.
class Value {
public:
  Value() = default;

  /// A tensor with unspecified contents.
  static Value tensor(DType dtype, llvm::ArrayRef<int64_t> shape);
  /// A tensor over memory that outlives it.
  static Value borrow(DType dtype, llvm::ArrayRef<int64_t> shape,
                      const void *data);
  /// A scalar with value zero.
  static Value scalar(DType dtype);
  static Value ofInt(DType dtype, int64_t value);
  static Value ofIndex(int64_t value) { return ofInt(DType::index, value); }
  static Value ofDouble(DType dtype, double value);
  static Value ofView(View view);
  /// A new value with the form of `type` (a scalar, or a tensor whose `?` are
  /// taken from `sizes`, in order) and unspecified contents.
  static Value like(mlir::Type type, llvm::ArrayRef<int64_t> sizes = {});

  bool isNone() const { return kind == Kind::none; }
  bool isView() const { return kind == Kind::view; }
  bool isScalar() const { return kind == Kind::scalar; }
  bool isTensor() const { return kind == Kind::tensor; }

  DType dtype() const { return type; }
  llvm::ArrayRef<int64_t> shape() const { return dims; }
  int64_t dim(unsigned d) const { return dims[d]; }
  unsigned rank() const { return dims.size(); }
  int64_t size() const { return count; }
  int64_t bytes() const { return count * runtime::dtypeBytes(type); }

  const void *data() const { return isScalar() ? &bits : storage.get(); }
  /// For the operation that produces the value.
  void *mutableData() { return isScalar() ? &bits : storage.get(); }
  template <typename T> const T *as() const {
    return static_cast<const T *>(data());
  }
  template <typename T> T *as() { return static_cast<T *>(mutableData()); }

  const View &view() const { return *window; }

  /// Integers, index and i1 (0 or 1) sign-extended.
  int64_t asInt() const;
  double asDouble() const;

  /// The same elements in another shape.
  Value reshaped(llvm::ArrayRef<int64_t> shape) const;
  /// The scalar in a tensor of one element.
  Value element(int64_t index) const;

  /// One byte per element, not 0 where the element is poison; null while no
  /// element is.
  const uint8_t *poison() const {
    return poisoned ? poisoned->data() : nullptr;
  }
  bool hasPoison() const { return poisoned != nullptr; }
  /// Allocates the poison bytes.
  uint8_t *makePoison();
  void sharePoison(const Value &other) { poisoned = other.poisoned; }
  void clearPoison() { poisoned.reset(); }

private:
  enum class Kind : uint8_t { none, scalar, tensor, view } kind = Kind::none;
  DType type = DType::none;
  int64_t count = 0;
  uint64_t bits = 0;
  llvm::SmallVector<int64_t, 4> dims;
  std::shared_ptr<void> storage;
  std::shared_ptr<std::vector<uint8_t>> poisoned;
  std::shared_ptr<View> window;
};

/// The value of a constant; none if its type cannot be evaluated. Raw data is
/// shared with the attribute.
Value constantValue(mlir::Attribute attr);

} // namespace kiln::eval

#endif // KILN_EVAL_VALUE_H
