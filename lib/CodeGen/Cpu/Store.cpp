//===- Store.cpp - Writing through views ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelEmitter.h"
#include "SmallFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// The atomic operation of a combining store.
static LLVM::AtomicBinOp atomicOf(tile::Combine combine, bool isFloat) {
  switch (combine) {
  case tile::Combine::add:
    return isFloat ? LLVM::AtomicBinOp::fadd : LLVM::AtomicBinOp::add;
  case tile::Combine::max:
    return isFloat ? LLVM::AtomicBinOp::fmaximum : LLVM::AtomicBinOp::max;
  case tile::Combine::min:
    return isFloat ? LLVM::AtomicBinOp::fminimum : LLVM::AtomicBinOp::min;
  case tile::Combine::umax:
    return LLVM::AtomicBinOp::umax;
  case tile::Combine::umin:
    return LLVM::AtomicBinOp::umin;
  case tile::Combine::and_:
    return LLVM::AtomicBinOp::_and;
  case tile::Combine::or_:
    return LLVM::AtomicBinOp::_or;
  case tile::Combine::xor_:
    return LLVM::AtomicBinOp::_xor;
  case tile::Combine::inc:
    return LLVM::AtomicBinOp::uinc_wrap;
  case tile::Combine::dec:
    return LLVM::AtomicBinOp::udec_wrap;
  case tile::Combine::assign:
    break;
  }
  return LLVM::AtomicBinOp::xchg;
}

Value KernelEmitter::tileAddress(Value base, const Point &point,
                                 ArrayRef<Value> steps, Type element) {
  Value address = base;
  for (int level = 0; level <= point.level(); ++level) {
    AtLevel at(*this, level);
    Value sum;
    for (auto [step, coord] : llvm::zip_equal(steps, point.coords)) {
      bool here = coord.index ? coord.level == level : level == 0;
      if (!step || !here || (!coord.index && coord.constant == 0))
        continue;
      Value term = mul(coordValue(coord), step);
      sum = sum ? add(sum, term) : term;
    }
    if (sum)
      address = gep(address, sum, element);
  }
  return address;
}

void KernelEmitter::storeLanes(Value value, Value address, Value stride,
                               Type element, Value mask) {
  unsigned align = storageBytes(element);
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type || (!stride && !mask)) {
    LLVM::StoreOp::create(b, loc, value, address, align);
    return;
  }
  if (!stride) {
    storeMasked(value, address, mask, align);
    return;
  }
  int64_t lanes = type.getNumElements();
  Value offsets = arith::MulIOp::create(b, loc, laneIds(b.getI64Type(), lanes),
                                        broadcastLanes(stride, lanes));
  auto pointers = VectorType::get({lanes}, address.getType());
  Value addresses = LLVM::GEPOp::create(b, loc, pointers, storageType(element),
                                        address, ValueRange{offsets});
  if (!mask)
    mask = laneMask(c64(lanes), lanes);
  LLVM::masked_scatter::create(b, loc, value, addresses, mask, align);
}

bool KernelEmitter::isSurelyLarge(tile::ViewType view) const {
  int64_t total = storageBytes(view.getElementType());
  for (int64_t size : view.getShape())
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(total, size, total))
      return false;
  return total >= config.lastCacheBytes;
}

void KernelEmitter::touchNext(ViewAccessOpInterface store) {
  constexpr int64_t kPage = 4096, kMostPages = 16;
  auto type = dyn_cast<tile::ViewType>(store.getAccessedView().getType());
  SmallVector<ViewAxis, 4> axes = store.getAxes();
  if (!type || store.getAccessKind() != AccessKind::Write ||
      store.getAccessedType().getRank() != 1 || !isSurelyLarge(type) ||
      indirectAxis(axes) >= 0 || llvm::none_of(axes, countsInstances) ||
      !views.count(store.getAccessedView()))
    return;
  int64_t bytes = store.getAccessedType().getNumElements() *
                  storageBytes(type.getElementType());
  // What is computed later is not known yet.
  bool isKnown = llvm::all_of(axes, [&](const ViewAxis &axis) {
    auto offset = dyn_cast_if_present<Value>(axis.offset);
    return !offset || mapping.contains(offset) || getConstantIntValue(offset);
  });
  if (!isKnown || bytes > kMostPages * kPage)
    return;
  const ViewInfo &view = viewOf(store.getAccessedView());
  Value origin = c64(0);
  for (auto [d, axis] : llvm::enumerate(axes)) {
    Value first = offsetOf(store, d);
    if (countsInstances(axis))
      first = add(first, c64(axis.block));
    origin = add(origin, mul(first, view.strides[d]));
  }
  Value base = gep(view.base, origin, view.elementType);
  for (int64_t at = 0; at < bytes; at += kPage)
    LLVM::Prefetch::create(b, loc, gep(base, c64(at), b.getI8Type()),
                           /*rw=*/0, /*hint=*/3, /*cache=*/1);
}

