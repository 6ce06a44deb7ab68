//===- ElementBuilder.cpp - Single elements of values ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ElementBuilder.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Interfaces/OpTable.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// More operations make a kernel that takes long to compile.
static constexpr unsigned kMostOps = 4000;

SmallVector<Coord>
kiln::schedule::coordsOf(int64_t number, ArrayRef<int64_t> shape, Builder &b) {
  SmallVector<Coord> at(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    at[d] = b.getIndexAttr(number % shape[d]);
    number /= shape[d];
  }
  return at;
}

LogicalResult kiln::schedule::forEachElement(
    ArrayRef<int64_t> shape, Builder &b,
    llvm::function_ref<LogicalResult(ArrayRef<Coord>)> visit) {
  int64_t all = ShapedType::getNumElements(shape);
  for (int64_t i = 0; i < all; ++i)
    if (failed(visit(coordsOf(i, shape, b))))
      return failure();
  return success();
}

/// The place of an element in row-major order, where all coordinates are
/// numbers.
static std::optional<int64_t> placeOf(ArrayRef<Coord> at,
                                      ArrayRef<int64_t> shape) {
  int64_t place = 0;
  for (auto [coord, size] : llvm::zip_equal(at, shape)) {
    std::optional<int64_t> known = getConstantIntValue(coord);
    if (!known)
      return std::nullopt;
    place = place * size + *known;
  }
  return place;
}

LogicalResult ElementBuilder::count() {
  if (++numOps <= kMostOps)
    return success();
  fail("its elements take more than " + Twine(kMostOps) + " operations");
  return failure();
}

Value ElementBuilder::value(Coord coord) {
  return getValueOrCreateConstantIndexOp(b, loc, coord);
}

Coord ElementBuilder::add(Coord x, Coord y) {
  std::optional<int64_t> a = getConstantIntValue(x), c = getConstantIntValue(y);
  if (a && c)
    return number(*a + *c);
  if (a && *a == 0)
    return y;
  if (c && *c == 0)
    return x;
  return arith::AddIOp::create(b, loc, value(x), value(y)).getResult();
}

Coord ElementBuilder::mul(Coord x, int64_t y) {
  if (std::optional<int64_t> a = getConstantIntValue(x))
    return number(*a * y);
  if (y == 1)
    return x;
  return arith::MulIOp::create(b, loc, value(x), kernel.constant(y))
      .getResult();
}

Coord ElementBuilder::div(Coord x, int64_t y) {
  if (std::optional<int64_t> a = getConstantIntValue(x))
    return number(*a / y);
  if (y == 1)
    return x;
  return arith::DivUIOp::create(b, loc, value(x), kernel.constant(y))
      .getResult();
}

Coord ElementBuilder::rem(Coord x, int64_t y) {
  if (std::optional<int64_t> a = getConstantIntValue(x))
    return number(*a % y);
  if (y == 1)
    return number(0);
  return arith::RemUIOp::create(b, loc, value(x), kernel.constant(y))
      .getResult();
}

Coord ElementBuilder::clamp(Coord x, int64_t size) {
  if (std::optional<int64_t> a = getConstantIntValue(x))
    return number(std::clamp<int64_t>(*a, 0, size - 1));
  Value low =
      arith::MaxSIOp::create(b, loc, value(x), kernel.constant(0)).getResult();
  return arith::MinSIOp::create(b, loc, low, kernel.constant(size - 1))
      .getResult();
}

Value ElementBuilder::isInside(Coord x, int64_t size) {
  std::optional<int64_t> a = getConstantIntValue(x);
  if (a && *a >= 0 && *a < size)
    return {};
  // A negative one is larger than any size.
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, value(x),
                               kernel.constant(size));
}

Value ElementBuilder::isSame(Coord x, Coord y) {
  if (isEqualConstantIntOrValue(x, y))
    return {};
  if (getConstantIntValue(x) && getConstantIntValue(y))
    return arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, value(x),
                               value(y));
}

Value ElementBuilder::both(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(b, loc, x, y);
}

Coord ElementBuilder::coordOf(Value scalar) {
  Value made =
      b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), scalar);
  if (std::optional<int64_t> known = getConstantIntValue(made))
    return number(*known);
  return made;
}

Value ElementBuilder::select(Value condition, Value yes, Value no) {
  if (!condition || !yes || !no)
    return condition ? Value() : yes;
  return arith::SelectOp::create(b, loc, condition, yes, no);
}

void ElementBuilder::bind(Value tensor, ValueRange values) {
  scopes.back().bound[tensor] = llvm::to_vector(values);
}

