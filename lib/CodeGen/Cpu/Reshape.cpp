//===- Reshape.cpp - Elements of a tile in another shape ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a tile has another shape than the one that its elements are read from,
// lanes that lie beside each other in one need not do so in the other. They are
// read in pieces, the longest that stay within the innermost dimension.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "NestBuilder.h"
#include "kiln/Dialect/Tile/ExchangeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// Whether a value that loops count is a multiple of a number, as far as it
/// shows.
static bool isMultipleOf(Value value, int64_t number) {
  if (auto known = getConstantIntValue(value))
    return *known % number == 0;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() &&
           isMultipleOf(loop.getLowerBound(), number) &&
           isMultipleOf(loop.getStep(), number);
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::IndexCastOp>(op))
    return isMultipleOf(op->getOperand(0), number);
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return isMultipleOf(op->getOperand(0), number) &&
           isMultipleOf(op->getOperand(1), number);
  if (isa<arith::MulIOp>(op))
    return isMultipleOf(op->getOperand(0), number) ||
           isMultipleOf(op->getOperand(1), number);
  return false;
}

/// How far neighbouring lanes are apart in what an expression gives for
/// `lanes` lanes, the first of which lies at a multiple of `lanes` if
/// `isAligned` says so for a dimension; nothing where they are not equally far
/// apart.
static std::optional<int64_t>
laneStep(AffineExpr expr, const Point &point, int64_t lanes,
         llvm::function_ref<bool(unsigned)> isAligned) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return point.coords[dim.getPosition()].lane;
  auto pair = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!pair)
    return 0;
  auto lhs = laneStep(pair.getLHS(), point, lanes, isAligned),
       rhs = laneStep(pair.getRHS(), point, lanes, isAligned);
  if (!lhs || !rhs)
    return std::nullopt;
  auto factor = dyn_cast<AffineConstantExpr>(pair.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return *lhs + *rhs;
  case AffineExprKind::Mul:
    return factor ? std::optional(*lhs * factor.getValue()) : std::nullopt;
  case AffineExprKind::FloorDiv:
  case AffineExprKind::Mod: {
    if (*lhs == 0)
      return 0;
    // All lanes are within one block.
    bool isOneBlock = factor && *lhs == 1 && factor.getValue() % lanes == 0;
    pair.getLHS().walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        isOneBlock &= isAligned(dim.getPosition());
    });
    if (!isOneBlock)
      return std::nullopt;
    return expr.getKind() == AffineExprKind::Mod ? 1 : 0;
  }
  default:
    return std::nullopt;
  }
}

/// Whether the coordinate of the first lane is a multiple of `lanes`.
static bool isAlignedAt(const Coord &coord, int64_t lanes) {
  return coord.constant % lanes == 0 &&
         (!coord.index || isMultipleOf(coord.index, lanes));
}

/// The part of an exchange's mask by which lanes of one vector change places; 0
/// where they come from several.
static int64_t getMaskWithin(tile::ExchangeOp op, const Point &point) {
  int64_t lanes = point.lanes;
  const Coord &coord = point.coords[op.getAxis()];
  auto type = cast<RankedTensorType>(op.getType());
  if (!llvm::isPowerOf2_64(lanes) || coord.lane != 1 ||
      type.getDimSize(op.getAxis()) % lanes || !isAlignedAt(coord, lanes))
    return 0;
  return op.getMask() & (lanes - 1);
}

Coord NestBuilder::evaluateCoord(AffineExpr expr, const Point &point) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Coord{Value(), constant.getValue(), 0, 0};
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    Coord coord = point.coords[dim.getPosition()];
    coord.lane = 0;
    return coord;
  }
  auto pair = cast<AffineBinaryOpExpr>(expr);
  Coord lhs = evaluateCoord(pair.getLHS(), point);
  if (expr.getKind() == AffineExprKind::Add)
    return sum(lhs, evaluateCoord(pair.getRHS(), point));
  int64_t factor = cast<AffineConstantExpr>(pair.getRHS()).getValue();
  bool isProduct = expr.getKind() == AffineExprKind::Mul,
       isQuotient = expr.getKind() == AffineExprKind::FloorDiv;
  Coord result;
  if (!lhs.index) {
    result.constant = isProduct    ? lhs.constant * factor
                      : isQuotient ? lhs.constant / factor
                                   : lhs.constant % factor;
    return result;
  }
  if (factor == 1 && (isProduct || isQuotient))
    return lhs;
  result.level = lhs.level;
  if (isProduct) {
    AtLevel at(*this, lhs.level);
    result.index = mul(lhs.index, c64(factor));
    result.constant = lhs.constant * factor;
    return result;
  }
  // Coordinates are not negative.
  Value whole = coordValue(lhs);
  AtLevel at(*this, lhs.level);
  result.index =
      isQuotient
          ? arith::DivUIOp::create(b, loc, whole, c64(factor)).getResult()
          : arith::RemUIOp::create(b, loc, whole, c64(factor)).getResult();
  return result;
}

