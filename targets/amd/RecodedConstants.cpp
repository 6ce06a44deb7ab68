//===- RecodedConstants.cpp - Copies of constants made by the compiler ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A constant of 8-bit floats has 256 different elements at most: each is
// converted once, and a copy is looked up byte by byte.
//
//===----------------------------------------------------------------------===//

#include "RecodedConstants.h"
#include "Float8.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Endian.h"
#include <array>
#include <vector>

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

/// The bytes of a constant of one byte an element: one for each, or a single
/// one; none where its data are not there.
static ArrayRef<char> dataOf(prim::ConstantOp op) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue())) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? blob->getData() : ArrayRef<char>();
  }
  return cast<DenseElementsAttr>(op.getValue()).getRawData();
}

/// The elements of a tensor with its dimensions permuted, in row-major order.
static std::vector<char> permute(ArrayRef<char> data, ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  SmallVector<int64_t> at(shape.size(), 0);
  std::vector<char> result(data.size());
  int64_t from = 0;
  for (char &element : result) {
    element = data[from];
    for (size_t d = shape.size(); d-- > 0;) {
      int64_t dim = permutation[d];
      from += strides[dim];
      if (++at[d] < shape[dim])
        break;
      from -= strides[dim] * shape[dim];
      at[d] = 0;
    }
  }
  return result;
}

/// The bytes of a value that `isRecodable`.
static std::vector<char> bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (auto move = value.getDefiningOp<prim::TransposeOp>())
    return permute(
        bytesOf(move.getOperand()),
        cast<RankedTensorType>(move.getOperand().getType()).getShape(),
        move.getPermutation());
  ArrayRef<char> data = dataOf(value.getDefiningOp<prim::ConstantOp>());
  std::vector<char> bytes(data.begin(), data.end());
  bytes.resize(type.getNumElements(), data.front());
  return bytes;
}

bool amd::isRecodable(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || !isFloat8(type.getElementType()))
    return false;
  if (auto move = value.getDefiningOp<prim::TransposeOp>())
    return isRecodable(move.getOperand());
  auto constant = value.getDefiningOp<prim::ConstantOp>();
  if (!constant)
    return false;
  ArrayRef<char> data = dataOf(constant);
  return data.size() == 1 || int64_t(data.size()) == type.getNumElements();
}

/// What each byte of one format becomes.
static std::array<uint16_t, 256> tableOf(FloatType from, FloatType to,
                                         double factor) {
  std::array<uint16_t, 256> table;
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    APFloat number(from.getFloatSemantics(), APInt(8, byte));
    bool isInexact = false;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &isInexact);
    number.multiply(APFloat(factor), APFloat::rmNearestTiesToEven);
    number.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &isInexact);
    table[byte] = uint16_t(number.bitcastToAPInt().getZExtValue());
  }
  return table;
}

Attribute amd::recode(Value value, RankedTensorType type, double factor,
                      bool isTurned) {
  auto from = cast<RankedTensorType>(value.getType());
  std::vector<char> bytes = bytesOf(value);
  if (isTurned)
    bytes = permute(bytes, from.getShape(), {1, 0});
  std::array<uint16_t, 256> table =
      tableOf(cast<FloatType>(from.getElementType()),
              cast<FloatType>(type.getElementType()), factor);
  size_t width = type.getElementTypeBitWidth() / 8;
  constexpr size_t kAlign = 64;
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocate(bytes.size() * width, kAlign);
  char *out = blob.getMutableData().data();
  for (char byte : bytes) {
    uint16_t number = table[uint8_t(byte)];
    if (width == 1)
      *out = char(number);
    else
      llvm::support::endian::write16le(out, number);
    out += width;
  }
  return DenseResourceElementsAttr::get(type, "recoded", std::move(blob));
}
