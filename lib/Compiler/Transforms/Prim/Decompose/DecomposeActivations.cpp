// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands sigmoid, silu, relu and gelu.
#include "../PrimBuilder.h"
#include "Decompose.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

/// Computes in f32 or wider and rounds once at the end.
template <typename Op> struct ActivationPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  virtual Value compute(Op op, PrimBuilder &emit, Value x) const = 0;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    Type element = op.getType().getElementType();
    Value x = emit.convert(op.getOperand(), PrimBuilder::computeType(element));
    rewriter.replaceOp(op, emit.convert(compute(op, emit, x), element));
    return success();
  }
};

/// 1 + exp(-x).
Value onePlusExp(PrimBuilder &emit, Value x) {
  return emit.map<AddOp>(emit.map<ExpOp>(emit.map<NegOp>(x)), 1.0);
}

/// sigmoid(x) = 1 / (1 + exp(-x)).
struct DecomposeSigmoid : ActivationPattern<SigmoidOp> {
  using ActivationPattern::ActivationPattern;
  Value compute(SigmoidOp op, PrimBuilder &emit, Value x) const override {
    return emit.map<ReciprocalOp>(onePlusExp(emit, x));
  }
};

/// silu(x) = x / (1 + exp(-x)).
struct DecomposeSilu : ActivationPattern<SiluOp> {
  using ActivationPattern::ActivationPattern;
  Value compute(SiluOp op, PrimBuilder &emit, Value x) const override {
    return emit.map<DivOp>(x, onePlusExp(emit, x));
  }
};

/// gelu by the error function or by its approximation with tanh.
struct DecomposeGelu : ActivationPattern<GeluOp> {
  using ActivationPattern::ActivationPattern;
  Value compute(GeluOp op, PrimBuilder &emit, Value x) const override {
    Value inner;
    if (op.getKind() == GeluKind::exact) {
      // 1 / sqrt(2)
      inner = emit.map<ErfOp>(emit.map<MulOp>(x, 0.70710678118654752440));
    } else {
      // sqrt(2 / pi) * (x + 0.044715 x^3)
      Value cube = emit.map<MulOp>(emit.map<MulOp>(x, x), x);
      Value sum = emit.map<AddOp>(x, emit.map<MulOp>(cube, 0.044715));
      inner = emit.map<TanhOp>(emit.map<MulOp>(sum, 0.79788456080286535588));
    }
    Value half = emit.map<MulOp>(x, 0.5);
    return emit.map<MulOp>(half, emit.map<AddOp>(inner, 1.0));
  }
};

/// relu(x) = maximum(x, 0), exact in every type.
struct DecomposeRelu : OpRewritePattern<ReluOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReluOp op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    rewriter.replaceOp(op, emit.map<MaximumOp>(op.getOperand(), 0.0));
    return success();
  }
};

} // namespace

void kiln::prim::populateDecomposeActivations(RewritePatternSet &patterns,
                                              WantedFn wanted) {
  addWanted<DecomposeSigmoid, SigmoidOp>(patterns, wanted);
  addWanted<DecomposeSilu, SiluOp>(patterns, wanted);
  addWanted<DecomposeGelu, GeluOp>(patterns, wanted);
  addWanted<DecomposeRelu, ReluOp>(patterns, wanted);
}