/// The dimension of a tile, along its innermost lines, that lanes along `dim`
/// of another shape follow from the start of a line to its end; -1: none.
static int lineOf(AffineMap map, ArrayRef<int64_t> sizes, const Point &point,
                  unsigned dim) {
  auto anywhere = [](unsigned) { return true; };
  for (auto [line, expr] : llvm::enumerate(map.getResults())) {
    if (sizes[line] == 1 || !expr.isFunctionOfDim(dim))
      continue;
    bool isLine = true;
    for (auto [d, other] : llvm::enumerate(map.getResults()))
      isLine &= sizes[d] == 1 || laneStep(other, point, sizes[line],
                                          anywhere) == int64_t(d == line);
    if (isLine)
      return line;
  }
  return -1;
}

bool NestBuilder::readsUnderMasks(ViewAccessOpInterface access) {
  constexpr int64_t kLeastBytes = 4; // narrower ones are as slow as gathers
  return !extraOf(kernel, kMaskedBits) &&
         storageBytes(viewOf(access.getAccessedView()).elementType) >=
             kLeastBytes;
}

Value NestBuilder::evaluateLines(OpOperand &operand, const Point &point,
                                 int64_t numPieces) {
  auto access = operand.get().getDefiningOp<ViewAccessOpInterface>();
  if (!access || hasBuffer(operand.get()) ||
      indirectAxis(access.getAxes()) >= 0 || !readsUnderMasks(access))
    return {};
  int dim = -1;
  for (auto [d, coord] : llvm::enumerate(point.coords)) {
    if (coord.lane && (dim >= 0 || coord.lane != 1))
      return {};
    if (coord.lane)
      dim = d;
  }
  AffineMap map = readOf(operand);
  auto sizes = cast<ShapedType>(operand.get().getType()).getShape();
  int line = dim < 0 ? -1 : lineOf(map, sizes, point, dim);
  if (line < 0)
    return {};
  int64_t size = sizes[line];
  int64_t count = llvm::divideCeil(point.lanes - 1, size) + 1;
  if (2 * count >= numPieces)
    return {};
  Coord first = point.coords[dim],
        column = evaluateCoord(map.getResult(line), point);
  first.lane = 0;
  Value at = coordValue(first), inLine = coordValue(column);
  // The loop that masks depend on. The point may be in a deeper one, which
  // counts a coordinate that is not read: reads are in front of that.
  int lineLevel =
      std::max(first.index ? first.level : 0, column.index ? column.level : 0);
  int64_t extent = cast<ShapedType>(operand.getOwner()->getResult(0).getType())
                       .getDimSize(dim);
  Value result;
  for (int64_t number = 0; number < count; ++number) {
    Point from = point, source;
    // As far in its line as the first lane: all lines are equally long.
    from.coords[dim] = first;
    from.coords[dim].constant += number * size;
    source.lanes = point.lanes;
    for (auto [d, expr] : llvm::enumerate(map.getResults()))
      source.coords.push_back(sizes[d] == 1 ? Coord()
                                            : evaluateCoord(expr, from));
    // Lane 0 is as far before the line as it is into the first one.
    Coord &x = source.coords[line] = column;
    x.constant -= number * size;
    x.lane = 1;
    AtLevel maskLevel(*this, lineLevel);
    Value begin = sub(c64(number * size), inLine);
    Value end = minimum(add(begin, c64(size)), sub(c64(extent), at));
    Value mask = laneMask(end, point.lanes);
    if (number) {
      Value before = laneMask(begin, point.lanes);
      mask = arith::AndIOp::create(
          b, loc, mask,
          arith::XOrIOp::create(
              b, loc, before,
              arith::ConstantOp::create(
                  b, loc,
                  DenseElementsAttr::get(cast<VectorType>(before.getType()),
                                         true))));
    }
    Value outer = std::exchange(lineMask, mask);
    Value part = evaluateLanes(operand.get(), source);
    lineMask = outer;
    AtLevel level(*this, point.level());
    result =
        result ? arith::SelectOp::create(b, loc, mask, part, result) : part;
  }
  return result;
}

