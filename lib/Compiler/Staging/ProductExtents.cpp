//===- ProductExtents.cpp - How far a product must go ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SplitProducts.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

Value Indices::constant(int64_t value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.getBody().front());
    known = arith::ConstantIndexOp::create(b, loc, value);
  }
  return known;
}

Value Indices::add(Value x, Value y) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(*cx + *cy);
  if (cx == 0)
    return y;
  return cy == 0 ? x : arith::AddIOp::create(b, loc, x, y).getResult();
}

Value Indices::sub(Value x, Value y) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(*cx - *cy);
  return cy == 0 ? x : arith::SubIOp::create(b, loc, x, y).getResult();
}

Value Indices::mul(Value x, int64_t y) {
  if (auto cx = getConstantIntValue(x))
    return constant(*cx * y);
  return y == 1 ? x : arith::MulIOp::create(b, loc, x, constant(y)).getResult();
}

Value Indices::floorDiv(Value x, int64_t y) {
  if (auto cx = getConstantIntValue(x))
    return constant(*cx / y);
  return y == 1 ? x
                : arith::DivUIOp::create(b, loc, x, constant(y)).getResult();
}

Value Indices::ceilDiv(Value x, int64_t y) {
  return y == 1
             ? x
             : arith::CeilDivSIOp::create(b, loc, x, constant(y)).getResult();
}

Value Indices::min(Value x, Value y) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(std::min(*cx, *cy));
  return x == y ? x : arith::MinSIOp::create(b, loc, x, y).getResult();
}

Value Indices::max(Value x, Value y) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy)
    return constant(std::max(*cx, *cy));
  return x == y ? x : arith::MaxSIOp::create(b, loc, x, y).getResult();
}

Value Indices::atLeast(Value x, Value y) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, x, y);
}

Value Indices::conjunction(Value x, Value y) {
  return !x ? y : arith::AndIOp::create(b, loc, x, y).getResult();
}

Value Indices::offsetOf(const ViewAxis &axis) {
  auto known = getConstantIntValue(axis.offset);
  Value offset = known && isa<Attribute>(axis.offset)
                     ? constant(*known)
                     : cast<Value>(axis.offset);
  return axis.countsBlocks ? mul(offset, axis.block) : offset;
}

Value Indices::sizeOf(Value view, int64_t dim) {
  int64_t size = cast<tile::ViewType>(view.getType()).getShape()[dim];
  if (!ShapedType::isDynamic(size))
    return constant(size);
  return tile::DimOp::create(b, loc, b.getIndexType(), view, dim);
}

Value Indices::truth() {
  return arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
}

Value Indices::isEqual(Value x, Value y, Value also) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cx == cy)
    return also;
  Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y);
  return getConstantIntValue(also) == 1 || getConstantIntValue(also) == -1
             ? equal
             : conjunction(also, equal);
}

namespace {
/// What a factor is read from: a box of a view, zero outside of it.
struct ZeroPadded {
  Value view;
  SmallVector<ViewAxis, 4> axes;
  SmallVector<int64_t> shape; ///< of the factor
  bool isCopied = false;      ///< to storage before
};
} // namespace

/// The copy from a view that alone fills storage, before `reader`; null if
/// there is none.
static stage::CopyOp onlyFilling(Value storage, Operation *reader) {
  stage::CopyOp found;
  if (!storage.getDefiningOp<stage::AllocOp>())
    return {};
  for (Operation *user : storage.getUsers()) {
    auto copy = dyn_cast<stage::CopyOp>(user);
    auto product = dyn_cast<stage::ProductOp>(user);
    if (copy && copy.getTarget() == storage) {
      if (found)
        return {};
      found = copy;
    } else if (!copy && !isa<stage::ReadOp>(user) &&
               (!product || product.getAcc() == storage)) {
      return {};
    }
  }
  if (!found || !isa<tile::ViewType>(found.getSource().getType()) ||
      !found.getTo().empty())
    return {};
  Operation *behind = found->getBlock()->findAncestorOpInBlock(*reader);
  return behind && found->isBeforeInBlock(behind) ? found : stage::CopyOp();
}

