//===- ScatterStores.cpp - Scatters whose stores combine ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine with many cores has more instances than a tensor has parts that no
// index moves: one that is updated at a million places has a single part. Such
// machines combine while they store, so that all places are spread over the
// grid. Integers get the same result in each order; sums of floats are rounded
// in an order that may be another one in each call.
//
// A scatter that adds the same number at each place, or at some of them, adds
// this number times how often the place is listed: histograms, bin counts, the
// load of experts. Where the result is small, an instance counts a run of
// places by `tile.histogram`, and adds its counts once.
//
//===----------------------------------------------------------------------===//

#include "BlockThreads.h"
#include "ScatterBuilder.h"
#include "ScatterElements.h"
#include "kiln/Dialect/Prim/ConvertOps.h"
#include "kiln/Dialect/Prim/CreationOps.h"
#include "kiln/Dialect/Prim/GroupOps.h"
#include "kiln/Dialect/Prim/MovementOps.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Interfaces/Movement.h"
#include "kiln/Target/Limits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Elements of fewer bits are updated in words of several.
static constexpr unsigned kWord = 32, kHalf = 16, kByte = 8;

/// Whether no word of several elements goes beyond the memory of a tensor.
static bool hasWholeWords(const Buffer &out, HostProgramBuilder &host) {
  // A truth value lies in a byte.
  unsigned bits =
      std::max<unsigned>(out.elementType().getIntOrFloatBitWidth(), 8);
  if (bits >= kWord)
    return true;
  Extent all = host.elementsOf(out.base);
  return out.offset.is(0) && all.isStatic() && all.get() * bits % kWord == 0;
}

std::optional<tile::Combine> kiln::schedule::storeOf(prim::ScatterOp op) {
  Type element = getElementTypeOrSelf(op.getUpdates().getType());
  if (!element.isIntOrFloat())
    return std::nullopt;
  // The last update counts, which no store knows unless there is one.
  bool isOfBytes =
      element.isInteger(1) || element.getIntOrFloatBitWidth() % kByte == 0;
  if (op.getCombine() == prim::ScatterKind::set && op.getUnique() && isOfBytes)
    return tile::Combine::assign;
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < kHalf)
    return std::nullopt;
  using Kind = prim::ScatterKind;
  bool isTruth = element.isInteger(1);
  switch (op.getCombine()) {
  case Kind::add:
    return isTruth ? tile::Combine::or_ : tile::Combine::add;
  case Kind::max:
    return isTruth ? tile::Combine::or_ : tile::Combine::max;
  case Kind::min:
    return isTruth ? tile::Combine::and_ : tile::Combine::min;
  case Kind::umax:
    return isTruth ? tile::Combine::or_ : tile::Combine::umax;
  case Kind::umin:
    return isTruth ? tile::Combine::and_ : tile::Combine::umin;
  case Kind::and_:
    return tile::Combine::and_;
  case Kind::or_:
    return tile::Combine::or_;
  case Kind::xor_:
    return tile::Combine::xor_;
  case Kind::mul:
    return isTruth ? tile::Combine::and_ : tile::Combine::mul;
  case Kind::set:
    break;
  }
  return std::nullopt;
}

bool kiln::schedule::storesMeet(prim::ScatterOp op) {
  return !op.getUnique() || op.getCombine() == prim::ScatterKind::set;
}

bool kiln::schedule::isRounded(prim::ScatterOp op) {
  using Kind = prim::ScatterKind;
  return isa<FloatType>(getElementTypeOrSelf(op.getType())) &&
         (op.getCombine() == Kind::add || op.getCombine() == Kind::mul);
}

void ScatterBuilder::chooseCombiningStores() {
  // Fewer places cost less than the atomic operations that they need.
  constexpr int64_t kFewPlaces = 64;
  if (!isThreaded || !storesMeet(op) || op.getDims().empty() ||
      (isOrdered && isRounded(op)))
    return;
  // Narrow rows keep few threads busy: elements are better.
  bool isRow = axisWindow >= 0 && windows[axisWindow].coordinate < 0;
  isOfElements = axisWindow < 0;
  if (isRow && windows[axisWindow].size.isStatic())
    isOfElements = windows[axisWindow].size.get() <= kWidestRow;
  // Instances of rows have all places that may coincide.
  int64_t count = 1;
  for (const PlaceDim &place :
       llvm::drop_begin(places, isOfElements ? 0 : batch))
    count *= place.size.isStatic() ? place.size.get() : kFewPlaces;
  bool isSet = op.getCombine() == prim::ScatterKind::set;
  if (count < kFewPlaces || (!isSet && !hasWholeWords(out, host)))
    return;
  // Rows that are all different are written one by one.
  if (!isSet || isOfElements)
    combining = storeOf(op);
  if (!combining || isOfElements)
    return;
  // As many as keep memory busy, which wide rows do with fewer.
  constexpr int64_t kWideRow = 64, kOfRows = 8, kOfNarrow = 32;
  if (isRow) {
    shared = places.size() - 1;
    sharedPlaces = block < kWideRow ? kOfNarrow : kOfRows;
  }
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

/// Places that are read and counted at once.
static constexpr int64_t kBlock = 2048;

/// What a value has the elements of, moved, outside of its group; with
/// `converts` also what was converted to its type, up to truth values.
static Value sourceOf(Value value, bool converts) {
  while (!converts || !getElementTypeOrSelf(value).isInteger(1)) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto group =
          dyn_cast<prim::GroupOpInterface>(argument.getOwner()->getParentOp());
      if (!group || group.isClaim())
        return value;
      value = group->getOperand(argument.getArgNumber());
    } else if (auto group = value.getDefiningOp<prim::GroupOpInterface>();
               group && !group.isClaim()) {
      value = group.getInside(cast<OpResult>(value));
    } else if (Operation *op = value.getDefiningOp();
               isa_and_nonnull<ReshapeOpInterface, RepeatOpInterface>(op) ||
               (converts &&
                isa_and_nonnull<prim::ElementConversionOpInterface>(op))) {
      value = op->getOperand(0);
    } else {
      return value;
    }
  }
  return value;
}

