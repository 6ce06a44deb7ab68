// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recovers attention.
#include "../Match.h"
#include "../PrimBuilder.h"
#include "Raise.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Whether batch dimensions of both operands come first and in order, and there
/// are two more dimensions.
bool hasLeadingBatch(DotGeneralOp op) {
  auto leading = [](ArrayRef<int64_t> dims) {
    return llvm::equal(dims, llvm::seq<int64_t>(0, dims.size()));
  };
  int64_t rank = op.getLhsBatch().size() + 2;
  return leading(op.getLhsBatch()) && leading(op.getRhsBatch()) &&
         op.getLhs().getType().getRank() == rank &&
         op.getRhs().getType().getRank() == rank &&
         op.getLhsContract().size() == 1;
}

/// Whether a reshape only regroups leading dimensions.
bool keepsRows(ReshapeOp op) {
  RankedTensorType from = op.getOperand().getType(), to = op.getType();
  return from.getRank() >= 2 && to.getRank() >= 2 && from.hasStaticShape() &&
         to.hasStaticShape() &&
         from.getShape().take_back(2) == to.getShape().take_back(2);
}

/// Looks through one reshape that keeps rows and columns.
Value throughBatch(Value value) {
  auto reshape = match::def<ReshapeOp>(value);
  return reshape && keepsRows(reshape) ? Value(reshape.getOperand()) : value;
}

/// softmax(query * key^T * scale + mask) * value is attention.
struct RaiseAttention : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DotGeneralOp op,
                                PatternRewriter &rewriter) const override {
    int64_t rank = op.getLhs().getType().getRank();
    if (!hasLeadingBatch(op) || op.getLhsContract().front() != rank - 1 ||
        !isa<FloatType>(op.getType().getElementType()))
      return failure();
    auto softmax = match::def<SoftmaxOp>(throughBatch(op.getLhs()));
    if (!softmax || static_cast<int64_t>(softmax.getDim()) !=
                        softmax.getType().getRank() - 1)
      return failure();

    // Scores, a mask that is added, a scale, and the product.
    Value scores = softmax.getOperand(), mask;
    double scale = 1;
    auto product = match::def<DotGeneralOp>(throughBatch(scores));
    if (auto sum = match::def<AddOp>(scores)) {
      for (auto [one, other] : {std::pair(sum.getLhs(), sum.getRhs()),
                                std::pair(sum.getRhs(), sum.getLhs())}) {
        if (matchProduct(one, scale, product)) {
          mask = other;
          break;
        }
      }
    } else {
      matchProduct(scores, scale, product);
    }
    if (!product || !hasLeadingBatch(product) ||
        product.getLhs().getType().getRank() != rank ||
        product.getLhsContract().front() != rank - 1 ||
        product.getPrecision() != op.getPrecision() ||
        product.getPrecision() != Precision::ieee || !sameElements(op, product))
      return failure();

    PrimBuilder emit(rewriter, op.getLoc());
    auto swap = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::swap(swap[rank - 1], swap[rank - 2]);
    Value key = product.getRhs(), value = op.getRhs();
    if (product.getRhsContract().front() == rank - 2)
      key = emit.transpose(key, swap);
    if (op.getRhsContract().front() == rank - 1)
      value = emit.transpose(value, swap);
    if (mask && typeOf(mask) != product.getType())
      mask = ReshapeOp::create(rewriter, op.getLoc(), product.getType(), mask,
                               ValueRange());
    rewriter.replaceOpWithNewOp<AttentionOp>(op, op.getType(), product.getLhs(),
                                             key, value, mask, APFloat(scale));
    return success();
  }

private:
  /// Matches a product of matrices, scaled or not, behind a reshape or not.
  static bool matchProduct(Value value, double &scale, DotGeneralOp &product) {
    product = match::def<DotGeneralOp>(throughBatch(value));
    if (product)
      return true;
    auto scaled = match::scaled(throughBatch(value));
    if (!scaled)
      return false;
    product = match::def<DotGeneralOp>(throughBatch(scaled->first));
    scale = scaled->second;
    return product != nullptr;
  }

  /// Attention has one element type, and the products do too. A product that
  /// rounds to f16 or bf16 in between is another function.
  static bool sameElements(DotGeneralOp op, DotGeneralOp product) {
    Type element = op.getType().getElementType();
    return element.getIntOrFloatBitWidth() >= 32 &&
           llvm::all_of(ValueRange({op.getLhs(), op.getRhs(), product,
                                    product.getLhs(), product.getRhs()}),
                        [&](Value value) {
                          return typeOf(value).getElementType() == element;
                        });
  }
};

} // namespace

void kiln::prim::populateRaiseAttention(RewritePatternSet &patterns) {
  patterns.add<RaiseAttention>(patterns.getContext());
}
