// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of several families share.
#include "Verify.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace kiln::prim::check {

std::string printShape(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(shape, os, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      os << '?';
    else
      os << size;
  });
  os << ']';
  return text;
}

LogicalResult verifyDim(Operation *op, StringRef what, int64_t dim,
                        int64_t rank) {
  if (dim >= 0 && dim < rank)
    return success();
  return op->emitOpError() << "expected " << what << " in [0, " << rank
                           << "), found " << dim;
}

LogicalResult verifyDims(Operation *op, StringRef what, ArrayRef<int64_t> dims,
                         int64_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : dims) {
    if (failed(verifyDim(op, what, dim, rank)))
      return failure();
    if (seen.test(dim))
      return op->emitOpError()
             << "expected distinct " << what << ", found " << dim << " twice";
    seen.set(dim);
  }
  return success();
}

LogicalResult verifyList(Operation *op, StringRef what,
                         ArrayRef<int64_t> values, int64_t count,
                         int64_t least) {
  if (static_cast<int64_t>(values.size()) != count)
    return op->emitOpError() << "expected " << count << " values of " << what
                             << ", found " << values.size();
  for (int64_t value : values)
    if (value < least)
      return op->emitOpError() << "expected " << what << " of at least "
                               << least << ", found " << value;
  return success();
}

LogicalResult verifyShape(Operation *op, StringRef what,
                          ArrayRef<int64_t> expected, RankedTensorType found) {
  ArrayRef<int64_t> shape = found.getShape();
  bool good = shape.size() == expected.size();
  for (size_t i = 0; good && i < shape.size(); ++i)
    good = compatible(shape[i], expected[i]);
  if (good)
    return success();
  return op->emitOpError() << "expected " << what << " of shape "
                           << printShape(expected) << ", found "
                           << printShape(shape);
}

LogicalResult verifyElement(Operation *op, StringRef what, Type expected,
                            RankedTensorType found) {
  if (found.getElementType() == expected)
    return success();
  return op->emitOpError() << "expected " << what << " of element type "
                           << expected << ", found " << found.getElementType();
}

LogicalResult verifySizes(Operation *op, size_t sizes,
                          RankedTensorType result) {
  if (static_cast<int64_t>(sizes) ==
      static_cast<int64_t>(result.getNumDynamicDims()))
    return success();
  return op->emitOpError() << "expected " << result.getNumDynamicDims()
                           << " sizes, one for each ? of the result, found "
                           << sizes;
}

LogicalResult verifyUnsigned(Operation *op) {
  Type element =
      cast<RankedTensorType>(op->getOperand(0).getType()).getElementType();
  if (!op->hasAttr("is_unsigned") ||
      (isa<IntegerType>(element) && !element.isInteger(1)))
    return success();
  return op->emitOpError("expected no 'unsigned' for elements of type ")
         << element;
}

LogicalResult verifySumType(Operation *op, Type lhs, Type rhs, Type result) {
  bool integers = isa<IntegerType>(lhs);
  if (integers ? !isa<IntegerType>(rhs) : lhs != rhs)
    return op->emitOpError()
           << "expected operands of the same element type, found " << lhs
           << " and " << rhs;
  bool good;
  if (integers)
    good = result.isInteger(64) ||
           (result.isInteger(32) && !lhs.isInteger(64) && !rhs.isInteger(64));
  else
    good =
        result == lhs || (result.isF32() && lhs.getIntOrFloatBitWidth() < 32);
  if (good)
    return success();
  StringRef expected =
      integers ? (lhs.isInteger(64) || rhs.isInteger(64)) ? "i64" : "i32 or i64"
      : lhs.isF64() ? "f64"
      : lhs.isF32() ? "f32"
                    : "f32 or the operands' type";
  return op->emitOpError() << "expected a result of element type " << expected
                           << ", found " << result;
}

std::optional<int64_t> windowPositions(int64_t size, const Window &window) {
  using llvm::checkedAdd, llvm::checkedMul, llvm::checkedMulAdd;
  // The extent of the window: (size - 1) * dilation + 1.
  std::optional<int64_t> extent =
      checkedMulAdd<int64_t>(window.size - 1, window.dilation, 1);
  std::optional<int64_t> pad = checkedAdd(window.padLow, window.padHigh);
  if (!extent || !pad)
    return std::nullopt;
  if (ShapedType::isDynamic(size))
    return ShapedType::kDynamic;
  std::optional<int64_t> spread =
      size == 0 ? std::optional<int64_t>(0)
                : checkedMulAdd<int64_t>(size - 1, window.inputDilation, 1);
  std::optional<int64_t> padded = spread ? checkedAdd(*spread, *pad) : spread;
  if (!padded || *padded < *extent)
    return std::nullopt;
  return (*padded - *extent) / window.stride + 1;
}

} // namespace kiln::prim::check
