// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brings dot_general into the form [B, M, K] x [B, K, N], or without B.
#include "../PrimBuilder.h"
#include "Simplify.h"
#include "kiln/Dialect/Prim/Shape.h"
#include "kiln/Interfaces/Movement.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

/// Sizes of `dims` of one operand, merged into one.
OpFoldResult merged(PrimBuilder &emit, ArrayRef<OpFoldResult> sizes,
                    ArrayRef<int64_t> dims) {
  SmallVector<OpFoldResult> picked;
  for (int64_t dim : dims)
    picked.push_back(sizes[dim]);
  return emit.product(picked);
}

SmallVector<int64_t> freeDims(int64_t rank, ArrayRef<int64_t> batch,
                              ArrayRef<int64_t> contract) {
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(batch, i) && !llvm::is_contained(contract, i))
      dims.push_back(i);
  return dims;
}

bool isNormal(DotGeneralOp op, bool batched) {
  auto is = [](ArrayRef<int64_t> dims, ArrayRef<int64_t> expected) {
    return dims == expected;
  };
  if (op.getLhs().getType().getRank() != 2 + batched ||
      op.getRhs().getType().getRank() != 2 + batched)
    return false;
  return batched ? is(op.getLhsBatch(), 0) && is(op.getRhsBatch(), 0) &&
                       is(op.getLhsContract(), 2) && is(op.getRhsContract(), 1)
                 : op.getLhsBatch().empty() && is(op.getLhsContract(), 1) &&
                       is(op.getRhsContract(), 0);
}

/// Whether dimensions can be merged: no product of static sizes exceeds 64
/// bits.
bool isMergeable(RankedTensorType type) {
  SmallVector<int64_t> sizes;
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size) && size != 0)
      sizes.push_back(size);
  return checkedProduct(sizes).has_value();
}

/// The dimension that one of `operand` was before all transposes.
int64_t sourceOf(Value operand, int64_t dim) {
  while (auto transpose =
             operand.getDefiningOp<kiln::PermutationOpInterface>()) {
    dim = transpose.getPermutation()[dim];
    operand = transpose.getMoved();
  }
  return dim;
}

