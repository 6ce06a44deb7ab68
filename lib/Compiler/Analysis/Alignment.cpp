//===- Alignment.cpp - What addresses are multiples of --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Analysis/AxisAnalysis.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include <numeric>

using namespace mlir;
using namespace kiln;

/// Anything is a multiple of what divides 0.
constexpr int64_t kMost = int64_t(1) << 40;

static int64_t common(int64_t a, int64_t b) {
  int64_t n = std::gcd(a, b);
  return n ? n : kMost;
}

static int64_t elementBytes(Type type) {
  Type element;
  if (auto view = dyn_cast<tile::ViewType>(type))
    element = view.getElementType();
  else
    element = cast<tile::PtrType>(getElementTypeOrSelf(type)).getElementType();
  return element.isIntOrFloat()
             ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
             : 8;
}

Attribute tile::parameterFact(Value value, StringRef name) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return {};
  auto kernel = dyn_cast<tile::Kernel>(argument.getOwner()->getParentOp());
  return kernel ? getFact(kernel, argument.getArgNumber(), name) : Attribute();
}

int64_t tile::alignmentOf(Value value, index::Analysis &facts) {
  int64_t bytes = elementBytes(value.getType());
  for (StringRef name : {kAlignFact, kDivisibilityFact})
    if (auto fact = dyn_cast_or_null<IntegerAttr>(parameterFact(value, name)))
      return std::max(bytes, fact.getInt());
  Operation *op = value.getDefiningOp();
  if (auto view = dyn_cast_or_null<MakeViewOp>(op))
    return alignmentOf(view.getBase(), facts);
  auto moved = dyn_cast_or_null<PointerOffsetOpInterface>(op);
  if (!moved || isa<RankedTensorType>(value.getType()))
    return bytes;
  int64_t before = alignmentOf(moved.getBasePointers(), facts);
  Value offset = moved.getOffsetInElements();
  if (!offset)
    return std::max(bytes, before);
  int64_t divisor = facts.of(offset).divisor;
  return common(before, divisor ? std::min(divisor, kMost) * bytes : 0);
}
