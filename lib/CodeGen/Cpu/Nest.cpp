//===- Nest.cpp - Loop nests, levels and the choice of lanes --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MathFunctions.h"
#include "NestBuilder.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <functional>
#include <set>

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

void NestBuilder::freshLevels() {
  levels.assign(1, Level());
  offsetMemo.clear();
  rangeMemo.clear();
  originMemo.clear();
}

SmallVector<Value> NestBuilder::forLoop(Value lo, Value hi, int64_t step,
                                        ValueRange init, bool fast,
                                        LoopBody body) {
  auto first = getConstantIntValue(lo), last = getConstantIntValue(hi);
  if (first && last && *first >= *last)
    return SmallVector<Value>(init);
  if (first && last && *last - *first <= step) {
    // One iteration: no loop, and no level of its own.
    bool outer = std::exchange(levels.back().fast, fast);
    SmallVector<Value> results = body(Coord{Value(), *first, 0, 0}, init);
    levels.back().fast = outer;
    return results;
  }
  auto loop = scf::ForOp::create(b, loc, lo, hi, c64(step), init);
  levels.emplace_back();
  levels.back().anchor = loop;
  levels.back().fast = fast;
  if (init.empty())
    b.setInsertionPoint(loop.getBody()->getTerminator());
  else
    b.setInsertionPointToEnd(loop.getBody());
  SmallVector<Value> results =
      body(Coord{loop.getInductionVar(), 0, 0, currentLevel()},
           loop.getRegionIterArgs());
  if (!init.empty())
    scf::YieldOp::create(b, loc, results);
  levels.pop_back();
  b.setInsertionPointAfter(loop);
  return SmallVector<Value>(loop.getResults());
}

Value NestBuilder::coordValue(const Coord &coord) {
  if (!coord.index)
    return c64(coord.constant);
  if (coord.constant == 0)
    return coord.index;
  AtLevel at(*this, coord.level);
  return add(coord.index, c64(coord.constant));
}

Coord NestBuilder::sum(const Coord &x, const Coord &y) {
  Coord result = x.index ? x : y;
  result.constant = x.constant + y.constant;
  result.lane = x.lane + y.lane;
  if (x.index && y.index) {
    result.level = std::max(x.level, y.level);
    AtLevel at(*this, result.level);
    result.index = add(x.index, y.index);
  }
  return result;
}

Coord NestBuilder::clampBelow(const Coord &coord, int64_t extent) {
  Coord result = coord;
  if (!coord.index) {
    result.constant = std::min(coord.constant, extent - 1);
    return result;
  }
  Value whole = coordValue(coord);
  AtLevel at(*this, coord.level);
  result.index = minimum(whole, c64(extent - 1));
  result.constant = 0;
  return result;
}

/// Instead of kComplex where dimensions are joined or divided: reading such a
/// tile stays within it, whatever a nest does at its ends (Reshape.cpp).
static constexpr int kJoined = -3;

Value NestBuilder::safeRanges(const Nest &nest, SmallVector<Bounds> &safe) {
  Value zero = c64(0);
  // What each dimension's coordinates must lie in for every access to be in
  // bounds, and conditions that do not depend on the nest.
  safe.assign(nest.shape.size(), Bounds());
  Value condition;
  if (!bounds.safe.empty() && llvm::equal(bounds.box, nest.shape)) {
    for (auto [range, end] : llvm::zip_equal(safe, bounds.safe))
      range.hi = end;
    return condition;
  }
  for (const Access &access : nest.accesses) {
    auto load = cast<ViewAccessOpInterface>(access.op);
    for (auto [d, axis] : llvm::enumerate(load.getAxes())) {
      int dim = axis.tileDim < 0 ? kZero : access.dims[axis.tileDim];
      Bounds valid = validRange(load, d);
      if (dim == kZero) {
        condition = conjunction(
            condition, compare(arith::CmpIPredicate::sgt, valid.hi, zero));
        if (valid.lo)
          condition = conjunction(
              condition, compare(arith::CmpIPredicate::sle, valid.lo, zero));
        continue;
      }
      if (dim == kJoined) {
        // All of the tile is in bounds.
        int64_t size = load.getAccessedType().getDimSize(axis.tileDim);
        condition = conjunction(
            condition, compare(arith::CmpIPredicate::sge, valid.hi, c64(size)));
        if (valid.lo)
          condition = conjunction(
              condition, compare(arith::CmpIPredicate::sle, valid.lo, zero));
        continue;
      }
      Bounds &range = safe[dim];
      range.hi = range.hi ? minimum(range.hi, valid.hi) : valid.hi;
      if (valid.lo)
        range.lo = range.lo ? maximum(range.lo, valid.lo) : valid.lo;
    }
  }
  return condition;
}

