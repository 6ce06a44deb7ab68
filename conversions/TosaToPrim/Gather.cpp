// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indexed reading and writing, and resizing.
#include "Rules.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
void Translator::limitIndices(Value indices, int64_t size) {
  if (ShapedType::isDynamic(size) || size < 1)
    return;
  // Through everything that hands on some of the numbers unchanged.
  SmallVector<Value> work{indices};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (isa<BlockArgument>(value)) {
      auto [it, isNew] = largestIndex.try_emplace(value, size - 1);
      it->second = std::min(it->second, size - 1);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (isa<prim::ConvertElementTypeOp, prim::ReshapeOp, prim::TransposeOp,
            prim::SliceOp, prim::BroadcastInDimOp, prim::CatOp, prim::ClampOp,
            prim::MaximumOp, prim::MinimumOp, prim::WhereOp>(op))
      llvm::append_range(work, op->getOperands());
  }
}

Value Translator::keepInside(Value indices, OpFoldResult size) {
  if (!isSpeculative)
    return indices;
  if (auto known = getConstantIntValue(size))
    return clampTo(indices, 0, std::max<int64_t>(*known, 1) - 1);
  Value last = convert(sizeTensor(size), elementOf(indices));
  if (!body)
    last = broadcastInDim(last, {}, sizesOf(indices));
  last = sub(last, integer(1, last));
  return binary<prim::MaximumOp>(binary<prim::MinimumOp>(indices, last),
                                 integer(0, indices));
}

