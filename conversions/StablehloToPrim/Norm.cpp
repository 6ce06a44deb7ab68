// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations of StableHLO over all dimensions but that of the features.
#include "Rules.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// What the three normalisations share.
struct Norm {
  Translator &e;
  Value x;
  int64_t feature;
  SmallVector<int64_t> others;
  double epsilon;

  /// A vector of features in the shape of the operand.
  Value spread(Value vector) {
    return e.broadcastInDim(vector, {feature}, e.sizesOf(x));
  }
  Value sum(Value value) {
    auto type = RankedTensorType::get({e.typeOf(value).getDimSize(feature)},
                                      e.elementOf(value));
    return prim::SumOp::create(e.b, type, value, others);
  }
  /// The number of elements of a feature.
  Value mean(Value value) {
    double count = 1;
    for (int64_t dim : others)
      count *= double(e.typeOf(x).getDimSize(dim));
    Value total = sum(value);
    return e.binary<prim::DivOp>(total, e.number(count, total));
  }
  Value deviation(Value variance) {
    return e.unary<prim::SqrtOp>(e.add(variance, e.number(epsilon, variance)));
  }
};

template <typename Op> FailureOr<Norm> normOf(Op op, Translator &e) {
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  int64_t feature = op.getFeatureIndex();
  if (failed(checkDims(op, "feature_index", feature, type.getRank(), e)))
    return failure();
  if (!type.hasStaticShape() || !isa<FloatType>(type.getElementType()))
    return e.unsupported(op, "on sizes that are not known, or on no floats");
  Norm norm{e,
            e.get(op.getOperand()),
            feature,
            {},
            op.getEpsilon().convertToDouble()};
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (dim != feature)
      norm.others.push_back(dim);
  return norm;
}

/// scale (x - mean) / sqrt(variance + epsilon) + offset
Value normalize(Norm &norm, Value mean, Value variance, Value scale,
                Value offset) {
  Translator &e = norm.e;
  Value centered = e.sub(norm.x, norm.spread(mean));
  Value unit =
      e.binary<prim::DivOp>(centered, norm.spread(norm.deviation(variance)));
  return e.add(e.mul(norm.spread(scale), unit), norm.spread(offset));
}

LogicalResult inference(stablehlo::BatchNormInferenceOp op, Translator &e) {
  auto norm = normOf(op, e);
  if (failed(norm))
    return failure();
  return e.set(op,
               normalize(*norm, e.get(op.getMean()), e.get(op.getVariance()),
                         e.get(op.getScale()), e.get(op.getOffset())));
}

LogicalResult training(stablehlo::BatchNormTrainingOp op, Translator &e) {
  auto norm = normOf(op, e);
  if (failed(norm))
    return failure();
  Value mean = norm->mean(norm->x);
  Value centered = e.sub(norm->x, norm->spread(mean));
  Value variance = norm->mean(e.mul(centered, centered));
  Value result = normalize(*norm, mean, variance, e.get(op.getScale()),
                           e.get(op.getOffset()));
  return success(succeeded(e.set(op.getOutput(), result)) &&
                 succeeded(e.set(op.getBatchMean(), mean)) &&
                 succeeded(e.set(op.getBatchVar(), variance)));
}

LogicalResult gradient(stablehlo::BatchNormGradOp op, Translator &e) {
  auto norm = normOf(op, e);
  if (failed(norm))
    return failure();
  Value dy = e.get(op.getGradOutput()), scale = e.get(op.getScale());
  Value deviation = norm->deviation(e.get(op.getVariance()));
  Value centered = e.sub(norm->x, norm->spread(e.get(op.getMean())));
  Value unit = e.binary<prim::DivOp>(centered, norm->spread(deviation));
  Value along = e.mul(dy, unit);
  // dx = scale / deviation (dy - mean(dy) - unit mean(dy unit))
  Value inner = e.sub(e.sub(dy, norm->spread(norm->mean(dy))),
                      e.mul(unit, norm->spread(norm->mean(along))));
  Value factor = norm->spread(e.binary<prim::DivOp>(scale, deviation));
  return success(succeeded(e.set(op.getGradOperand(), e.mul(factor, inner))) &&
                 succeeded(e.set(op.getGradScale(), norm->sum(along))) &&
                 succeeded(e.set(op.getGradOffset(), norm->sum(dy))));
}

} // namespace

void addNormRules(Rules &rules) {
  rules.add<stablehlo::BatchNormInferenceOp>(inference);
  rules.add<stablehlo::BatchNormTrainingOp>(training);
  rules.add<stablehlo::BatchNormGradOp>(gradient);
}

} // namespace kiln::stablehlo_to_prim
