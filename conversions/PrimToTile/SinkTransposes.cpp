//===- SinkTransposes.cpp - Computes before dimensions are permuted -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f(transpose(a), transpose(b)) is transpose(f(a, b)). Frameworks have channels
// first and products have them last, so that between two products elements are
// transposed forth and back. Operations are visited in order; a transposition
// moves behind each operation that takes it, until it meets its inverse. So
// what lies between computes in the order in which its operands lie, and what a
// function returns in that order is no copy.
//
//===----------------------------------------------------------------------===//

#include "RepeatedValues.h"
#include "Wrap.h"
#include "kiln/Conversion/PrimToTile.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Schedule/GroupPlan.h"
#include "kiln/Target/TargetRegistry.h"
#include "kiln/Tiling/Tiling.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kiln {
#define GEN_PASS_DEF_PRIMSINKTRANSPOSES
#include "kiln/Conversion/PrimToTile.h.inc"
} // namespace kiln

using namespace mlir;
using namespace kiln;
using namespace kiln::prim;

namespace {

/// The pass.
struct PrimSinkTransposes
    : kiln::impl::PrimSinkTransposesBase<PrimSinkTransposes> {
  using PrimSinkTransposesBase::PrimSinkTransposesBase;
  void runOnOperation() override;
};

/// Moves the transpositions of the operands of one operation behind it.
class Sinker {
public:
  explicit Sinker(Operation *op) : op(op), builder(op) {}

  /// The value to take the place of the result; null where nothing moves.
  Value run();

private:
  Value ofTranspose(TransposeOp transpose);
  Value ofTransposedCat(TransposeOp transpose, CatOp cat);
  Value ofPointwise();
  Value ofReduction();
  Value ofPad(PadOp pad);
  Value ofSlice(SliceOp slice);
  Value ofBroadcast(BroadcastInDimOp broadcast);
  Value ofCat(CatOp cat);
  Value ofReshape(ReshapeOp reshape);
  Value ofSplitAndMerge(ReshapeOp reshape);

  /// Has `permutation` as that of an operand; false if it has none.
  bool find(Value operand);
  /// Numbers for dimensions, before they are permuted.
  SmallVector<int64_t> before(ArrayRef<int64_t> numbers) const {
    return beforeTranspose(permutation, numbers);
  }
  /// A type before its dimensions are permuted.
  RankedTensorType before(RankedTensorType type) const {
    return RankedTensorType::get(before(type.getShape()),
                                 type.getElementType());
  }
  /// Whether an operand can be had before the transposition.
  bool canMove(Value operand) const;
  Value move(Value operand);
  /// The operation on other operands, with a result of another type.
  Operation *rebuild(ValueRange operands, Type type);
  Value transposed(Value value) {
    return TransposeOp::create(builder, op->getLoc(),
                               op->getResult(0).getType(), value, permutation);
  }

  Operation *op;
  OpBuilder builder;
  SmallVector<int64_t> permutation;
};

} // namespace

bool Sinker::find(Value operand) {
  auto transpose = operand.getDefiningOp<TransposeOp>();
  if (!transpose)
    return false;
  permutation.assign(transpose.getPermutation().begin(),
                     transpose.getPermutation().end());
  return true;
}

bool Sinker::canMove(Value operand) const {
  auto transpose = operand.getDefiningOp<TransposeOp>();
  return transpose
             ? transpose.getPermutation() == ArrayRef<int64_t>(permutation)
             : isRepeated(operand);
}

Value Sinker::move(Value operand) {
  if (auto transpose = operand.getDefiningOp<TransposeOp>())
    return transpose.getOperand();
  return repeatBefore(builder, permutation, operand);
}

Operation *Sinker::rebuild(ValueRange operands, Type type) {
  Operation *made = builder.clone(*op);
  made->setOperands(operands);
  made->getResult(0).setType(type);
  return made;
}