Value ElementBuilder::resolve(Value value) const {
  while (true) {
    if (auto found = aliases.find(value); found != aliases.end()) {
      value = found->second;
      continue;
    }
    if (auto group = value.getDefiningOp<prim::GroupOpInterface>();
        group && !group.isClaim() && outer->isAncestor(group)) {
      value = group.getInside(cast<OpResult>(value));
      continue;
    }
    auto argument = dyn_cast<BlockArgument>(value);
    auto group = argument ? dyn_cast_or_null<prim::GroupOpInterface>(
                                argument.getOwner()->getParentOp())
                          : prim::GroupOpInterface();
    if (!group || group.isClaim())
      return value;
    value = group->getOperand(argument.getArgNumber());
  }
}

/// A buffer's memory as a line from its lowest to its highest address, with the
/// place of an element in it.
static LogicalResult asLine(const Buffer &buffer, ArrayRef<Coord> at,
                            ElementBuilder &e, Buffer &line, Coord &place) {
  int64_t first = 0, last = 0;
  place = e.number(0);
  for (auto [coord, size, stride] :
       llvm::zip_equal(at, buffer.sizes, buffer.strides)) {
    if (!size.isStatic() || !stride.isStatic()) {
      e.fail("a tensor has a size that only a launch knows");
      return failure();
    }
    int64_t reach = (size.get() - 1) * stride.get();
    (reach < 0 ? first : last) += reach;
    place = e.add(place, e.mul(coord, stride.get()));
  }
  // Reversed dimensions lie before the buffer's first element.
  place = e.add(place, e.number(-first));
  line.base = buffer.base;
  line.offset = e.kernel.host.math.add(buffer.offset, first);
  line.sizes = {last - first + 1};
  line.strides = {1};
  return success();
}

Value ElementBuilder::load(const Buffer &buffer, ArrayRef<Coord> at,
                           bool isWritten) {
  Buffer line;
  Coord place;
  if (failed(count()) || failed(asLine(buffer, at, *this, line, place)))
    return {};
  Value tile = tile::LoadOp::create(
      b, loc, RankedTensorType::get({1}, buffer.elementType()),
      kernel.view(line, isWritten), value(place), Value(),
      /*element_offsets=*/true, tile::Padding::any, DenseI64ArrayAttr());
  return tensor::ExtractOp::create(b, loc, tile,
                                   ValueRange(kernel.constant(0)));
}

void ElementBuilder::store(Value scalar, const Buffer &buffer,
                           ArrayRef<Coord> at) {
  Buffer line;
  Coord place;
  if (failed(count()) || failed(asLine(buffer, at, *this, line, place)))
    return;
  Value tile = tile::SplatOp::create(
      b, loc, RankedTensorType::get({1}, scalar.getType()), scalar);
  tile::StoreOp::create(b, loc, tile, kernel.view(line, /*write=*/true),
                        value(place), /*element_offsets=*/true,
                        tile::Combine::assign, DenseI64ArrayAttr());
}

FailureOr<SmallVector<Value>> ElementBuilder::elements(Value tensor) {
  SmallVector<Value> all;
  auto add = [&](ArrayRef<Coord> at) -> LogicalResult {
    all.push_back(element(tensor, at));
    return success(bool(all.back()));
  };
  if (failed(forEachElement(shapeOf(tensor), b, add)))
    return failure();
  return all;
}

Value ElementBuilder::element(Value tensor, ArrayRef<Coord> at) {
  tensor = resolve(tensor);
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !type.hasStaticShape())
    return fail("a tensor has a size that only a launch knows");
  std::optional<int64_t> place = placeOf(at, type.getShape());
  auto findBound = [&]() -> const SmallVector<Value> * {
    for (Scope &scope : llvm::reverse(scopes))
      if (auto found = scope.bound.find(tensor); found != scope.bound.end())
        return &found->second;
    return nullptr;
  };
  const SmallVector<Value> *bound = findBound();
  if (Operation *op = tensor.getDefiningOp();
      !bound && op && isa<prim::IfOp, prim::WhileOp>(op) &&
      outer->isProperAncestor(op)) {
    if (failed(emitRegions(op)))
      return {};
    if (resolve(tensor) != tensor)
      return element(tensor, at);
    bound = findBound();
    if (!bound)
      return fail("a region gives a tensor that is not small");
  }
  if (bound)
    return place ? (*bound)[*place] : chosen(*bound, type, at);
  if (place)
    for (Scope &scope : llvm::reverse(scopes))
      if (auto found = scope.cached.find({tensor, *place});
          found != scope.cached.end())
        return found->second;
  Value made = compute(tensor, at);
  if (made && place)
    scopes.back().cached[{tensor, *place}] = made;
  return made;
}