namespace {

/// values [N, K, C] at indices [N, W]: [N, W, C].
Value gatherRows(Value values, Value indices, Translator &e) {
  SmallVector<int64_t> shape(e.typeOf(values).getShape());
  shape[1] = e.typeOf(indices).getDimSize(1);
  indices = e.keepInside(indices, e.sizesOf(values)[1]);
  return prim::GatherOp::create(e.b, e.typeOf(values).clone(shape), values,
                                indices, 1, 1);
}

LogicalResult gather(tosa::GatherOp op, Translator &e) {
  Value values = e.get(op.getValues()), indices = e.get(op.getIndices());
  e.limitIndices(indices, e.typeOf(values).getDimSize(1));
  return e.set(op, gatherRows(values, indices, e));
}

/// Each row of the result looks up who writes to it, if anybody does. TOSA
/// allows an index only once.
LogicalResult scatter(tosa::ScatterOp op, Translator &e) {
  Value before = e.get(op.getValuesIn()), indices = e.get(op.getIndices());
  Value input = e.get(op.getInput());
  e.limitIndices(indices, e.typeOf(before).getDimSize(1));
  Type i64 = e.b.getI64Type();
  Sizes rows = e.sizesOf(before), writers = e.sizesOf(indices);
  Sizes space{rows[0], rows[1], writers[1]}; // [N, K, W]
  auto iota = [&](int64_t dim) -> Value {
    return prim::IotaOp::create(e.b, e.typeFor(space, i64),
                                e.dynamicSizes(space), dim);
  };
  Value index = e.broadcastInDim(e.convert(indices, i64), {0, 2}, space);
  Value hit = e.compare<prim::EqOp>(index, iota(1));
  Value writer = e.where(hit, iota(2), e.integer(-1, index));
  RankedTensorType flat = e.typeFor({rows[0], rows[1]}, i64);
  writer = prim::AmaxOp::create(e.b, flat, writer, ArrayRef<int64_t>{2});
  Value zero = e.integer(0, writer);
  Value written = e.compare<prim::GeOp>(writer, zero);
  Value safe = e.binary<prim::MaximumOp>(writer, zero);
  Value values = gatherRows(input, safe, e);
  Value mask = e.broadcastInDim(written, {0, 1}, rows);
  return e.set(
      op, e.where(mask, e.refine(values, e.typeOf(before).getShape()), before));
}

/// Where each position of one resized dimension reads: two neighbours and the
/// distance from the first, in units of 1/scale.
struct Positions {
  SmallVector<int32_t> first, second, nearest;
  SmallVector<int64_t> distance;
  int64_t scale;
};

Positions positionsOf(int64_t in, int64_t out, int64_t numerator,
                      int64_t denominator, int64_t offset) {
  Positions p;
  p.scale = numerator;
  for (int64_t i = 0; i < out; ++i) {
    int64_t position = i * denominator + offset;
    int64_t base = position / numerator - (position % numerator < 0);
    int64_t distance = position - base * numerator;
    auto inside = [&](int64_t x) {
      return static_cast<int32_t>(std::clamp<int64_t>(x, 0, in - 1));
    };
    p.first.push_back(inside(base));
    p.second.push_back(inside(base + 1));
    p.nearest.push_back(2 * distance >= numerator ? p.second.back()
                                                  : p.first.back());
    p.distance.push_back(distance);
  }
  return p;
}

/// Elements of one dimension in the order of `indices`.
Value pick(Value x, int64_t dim, ArrayRef<int32_t> indices, Translator &e) {
  int64_t size = indices.size();
  auto type = RankedTensorType::get({size}, e.b.getI32Type());
  Value list = e.constant(DenseElementsAttr::get(type, indices));
  SmallVector<int64_t> shape(e.typeOf(x).getShape());
  shape[dim] = size;
  return prim::GatherOp::create(e.b, e.typeOf(x).clone(shape), x, list, dim, 0);
}

/// first * (unit - distance) + second * distance along one dimension.
Value blend(Value x, int64_t dim, const Positions &p, Translator &e) {
  Value first = pick(x, dim, p.first, e), second = pick(x, dim, p.second, e);
  Type element = e.elementOf(x);
  SmallVector<Attribute> near, far;
  bool isFloat = isa<FloatType>(element);
  for (int64_t distance : p.distance) {
    int64_t rest = p.scale - distance;
    near.push_back(isFloat ? numberAttr(element, double(rest) / p.scale)
                           : integerAttr(element, rest));
    far.push_back(isFloat ? numberAttr(element, double(distance) / p.scale)
                          : integerAttr(element, distance));
  }
  auto type = RankedTensorType::get({int64_t(near.size())}, element);
  auto weights = [&](ArrayRef<Attribute> list) {
    return e.broadcastInDim(e.constant(DenseElementsAttr::get(type, list)),
                            {dim}, e.sizesOf(first));
  };
  return e.add(e.mul(first, weights(near)), e.mul(second, weights(far)));
}

LogicalResult resize(tosa::ResizeOp op, Translator &e) {
  Value x = e.get(op.getInput());
  auto scale = e.getConstantSizes(op.getScale());
  auto offset = e.getConstantSizes(op.getOffset());
  auto border = e.getConstantSizes(op.getBorder());
  RankedTensorType type = e.typeOf(x);
  if (!scale || !offset || !border)
    return e.unsupported(
        op, "has a scale, an offset or a border that is not a constant");
  if (type.isDynamicDim(1) || type.isDynamicDim(2))
    return e.unsupported(op, "of a height or a width that is not known");
  Positions p[2];
  for (int64_t i = 0; i < 2; ++i) {
    int64_t numerator = (*scale)[2 * i], denominator = (*scale)[2 * i + 1];
    int64_t in = type.getDimSize(i + 1);
    if (numerator <= 0 || denominator <= 0 || numerator > (1 << 11) ||
        in > (int64_t(1) << 30) || denominator >= 16 * numerator)
      return e.unsupported(op, "has a scale that TOSA does not allow");
    if ((*offset)[i] < -numerator || (*offset)[i] >= 16 * numerator)
      return e.unsupported(op, "has an offset that TOSA does not allow");
    if ((*border)[i] < -16 * numerator || (*border)[i] >= numerator)
      return e.unsupported(op, "has a border that TOSA does not allow");
    int64_t span = (in - 1) * numerator - (*offset)[i] + (*border)[i];
    int64_t out = span / denominator + 1;
    if (span < 0 || out > (int64_t(1) << 20))
      return e.unsupported(op, "has an empty or a huge result");
    p[i] = positionsOf(in, out, numerator, denominator, (*offset)[i]);
  }
  if (op.getMode() == tosa::ResizeMode::NEAREST_NEIGHBOR)
    return e.set(op, pick(pick(x, 1, p[0].nearest, e), 2, p[1].nearest, e));
  Type result = primElement(getElementTypeOrSelf(op.getType()));
  if (!result)
    return e.unsupported(op,
                         "has a result of type " + Twine(text(op.getType())));
  // The result is scaled up, and does not fit into what it is made of.
  if (isa<IntegerType>(result) && result.getIntOrFloatBitWidth() <
                                      (e.elementOf(x).isInteger(8) ? 32u : 48u))
    return e.unsupported(op, "interpolates " + Twine(text(e.elementOf(x))) +
                                 " with a result of " +
                                 text(getElementTypeOrSelf(op.getType())));
  Type work = result;
  if (isa<FloatType>(result) && !result.isF64())
    work = e.b.getF32Type();
  Value blended = blend(blend(e.convert(x, work), 1, p[0], e), 2, p[1], e);
  return e.set(op, e.convert(blended, result));
}

} // namespace

void addGatherRules(Rules &rules) {
  rules.add<tosa::GatherOp>(gather);
  rules.add<tosa::ScatterOp>(scatter);
  rules.add<tosa::ResizeOp>(resize);
}

} // namespace kiln::tensor_to_prim