static std::optional<ZeroPadded> readByCopy(stage::ReadOp read) {
  stage::CopyOp copy = read.getOrigin().empty()
                           ? onlyFilling(read.getStorage(), read)
                           : stage::CopyOp();
  if (!copy || copy.getPadding() != tile::Padding::zero)
    return std::nullopt;
  ArrayRef<int64_t> shape = read.getResult().getType().getShape();
  int64_t leading = copy.getFrom().size() - shape.size();
  ZeroPadded found{copy.getSource(), {}, SmallVector<int64_t>(shape), true};
  for (auto [d, coord] : llvm::enumerate(copy.getFrom())) {
    int dim = int64_t(d) < leading ? -1 : int(d - leading);
    found.axes.push_back({OpFoldResult(coord), !copy.getFromOffsets(),
                          dim < 0 ? 1 : shape[dim], 1, dim, Value()});
  }
  return found;
}

static std::optional<ZeroPadded> zeroPadded(Value operand);

/// The same for an operation that permutes the dimensions of what was copied.
static std::optional<ZeroPadded> zeroPaddedBeforeTransposition(Operation *op) {
  if (!op || op->getNumOperands() != 1 || !handsOnElements(op))
    return std::nullopt;
  OperandRead read = getOperandRead(op->getOpOperand(0));
  if (!read || read.domain || !read.map.isPermutation())
    return std::nullopt;
  std::optional<ZeroPadded> found = zeroPadded(op->getOperand(0));
  if (!found || !found->isCopied)
    return std::nullopt;
  SmallVector<int64_t> shape(found->shape.size());
  for (auto [d, size] : llvm::enumerate(found->shape))
    shape[read.map.getDimPosition(d)] = size;
  found->shape = std::move(shape);
  for (ViewAxis &axis : found->axes)
    if (axis.tileDim >= 0)
      axis.tileDim = read.map.getDimPosition(axis.tileDim);
  return found;
}

/// What a factor is loaded from, through conversions, if it is zero outside.
static std::optional<ZeroPadded> zeroPadded(Value operand) {
  Operation *op = operand.getDefiningOp();
  while (op && isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    op = op->getOperand(0).getDefiningOp();
  if (auto read = dyn_cast_or_null<stage::ReadOp>(op))
    return readByCopy(read);
  if (std::optional<ZeroPadded> found = zeroPaddedBeforeTransposition(op))
    return found;
  auto load = dyn_cast_or_null<ViewAccessOpInterface>(op);
  if (!load || load.getOutside() != Outside::Zero)
    return std::nullopt;
  ZeroPadded found{load.getAccessedView(), load.getAxes(),
                   SmallVector<int64_t>(load.getAccessedType().getShape()),
                   false};
  if (indirectAxis(found.axes) >= 0)
    return std::nullopt;
  return found;
}

/// Whether rows and columns outside of the operands' views end in stores only,
/// through operations that keep elements apart.
static bool onlyStored(Value value, llvm::SmallPtrSetImpl<Operation *> &seen) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    auto access = dyn_cast<ViewAccessOpInterface>(user);
    if (auto write = dyn_cast<stage::WriteOp>(user)) {
      if (use.get() == write.getValue() && seen.insert(user).second &&
          !onlyStored(write.getStorage(), seen))
        return false;
      continue;
    }
    if (auto read = dyn_cast<stage::ReadOp>(user)) {
      if (seen.insert(user).second && !onlyStored(read.getResult(), seen))
        return false;
      continue;
    }
    if (auto copy = dyn_cast<stage::CopyOp>(user)) {
      // Outside of a view it writes nothing.
      if (copy.getSource() == value &&
          !isa<tile::ViewType>(copy.getTarget().getType()) &&
          seen.insert(user).second && !onlyStored(copy.getTarget(), seen))
        return false;
      continue;
    }
    if (auto product = dyn_cast<stage::ProductOp>(user)) {
      // It adds to what is there.
      if (product.getAcc() != value || product.getLhs() == value ||
          product.getRhs() == value)
        return false;
      continue;
    }
    if (!seen.insert(user).second ||
        (access && access.getWrittenOperand() == &use &&
         indirectAxis(access.getAxes()) < 0))
      continue;
    if (auto dot = dyn_cast<MatrixProductOpInterface>(user)) {
      if (dot.getLhsOperand().get() == value ||
          dot.getRhsOperand().get() == value || dot.getAccOperand() != &use ||
          !onlyStored(user->getResult(0), seen))
        return false;
      continue;
    }
    if (!OpTrait::hasElementwiseMappableTraits(user) ||
        !onlyStored(user->getResult(0), seen))
      return false;
  }
  return true;
}