/// A condition for non-temporal (streaming) stores: the view is too large for
/// the caches, and every vector of the tile that starts at `base` is aligned,
/// or is once `peel` elements of each row have been stored by themselves. Those
/// are none where it does not hold. Null where that is never so.
Value KernelEmitter::streamingCondition(ViewAccessOpInterface store,
                                        const Nest &nest, Value base,
                                        Value &peel) {
  auto type = cast<tile::ViewType>(store.getAccessedView().getType());
  const ViewInfo &view = viewOf(store.getAccessedView());
  int64_t bytes = storageBytes(view.elementType), rank = type.getRank();
  int64_t vectorBytes = nest.lanes * bytes;
  if (vectorBytes * 8 != config.vectorBits || vectorBytes < 32)
    return nullptr;
  bool isLarge = isSurelyLarge(type);
  if (!isLarge && llvm::none_of(type.getShape(), ShapedType::isDynamic))
    return nullptr;
  Value elements = c64(1), misaligned = c64(0),
        first = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), base);
  SmallVector<ViewAxis, 4> axes = store.getAxes();
  for (int64_t d = 0; d < rank; ++d) {
    elements = mul(elements, view.sizes[d]);
    int64_t dim = axes[d].tileDim;
    if (dim < 0 || nest.shape[dim] == 1)
      continue;
    if (dim != nest.laneDim)
      misaligned = arith::OrIOp::create(b, loc, misaligned,
                                        mul(view.strides[d], c64(bytes)));
    else if (Value lo = nest.ranges[dim].lo)
      first = add(first, mul(lo, c64(bytes)));
  }
  // Memory of callers is often aligned to less than a vector. Where sizes are
  // not known, what is stored may be small: the code for it would be in vain.
  int64_t known = isLarge ? bytes : vectorBytes;
  misaligned = arith::OrIOp::create(
      b, loc, arith::AndIOp::create(b, loc, misaligned, c64(vectorBytes - 1)),
      arith::AndIOp::create(b, loc, first, c64(known - 1)));
  Value streaming =
      conjunction(compare(arith::CmpIPredicate::eq, misaligned, c64(0)),
                  compare(arith::CmpIPredicate::sge, mul(elements, c64(bytes)),
                          c64(config.lastCacheBytes)));
  if (isLarge) {
    Value over =
        arith::AndIOp::create(b, loc, sub(c64(0), first), c64(vectorBytes - 1));
    over = arith::DivUIOp::create(b, loc, over, c64(bytes));
    peel = streaming ? select(streaming, over, c64(0)) : over;
  }
  return streaming;
}

/// Why the family cannot write through an access; empty if it can.
static std::string whyNotWritten(ViewAccessOpInterface store) {
  auto view = dyn_cast<tile::ViewType>(store.getAccessedView().getType());
  if (!view ||
      view.getElementType() != store.getAccessedType().getElementType())
    return "it changes the type of the elements that it stores";
  if (llvm::count_if(store.getAxes(), [](const ViewAxis &axis) {
        return axis.isIndirect();
      }) > 1)
    return "several dimensions are indirect";
  if (store.getAccessKind() == AccessKind::Update &&
      !isa<tile::StoreOp>(store.getOperation()))
    return "it combines what it stores in a way of its own";
  return {};
}