/// The number that a scatter adds at each place; null: they differ.
static TypedAttr addedNumber(prim::ScatterOp op) {
  Operation *source =
      sourceOf(op.getUpdates(), /*converts=*/false).getDefiningOp();
  return source ? splatValue(source) : TypedAttr();
}

/// Elements of a buffer that lie one after the other; 0: they do not, or their
/// number is not known.
static int64_t countDense(const Buffer &buffer) {
  int64_t count = 1;
  for (unsigned d = buffer.rank(); d-- > 0;) {
    if (!buffer.sizes[d].isStatic() ||
        (!buffer.sizes[d].is(1) && !buffer.strides[d].is(count)))
      return 0;
    count *= buffer.sizes[d].get();
  }
  return count;
}

bool ScatterBuilder::listsElements(int64_t most, int64_t placesOfElement) {
  int64_t elements = countDense(out);
  Type element = out.elementType();
  bool isKnownType = element.isF32() || element.isF64() ||
                     element.isInteger(32) || element.isInteger(64);
  SmallVector<WindowDim, 2> moved;
  bool isMoved = true;
  for (const WindowDim &window : windows)
    if (window.coordinate >= 0)
      moved.push_back(window);
    else
      isMoved &= window.whole.is(1);
  isMoved &= llvm::all_of(
      moved, [](const WindowDim &window) { return window.size.is(1); });
  auto listed = llvm::to_vector<2>(llvm::make_filter_range(
      places, [](const PlaceDim &place) { return !place.size.is(1); }));
  if (!isThreaded || op.getUnique() || !isKnownType || !isMoved ||
      moved.empty() || listed.size() != 1 ||
      (batch && !places.front().size.is(1)) || batch > 1 || elements < 1 ||
      elements > most || (isOrdered && isRounded(op)))
    return false;
  Extent many = listed[0].size;
  if (many.isStatic() && many.get() < placesOfElement * elements)
    return false;
  windows = std::move(moved);
  places = std::move(listed);
  batch = 0;
  return true;
}

bool ScatterBuilder::countsPlaces() {
  // Counts are in registers, a few for each thread. With fewer places than
  // these an instance would add more zeros than counts.
  constexpr int64_t kMostElements = 4096, kPlacesOfElement = 4;
  if (op.getCombine() != prim::ScatterKind::add)
    return false;
  added = addedNumber(op);
  addsTruth = !added &&
              getElementTypeOrSelf(sourceOf(op.getUpdates(), /*converts=*/true))
                  .isInteger(1);
  if (addsTruth)
    added = b.getOneAttr(out.elementType());
  return added && listsElements(kMostElements, kPlacesOfElement);
}

Value ScatterBuilder::updatesOf(Value begin) {
  Buffer from;
  from.base = updates.base;
  from.offset = updates.offset;
  from.sizes.push_back(places[0].size);
  from.strides.push_back(places[0].updateStride);
  return tile::LoadOp::create(
      b, loc, RankedTensorType::get({block}, out.elementType()),
      kernel.view(from, /*write=*/false), begin, Value(),
      /*element_offsets=*/true, tile::Padding::zero, DenseI64ArrayAttr());
}

Value ScatterBuilder::truthBlock(Value begin) {
  Value update = updatesOf(begin);
  Value none = arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getZeroAttr(update.getType())));
  if (isa<FloatType>(out.elementType()))
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, update,
                                 none);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, update, none);
}

