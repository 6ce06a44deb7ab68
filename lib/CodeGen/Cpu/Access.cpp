//===- Access.cpp - Reading through views ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine.h"
#include "NestBuilder.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

namespace {
/// What accesses through views have in common.
struct AccessForm {
  Value view;
  SmallVector<ViewAxis, 4> axes;
  SmallVector<int64_t, 4> steps;
  int64_t viewRank;

  explicit AccessForm(ViewAccessOpInterface op)
      : view(op.getAccessedView()), axes(op.getAxes()), viewRank(axes.size()) {
    for (const ViewAxis &axis : axes)
      steps.push_back(axis.step);
  }

  /// The coordinates of a point of the tile, per dimension of the view; those
  /// of the indirect one are left out.
  SmallVector<Coord> coordsOf(const Point &point) const {
    SmallVector<Coord> coords(viewRank);
    for (auto [coord, axis] : llvm::zip(coords, axes))
      if (axis.tileDim >= 0 && !axis.isIndirect())
        coord = point.coords[axis.tileDim];
    return coords;
  }
};
} // namespace

const ViewInfo &NestBuilder::viewOf(Value view) { return views.at(view); }

Value NestBuilder::offsetOf(ViewAccessOpInterface access, int64_t viewDim) {
  Value &offset = offsetMemo[{access, viewDim}];
  if (!offset) {
    AtLevel at(*this, 0);
    ViewAxis axis = access.getAxes()[viewDim];
    if (std::optional<int64_t> number = getConstantIntValue(axis.offset);
        number && isa<Attribute>(axis.offset))
      offset = c64(*number);
    else
      offset = scalar64(cast<Value>(axis.offset));
    if (axis.countsBlocks)
      offset = mul(offset, c64(axis.block));
  }
  return offset;
}

Bounds NestBuilder::validRange(ViewAccessOpInterface access, int64_t viewDim) {
  Bounds &range = rangeMemo[{access, viewDim}];
  if (!range.hi) {
    Value offset = offsetOf(access, viewDim);
    AtLevel at(*this, 0);
    ViewAxis axis = access.getAxes()[viewDim];
    int64_t step = axis.step;
    Value size = viewOf(access.getAccessedView()).sizes[viewDim];
    range.hi = ceilDivPositive(sub(size, offset), step);
    auto given = dyn_cast<Value>(axis.offset);
    if (!given || !facts.isNonNegative(given)) {
      Value zero = c64(0);
      range.lo = maximum(ceilDivPositive(sub(zero, offset), step), zero);
      if (getConstantIntValue(range.lo) == 0)
        range.lo = nullptr;
    }
  }
  return range;
}

/// The address of element 0 of an access and what each coordinate adds to it.
namespace {
struct Address {
  Value base;
  int64_t laneStride = 0;  ///< elements per lane, where static
  Value laneStrideDynamic; ///< set where it is not
};
} // namespace

/// Folds the coordinates of `point` (per view dimension, with steps) into an
/// address, each term at the level it belongs to. `constant` elements are added
/// last, so that accesses at fixed distances share an address register.
static Address
addressOf(NestBuilder &e, Value origin, int64_t constant, const ViewInfo &view,
          ArrayRef<Coord> coords, ArrayRef<int64_t> steps,
          llvm::function_ref<void(int, llvm::function_ref<void()>)> atLevel) {
  Address address{origin, 0, Value()};
  int deepest = 0;
  for (const Coord &coord : coords)
    deepest = std::max(deepest, coord.index ? coord.level : 0);
  for (int level = 0; level <= deepest; ++level) {
    Value sum;
    for (size_t d = 0; d < coords.size(); ++d) {
      const Coord &coord = coords[d];
      if (!coord.index || coord.level != level)
        continue;
      atLevel(level, [&] {
        Value stride = e.mul(view.strides[d], e.c64(steps[d]));
        Value term = e.mul(coord.index, stride);
        sum = sum ? e.add(sum, term) : term;
      });
    }
    if (sum)
      atLevel(level, [&] {
        address.base = e.gep(address.base, sum, view.elementType);
      });
  }
  for (size_t d = 0; d < coords.size(); ++d) {
    const Coord &coord = coords[d];
    auto stride = getConstantIntValue(view.strides[d]);
    if (coord.constant) {
      if (stride)
        constant += coord.constant * *stride * steps[d];
      else
        atLevel(deepest, [&] {
          Value term = e.mul(e.c64(coord.constant * steps[d]), view.strides[d]);
          address.base = e.gep(address.base, term, view.elementType);
        });
    }
    if (!coord.lane)
      continue;
    if (stride && !address.laneStrideDynamic) {
      address.laneStride += coord.lane * *stride * steps[d];
      continue;
    }
    atLevel(0, [&] {
      Value term = e.mul(e.c64(coord.lane * steps[d]), view.strides[d]);
      address.laneStrideDynamic = address.laneStrideDynamic
                                      ? e.add(address.laneStrideDynamic, term)
                                      : term;
    });
  }
  if (constant)
    atLevel(deepest, [&] {
      address.base = e.gep(address.base, e.c64(constant), view.elementType);
    });
  return address;
}