LogicalResult KernelEmitter::emitStore(ViewAccessOpInterface store) {
  if (std::string why = whyNotWritten(store); !why.empty())
    return decline(why);
  SmallVector<ViewAxis, 4> axes = store.getAxes();
  if (indirectAxis(axes) >= 0)
    return emitScatter(store);
  freshLevels();
  RankedTensorType type = store.getAccessedType();
  auto viewType = cast<tile::ViewType>(store.getAccessedView().getType());
  const ViewInfo &view = viewOf(store.getAccessedView());
  int64_t rank = type.getRank();
  auto combine = tile::Combine::assign;
  if (auto combined = dyn_cast<tile::StoreOp>(store.getOperation()))
    combine = combined.getCombine();
  bool combining = combine != tile::Combine::assign;
  Value stored = store.getAccessedTile();

  Nest nest;
  nest.shape.assign(type.getShape().begin(), type.getShape().end());
  nest.ranges.resize(rank);
  SmallVector<int> identity;
  SmallVector<int64_t> strides(rank, 0);
  SmallVector<Value> steps(rank);
  for (int64_t d = 0; d < rank; ++d)
    identity.push_back(nest.shape[d] == 1 ? kZero : int(d));
  for (auto [d, axis] : llvm::enumerate(axes)) {
    if (axis.tileDim < 0)
      continue;
    int64_t t = axis.tileDim;
    int64_t stride = viewType.getStaticStride(d);
    strides[t] = axis.step == 1 ? stride : 0;
    Bounds range = validRange(store, d);
    range.hi = minimum(range.hi, c64(nest.shape[t]));
    nest.ranges[t] = range;
  }
  chooseLanes(nest, stored, strides);
  if (combining)
    nest.lanes = 1;
  collect(stored, identity, nest);

  // Leading dimensions that the tile lacks, and the address of its origin.
  Value condition;
  Value origin = c64(0);
  for (int64_t d = 0; d < viewType.getRank(); ++d) {
    origin = add(origin, mul(offsetOf(store, d), view.strides[d]));
    if (axes[d].tileDim >= 0)
      continue;
    Bounds range = validRange(store, d);
    condition = conjunction(
        condition, compare(arith::CmpIPredicate::sgt, range.hi, c64(0)));
    if (range.lo)
      condition = conjunction(
          condition, compare(arith::CmpIPredicate::sle, range.lo, c64(0)));
  }
  if (condition) {
    // Nothing is stored where a leading coordinate is outside.
    if (nest.shape.empty()) {
      nest.shape.push_back(1);
      nest.ranges.push_back({});
      nest.laneDim = -1;
    }
    Bounds &first = nest.ranges.front();
    first.hi = select(condition, first.hi ? first.hi : c64(1), c64(0));
  }
  Value base = gep(view.base, origin, view.elementType);

  Value streaming, peel;
  if (!combining && nest.laneDim >= 0 && strides[nest.laneDim] == 1)
    streaming = streamingCondition(store, nest, base, peel);
  streams |= bool(streaming);
  if (nest.hasFunctions || peel)
    nest.side = sideBySide(nest);

  for (auto [d, axis] : llvm::enumerate(axes))
    if (axis.tileDim >= 0)
      steps[axis.tileDim] = mul(view.strides[d], c64(axis.step));
  Type element = view.elementType;
  auto storeAt = [&](Point point, Value count) {
    if (rank == 0)
      point.coords.clear();
    Value value = toStorage(evaluate(stored, point));
    Value address = tileAddress(base, point, steps, element);
    if (combining) {
      Type combined = combinedType(store, element);
      LLVM::AtomicBinOp kind = atomicOf(combine, isa<FloatType>(combined));
      // Truth values are bytes, of which a sum must leave one bit.
      if (element.isInteger(1) && combine == tile::Combine::add)
        kind = LLVM::AtomicBinOp::_xor;
      combineAtomically(kind, LLVM::AtomicOrdering::monotonic, combined,
                        address, value);
      return;
    }
    if (point.lanes == 1 || !point.hasLanes())
      return storeLanes(value, address, Value(), element, Value());
    value = broadcastLanes(value, point.lanes);
    Value mask = count ? laneMask(count, point.lanes) : Value();
    bool isContiguous = strides[nest.laneDim] == 1;
    Value stride = isContiguous ? Value() : steps[nest.laneDim];
    if (!streaming || mask)
      return storeLanes(value, address, stride, element, mask);
    auto choice = scf::IfOp::create(b, loc, TypeRange{}, streaming, true, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    auto past =
        LLVM::StoreOp::create(b, loc, value, address, config.vectorBits / 8);
    past.setNontemporal(true);
    scf::YieldOp::create(b, loc);
    b.setInsertionPointToStart(choice.elseBlock());
    storeLanes(value, address, stride, element, Value());
    scf::YieldOp::create(b, loc);
  };
  if (peel) {
    // What comes before the first aligned vector of each row.
    Bounds &lane = nest.ranges[nest.laneDim];
    Value whole = lane.hi, start = add(lane.lo ? lane.lo : c64(0), peel);
    bool neverFast = std::exchange(nest.neverFast, true);
    lane.hi = minimum(start, whole);
    runNest(nest, storeAt);
    nest.neverFast = neverFast;
    lane = {start, whole};
  }
  runNest(nest, storeAt);
  return success();
}

LogicalResult KernelEmitter::emitScatter(ViewAccessOpInterface scatter) {
  freshLevels();
  RankedTensorType type = scatter.getAccessedType();
  auto viewType = cast<tile::ViewType>(scatter.getAccessedView().getType());
  const ViewInfo &view = viewOf(scatter.getAccessedView());
  SmallVector<ViewAxis, 4> axes = scatter.getAxes();
  int64_t dim = indirectAxis(axes);
  Value indices = axes[dim].indices, stored = scatter.getAccessedTile();
  int64_t indexRank = cast<RankedTensorType>(indices.getType()).getRank();

  // Indices have no range; the other dimensions have that of their view.
  Nest nest;
  nest.shape.assign(type.getShape().begin(), type.getShape().end());
  nest.ranges.resize(type.getRank());
  SmallVector<int> identity, indexDims;
  SmallVector<int64_t> strides(type.getRank(), 0);
  SmallVector<Value> steps(type.getRank());
  Value origin = c64(0);
  for (int64_t d = 0; d < type.getRank(); ++d)
    identity.push_back(nest.shape[d] == 1 ? kZero : int(d));
  for (int64_t i = 0; i < indexRank; ++i)
    indexDims.push_back(identity[axes[dim].tileDim + i]);
  for (auto [d, axis] : llvm::enumerate(axes)) {
    if (axis.isIndirect())
      continue;
    int64_t t = axis.tileDim;
    strides[t] = viewType.getStaticStride(d);
    steps[t] = view.strides[d];
    Bounds range = validRange(scatter, d);
    range.hi = minimum(range.hi, c64(nest.shape[t]));
    nest.ranges[t] = range;
    origin = add(origin, mul(offsetOf(scatter, d), view.strides[d]));
  }
  chooseLanes(nest, stored, strides);
  collect(stored, identity, nest);
  collect(indices, indexDims, nest);
  Value base = gep(view.base, origin, view.elementType);

  Type element = view.elementType;
  runNest(nest, [&](Point point, Value count) {
    point.coords.resize(type.getRank());
    Point indexPoint = indexPointOf(axes[dim], point);
    Value index = indexPoint.hasLanes() ? evaluateLanes(indices, indexPoint)
                                        : evaluate(indices, indexPoint);
    Value value = toStorage(evaluate(stored, point));
    Value address = tileAddress(base, point, steps, element);
    auto lanes = dyn_cast<VectorType>(index.getType());
    index = toI64(index);
    Value size = view.sizes[dim], stride = view.strides[dim];
    if (point.hasLanes() && point.lanes > 1)
      value = broadcastLanes(value, point.lanes);
    Value mask =
        count && point.lanes > 1 ? laneMask(count, point.lanes) : Value();
    if (!lanes) {
      // All lanes, if there are any, go to one place along the dimension.
      Value inside = compare(arith::CmpIPredicate::ult, index, size);
      ifEnabled(inside, Type(), [&]() -> Value {
        Value place = gep(address, mul(index, stride), element);
        bool isContiguous =
            !isa<VectorType>(value.getType()) || strides[nest.laneDim] == 1;
        storeLanes(value, place, isContiguous ? Value() : steps[nest.laneDim],
                   element, mask);
        return {};
      });
      return;
    }
    Value inside = compare(arith::CmpIPredicate::ult, index,
                           broadcastLanes(size, point.lanes));
    Value offsets = arith::MulIOp::create(b, loc, index,
                                          broadcastLanes(stride, point.lanes));
    auto pointers = VectorType::get({point.lanes}, address.getType());
    Value addresses = LLVM::GEPOp::create(
        b, loc, pointers, storageType(element), address, ValueRange{offsets});
    LLVM::masked_scatter::create(b, loc, value, addresses,
                                 conjunction(mask, inside),
                                 storageBytes(element));
  });
  return success();
}