/// How the dimensions of an operand follow from those of a result.
static SmallVector<int> operandDims(NestBuilder &e, OpOperand &operand,
                                    ArrayRef<int> dims) {
  if (isElementwise(operand.getOwner()))
    return SmallVector<int>(dims);
  auto shape = cast<ShapedType>(operand.get().getType()).getShape();
  SmallVector<int> result(shape.size(), kComplex);
  AffineMap map = e.readOf(operand);
  for (size_t d = 0; d < shape.size(); ++d) {
    AffineExpr expr = map ? map.getResult(d) : AffineExpr();
    if (auto dim = dyn_cast_if_present<AffineDimExpr>(expr))
      result[d] = dims[dim.getPosition()];
    else if (expr && !getMovedDim(expr))
      result[d] = kJoined;
    if (shape[d] == 1)
      result[d] = kZero;
  }
  return result;
}

void NestBuilder::collect(Value root, ArrayRef<int> dims, Nest &nest) {
  // What is used twice in the same way is accessed once.
  std::set<std::pair<void *, std::vector<int>>> seen;
  std::function<void(Value, ArrayRef<int>)> visit = [&](Value root,
                                                        ArrayRef<int> dims) {
    if (!seen.insert({root.getAsOpaquePointer(), dims.vec()}).second)
      return;
    if (hasBuffer(root) || !isTile(root.getType()))
      return;
    Operation *op = root.getDefiningOp();
    if (auto load = dyn_cast<ViewAccessOpInterface>(op);
        load && indirectAxis(load.getAxes()) < 0) {
      Access access{op, SmallVector<int>(dims)};
      for (auto [d, size] :
           llvm::enumerate(load.getAccessedType().getShape())) {
        if (size == 1)
          access.dims[d] = kZero;
        if (access.dims[d] == kComplex) {
          nest.neverFast = true;
          return;
        }
      }
      if (llvm::any_of(load.getAxes(),
                       [](const ViewAxis &axis) { return axis.step < 1; })) {
        nest.neverFast = true;
        return;
      }
      nest.hasJoined |= llvm::is_contained(access.dims, kJoined);
      nest.accesses.push_back(std::move(access));
      return;
    }
    nest.hasFunctions |= isPolynomial(op);
    for (OpOperand &operand : op->getOpOperands())
      if (isTile(operand.get().getType()))
        visit(operand.get(), operandDims(*this, operand, dims));
  };
  visit(root, dims);
}

int64_t NestBuilder::widestBits(Value root) {
  int64_t widest = 0;
  // Values with several users are looked at once.
  llvm::SetVector<Value> values;
  values.insert(root);
  for (size_t next = 0; next < values.size(); ++next) {
    Value value = values[next];
    Type element = cast<ShapedType>(value.getType()).getElementType();
    int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    widest = std::max(widest, bits);
    if (hasBuffer(value))
      continue;
    Operation *op = value.getDefiningOp();
    auto access = dyn_cast<ViewAccessOpInterface>(op);
    if (isa<arith::ConstantOp>(op) ||
        (access && indirectAxis(access.getAxes()) < 0))
      continue;
    if (isa<BFloat16Type, Float16Type>(element) && isElementwise(op) &&
        !isa<arith::SelectOp, arith::BitcastOp>(op))
      widest = std::max<int64_t>(widest, 32);
    for (Value operand : op->getOperands())
      if (isTile(operand.getType()))
        values.insert(operand);
  }
  return widest;
}