/// Whether a claim writes a value, or the same with other dimensions of one
/// element, in any order.
static bool isWrittenInAnyOrder(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    auto shapeOf = [](RankedTensorType type) {
      SmallVector<int64_t> shape(type.getShape());
      llvm::erase(shape, 1);
      return shape;
    };
    if (!reshape->hasOneUse() || !reshape.getType().hasStaticShape() ||
        shapeOf(reshape.getOperand().getType()) != shapeOf(reshape.getType()))
      return false;
    value = reshape.getOperand();
  }
  auto claim = value.getDefiningOp<ClaimOp>();
  return claim && value.hasOneUse() && writesInAnyOrder(claim);
}

/// transpose(cat(a, b)) is cat(transpose(a), transpose(b)): kernels that write
/// in any order write the parts of the result in its own. Where threads share
/// no tiles, each part is transposed instead of the whole.
Value Sinker::ofTransposedCat(TransposeOp transpose, CatOp cat) {
  if (!cat->hasOneUse() ||
      !llvm::all_of(cat.getOperands(), isWrittenInAnyOrder))
    return {};
  ArrayRef<int64_t> order = transpose.getPermutation();
  SmallVector<Value> parts;
  for (Value operand : cat.getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    parts.push_back(TransposeOp::create(
        builder, cat.getLoc(),
        type.clone(applyPermutation(type.getShape(), order)), operand, order));
  }
  return CatOp::create(builder, cat.getLoc(), transpose.getType(), parts,
                       llvm::find(order, cat.getDim()) - order.begin());
}

Value Sinker::ofTranspose(TransposeOp transpose) {
  if (auto cat = transpose.getOperand().getDefiningOp<CatOp>())
    return ofTransposedCat(transpose, cat);
  auto inner = transpose.getOperand().getDefiningOp<TransposeOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> both;
  for (int64_t d : transpose.getPermutation())
    both.push_back(inner.getPermutation()[d]);
  if (llvm::is_sorted(both))
    return inner.getOperand();
  return TransposeOp::create(builder, op->getLoc(), transpose.getType(),
                             inner.getOperand(), both);
}

Value Sinker::ofPointwise() {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  for (Value operand : op->getOperands()) {
    auto from = dyn_cast<RankedTensorType>(operand.getType());
    if (!from || from.getShape() != type.getShape())
      return {};
    if (permutation.empty())
      find(operand);
  }
  if (permutation.empty() ||
      !llvm::all_of(op->getOperands(),
                    [&](Value operand) { return canMove(operand); }))
    return {};
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(move(operand));
  return transposed(rebuild(operands, before(type))->getResult(0));
}

Value Sinker::ofReduction() {
  if (!find(op->getOperand(0)))
    return {};
  SmallVector<int64_t> dims, kept;
  for (int64_t d : schedule::reducedDims(op))
    dims.push_back(permutation[d]);
  for (auto [d, from] : llvm::enumerate(permutation))
    if (!llvm::is_contained(dims, from))
      kept.push_back(from);
  llvm::sort(dims);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> order(kept), shape, places;
  llvm::sort(order);
  for (int64_t from : order)
    shape.push_back(type.getDimSize(llvm::find(kept, from) - kept.begin()));
  for (int64_t from : kept)
    places.push_back(llvm::find(order, from) - order.begin());
  Operation *made = rebuild(move(op->getOperand(0)), type.clone(shape));
  made->setAttr("dims", builder.getDenseI64ArrayAttr(dims));
  permutation = places;
  return llvm::is_sorted(places) ? made->getResult(0)
                                 : transposed(made->getResult(0));
}

Value Sinker::ofPad(PadOp pad) {
  if (!find(pad.getOperand()))
    return {};
  return transposed(PadOp::create(builder, pad.getLoc(), before(pad.getType()),
                                  move(pad.getOperand()), before(pad.getLow()),
                                  before(pad.getHigh()), pad.getValue()));
}

Value Sinker::ofSlice(SliceOp slice) {
  if (!find(slice.getOperand()))
    return {};
  return transposed(
      SliceOp::create(builder, slice.getLoc(), before(slice.getType()),
                      move(slice.getOperand()), before(slice.getStarts()),
                      before(slice.getLimits()), before(slice.getStrides())));
}