Value NestBuilder::evaluateReshaped(OpOperand &operand, const Point &point) {
  if (auto exchange = dyn_cast<tile::ExchangeOp>(operand.getOwner()))
    if (int64_t mask = getMaskWithin(exchange, point)) {
      // One vector is read, and its lanes are exchanged.
      int64_t axis = exchange.getAxis();
      Point source = point;
      if (int64_t beyond = exchange.getMask() - mask) {
        AffineExpr index = getAffineDimExpr(axis, b.getContext());
        source.coords[axis] =
            evaluateCoord(tile::getExchangedIndex(index, beyond), point);
        source.coords[axis].lane = 1;
      }
      Value vector = evaluateLanes(operand.get(), source);
      SmallVector<int64_t> order;
      for (int64_t lane = 0; lane < point.lanes; ++lane)
        order.push_back(lane ^ mask);
      AtLevel at(*this, point.level());
      return vector::ShuffleOp::create(b, loc, vector, vector, order);
    }
  AffineMap map = readOf(operand);
  ArrayRef<int64_t> shape =
      cast<ShapedType>(operand.getOwner()->getResult(0).getType()).getShape();
  auto sizes = cast<ShapedType>(operand.get().getType()).getShape();
  bool hasLanes = point.lanes > 1 && point.hasLanes();
  // Storage may have room behind its rows.
  bool isStored = hasBuffer(operand.get());
  int64_t room = 0;
  if (isStored && sizes.size() > 1)
    room = bufferOf(operand.get()).strides[sizes.size() - 2] - sizes.back();
  // The longest pieces.
  int64_t lanes = hasLanes ? point.lanes : 1;
  SmallVector<int64_t> steps(sizes.size(), 0);
  for (; lanes > 1; lanes /= 2) {
    auto isAligned = [&](unsigned dim) {
      return isAlignedAt(point.coords[dim], lanes);
    };
    bool isWhole = true;
    // Pieces lie within the tile or behind it. In storage they may begin
    // anywhere, else they must not be moved to where they end with the tile.
    for (auto [coord, size] : llvm::zip(point.coords, shape))
      isWhole &= !coord.lane || room >= lanes - 1 ||
                 (size % lanes == 0 && (isStored || isAlignedAt(coord, lanes)));
    for (auto [step, expr, size] : llvm::zip(steps, map.getResults(), sizes)) {
      auto known = laneStep(expr, point, lanes, isAligned);
      // Masks of accesses count lanes upwards.
      isWhole &= size == 1 || (known && *known >= 0);
      step = size == 1 ? 0 : known.value_or(0);
    }
    if (isWhole)
      break;
  }
  if (lanes == 1)
    steps.assign(sizes.size(), 0);
  if (hasLanes)
    if (Value value = evaluateLines(operand, point, point.lanes / lanes))
      return value;
  SmallVector<Value> pieces;
  for (int64_t first = 0; first < (hasLanes ? point.lanes : 1);
       first += lanes) {
    Point piece = point;
    for (auto [coord, size] : llvm::zip(piece.coords, shape)) {
      if (!coord.lane)
        continue;
      coord.constant += first * coord.lane;
      // Whole vectors may reach beyond the tile, where nobody looks.
      if (coord.lane == 1 && !isStored)
        coord = clampBelow(coord, size - lanes + 1);
    }
    Point source;
    source.lanes = hasLanes ? lanes : point.lanes;
    for (auto [expr, size, step] : llvm::zip(map.getResults(), sizes, steps)) {
      source.coords.push_back(size == 1 ? Coord() : evaluateCoord(expr, piece));
      source.coords.back().lane = step;
    }
    pieces.push_back(lanes > 1 ? evaluateLanes(operand.get(), source)
                               : evaluate(operand.get(), source));
  }
  if (pieces.size() == 1)
    return pieces.front();
  AtLevel at(*this, point.level());
  if (lanes == 1) {
    Type element = pieces.front().getType();
    return vector::FromElementsOp::create(
        b, loc, VectorType::get({point.lanes}, element), pieces);
  }
  for (; pieces.size() > 1; lanes *= 2) {
    SmallVector<Value> pairs;
    SmallVector<int64_t> both = llvm::to_vector(llvm::seq<int64_t>(2 * lanes));
    for (size_t i = 0; i < pieces.size(); i += 2)
      pairs.push_back(
          vector::ShuffleOp::create(b, loc, pieces[i], pieces[i + 1], both));
    pieces = std::move(pairs);
  }
  return pieces.front();
}
