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
  std::shared_ptr<Buffer> buffer; ///< the memory; null: none was given
  DType dtype = DType::none;      ///< the type of the elements
  int64_t byteOffset = 0;         ///< of element 0 from the buffer's beginning
  llvm::SmallVector<int64_t, 4> sizes;   ///< elements along each dimension
  llvm::SmallVector<int64_t, 4> strides; ///< elements; may be negative or 0
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
  /// A scalar of an integer type with the low bits of `value`.
  static Value ofInt(DType dtype, int64_t value);
  /// A scalar of type index.
  static Value ofIndex(int64_t value) { return ofInt(DType::index, value); }
  /// A scalar of a float type: `value` rounded to nearest, ties to even.
  static Value ofDouble(DType dtype, double value);
  /// A value that is a view. Its `dtype` is that of the view's elements.
  static Value ofView(View view);
  /// A new value with the form of `type` (a scalar, or a tensor whose `?` are
  /// taken from `sizes`, in order) and unspecified contents.
  static Value like(mlir::Type type, llvm::ArrayRef<int64_t> sizes = {});

  /// Returns true for a default-constructed value, which stands for "no value".
  bool isNone() const { return kind == Kind::none; }
  /// Returns true for a view; only then may `view` be called.
  bool isView() const { return kind == Kind::view; }
  /// Returns true for a scalar, which has rank 0 and one element.
  bool isScalar() const { return kind == Kind::scalar; }
  /// Returns true for a tensor, whose elements are contiguous and row-major.
  bool isTensor() const { return kind == Kind::tensor; }

  /// Returns the type of the elements.
  DType dtype() const { return type; }
  /// Returns the sizes of a tensor; empty for scalars and views.
  llvm::ArrayRef<int64_t> shape() const { return dims; }
  /// Returns the size of a tensor along dimension `d`, below its rank.
  int64_t dim(unsigned d) const { return dims[d]; }
  /// Returns the number of dimensions of a tensor; 0 for scalars and views.
  unsigned rank() const { return dims.size(); }
  /// Returns the number of elements of a scalar or tensor.
  int64_t size() const { return count; }
  /// Returns the bytes of all elements of a scalar or tensor.
  int64_t bytes() const { return count * runtime::dtypeBytes(type); }

  /// Returns the first element of a scalar or tensor, as it is stored.
  const void *data() const { return isScalar() ? &bits : storage.get(); }
  /// For the operation that produces the value.
  void *mutableData() { return isScalar() ? &bits : storage.get(); }
  /// Returns the elements as an array of `size()` elements of type T. T has to
  /// be the type that `dtype` is stored as; this is not checked.
  template <typename T> const T *as() const {
    return static_cast<const T *>(data());
  }
  /// The same, for the operation that produces the value.
  template <typename T> T *as() { return static_cast<T *>(mutableData()); }

  /// Returns the view of a value for which `isView` is true.
  const View &view() const { return *window; }

  /// Returns the first element, of an integer type. Signed integers and index
  /// are sign-extended; i1 is 0 or 1.
  int64_t asInt() const;
  /// Returns the first element, of any type, as a double; integers of more
  /// than 53 bits are rounded.
  double asDouble() const;

  /// Returns the same elements in another shape, which has as many. The storage
  /// is shared.
  Value reshaped(llvm::ArrayRef<int64_t> shape) const;
  /// Returns element `index` of a tensor, counted in row-major order, as a
  /// scalar. It is poison if the element is.
  Value element(int64_t index) const;

  /// One byte per element, not 0 where the element is poison; null while no
  /// element is.
  const uint8_t *poison() const {
    return poisoned ? poisoned->data() : nullptr;
  }
  /// Returns true if there are poison bytes, even if all are 0.
  bool hasPoison() const { return poisoned != nullptr; }
  /// Allocates the poison bytes.
  uint8_t *makePoison();
  /// Takes the poison bytes of `other`, which has as many elements.
  void sharePoison(const Value &other) { poisoned = other.poisoned; }
  /// Declares that no element is poison.
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
