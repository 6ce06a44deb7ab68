//===- BitMaps.cpp - Maps that move bits of coordinates -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BitMaps.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace mlir;
using namespace kiln;

/// The bits that an expression may have; none where it does more than move bits
/// of its dimensions, whose coordinates are below the sizes of `shape`.
static std::optional<uint64_t> bitsOf(AffineExpr expr,
                                      ArrayRef<int64_t> shape) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() == 0 ? std::optional<uint64_t>(0) : std::nullopt;
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (dim.getPosition() >= shape.size())
      return 0; // one that is not a coordinate is 0
    return llvm::PowerOf2Ceil(shape[dim.getPosition()]) - 1;
  }
  auto pair = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!pair)
    return std::nullopt;
  std::optional<uint64_t> left = bitsOf(pair.getLHS(), shape);
  if (!left)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    std::optional<uint64_t> right = bitsOf(pair.getRHS(), shape);
    if (!right || (*left & *right))
      return std::nullopt;
    return *left | *right;
  }
  auto by = dyn_cast<AffineConstantExpr>(pair.getRHS());
  if (!by || by.getValue() <= 0 || !llvm::isPowerOf2_64(by.getValue()))
    return std::nullopt;
  unsigned shift = llvm::Log2_64(by.getValue());
  switch (expr.getKind()) {
  case AffineExprKind::Mul:
    return *left << shift;
  case AffineExprKind::FloorDiv:
    return *left >> shift;
  case AffineExprKind::Mod:
    return *left & (by.getValue() - 1);
  default:
    return std::nullopt;
  }
}

bool simt::movesBits(AffineMap map, ArrayRef<int64_t> shape) {
  return !map.getNumSymbols() &&
         llvm::all_of(map.getResults(), [&](AffineExpr expr) {
           return bitsOf(expr, shape).has_value();
         });
}
