//===- Places.cpp - Where the elements of storage lie ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stage/Places.h"
#include "kiln/Dialect/Stage/StageDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln::stage;

namespace {

/// More bytes than any memory of an instance has.
constexpr int64_t kMostBytes = int64_t(1) << 40;

struct Range {
  int64_t low, high;
};

/// The values of an expression over a box of coordinates; none on overflow or
/// for forms without bounds.
std::optional<Range> rangeOf(AffineExpr expr, ArrayRef<int64_t> shape) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Range{constant.getValue(), constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return Range{0, std::max<int64_t>(shape[dim.getPosition()] - 1, 0)};
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  auto a = rangeOf(binary.getLHS(), shape), b = rangeOf(binary.getRHS(), shape);
  if (!a || !b)
    return std::nullopt;
  Range out;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    if (llvm::AddOverflow(a->low, b->low, out.low) ||
        llvm::AddOverflow(a->high, b->high, out.high))
      return std::nullopt;
    return out;
  case AffineExprKind::Mul: {
    // One side is a constant, for affine maps.
    if (a->low == a->high)
      std::swap(a, b);
    if (b->low != b->high || llvm::MulOverflow(a->low, b->low, out.low) ||
        llvm::MulOverflow(a->high, b->low, out.high))
      return std::nullopt;
    if (out.low > out.high)
      std::swap(out.low, out.high);
    return out;
  }
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv: {
    if (b->low != b->high || b->low < 1)
      return std::nullopt;
    bool isFloor = expr.getKind() == AffineExprKind::FloorDiv;
    auto divide = [&](int64_t x) {
      return isFloor ? llvm::divideFloorSigned(x, b->low)
                     : llvm::divideCeilSigned(x, b->low);
    };
    return Range{divide(a->low), divide(a->high)};
  }
  case AffineExprKind::Mod: {
    if (b->low != b->high || b->low < 1)
      return std::nullopt;
    if (llvm::divideFloorSigned(a->low, b->low) ==
        llvm::divideFloorSigned(a->high, b->low))
      return Range{llvm::mod(a->low, b->low), llvm::mod(a->high, b->low)};
    return Range{0, b->low - 1};
  }
  default:
    return std::nullopt;
  }
}

int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> at) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return at[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t a = evaluate(binary.getLHS(), at), b = evaluate(binary.getRHS(), at);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(a, b);
  case AffineExprKind::CeilDiv:
    return llvm::divideCeilSigned(a, b);
  default:
    return llvm::mod(a, b);
  }
}

} // namespace

int64_t kiln::stage::elementBytes(Type type) {
  if (isa<IndexType>(type))
    return 8;
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

std::optional<Places> Places::of(MemRefType type, std::string *reason) {
  auto refuse = [&](const char *why) -> std::optional<Places> {
    if (reason)
      *reason = why;
    return std::nullopt;
  };
  Places places;
  places.map = type.getLayout().getAffineMap();
  if (places.map.getNumSymbols())
    return refuse("depends on what is known at run time only");
  places.length = 1;
  for (AffineExpr expr : places.map.getResults()) {
    auto range = rangeOf(expr, type.getShape());
    if (!range)
      return refuse("is not made of sums, products with constants, floor "
                    "divisions and remainders");
    if (range->low < 0)
      return refuse("has negative places");
    places.extents.push_back(range->high + 1);
    if (llvm::MulOverflow(places.length, range->high + 1, places.length) ||
        places.length > kMostBytes)
      return refuse("spans more than 2^40 bytes");
  }
  if (type.getNumElements() == 0)
    places.length = 0;
  if (places.length > kMostBytes / elementBytes(type.getElementType()))
    return refuse("spans more than 2^40 bytes");
  return places;
}

int64_t Places::at(ArrayRef<int64_t> coordinates) const {
  int64_t place = 0;
  for (auto [expr, extent] : llvm::zip(map.getResults(), extents))
    place = place * extent + evaluate(expr, coordinates);
  return place;
}

std::optional<int64_t> kiln::stage::storageBytes(MemRefType type) {
  std::optional<Places> places = Places::of(type);
  if (!places)
    return std::nullopt;
  return places->span() * elementBytes(type.getElementType());
}

bool kiln::stage::isStrided(MemRefType type) {
  auto space = dyn_cast_or_null<SpaceAttr>(type.getMemorySpace());
  return type.isStrided() && !(space && space.getPermute());
}
