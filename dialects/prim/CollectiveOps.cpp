// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between ranks.
#include "kiln/Dialect/Prim/CollectiveOps.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Verify.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace kiln::prim;

/// Ranks are less.
static constexpr int64_t kMaxRanks = 65536;

static ParseResult parseRankLists(OpAsmParser &parser, ArrayAttr &lists) {
  SmallVector<Attribute> all;
  auto parseList = [&]() -> ParseResult {
    SmallVector<int64_t> ranks;
    auto parseRank = [&] { return parser.parseInteger(ranks.emplace_back()); };
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                       parseRank))
      return failure();
    all.push_back(parser.getBuilder().getDenseI64ArrayAttr(ranks));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseList))
    return failure();
  lists = parser.getBuilder().getArrayAttr(all);
  return success();
}

static void printRankLists(OpAsmPrinter &printer, Operation *,
                           ArrayAttr lists) {
  printer << '[';
  llvm::interleaveComma(lists, printer, [&](Attribute list) {
    printer << '[';
    llvm::interleaveComma(cast<DenseI64ArrayAttr>(list).asArrayRef(), printer);
    printer << ']';
  });
  printer << ']';
}

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/CollectiveOps.cpp.inc"

bool kiln::prim::isCollective(Operation *op) {
  return isa<AllReduceOp, AllGatherOp, ReduceScatterOp, AllToAllOp, BroadcastOp,
             PermuteOp>(op);
}

SmallVector<ArrayRef<int64_t>> kiln::prim::rankLists(Operation *op) {
  SmallVector<ArrayRef<int64_t>> lists;
  if (isCollective(op))
    for (Attribute list :
         op->getAttrOfType<ArrayAttr>(isa<PermuteOp>(op) ? "pairs" : "groups"))
      lists.push_back(cast<DenseI64ArrayAttr>(list).asArrayRef());
  return lists;
}

static LogicalResult verifyRank(Operation *op, int64_t rank) {
  if (rank >= 0 && rank < kMaxRanks)
    return success();
  return op->emitOpError() << "expected ranks in [0, " << kMaxRanks
                           << "), found " << rank;
}

/// C1, C2 and, where parts are `equal`, C3.
static LogicalResult verifyGroups(Operation *op, bool equal) {
  SmallVector<ArrayRef<int64_t>> groups = rankLists(op);
  if (groups.empty())
    return op->emitOpError("expected at least one group");
  llvm::SmallDenseSet<int64_t> seen;
  for (ArrayRef<int64_t> group : groups) {
    if (group.empty())
      return op->emitOpError("expected groups that are not empty");
    for (int64_t rank : group) {
      if (failed(verifyRank(op, rank)))
        return failure();
      if (!seen.insert(rank).second)
        return op->emitOpError()
               << "expected each rank once, found " << rank << " twice";
    }
    if (equal && group.size() != groups.front().size())
      return op->emitOpError()
             << "expected groups of one size, found " << groups.front().size()
             << " and " << group.size();
  }
  return success();
}

static LogicalResult verifyCombiner(Operation *op, ScatterKind kind,
                                    Type element) {
  bool isBitwise = kind == ScatterKind::and_ || kind == ScatterKind::or_ ||
                   kind == ScatterKind::xor_;
  bool needsInteger =
      isBitwise || kind == ScatterKind::umin || kind == ScatterKind::umax;
  if (kind == ScatterKind::set ||
      (needsInteger && !isa<IntegerType>(element)) ||
      (element.isInteger(1) && !isBitwise))
    return op->emitOpError() << "combiner '" << stringifyScatterKind(kind)
                             << "' is not for elements of " << element;
  return success();
}

/// Whether each rank is alone in its group.
static bool isAlone(Operation *op) {
  return llvm::all_of(
      rankLists(op), [](ArrayRef<int64_t> group) { return group.size() == 1; });
}

/// The operand, where each rank is alone.
static OpFoldResult foldAlone(Operation *op) {
  return isAlone(op) &&
                 op->getOperand(0).getType() == op->getResult(0).getType()
             ? op->getOperand(0)
             : OpFoldResult();
}

/// A dimension as the `n`-th part of it, or `n` times it; `?` of `?`.
static FailureOr<int64_t> divided(Operation *op, int64_t size, int64_t n) {
  if (ShapedType::isDynamic(size))
    return size;
  if (size % n)
    return op->emitOpError()
           << "expected a size that " << n << " divides, found " << size;
  return size / n;
}

