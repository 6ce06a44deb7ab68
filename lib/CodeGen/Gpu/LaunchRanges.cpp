//===- LaunchRanges.cpp - What a kernel's condition says ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaunchRanges.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMAttrs.h"
#include "mlir/IR/IntegerSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;

namespace {
/// factor * symbol + number.
struct Linear {
  std::optional<unsigned> symbol;
  int64_t factor = 0, number = 0;
};
} // namespace

/// An expression of one symbol; nothing for all others.
static std::optional<Linear> linear(AffineExpr expr) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return Linear{std::nullopt, 0, number.getValue()};
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return Linear{symbol.getPosition(), 1, 0};
  auto both = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!both)
    return std::nullopt;
  std::optional<Linear> a = linear(both.getLHS()), b = linear(both.getRHS());
  if (!a || !b)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Mul) {
    if (b->symbol)
      std::swap(a, b);
    if (b->symbol)
      return std::nullopt;
    if (llvm::MulOverflow(a->factor, b->number, a->factor) ||
        llvm::MulOverflow(a->number, b->number, a->number))
      return std::nullopt;
    return a;
  }
  if (expr.getKind() != AffineExprKind::Add ||
      (a->symbol && b->symbol && *a->symbol != *b->symbol))
    return std::nullopt;
  if (llvm::AddOverflow(a->factor, b->factor, a->factor) ||
      llvm::AddOverflow(a->number, b->number, a->number))
    return std::nullopt;
  if (!a->symbol)
    a->symbol = b->symbol;
  return a;
}

void simt::annotateRanges(tile::KernelOp kernel, LLVM::LLVMFuncOp function) {
  auto set = kernel.getConditionAttr();
  if (!set)
    return;
  unsigned place = 0;
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (auto view = dyn_cast<tile::ViewType>(type)) {
      place += 1 + 2 * view.getRank();
      continue;
    }
    unsigned at = place++;
    // Conditions are computed in 64 bits.
    if (!type.isSignlessInteger() || type.isInteger(1) ||
        type.getIntOrFloatBitWidth() > 8 * sizeof(int64_t))
      continue;
    unsigned width = type.getIntOrFloatBitWidth();
    int64_t least = llvm::minIntN(width), most = llvm::maxIntN(width);
    int64_t low = least, high = most;
    for (AffineExpr expr : set.getValue().getConstraints()) {
      std::optional<Linear> found = linear(expr);
      if (!found || !found->symbol || *found->symbol != index || !found->factor)
        continue;
      // factor * parameter >= -number
      if (found->factor > 0)
        low = std::max(low,
                       llvm::divideCeilSigned(-found->number, found->factor));
      else
        high = std::min(high,
                        llvm::divideFloorSigned(found->number, -found->factor));
    }
    // An empty range is that of a kernel which is not launched.
    if ((low == least && high == most) || low > high || high == INT64_MAX)
      continue;
    function.setArgAttr(at, LLVM::LLVMDialect::getRangeAttrName(),
                        LLVM::ConstantRangeAttr::get(
                            kernel.getContext(),
                            APInt(width, uint64_t(low), true),
                            APInt(width, uint64_t(high) + 1, false, true)));
  }
}