/// The value that stands for elements outside of the view.
static Value paddingOf(NestBuilder &e, ViewAccessOpInterface access,
                       Type element) {
  if (Value pad = access.getOutsideValue())
    return e.scalar(pad);
  if (access.getOutside() == Outside::NaN && isa<FloatType>(element))
    return e.constantOf(
        element,
        e.b.getFloatAttr(
            element,
            APFloat::getQNaN(cast<FloatType>(element).getFloatSemantics())));
  return e.zeroOf(element);
}

/// Every second element, by two vectors of neighbours and a shuffle, which is
/// faster than a gather. Null where a gather is not slower.
static Value readEverySecond(NestBuilder &e, const Address &address,
                             Type element, int64_t lanes, Value mask,
                             Value pad) {
  constexpr int64_t kLeastLanes = 4;
  Type stored = NestBuilder::storageType(element);
  unsigned align = NestBuilder::storageBytes(element);
  if (lanes < kLeastLanes)
    return {};
  OpBuilder &b = e.b;
  auto type = VectorType::get({lanes}, stored);
  SmallVector<int64_t> picked;
  if (!mask) {
    // The second vector ends with the last element.
    for (int64_t i = 0; i < lanes; ++i)
      picked.push_back(2 * i < lanes ? 2 * i : 2 * i + 1);
    Value low = LLVM::LoadOp::create(b, e.loc, type, address.base, align);
    Value last = e.gep(address.base, e.c64(lanes - 1), element);
    Value high = LLVM::LoadOp::create(b, e.loc, type, last, align);
    return e.fromStorage(vector::ShuffleOp::create(b, e.loc, low, high, picked),
                         element);
  }
  // Masked loads of narrower elements are as slow as gathers, and so are all
  // where the machine has none of some lengths.
  if (align < 4 || lanes % 2 || extraOf(e.kernel, kMaskedBits))
    return {};
  auto masks = cast<VectorType>(mask.getType());
  Value none = arith::ConstantOp::create(
      b, e.loc, DenseElementsAttr::get(masks, /*value=*/false));
  Value through = e.broadcastLanes(e.toStorage(pad), lanes);
  auto half = [&](int64_t first) -> Value {
    // Lane i is element 2 * i; the elements between are not read.
    SmallVector<int64_t> spread;
    for (int64_t i = 0; i < lanes; ++i)
      spread.push_back(i % 2 ? lanes : first + i / 2);
    Value at =
        first ? e.gep(address.base, e.c64(lanes), element) : address.base;
    return LLVM::MaskedLoadOp::create(
        b, e.loc, type, at,
        vector::ShuffleOp::create(b, e.loc, mask, none, spread), through,
        b.getI32IntegerAttr(align), UnitAttr());
  };
  for (int64_t i = 0; i < lanes; ++i)
    picked.push_back(2 * i);
  Value low = half(0), high = half(lanes / 2);
  return e.fromStorage(vector::ShuffleOp::create(b, e.loc, low, high, picked),
                       element);
}