static FailureOr<int64_t> multiplied(Operation *op, int64_t size, int64_t n) {
  if (ShapedType::isDynamic(size))
    return size;
  std::optional<int64_t> product = llvm::checkedMul(size, n);
  if (!product)
    return op->emitOpError() << "expected a size that fits 64 bits, found " << n
                             << " times " << size;
  return *product;
}

static LogicalResult verifyResult(Operation *op, ArrayRef<int64_t> shape) {
  auto operand = cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (failed(check::verifyShape(op, "a result", shape, result)))
    return failure();
  return check::verifyElement(op, "a result", operand.getElementType(), result);
}

LogicalResult RankOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location>, ValueRange,
                                       DictionaryAttr, OpaqueProperties,
                                       RegionRange,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 32)));
  return success();
}

LogicalResult AllReduceOp::verify() {
  // C1, C2
  if (failed(verifyGroups(*this, /*equal=*/false)))
    return failure();
  // C3
  return verifyCombiner(*this, getCombiner(), getType().getElementType());
}

OpFoldResult AllReduceOp::fold(FoldAdaptor) { return foldAlone(*this); }

/// C1 to C6 of an exchange whose result has another size along `dim`, which
/// `sizeOf` tells from the operand's and the number of ranks of a group.
template <typename Op, typename SizeOf>
static LogicalResult verifyAlong(Op op, SizeOf sizeOf) {
  if (failed(verifyGroups(op, /*equal=*/true)))
    return failure();
  RankedTensorType operand = op.getOperand().getType();
  int64_t dim = op.getDim();
  if (failed(check::verifyDim(op, "'dim'", dim, operand.getRank())))
    return failure();
  SmallVector<int64_t> shape(operand.getShape());
  FailureOr<int64_t> size =
      sizeOf(op, shape[dim], rankLists(op).front().size());
  if (failed(size))
    return failure();
  shape[dim] = *size;
  return verifyResult(op, shape);
}

LogicalResult AllGatherOp::verify() { return verifyAlong(*this, multiplied); }

OpFoldResult AllGatherOp::fold(FoldAdaptor) { return foldAlone(*this); }

LogicalResult ReduceScatterOp::verify() {
  if (failed(verifyAlong(*this, divided)))
    return failure();
  // C7
  return verifyCombiner(*this, getCombiner(),
                        getOperand().getType().getElementType());
}

OpFoldResult ReduceScatterOp::fold(FoldAdaptor) { return foldAlone(*this); }

LogicalResult AllToAllOp::verify() {
  // C1, C2, C3
  if (failed(verifyGroups(*this, /*equal=*/true)))
    return failure();
  RankedTensorType operand = getOperand().getType();
  // C4
  if (failed(
          check::verifyDim(*this, "'split'", getSplit(), operand.getRank())) ||
      failed(
          check::verifyDim(*this, "'concat'", getConcat(), operand.getRank())))
    return failure();
  // C5, C6
  int64_t n = rankLists(*this).front().size();
  SmallVector<int64_t> shape(operand.getShape());
  FailureOr<int64_t> part = divided(*this, shape[getSplit()], n);
  if (failed(part))
    return failure();
  shape[getSplit()] = *part;
  FailureOr<int64_t> whole = multiplied(*this, shape[getConcat()], n);
  if (failed(whole))
    return failure();
  shape[getConcat()] = *whole;
  return verifyResult(*this, shape);
}

OpFoldResult AllToAllOp::fold(FoldAdaptor) { return foldAlone(*this); }

// C1, C2
LogicalResult BroadcastOp::verify() {
  return verifyGroups(*this, /*equal=*/false);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor) { return foldAlone(*this); }

LogicalResult PermuteOp::verify() {
  llvm::SmallDenseSet<int64_t> receivers;
  for (ArrayRef<int64_t> pair : rankLists(*this)) {
    // C1
    if (pair.size() != 2)
      return emitOpError() << "expected pairs of ranks, found " << pair.size()
                           << " ranks";
    // C2
    if (failed(verifyRank(*this, pair[0])) ||
        failed(verifyRank(*this, pair[1])))
      return failure();
    // C1
    if (!receivers.insert(pair[1]).second)
      return emitOpError() << "expected one sender for each rank, found two "
                              "for rank "
                           << pair[1];
  }
  return success();
}

/// Nothing is known of what other ranks send.
OpFoldResult PermuteOp::fold(FoldAdaptor) { return {}; }