/// The end of a view along a dimension of the tile, counted from the last.
static Value endOf(const ZeroPadded &load, int64_t fromBack, Indices &math) {
  int64_t dim = load.shape.size() - 1 - fromBack;
  int64_t whole = load.shape[dim];
  for (auto [d, axis] : llvm::enumerate(load.axes)) {
    if (axis.tileDim != dim)
      continue;
    // Whole blocks of the view, or none of it, which need not be fast.
    auto view = cast<tile::ViewType>(load.view.getType());
    int64_t size = view.getShape()[d];
    if (axis.countsBlocks && axis.step == 1 && axis.block == whole &&
        !ShapedType::isDynamic(size) && size % whole == 0)
      return math.constant(whole);
    Value end = math.sub(math.sizeOf(load.view, d), math.offsetOf(axis));
    // Loops over blocks of storage end at once where it is negative.
    return load.isCopied
               ? end
               : math.max(math.ceilDiv(end, axis.step), math.constant(0));
  }
  return math.constant(whole);
}

std::pair<Value, Value> staging::findSides(MatrixProductOpInterface product,
                                           Indices &math) {
  RankedTensorType type = product.getProductType();
  int64_t rank = type.getRank();
  Value endM = math.constant(type.getDimSize(rank - 2)),
        endN = math.constant(type.getDimSize(rank - 1));
  llvm::SmallPtrSet<Operation *, 8> seen;
  if (onlyStored(product->getResult(0), seen)) {
    if (auto left = zeroPadded(product.getLhsOperand().get()))
      endM = math.min(endM, endOf(*left, 1, math));
    if (auto right = zeroPadded(product.getRhsOperand().get()))
      endN = math.min(endN, endOf(*right, 0, math));
  }
  return {endM, endN};
}

bool staging::sidesAreKnown(MatrixProductOpInterface product,
                            Operation *place) {
  auto isOutside = [&](const std::optional<ZeroPadded> &load,
                       int64_t fromBack) {
    if (!load)
      return true;
    auto isBefore = [&](Value value) {
      return !place->isAncestor(value.getParentBlock()->getParentOp());
    };
    int64_t dim = load->shape.size() - 1 - fromBack;
    return isBefore(load->view) &&
           llvm::all_of(load->axes, [&](const ViewAxis &axis) {
             return axis.tileDim != dim || isa<Attribute>(axis.offset) ||
                    isBefore(cast<Value>(axis.offset));
           });
  };
  return isOutside(zeroPadded(product.getLhsOperand().get()), 1) &&
         isOutside(zeroPadded(product.getRhsOperand().get()), 0);
}

std::tuple<Value, Value, Value>
staging::findExtents(MatrixProductOpInterface product, Indices &math) {
  Value lhs = product.getLhsOperand().get();
  auto shape = cast<ShapedType>(lhs.getType()).getShape();
  Value endK = math.constant(shape.back());
  auto [endM, endN] = findSides(product, math);
  std::optional<ZeroPadded> left = zeroPadded(lhs),
                            right = zeroPadded(product.getRhsOperand().get());
  if (left && right) {
    Value x = endOf(*left, 0, math), y = endOf(*right, 1, math);
    // The scalar units of machines with copies may have no maximum, but they
    // have what counts at edges take.
    bool isCopied = left->isCopied || right->isCopied;
    endK = math.min(endK, isCopied ? math.add(x, math.sub(y, math.min(x, y)))
                                   : math.max(x, y));
  }
  return {endM, endN, endK};
}

void staging::cloneCone(Value tile, OpBuilder &b, IRMapping &mapping) {
  Operation *op = tile.getDefiningOp();
  if (!op || mapping.contains(tile) ||
      !isa<stage::ComputeOp>(op->getParentOp()))
    return;
  for (Value operand : op->getOperands())
    cloneCone(operand, b, mapping);
  b.clone(*op, mapping);
}

ViewAccessOpInterface staging::onlyLoad(Value tile) {
  SmallVector<Value> open = {tile};
  ViewAccessOpInterface found;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op)
      return {};
    if (auto load = dyn_cast<ViewAccessOpInterface>(op)) {
      if (found && found != load)
        return {};
      found = load;
      continue;
    }
    if (isa<stage::ReadOp>(op) || !OpTrait::hasElementwiseMappableTraits(op)) {
      if (isShapeless(op))
        continue;
      return {};
    }
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        open.push_back(operand);
  }
  if (!found || indirectAxis(found.getAxes()) >= 0)
    return {};
  auto view = dyn_cast<tile::ViewType>(found.getAccessedView().getType());
  int64_t last = found.getAccessedType().getRank() - 1;
  for (auto [d, axis] : llvm::enumerate(found.getAxes()))
    if (axis.tileDim == last && axis.step == 1 && view &&
        view.getStaticStride(d) == 1)
      return found;
  return {};
}