/// The dimensions of a result in the order of the lists that they are in, and
/// these in the order of `places`.
static SmallVector<int64_t> inOrder(ArrayRef<SmallVector<int64_t>> lists,
                                    ArrayRef<int64_t> places) {
  SmallVector<unsigned> numbers =
      llvm::to_vector(llvm::seq<unsigned>(lists.size()));
  llvm::sort(numbers,
             [&](unsigned a, unsigned b) { return places[a] < places[b]; });
  SmallVector<int64_t> result;
  for (unsigned number : numbers)
    llvm::append_range(result, lists[number]);
  return result;
}

Value Sinker::ofBroadcast(BroadcastInDimOp broadcast) {
  // Others can be had in any order.
  constexpr int64_t kFraction = 16;
  RankedTensorType type = broadcast.getType();
  auto from = cast<RankedTensorType>(broadcast.getOperand().getType());
  if (!type.hasStaticShape() || !from.hasStaticShape() ||
      from.getNumElements() < type.getNumElements() / kFraction ||
      !find(broadcast.getOperand()))
    return {};
  // New dimensions stay behind the one that they follow.
  SmallVector<SmallVector<int64_t>> lists(1);
  SmallVector<int64_t> places = {-1};
  for (int64_t d = 0; d < type.getRank(); ++d) {
    const int64_t *found = llvm::find(broadcast.getDims(), d);
    if (found != broadcast.getDims().end()) {
      lists.emplace_back();
      places.push_back(permutation[found - broadcast.getDims().begin()]);
    }
    lists.back().push_back(d);
  }
  SmallVector<int64_t> order = inOrder(lists, places);
  SmallVector<int64_t> dims(from.getRank());
  for (auto [i, d] : llvm::enumerate(broadcast.getDims()))
    dims[permutation[i]] = llvm::find(order, d) - order.begin();
  Value operand = move(broadcast.getOperand());
  permutation = invertPermutationVector(order);
  return transposed(BroadcastInDimOp::create(
      builder, op->getLoc(), before(type), operand, ValueRange(), dims));
}

Value Sinker::ofReshape(ReshapeOp reshape) {
  RankedTensorType from = reshape.getOperand().getType(),
                   to = reshape.getType();
  if (!from.hasStaticShape() || !to.hasStaticShape() ||
      !find(reshape.getOperand()))
    return {};
  auto lists = getReassociationIndicesForReshape(from, to);
  if (!lists || from.getRank() == to.getRank())
    return ofSplitAndMerge(reshape);
  bool isMerged = from.getRank() > to.getRank();
  SmallVector<SmallVector<int64_t>> dims;
  SmallVector<int64_t> places;
  for (auto [number, list] : llvm::enumerate(*lists)) {
    // Dimensions that become one are neighbours before, too.
    for (size_t i = 1; isMerged && i < list.size(); ++i)
      if (permutation[list[i]] != permutation[list[i - 1]] + 1)
        return {};
    dims.emplace_back();
    if (isMerged)
      dims.back().push_back(number);
    else
      dims.back().append(list.begin(), list.end());
    places.push_back(permutation[isMerged ? list.front() : number]);
  }
  Value operand = move(reshape.getOperand());
  permutation = invertPermutationVector(inOrder(dims, places));
  if (llvm::is_sorted(permutation))
    return ReshapeOp::create(builder, op->getLoc(), to, operand);
  return transposed(
      ReshapeOp::create(builder, op->getLoc(), before(to), operand));
}

/// The fewest dimensions of which both shapes are mergers of neighbours; empty
/// if there are none.
static SmallVector<int64_t> commonDims(ArrayRef<int64_t> from,
                                       ArrayRef<int64_t> to) {
  SmallVector<int64_t> dims;
  // What is left of a dimension of each.
  int64_t x = 1, y = 1;
  auto isOne = [](ArrayRef<int64_t> shape) {
    return !shape.empty() && shape.front() == 1;
  };
  while (!from.empty() || !to.empty()) {
    bool isX = x == 1 && isOne(from), isY = y == 1 && isOne(to);
    if (isX || isY) {
      dims.push_back(1);
      from = from.drop_front(isX);
      to = to.drop_front(isY);
      continue;
    }
    if ((x == 1 && from.empty()) || (y == 1 && to.empty()))
      return {};
    if (x == 1)
      x = from.consume_front();
    if (y == 1)
      y = to.consume_front();
    int64_t found = std::min(x, y);
    if (found < 1 || std::max(x, y) % found != 0)
      return {};
    dims.push_back(found);
    x /= found;
    y /= found;
  }
  return x == 1 && y == 1 ? dims : SmallVector<int64_t>();
}

