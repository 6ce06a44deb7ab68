//===- ScatterStores.cpp - Scatters whose stores combine ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine with many cores has more instances than a tensor has parts that no
// index moves: one that is updated at a million places has a single part. Such
// machines combine while they store, so that all places are spread over the
// grid. Integers get the same result in each order; sums of floats are rounded
// in an order that may be another one in each call.
//
//===----------------------------------------------------------------------===//

#include "ScatterBuilder.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Elements of so many bits are updated in words of two.
static constexpr unsigned kHalf = 16;

/// Whether no word of two elements goes beyond the memory of a tensor.
static bool hasWholeWords(const Buffer &out, HostProgramBuilder &host) {
  if (out.elementType().getIntOrFloatBitWidth() > kHalf)
    return true;
  Extent all = host.elementsOf(out.base);
  return out.offset.is(0) && all.isStatic() && all.get() % 2 == 0;
}

/// How a store combines with what is there as a scatter does, one update after
/// the other in any order; none if no store does, or may.
static std::optional<tile::Combine> storeOf(prim::ScatterOp op) {
  Type element = getElementTypeOrSelf(op.getUpdates().getType());
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() < kHalf)
    return std::nullopt;
  using Kind = prim::ScatterKind;
  switch (op.getCombine()) {
  case Kind::add:
    return tile::Combine::add;
  case Kind::max:
    return tile::Combine::max;
  case Kind::min:
    return tile::Combine::min;
  case Kind::umax:
    return tile::Combine::umax;
  case Kind::umin:
    return tile::Combine::umin;
  case Kind::and_:
    return tile::Combine::and_;
  case Kind::or_:
    return tile::Combine::or_;
  case Kind::xor_:
    return tile::Combine::xor_;
  case Kind::mul: // No machine has it.
  case Kind::set: // The last update counts, which no store knows.
    break;
  }
  return std::nullopt;
}

void ScatterBuilder::chooseCombiningStores() {
  // Fewer places cost less than the atomic operations that they need.
  constexpr int64_t kFewPlaces = 64;
  bool isBlock = axisWindow < 0 || windows[axisWindow].coordinate < 0;
  bool hasMoved = llvm::any_of(windows, [](const WindowDim &window) {
    return window.coordinate >= 0 && window.size.is(1);
  });
  bool isSum = op.getCombine() == prim::ScatterKind::add &&
               isa<FloatType>(out.elementType());
  if (!isThreaded || op.getUnique() || !isBlock || !hasMoved ||
      (isOrdered && isSum))
    return;
  int64_t count = 1;
  for (const PlaceDim &place : llvm::drop_begin(places, batch))
    count *= place.size.isStatic() ? place.size.get() : kFewPlaces;
  if (count < kFewPlaces || !hasWholeWords(out, host))
    return;
  combining = storeOf(op);
  if (!combining)
    return;
  // As many as keep memory busy, which wide rows do with fewer.
  constexpr int64_t kWideRow = 64, kOfRows = 8, kOfElements = 32;
  shared = places.size() - 1;
  sharedPlaces = block < kWideRow ? kOfElements : kOfRows;
  // One thread stores a single element: what other warps read is not used.
  if (block == 1)
    kernel.kernel->setAttr(
        tile::kHintsAttr,
        tile::KernelHintsAttr::get(b.getContext(), /*warps=*/1, 0, 0, 0));
}

/// An instance reads all its places before it updates any of them, so that it
/// waits for memory once.
void ScatterBuilder::loopSharedPlaces(PlaceDim &place) {
  const KernelDim &own = kernel.dims[place.dim];
  bool isWhole = place.size.isStatic() && place.size.get() % sharedPlaces == 0;
  struct Place {
    Value offset, update;
    SmallVector<Value> coordinates;
  };
  SmallVector<Place> all;
  for (WindowDim &window : windows)
    if (!window.offset && window.size.is(1))
      window.offset = kernel.constant(0);
  bool hasLoops = llvm::any_of(
      windows, [](const WindowDim &window) { return !window.offset; });
  for (int64_t n = 0; n < sharedPlaces; ++n) {
    Place &one = all.emplace_back();
    place.offset = one.offset = kernel.add(own.offset, kernel.constant(n));
    for (size_t number = 0; number < op.getDims().size(); ++number)
      one.coordinates.push_back(coordinate(number, /*asTile=*/false));
  }
  for (Place &one : all) {
    place.offset = one.offset;
    if (!hasLoops)
      one.update = loadUpdate();
  }
  for (Place &one : all) {
    place.offset = one.offset;
    known = std::move(one.coordinates);
    loaded = one.update;
    if (!isWhole)
      validPlace = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                         one.offset, kernel.index(place.size));
    loopWindow(0);
  }
  known.clear();
  loaded = Value();
  validPlace = Value();
  place.offset = Value();
}