std::pair<Value, Value> ScatterBuilder::elementsOf(Value begin) {
  places[0].offset = begin;
  Value inside, element;
  auto both = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    Value holds = arith::CmpIOp::create(b, loc, predicate, x, y);
    inside = inside ? arith::AndIOp::create(b, loc, inside, holds).getResult()
                    : holds;
  };
  for (auto [number, window] : llvm::enumerate(windows)) {
    Value at = coordinate(window.coordinate, /*asTile=*/true);
    both(arith::CmpIPredicate::ult, at, tileOf(kernel.index(window.whole)));
    if (element)
      element = arith::MulIOp::create(b, loc, element,
                                      tileOf(kernel.index(window.whole)));
    element =
        element ? arith::AddIOp::create(b, loc, element, at).getResult() : at;
  }
  // Runs may reach beyond the last place.
  Extent many = places[0].size;
  if (!many.isStatic() || many.get() % kernel.dims[0].block != 0) {
    auto type = RankedTensorType::get({block}, b.getI64Type());
    Value number = arith::AddIOp::create(
        b, loc, tile::IotaOp::create(b, loc, type, uint64_t(0)), tileOf(begin));
    both(arith::CmpIPredicate::slt, number, tileOf(kernel.index(many)));
  }
  places[0].offset = Value();
  return {element, inside};
}

Value ScatterBuilder::countBlock(Value begin, int64_t elements) {
  auto [bin, inside] = elementsOf(begin);
  if (addsTruth)
    inside = arith::AndIOp::create(b, loc, inside, truthBlock(begin));
  auto counts = RankedTensorType::get({elements}, b.getI32Type());
  return tile::HistogramOp::create(b, loc, counts, bin, inside);
}

/// `added` as often as is counted.
static Value timesAdded(Value counts, TypedAttr added, OpBuilder &b,
                        Location loc) {
  Type element = added.getType();
  auto type = cast<RankedTensorType>(counts.getType()).clone(element);
  Value factor = arith::ConstantOp::create(
      b, loc, SplatElementsAttr::get(type, ArrayRef<Attribute>(added)));
  if (auto real = dyn_cast<FloatType>(element)) {
    Value product = arith::MulFOp::create(
        b, loc, arith::UIToFPOp::create(b, loc, type, counts), factor);
    // What is not listed stays as it is, beside infinities and with its sign.
    auto constant = [&](ShapedType of, TypedAttr value) -> Value {
      return arith::ConstantOp::create(
          b, loc, SplatElementsAttr::get(of, ArrayRef<Attribute>(value)));
    };
    Value nothing = constant(type, FloatAttr::get(real, -0.0));
    auto integers = cast<ShapedType>(counts.getType());
    Value isListed = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ne, counts,
        constant(integers, b.getIntegerAttr(integers.getElementType(), 0)));
    return arith::SelectOp::create(b, loc, isListed, product, nothing);
  }
  Value wide = element.isInteger(32)
                   ? counts
                   : arith::ExtUIOp::create(b, loc, type, counts).getResult();
  return arith::MulIOp::create(b, loc, wide, factor);
}

Buffer ScatterBuilder::resultLine() {
  Buffer line;
  line.base = out.base;
  line.offset = out.offset;
  line.sizes.push_back(countDense(out));
  line.strides.push_back(1);
  return line;
}

int64_t ScatterBuilder::placeRuns(int64_t instancesOfCore, int64_t most,
                                  int64_t unknown) {
  Extent many = places[0].size;
  int64_t blocks = unknown;
  if (many.isStatic())
    blocks = std::clamp<int64_t>(many.get() / (block * instancesOfCore *
                                               target::countCores(description)),
                                 1, most);
  axisPlace = 0;
  KernelDim run;
  run.size = many;
  run.block = block * blocks;
  kernel.dims.push_back(run);
  if (groups > 1) {
    KernelDim group;
    group.size = groups;
    kernel.dims.push_back(group);
    kernel.addGridDim(1);
  }
  kernel.addGridDim(0);
  kernel.placeGrid();
  return blocks;
}

void ScatterBuilder::setOneWarp() {
  kernel.kernel->setAttr(
      tile::kHintsAttr,
      tile::KernelHintsAttr::get(b.getContext(), /*warps=*/1, 0, 0, 0));
}

void ScatterBuilder::buildCounts() {
  // Several instances for each core, and runs that are long beside a result.
  constexpr int64_t kInstancesOfCore = 8, kMostBlocks = 16;
  int64_t bins = countDense(out), elements = llvm::PowerOf2Ceil(bins);
  block = kBlock;
  int64_t blocks = placeRuns(kInstancesOfCore, kMostBlocks, kMostBlocks);
  Value begin = kernel.dims[0].offset;
  Value counts = countBlock(begin, elements);
  if (blocks > 1) {
    auto loop =
        scf::ForOp::create(b, loc, kernel.constant(1), kernel.constant(blocks),
                           kernel.constant(1), counts);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value next = kernel.add(
        begin, kernel.mul(loop.getInductionVar(), kernel.constant(kBlock)));
    Value sum = arith::AddIOp::create(b, loc, loop.getRegionIterArg(0),
                                      countBlock(next, elements));
    scf::YieldOp::create(b, loc, sum);
    counts = loop.getResult(0);
  }
  tile::StoreOp::create(
      b, loc, timesAdded(counts, added, b, loc),
      kernel.view(resultLine(), /*write=*/true), ValueRange(kernel.constant(0)),
      /*element_offsets=*/true, tile::Combine::add, DenseI64ArrayAttr());
  kernel.finish("generic.scatter");
}