/// The one of some elements that coordinates name.
Value ElementBuilder::chosen(ValueRange all, Type tensor, ArrayRef<Coord> at) {
  Coord place = number(0);
  for (auto [coord, size] :
       llvm::zip_equal(at, cast<RankedTensorType>(tensor).getShape()))
    place = add(mul(place, size), coord);
  Value made = all.front();
  for (size_t i = 1; i < all.size(); ++i) {
    if (failed(count()))
      return {};
    Value here =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, value(place),
                              kernel.constant(static_cast<int64_t>(i)));
    made = select(here, all[i], made);
  }
  return made;
}

Value ElementBuilder::compute(Value tensor, ArrayRef<Coord> at) {
  if (auto found = memories.find(tensor); found != memories.end())
    return load(found->second, at, /*isWritten=*/true);
  Operation *op = tensor.getDefiningOp();
  if (op)
    if (TypedAttr splat = splatValue(op)) {
      if (failed(count()))
        return {};
      return arith::ConstantOp::create(b, loc, splat);
    }
  bool isInside = outer->isAncestor(tensor.getParentRegion()->getParentOp());
  if (!isInside && kernel.host.hasBuffer(tensor))
    return load(kernel.host.buffer(tensor), at, /*isWritten=*/false);
  if (!op)
    return fail("a tensor that the loop carries is neither small nor written "
                "in place");
  for (Type type : op->getOperandTypes())
    if (auto operand = dyn_cast<ShapedType>(type);
        operand && !operand.hasStaticShape())
      return fail("a tensor has a size that only a launch knows");
  using Rule = Value (*)(Operation *, ElementBuilder &, ArrayRef<Coord>);
  static const OpTable<Rule> rules =
      OpTable<Rule>()
          .addRules<&ElementBuilder::constant, &ElementBuilder::iota,
                    &ElementBuilder::gathered, &ElementBuilder::scattered,
                    &ElementBuilder::product, &ElementBuilder::reshaped,
                    &ElementBuilder::joined, &ElementBuilder::padded,
                    &ElementBuilder::transposed, &ElementBuilder::repeated,
                    &ElementBuilder::sliced, &ElementBuilder::reversed>();
  if (Rule rule = rules.find(op))
    return rule(op, *this, at);
  if (isElementwisePrim(op))
    return elementwise(op, at);
  if (auto reduction = dyn_cast<prim::TensorReductionOpInterface>(op);
      reduction && !reduction.givesPlaces())
    return reduced(op, at);
  return fail("no scalar form of " + op->getName().getStringRef());
}

Value ElementBuilder::constant(prim::ConstantOp op, ArrayRef<Coord> at) {
  if (failed(count()))
    return {};
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  std::optional<int64_t> place = placeOf(at, shapeOf(op.getResult()));
  if (dense && place)
    return arith::ConstantOp::create(
        b, loc, cast<TypedAttr>(dense.getValues<Attribute>()[*place]));
  return load(kernel.host.constant(op.getValue()), at, /*isWritten=*/false);
}

Value ElementBuilder::iota(prim::IotaOp op, ArrayRef<Coord> at) {
  Type type = getElementTypeOrSelf(op.getResult());
  Coord place = at[op.getDim()];
  if (failed(count()))
    return {};
  if (auto integers = dyn_cast<IntegerType>(type)) {
    if (std::optional<int64_t> known = getConstantIntValue(place))
      return arith::ConstantOp::create(
          b, loc,
          b.getIntegerAttr(type, APInt(integers.getWidth(), *known,
                                       /*isSigned=*/true,
                                       /*implicitTrunc=*/true)));
    return arith::IndexCastOp::create(b, loc, type, value(place));
  }
  if (type.getIntOrFloatBitWidth() < 32)
    return fail("an iota of narrow floats");
  Value whole =
      arith::IndexCastOp::create(b, loc, b.getI64Type(), value(place));
  return arith::SIToFPOp::create(b, loc, type, whole);
}

Value ElementBuilder::elementwise(Operation *op, ArrayRef<Coord> at) {
  if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1)
    return fail("no scalar form of " + op->getName().getStringRef());
  SmallVector<Value> scalars;
  for (Value operand : op->getOperands()) {
    scalars.push_back(element(operand, at));
    if (!scalars.back())
      return {};
  }
  if (failed(count()))
    return {};
  Value made = emitElementwiseTile(op, scalars, b);
  if (!made)
    return fail("no expansion of " + op->getName().getStringRef());
  SmallVector<Value> folded;
  if (Operation *last = made.getDefiningOp();
      last && succeeded(b.tryFold(last, folded)) && !folded.empty())
    return folded.front();
  return made;
}