/// A vector read of elements `laneStride` apart, of the lanes in `mask` (null:
/// all), others as `pad`.
static Value readLanes(NestBuilder &e, const Address &address, Type element,
                       int64_t lanes, Value mask, Value pad) {
  Type stored = NestBuilder::storageType(element);
  auto type = VectorType::get({lanes}, stored);
  unsigned align = NestBuilder::storageBytes(element);
  OpBuilder &b = e.b;
  if (address.laneStride == 1 && !address.laneStrideDynamic) {
    if (!mask)
      return e.fromStorage(
          LLVM::LoadOp::create(b, e.loc, type, address.base, align), element);
    Value through = e.broadcastLanes(e.toStorage(pad), lanes);
    return e.fromStorage(
        LLVM::MaskedLoadOp::create(b, e.loc, type, address.base, mask, through,
                                   b.getI32IntegerAttr(align), UnitAttr()),
        element);
  }
  if (address.laneStride == 2 && !address.laneStrideDynamic)
    if (Value picked = readEverySecond(e, address, element, lanes, mask, pad))
      return picked;
  // Lanes that are apart: a vector of addresses.
  Value offsets = e.laneIds(b.getI64Type(), lanes);
  Value stride = address.laneStrideDynamic;
  if (stride && address.laneStride)
    stride = e.add(stride, e.c64(address.laneStride));
  if (!stride)
    stride = e.c64(address.laneStride);
  offsets =
      arith::MulIOp::create(b, e.loc, offsets, e.broadcastLanes(stride, lanes));
  auto pointers = VectorType::get({lanes}, address.base.getType());
  Value addresses = LLVM::GEPOp::create(b, e.loc, pointers, stored,
                                        address.base, ValueRange{offsets});
  if (!mask)
    mask = arith::ConstantOp::create(
        b, e.loc,
        DenseElementsAttr::get(VectorType::get({lanes}, b.getI1Type()), true));
  Value through = e.broadcastLanes(e.toStorage(pad), lanes);
  return e.fromStorage(e.gatherLanes(type, addresses, mask, through, align),
                       element);
}