/// Transposes and merges dimensions of the operands, splits those of the
/// result.
struct NormaliseDot : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DotGeneralOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType lhsType = op.getLhs().getType();
    RankedTensorType rhsType = op.getRhs().getType();
    // A batch dimension of size 1 does not count.
    bool batched = llvm::any_of(op.getLhsBatch(), [&](int64_t dim) {
      return lhsType.getDimSize(dim) != 1;
    });
    if (isNormal(op, batched) || !isMergeable(lhsType) || !isMergeable(rhsType))
      return failure();

    // In the order in which lhs was before it was transposed: then it often
    // needs no copy.
    SmallVector<std::pair<int64_t, int64_t>> pairs;
    for (auto [l, r] :
         llvm::zip_equal(op.getLhsContract(), op.getRhsContract()))
      pairs.emplace_back(l, r);
    llvm::sort(pairs, [&](auto a, auto b) {
      return sourceOf(op.getLhs(), a.first) < sourceOf(op.getLhs(), b.first);
    });
    auto lhsContract =
        llvm::map_to_vector(pairs, [](auto p) { return p.first; });
    auto rhsContract =
        llvm::map_to_vector(pairs, [](auto p) { return p.second; });
    auto lhsFree = freeDims(lhsType.getRank(), op.getLhsBatch(), lhsContract);
    auto rhsFree = freeDims(rhsType.getRank(), op.getRhsBatch(), rhsContract);

    PrimBuilder emit(rewriter, op.getLoc());
    SmallVector<OpFoldResult> resultSizes = reifyResultShape(rewriter, op);
    auto lhsSizes = emit.sizes(op.getLhs()), rhsSizes = emit.sizes(op.getRhs());
    auto concat = [](ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                     ArrayRef<int64_t> c) {
      return llvm::to_vector(llvm::concat<const int64_t>(a, b, c));
    };
    Value lhs = emit.transpose(op.getLhs(),
                               concat(op.getLhsBatch(), lhsFree, lhsContract));
    Value rhs = emit.transpose(op.getRhs(),
                               concat(op.getRhsBatch(), rhsContract, rhsFree));
    OpFoldResult b = merged(emit, lhsSizes, op.getLhsBatch());
    OpFoldResult m = merged(emit, lhsSizes, lhsFree);
    OpFoldResult n = merged(emit, rhsSizes, rhsFree);
    auto shaped = [&](Value operand, OpFoldResult batch, OpFoldResult rows,
                      OpFoldResult columns) {
      SmallVector<OpFoldResult> sizes;
      if (batched)
        sizes.push_back(batch);
      sizes.append({rows, columns});
      return emit.reshape(operand, sizes);
    };
    lhs = shaped(lhs, b, m, merged(emit, lhsSizes, lhsContract));
    rhs = shaped(rhs, merged(emit, rhsSizes, op.getRhsBatch()),
                 merged(emit, rhsSizes, rhsContract), n);

    auto left = cast<RankedTensorType>(lhs.getType()).getShape();
    auto right = cast<RankedTensorType>(rhs.getType()).getShape();
    SmallVector<int64_t> shape(left.drop_back());
    shape.push_back(right.back());
    SmallVector<int64_t> batchDims(batched ? 1 : 0, 0);
    int64_t first = batched ? 1 : 0;
    Value result = DotGeneralOp::create(
        rewriter, op.getLoc(),
        RankedTensorType::get(shape, op.getType().getElementType()), lhs, rhs,
        batchDims, batchDims, {first + 1}, {first}, op.getPrecision(),
        op.getImprecise());
    // An operand may have a static size where the result has `?`.
    SmallVector<Value> open;
    for (auto [dim, size] : llvm::enumerate(resultSizes))
      if (op.getType().isDynamicDim(dim))
        open.push_back(
            getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), size));
    if (result.getType() != op.getType() || open.size() > 1)
      result =
          ReshapeOp::create(rewriter, op.getLoc(), op.getType(), result, open);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// If every batch has the same rhs, merges the batch dimensions into the rows:
/// [B, M, K] x broadcast [K, N] becomes [B * M, K] x [K, N].
struct DotOfRepeatedRhs : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DotGeneralOp op,
                                PatternRewriter &rewriter) const override {
    auto broadcast = op.getRhs().getDefiningOp<kiln::RepeatOpInterface>();
    int64_t batches = op.getLhsBatch().size();
    if (!broadcast || batches == 0)
      return failure();
    SmallVector<int64_t> dims = broadcast.getKeptDims();
    // The rows of the result keep their order.
    for (int64_t i = 0; i < batches; ++i)
      if (op.getLhsBatch()[i] != i ||
          llvm::is_contained(dims, op.getRhsBatch()[i]))
        return failure();
    // The broadcast must repeat nothing but batch dimensions.
    auto source = cast<RankedTensorType>(broadcast.getMoved().getType());
    if (source.getRank() != op.getRhs().getType().getRank() - batches)
      return failure();
    for (auto [dim, size] : llvm::zip_equal(dims, source.getShape()))
      if (size != op.getRhs().getType().getDimSize(dim))
        return failure();
    SmallVector<int64_t> contract;
    for (int64_t dim : op.getRhsContract())
      contract.push_back(llvm::find(dims, dim) - dims.begin());
    rewriter.replaceOpWithNewOp<DotGeneralOp>(
        op, op.getType(), op.getLhs(), broadcast.getMoved(),
        ArrayRef<int64_t>(), ArrayRef<int64_t>(), op.getLhsContract(), contract,
        op.getPrecision(), op.getImprecise());
    return success();
  }
};

} // namespace

void kiln::prim::populateNormaliseDotPatterns(RewritePatternSet &patterns) {
  patterns.add<DotOfRepeatedRhs>(patterns.getContext(), /*benefit=*/2);
  patterns.add<NormaliseDot>(patterns.getContext());
}