/// A reshape that splits some dimensions and merges others, as norms of groups
/// of channels do: the dimensions are split, then merged.
Value Sinker::ofSplitAndMerge(ReshapeOp reshape) {
  RankedTensorType from = reshape.getOperand().getType(),
                   to = reshape.getType();
  SmallVector<int64_t> dims = commonDims(from.getShape(), to.getShape());
  if (dims.empty() || llvm::equal(dims, from.getShape()) ||
      llvm::equal(dims, to.getShape()))
    return {};
  auto split = ReshapeOp::create(builder, op->getLoc(), from.clone(dims),
                                 reshape.getOperand());
  Value before = Sinker(split).run();
  if (!before || !before.getDefiningOp<TransposeOp>())
    return {};
  auto merged = ReshapeOp::create(builder, op->getLoc(), to, before);
  return Sinker(merged).run();
}

/// Whether a claim that writes in any order made a value, or what it is a
/// reshape of.
static bool isOfAnyOrder(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getOperand();
  auto claim = value.getDefiningOp<ClaimOp>();
  return claim && writesInAnyOrder(claim);
}

/// Parts that have one permutation are joined before it, unless what makes them
/// writes them in any order.
Value Sinker::ofCat(CatOp cat) {
  if (!find(cat.getOperands().front()) ||
      !llvm::all_of(cat.getOperands(), [&](Value part) {
        auto transpose = part.getDefiningOp<TransposeOp>();
        return transpose && canMove(part) &&
               !isOfAnyOrder(transpose.getOperand());
      }))
    return {};
  SmallVector<Value> parts;
  for (Value part : cat.getOperands())
    parts.push_back(move(part));
  return transposed(CatOp::create(builder, cat.getLoc(), before(cat.getType()),
                                  parts, permutation[cat.getDim()]));
}

Value Sinker::run() {
  if (op->getNumResults() != 1 || op->getNumRegions() ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return {};
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return ofTranspose(transpose);
  if (auto pad = dyn_cast<PadOp>(op))
    return ofPad(pad);
  if (auto slice = dyn_cast<SliceOp>(op))
    return ofSlice(slice);
  if (auto cat = dyn_cast<CatOp>(op))
    return ofCat(cat);
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(op))
    return ofBroadcast(broadcast);
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return ofReshape(reshape);
  // The interface does not say which attribute holds the dimensions.
  auto reduction = dyn_cast<TensorReductionOpInterface>(op);
  if (reduction && !reduction.givesPlaces() &&
      isa<PrimDialect>(op->getDialect()))
    return ofReduction();
  return op->hasTrait<OpTrait::Elementwise>() ? ofPointwise() : Value();
}

void PrimSinkTransposes::runOnOperation() {
  func::FuncOp func = getOperation();
  target::BoundTarget bound = target::TargetRegistry::get().boundTarget(
      func->getParentOfType<ModuleOp>());
  if (!bound)
    return;
  tiling::Chooser chooser(bound.target, bound.description, bound.options);
  // Others may have results of convolutions in an order of their own.
  if (!chooser.model().sharesTiles())
    return;
  SmallVector<Operation *> ops;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<FusionOp, ClaimOp>(op))
      return WalkResult::skip();
    ops.push_back(op);
    return WalkResult::advance();
  });
  for (Operation *op : ops)
    if (Value made = Sinker(op).run()) {
      op->getResult(0).replaceAllUsesWith(made);
      op->erase();
    }
  // What is not used any more would count as a reader of what it reads.
  func.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}