/// A scalar read, or `pad` where `condition` is false.
static Value readScalar(NestBuilder &e, Value address, Type element,
                        Value condition, Value pad) {
  Type stored = NestBuilder::storageType(element);
  unsigned align = NestBuilder::storageBytes(element);
  auto read = [&] {
    return e.fromStorage(
        LLVM::LoadOp::create(e.b, e.loc, stored, address, align), element);
  };
  if (!condition)
    return read();
  auto choice =
      scf::IfOp::create(e.b, e.loc, TypeRange{pad.getType()}, condition,
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(e.b, e.loc, read());
  e.b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(e.b, e.loc, pad);
  return choice.getResult(0);
}

/// One element that all lanes read, or `pad` in the lanes that `mask` leaves
/// out.
static Value readRepeated(NestBuilder &e, Value address, Type element,
                          int64_t lanes, Value condition, Value mask,
                          Value pad) {
  if (!mask)
    return readScalar(e, address, element, condition, pad);
  Value isRead =
      vector::ReductionOp::create(e.b, e.loc, vector::CombiningKind::OR, mask);
  Value value =
      readScalar(e, address, element, e.conjunction(condition, isRead), pad);
  return arith::SelectOp::create(e.b, e.loc, mask,
                                 e.broadcastLanes(value, lanes),
                                 e.broadcastLanes(pad, lanes));
}

/// The address of `point` in a load's view, and its lanes.
static Address addressOfLoad(
    NestBuilder &e, ViewAccessOpInterface load, const AccessForm &form,
    ArrayRef<Coord> coords,
    llvm::function_ref<void(int, llvm::function_ref<void()>)> atLevel) {
  const ViewInfo &view = e.viewOf(form.view);
  int64_t constant = 0;
  SmallVector<std::pair<int64_t, AccessStart>> dynamic;
  NestBuilder::Level::Key key(form.view.getAsOpaquePointer(), {});
  for (int64_t d = 0; d < form.viewRank; ++d) {
    AccessStart start = e.startOf(load, d);
    if (auto stride = getConstantIntValue(view.strides[d])) {
      constant += start.constant * *stride;
      start.constant = 0;
    }
    if (!start.value && start.constant == 0)
      continue;
    key.second.append({d, NestBuilder::numberOf(start.key), start.constant});
    dynamic.push_back({d, start});
  }
  Value &origin = e.outermost(key);
  if (!origin)
    atLevel(0, [&] {
      Value sum = e.c64(0);
      for (auto [d, start] : dynamic) {
        Value first = e.c64(start.constant);
        if (start.value)
          first = e.add(start.value, first);
        sum = e.add(sum, e.mul(first, view.strides[d]));
      }
      origin = e.gep(view.base, sum, view.elementType);
    });
  return addressOf(e, origin, constant, view, coords, form.steps, atLevel);
}

/// Fetches what lies ahead of `address`, of which `elements` are read, where
/// the region says so.
static void prefetchAhead(NestBuilder &e, ViewAccessOpInterface load,
                          Value address, int64_t elements) {
  const ViewInfo &view = e.viewOf(load.getAccessedView());
  for (Operation *user : load.getAccessedTile().getUsers()) {
    auto prefetch = dyn_cast<stage::PrefetchAheadOp>(user);
    if (!prefetch)
      continue;
    Value distance = e.c64(0);
    for (auto [stride, by] : llvm::zip_equal(view.strides, prefetch.getBy()))
      if (by)
        distance = e.add(distance, e.mul(stride, e.c64(by)));
    Value ahead = e.gep(address, distance, view.elementType);
    // One for each line of what is read.
    int64_t bytes = elements * NestBuilder::storageBytes(view.elementType);
    for (int64_t line = 0; line < bytes; line += e.config.lineBytes)
      e.prefetch(e.gep(ahead, e.c64(line), e.b.getI8Type()),
                 prefetch.getNear());
  }
}

Value NestBuilder::addressOr(Value condition, Value address) {
  if (!condition)
    return address;
  // The kernel's arguments are memory.
  return LLVM::SelectOp::create(b, loc, condition, address,
                                entry->getArgument(0));
}

Value NestBuilder::evaluateLoad(ViewAccessOpInterface load,
                                const Point &point) {
  AccessForm form(load);
  const ViewInfo &view = viewOf(form.view);
  int level = point.level();
  SmallVector<Coord> coords = form.coordsOf(point);
  auto atLevel = [&](int l, llvm::function_ref<void()> emit) {
    AtLevel at(*this, l);
    emit();
  };

  Address address = addressOfLoad(*this, load, form, coords, atLevel);
  AtLevel at(*this, level);
  bool vector = address.laneStrideDynamic || address.laneStride;
  Value pad = paddingOf(*this, load, view.elementType);
  if (isFast(level) && vector && !lineMask && level == currentLevel())
    prefetchAhead(*this, load, address.base,
                  address.laneStride == 1 ? point.lanes : 1);
  if (isFast(level)) {
    if (!vector)
      return readScalar(*this, address.base, view.elementType, Value(), pad);
    return readLanes(*this, address, view.elementType, point.lanes, lineMask,
                     pad);
  }

  // Out of bounds is possible: a condition for what all lanes share, a mask for
  // the rest.
  Value condition, mask = lineMask, hasLanes;
  int deepest = 0;
  for (int64_t d = 0; d < form.viewRank; ++d) {
    Bounds valid = validRange(load, d);
    Value first = coordValue(coords[d]);
    if (coords[d].lane && point.lanes > 1) {
      if (areLanesInside)
        continue;
      hasLanes = compare(arith::CmpIPredicate::slt, first, valid.hi);
      // The lanes of this dimension from `lo` to below `hi`.
      Value end = ceilDivPositive(sub(valid.hi, first), coords[d].lane);
      Value inside = laneMask(end, point.lanes);
      if (valid.lo) {
        Value begin = ceilDivPositive(sub(valid.lo, first), coords[d].lane);
        Value before = laneMask(begin, point.lanes);
        Value ones = arith::ConstantOp::create(
            b, loc,
            DenseElementsAttr::get(cast<VectorType>(before.getType()), true));
        inside = arith::AndIOp::create(
            b, loc, inside, arith::XOrIOp::create(b, loc, before, ones));
      }
      mask = conjunction(mask, inside);
      continue;
    }
    Value ok = isInside(load, d, coords[d]);
    deepest = std::max(deepest, coords[d].index ? coords[d].level : 0);
    AtLevel use(*this, deepest);
    condition = conjunction(condition, ok);
  }
  if (!vector)
    return readRepeated(*this, address.base, view.elementType, point.lanes,
                        condition, mask, pad);
  if (condition && !mask && address.laneStride == 1 &&
      !address.laneStrideDynamic)
    if (Value outside = outsideOf(load, view.elementType, point.lanes)) {
      // All lanes are inside, or none is: no mask.
      address.base =
          LLVM::SelectOp::create(b, loc, condition, address.base, outside);
      return readLanes(*this, address, view.elementType, point.lanes, mask,
                       pad);
    }
  if (condition)
    mask = conjunction(mask, broadcastLanes(condition, point.lanes));
  address.base = addressOr(conjunction(condition, hasLanes), address.base);
  return readLanes(*this, address, view.elementType, point.lanes, mask, pad);
}

Point cpu::indexPointOf(const ViewAxis &axis, const Point &point) {
  int64_t rank = cast<ShapedType>(axis.indices.getType()).getRank();
  Point result;
  result.lanes = point.lanes;
  result.coords.assign(point.coords.begin() + axis.tileDim,
                       point.coords.begin() + axis.tileDim + rank);
  return result;
}

Value NestBuilder::lanesOfIndices(const ViewAxis &axis, const Point &point) {
  Point place = indexPointOf(axis, point);
  Value mask;
  for (auto [coord, size] : llvm::zip_equal(
           place.coords, cast<ShapedType>(axis.indices.getType()).getShape())) {
    if (!coord.lane || point.lanes == 1)
      continue;
    Value left = ceilDivPositive(sub(c64(size), coordValue(coord)), coord.lane);
    mask = conjunction(mask, laneMask(left, point.lanes));
  }
  return mask;
}

Value NestBuilder::evaluateGather(ViewAccessOpInterface gather,
                                  const Point &point) {
  AccessForm form(gather);
  const ViewInfo &view = viewOf(form.view);
  int64_t dim = indirectAxis(form.axes);
  SmallVector<Coord> coords = form.coordsOf(point);
  Value index =
      evaluate(form.axes[dim].indices, indexPointOf(form.axes[dim], point));
  auto atLevel = [&](int l, llvm::function_ref<void()> emit) {
    AtLevel at(*this, l);
    emit();
  };
  Value &origin = originMemo[gather];
  if (!origin) {
    AtLevel at(*this, 0);
    Value sum = c64(0);
    for (int64_t d = 0; d < form.viewRank; ++d)
      if (d != dim)
        sum = add(sum, mul(offsetOf(gather, d), view.strides[d]));
    origin = gep(view.base, sum, view.elementType);
  }
  Address address =
      addressOf(*this, origin, 0, view, coords, form.steps, atLevel);
  AtLevel at(*this, point.level());
  Value pad = paddingOf(*this, gather, view.elementType);
  // Indices as i64, and whether they are inside.
  Type i64 = b.getI64Type();
  bool indexLanes = isa<VectorType>(index.getType());
  index = toI64(index);
  Value size = view.sizes[dim];
  if (indexLanes)
    size = broadcastLanes(size, point.lanes);
  Value inside = compare(arith::CmpIPredicate::ult, index, size);

  Value condition, mask;
  (indexLanes ? mask : condition) = inside;
  if (indexLanes)
    mask = conjunction(mask, lanesOfIndices(form.axes[dim], point));
  for (int64_t d = 0; d < form.viewRank; ++d) {
    if (d == dim)
      continue;
    Bounds valid = validRange(gather, d);
    Value first = coordValue(coords[d]);
    if (coords[d].lane && point.lanes > 1) {
      Value ids = laneIds(i64, point.lanes);
      Value at = arith::AddIOp::create(
          b, loc, broadcastLanes(first, point.lanes),
          arith::MulIOp::create(
              b, loc, ids, broadcastLanes(c64(coords[d].lane), point.lanes)));
      mask = conjunction(mask, compare(arith::CmpIPredicate::slt, at,
                                       broadcastLanes(valid.hi, point.lanes)));
      if (valid.lo)
        mask =
            conjunction(mask, compare(arith::CmpIPredicate::sge, at,
                                      broadcastLanes(valid.lo, point.lanes)));
      continue;
    }
    condition = conjunction(
        condition, compare(arith::CmpIPredicate::slt, first, valid.hi));
    if (valid.lo)
      condition = conjunction(
          condition, compare(arith::CmpIPredicate::sge, first, valid.lo));
  }
  Value stride = view.strides[dim];
  if (!indexLanes) {
    // A row chosen by a scalar; never form an address from a bad index.
    Value row = select(inside, index, c64(0));
    address.base = gep(address.base, mul(row, stride), view.elementType);
    if (!address.laneStride && !address.laneStrideDynamic)
      return readRepeated(*this, address.base, view.elementType, point.lanes,
                          condition, mask, pad);
    if (condition)
      mask = conjunction(mask, broadcastLanes(condition, point.lanes));
    address.base = addressOr(condition, address.base);
    return readLanes(*this, address, view.elementType, point.lanes, mask, pad);
  }
  if (condition)
    mask = conjunction(mask, broadcastLanes(condition, point.lanes));
  Type stored = storageType(view.elementType);
  Value offsets =
      arith::MulIOp::create(b, loc, index, broadcastLanes(stride, point.lanes));
  if (address.laneStride || address.laneStrideDynamic) {
    Value lane = c64(address.laneStride);
    if (address.laneStrideDynamic)
      lane = add(lane, address.laneStrideDynamic);
    offsets = arith::AddIOp::create(
        b, loc, offsets,
        arith::MulIOp::create(b, loc, laneIds(i64, point.lanes),
                              broadcastLanes(lane, point.lanes)));
  }
  auto pointers = VectorType::get({point.lanes}, address.base.getType());
  Value addresses = LLVM::GEPOp::create(b, loc, pointers, stored, address.base,
                                        ValueRange{offsets});
  Value lanes = gatherLanes(VectorType::get({point.lanes}, stored), addresses,
                            mask, broadcastLanes(toStorage(pad), point.lanes),
                            storageBytes(view.elementType));
  return fromStorage(lanes, view.elementType);
}
