// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants, and tensors made from sizes.
#include "Node.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cmath>

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// A blob of signed or unsigned integers is one of integers.
ElementsAttr signless(ElementsAttr value) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  auto element = dyn_cast<IntegerType>(value.getElementType());
  if (!resource || !element || element.isSignless() || element.getWidth() < 8)
    return value;
  auto type =
      cast<ShapedType>(resource.getType())
          .clone(IntegerType::get(value.getContext(), element.getWidth()));
  return DenseResourceElementsAttr::get(type, resource.getRawHandle());
}

LogicalResult elements(Node &n, ElementsAttr value) {
  auto made = tensor_to_prim::constantValue(n.op, signless(value), n.e);
  return failed(made) ? failure() : n.set(*made);
}

LogicalResult constant(Node &n) {
  if (auto value = dyn_cast_or_null<ElementsAttr>(n.attr("value")))
    return elements(n, value);
  if (n.hasAttr("value_int"))
    return n.set(n.integer(n.getInt("value_int", 0)));
  if (n.hasAttr("value_float"))
    return n.set(n.number(n.getFloat("value_float", 0), n.e.b.getF32Type()));
  if (auto ints = n.getInts("value_ints"))
    return n.set(n.list(*ints));
  if (auto floats = n.getFloats("value_floats"))
    return n.set(
        n.floats(*floats, {int64_t(floats->size())}, n.e.b.getF32Type()));
  return n.fail("has no value that is a tensor of numbers");
}

/// The one element of an attribute, 0 of f32 if it is left out.
FailureOr<TypedAttr> filler(Node &n) {
  Attribute attr = n.attr("value");
  if (!attr)
    return TypedAttr(n.e.b.getF32FloatAttr(0));
  auto value = dyn_cast<ElementsAttr>(attr);
  if (!value || value.getShapedType().getNumElements() != 1)
    return n.fail("has a value that is not one element");
  auto made = tensor_to_prim::constantValue(n.op, signless(value), n.e);
  if (failed(made))
    return failure();
  auto known = n.e.constantOf(*made);
  if (!known)
    return n.fail("has a value that is not known");
  return cast<TypedAttr>(*known->getValues<Attribute>().begin());
}

/// The sizes that an input gives, or the type of the result.
std::optional<Sizes> wantedSizes(Node &n, unsigned i) {
  if (auto sizes = n.sizes(i))
    return sizes;
  if (auto declared = n.declared())
    if (int64_t(declared->size()) == n.shape(n.in(i))[0])
      return Sizes(getAsIndexOpFoldResult(n.e.b.getContext(), *declared));
  return n.dataSizes(i);
}

LogicalResult constantOfShape(Node &n) {
  auto value = filler(n);
  auto sizes = wantedSizes(n, 0);
  if (failed(value))
    return failure();
  return sizes ? n.set(n.e.full(*value, *sizes))
               : n.fail("has a shape that is not known");
}