/// The same where dimensions are joined or divided: the dimension of the result
/// whose neighbours are neighbours along that of the operand.
static SmallVector<int> neighbourDims(NestBuilder &e, OpOperand &operand,
                                      ArrayRef<int> dims) {
  SmallVector<int> result = operandDims(e, operand, dims);
  AffineMap map =
      llvm::is_contained(result, kJoined) ? e.readOf(operand) : AffineMap();
  if (!map || map.getNumSymbols())
    return result;
  SmallVector<int64_t> place(map.getNumDims(), 0);
  SmallVector<int64_t> first = map.compose(place);
  for (auto [number, dim] : llvm::enumerate(dims)) {
    place[number] = 1;
    for (auto [d, at] : llvm::enumerate(map.compose(place)))
      if (result[d] == kJoined && at - first[d] == 1)
        result[d] = dim;
    place[number] = 0;
  }
  return result;
}

void NestBuilder::scoreLanes(Value root, ArrayRef<int> dims,
                             MutableArrayRef<double> scores,
                             ArrayRef<int64_t> shape) {
  auto charge = [&](int dim, bool unit) {
    // A strided access costs a whole element, a contiguous one its share of a
    // vector, which is what all other dimensions already pay.
    if (dim >= 0 && !unit)
      scores[dim] += 1.5;
  };
  // What is used twice in the same way is read once.
  std::set<std::pair<void *, std::vector<int>>> seen;
  std::function<void(Value, ArrayRef<int>)> score = [&](Value root,
                                                        ArrayRef<int> dims) {
    if (!seen.insert({root.getAsOpaquePointer(), dims.vec()}).second)
      return;
    auto tile = cast<ShapedType>(root.getType()).getShape();
    if (hasBuffer(root)) {
      for (size_t d = 0; d < tile.size(); ++d)
        if (tile[d] != 1)
          charge(dims[d], bufferOf(root).strides[d] == 1);
      return;
    }
    Operation *op = root.getDefiningOp();
    if (auto access = dyn_cast<ViewAccessOpInterface>(op)) {
      auto view = cast<tile::ViewType>(access.getAccessedView().getType());
      bool isIndirect = false;
      for (auto [d, axis] : llvm::enumerate(access.getAxes())) {
        isIndirect |= axis.isIndirect();
        int64_t rank = axis.isIndirect()
                           ? cast<ShapedType>(axis.indices.getType()).getRank()
                           : 1;
        bool unit = !axis.isIndirect() && view.getStaticStride(d) == 1 &&
                    axis.step == 1;
        for (int64_t t = axis.tileDim;
             axis.tileDim >= 0 && t < axis.tileDim + rank; ++t)
          if (tile[t] != 1)
            charge(dims[t], unit);
      }
      if (!isIndirect)
        return;
    }
    for (OpOperand &operand : op->getOpOperands())
      if (isTile(operand.get().getType()))
        score(operand.get(), neighbourDims(*this, operand, dims));
  };
  score(root, dims);
}

void NestBuilder::chooseLanes(Nest &nest, ArrayRef<Value> roots,
                              ArrayRef<int64_t> storeStrides) {
  int rank = nest.shape.size();
  int64_t bits = 8;
  SmallVector<int> identity(rank);
  for (int d = 0; d < rank; ++d)
    identity[d] = d;
  SmallVector<double> scores(rank, 0.0);
  for (Value root : roots) {
    bits = std::max(bits, widestBits(root));
    scoreLanes(root, identity, scores, nest.shape);
  }
  for (int d = 0; d < rank && !storeStrides.empty(); ++d)
    if (storeStrides[d] != 1)
      scores[d] += 2.5;
  int64_t widest = config.lanes(bits);
  auto lanesFor = [&](int d) {
    return std::min<int64_t>(widest, llvm::PowerOf2Ceil(nest.shape[d]));
  };
  nest.laneDim = -1;
  double best = 0;
  for (int d = rank - 1; d >= 0; --d) {
    if (nest.shape[d] == 1 || d == nest.excluded)
      continue;
    double cost =
        scores[d] + 2.0 / double(std::min(lanesFor(d), nest.shape[d]));
    if (nest.laneDim >= 0 && cost >= best)
      continue;
    best = cost;
    nest.laneDim = d;
  }
  nest.lanes = nest.laneDim < 0 ? 1 : lanesFor(nest.laneDim);
}
