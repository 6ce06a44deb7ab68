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
    LLVM::MaskedStoreOp::create(b, loc, value, address, mask, align);
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

/// A condition for stores that pass by the caches: the view is too large for
/// them, and every vector of the tile that starts at `base` is aligned. Null
/// where that is never so.
Value KernelEmitter::streamingCondition(tile::StoreOp store, const Nest &nest,
                                        Value base) {
  tile::ViewType type = store.getView().getType();
  const ViewInfo &view = viewOf(store.getView());
  int64_t bytes = storageBytes(view.elementType), rank = type.getRank();
  int64_t vectorBytes = nest.lanes * bytes;
  if (vectorBytes * 8 != config.vectorBits || vectorBytes < 32)
    return nullptr;
  if (llvm::none_of(type.getShape(), ShapedType::isDynamic)) {
    int64_t total = bytes;
    for (int64_t size : type.getShape())
      if (llvm::MulOverflow(total, size, total))
        return nullptr;
    if (total < config.lastCacheBytes)
      return nullptr;
  }
  Value elements = c64(1),
        misaligned = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), base);
  int64_t lead = rank - int64_t(nest.shape.size());
  for (int64_t d = 0; d < rank; ++d) {
    elements = mul(elements, view.sizes[d]);
    int64_t dim = d - lead;
    if (dim < 0 || nest.shape[dim] == 1)
      continue;
    Value unit = dim == nest.laneDim
                     ? (nest.ranges[dim].lo ? nest.ranges[dim].lo : c64(0))
                     : view.strides[d];
    misaligned =
        arith::OrIOp::create(b, loc, misaligned, mul(unit, c64(bytes)));
  }
  Value low = arith::AndIOp::create(b, loc, misaligned, c64(vectorBytes - 1));
  return conjunction(compare(arith::CmpIPredicate::eq, low, c64(0)),
                     compare(arith::CmpIPredicate::sge,
                             mul(elements, c64(bytes)),
                             c64(config.lastCacheBytes)));
}

LogicalResult KernelEmitter::emitStore(tile::StoreOp store) {
  freshLevels();
  RankedTensorType type = store.getTileType();
  tile::ViewType viewType = store.getView().getType();
  const ViewInfo &view = viewOf(store.getView());
  int64_t rank = type.getRank(), lead = viewType.getRank() - rank;
  bool combining = store.getCombine() != tile::Combine::assign;

  Nest nest;
  nest.shape.assign(type.getShape().begin(), type.getShape().end());
  SmallVector<int> identity;
  SmallVector<int64_t> strides;
  for (int64_t d = 0; d < rank; ++d) {
    identity.push_back(nest.shape[d] == 1 ? kZero : int(d));
    int64_t stride = viewType.getStaticStride(lead + d);
    strides.push_back(store.getStepOf(lead + d) == 1 ? stride : 0);
    Bounds range = validRange(store, lead + d);
    range.hi = minimum(range.hi, c64(nest.shape[d]));
    nest.ranges.push_back(range);
  }
  chooseLanes(nest, store.getValue(), strides);
  if (combining)
    nest.lanes = 1;
  collect(store.getValue(), identity, nest);

  // Leading dimensions that the tile lacks, and the address of its origin.
  Value condition;
  Value origin = c64(0);
  for (int64_t d = 0; d < viewType.getRank(); ++d) {
    origin = add(origin, mul(offsetOf(store, d), view.strides[d]));
    if (d >= lead)
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

  Value streaming;
  if (!combining && nest.laneDim >= 0 && strides[nest.laneDim] == 1)
    streaming = streamingCondition(store, nest, base);
  streams |= bool(streaming);

  SmallVector<Value> steps;
  for (int64_t d = 0; d < rank; ++d)
    steps.push_back(
        mul(view.strides[lead + d], c64(store.getStepOf(lead + d))));
  Type element = view.elementType;
  runNest(nest, [&](Point point, Value count) {
    if (rank == 0)
      point.coords.clear();
    Value value = toStorage(evaluate(store.getValue(), point));
    Value address = tileAddress(base, point, steps, element);
    if (combining) {
      LLVM::AtomicBinOp kind =
          atomicOf(store.getCombine(), isa<FloatType>(element));
      combineAtomically(kind, LLVM::AtomicOrdering::monotonic, element, address,
                        value);
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
  });
  return success();
}

LogicalResult KernelEmitter::emitScatter(tile::StoreScatterOp scatter) {
  freshLevels();
  RankedTensorType type = scatter.getTileType();
  tile::ViewType viewType = scatter.getView().getType();
  const ViewInfo &view = viewOf(scatter.getView());
  auto indices = cast<RankedTensorType>(scatter.getIndices().getType());
  int64_t dim = scatter.getDim(), indexRank = indices.getRank();

  // Indices have no range; the other dimensions have that of their view.
  Nest nest;
  nest.shape.assign(type.getShape().begin(), type.getShape().end());
  SmallVector<int> identity, indexDims;
  SmallVector<int64_t> strides;
  SmallVector<Value> steps;
  Value origin = c64(0);
  for (int64_t d = 0; d < type.getRank(); ++d) {
    identity.push_back(nest.shape[d] == 1 ? kZero : int(d));
    if (d >= dim && d < dim + indexRank) {
      indexDims.push_back(identity.back());
      strides.push_back(0);
      steps.push_back(Value());
      nest.ranges.push_back(Bounds());
      continue;
    }
    int64_t viewDim = d < dim ? d : d - indexRank + 1;
    strides.push_back(viewType.getStaticStride(viewDim));
    steps.push_back(view.strides[viewDim]);
    Bounds range = validRange(scatter, viewDim);
    range.hi = minimum(range.hi, c64(nest.shape[d]));
    nest.ranges.push_back(range);
    origin =
        add(origin, mul(offsetOf(scatter, viewDim), view.strides[viewDim]));
  }
  chooseLanes(nest, scatter.getValue(), strides);
  collect(scatter.getValue(), identity, nest);
  collect(scatter.getIndices(), indexDims, nest);
  Value base = gep(view.base, origin, view.elementType);

  Type element = view.elementType;
  runNest(nest, [&](Point point, Value count) {
    point.coords.resize(type.getRank());
    Point indexPoint;
    indexPoint.lanes = point.lanes;
    indexPoint.coords.assign(point.coords.begin() + dim,
                             point.coords.begin() + dim + indexRank);
    Value index = indexPoint.hasLanes()
                      ? evaluateLanes(scatter.getIndices(), indexPoint)
                      : evaluate(scatter.getIndices(), indexPoint);
    Value value = toStorage(evaluate(scatter.getValue(), point));
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