LogicalResult shape(Node &n) {
  int64_t rank = n.rank(0);
  auto bound = [&](StringRef name, int64_t otherwise) {
    int64_t at = n.getInt(name, otherwise);
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = bound("start", 0), end = bound("end", rank);
  Sizes sizes = n.e.sizesOf(n.in(0));
  SmallVector<Value> parts;
  Ints known;
  for (int64_t d = start; d < end; ++d) {
    auto number = getConstantIntValue(sizes[d]);
    known.push_back(number.value_or(0));
    Value part = number
                     ? n.integer(*number)
                     : Value(prim::FromIndexOp::create(
                           n.e.b, RankedTensorType::get({}, n.e.b.getI64Type()),
                           llvm::cast<Value>(sizes[d])));
    parts.push_back(n.e.reshape(part, ArrayRef<int64_t>{1}));
  }
  if (llvm::all_of(
          ArrayRef(sizes).slice(start, std::max<int64_t>(end - start, 0)),
          [](OpFoldResult size) { return isa<Attribute>(size); }))
    return n.set(n.list(known));
  return n.set(n.e.concat(parts, 0));
}

LogicalResult size(Node &n) {
  return n.set(n.e.sizeTensor(n.e.sizeMath().product(n.e.sizesOf(n.in(0)))));
}

/// EyeLike: ones along a diagonal.
LogicalResult eyeLike(Node &n) {
  if (n.rank(0) != 2)
    return n.fail("of a tensor of rank " + Twine(n.rank(0)));
  Type element =
      n.hasAttr("dtype") ? n.dataType(n.getInt("dtype", 1)) : n.elementIn(0);
  Sizes sizes = n.e.sizesOf(n.in(0));
  Type i64 = n.e.b.getI64Type();
  Value row = n.along(n.iota(sizes[0], i64), 0, 2);
  Value column = n.along(n.iota(sizes[1], i64), 1, 2);
  return n.set(
      n.cast(n.eq(n.sub(column, row), n.integer(n.getInt("k", 0))), element));
}

/// Trilu: 0 on one side of a diagonal, which may be computed.
LogicalResult trilu(Node &n) {
  Value x = n.in(0);
  int64_t rank = n.rank(0);
  if (rank < 2)
    return n.fail("of a tensor of rank " + Twine(rank));
  Sizes sizes = n.e.sizesOf(x);
  Type i64 = n.e.b.getI64Type();
  Value row = n.along(n.iota(sizes[rank - 2], i64), 0, 2);
  Value column = n.along(n.iota(sizes[rank - 1], i64), 1, 2);
  Value k = n.has(1) ? n.e.reshape(n.i64(n.in(1)), ArrayRef<int64_t>())
                     : n.integer(0);
  Value distance = n.sub(column, row);
  Value kept = n.getInt("upper", 1) ? n.ge(distance, k) : n.le(distance, k);
  return n.set(n.where(kept, x, n.number(0, x)));
}

/// Range: start + i * delta; how many there are is known, or said by the type
/// of the result.
LogicalResult range(Node &n) {
  auto start = n.numbers(0), limit = n.numbers(1);
  auto delta =
      n.has(2) ? n.numbers(2) : SmallVector<double>{1}; // of com.microsoft
  Type element = n.e.elementOf(n.in(0));
  std::optional<OpFoldResult> count;
  if (start && limit && delta && start->size() == 1 && limit->size() == 1 &&
      delta->size() == 1 && (*delta)[0] != 0)
    count = n.e.size(std::max<int64_t>(
        std::ceil(((*limit)[0] - (*start)[0]) / (*delta)[0]), 0));
  else if (auto declared = n.declared(); declared && declared->size() == 1)
    count = n.e.size(declared->front());
  else if (auto sizes = n.sizes(1); sizes && start && delta &&
                                    start->front() == 0 && delta->front() == 1)
    count = sizes->front();
  auto scalar = [&](unsigned i) {
    return n.e.reshape(n.in(i), ArrayRef<int64_t>());
  };
  if (!count) { // of as many as the host finds out
    Type f64 = n.e.b.getF64Type();
    auto wide = [&](unsigned i) { return n.cast(scalar(i), f64); };
    Value steps = n.sub(wide(1), wide(0));
    if (n.has(2))
      steps = n.div(steps, wide(2));
    count =
        n.sizeFrom(n.cast(n.max(n.unary<prim::CeilOp>(steps), n.number(0, f64)),
                          n.e.b.getI64Type()));
  }
  Value steps = n.iota(*count, element);
  if (n.has(2))
    steps = n.mul(steps, scalar(2));
  return n.set(n.add(scalar(0), steps));
}

} // namespace

void addConstantRules(NodeRules &rules) {
  rules.add("Constant", constant, 0);
  rules.add("ConstantOfShape", constantOfShape);
  rules.add("Shape", shape);
  rules.add("Size", size);
  rules.add("EyeLike", eyeLike);
  rules.add("Trilu", trilu);
  rules.add("Range", range, 3);
}

} // namespace kiln::onnx_to_prim
