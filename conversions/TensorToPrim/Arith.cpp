// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of arith on tensors and, in bodies, on scalars.
#include "Narrow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// Whether the operation computes a size, not the elements of a tensor.
bool isSize(Operation *op, Translator &e) {
  return !e.body && isa<IndexType>(op->getResult(0).getType()) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return !e.getSizes(operand).empty();
         });
}

/// Operations on sizes stay as they are.
LogicalResult sizes(Operation *op, Translator &e) {
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    mapping.map(operand, e.sizeValue(e.getSizes(operand).front()));
  }
  Operation *copy = e.b.clone(*op, mapping);
  SmallVector<OpFoldResult> folded;
  if (succeeded(copy->fold(folded)) && folded.size() == 1) {
    if (auto attr = dyn_cast<Attribute>(folded.front()))
      folded.front() = e.size(cast<IntegerAttr>(attr).getInt());
    copy->erase();
    e.setSizes(op->getResult(0), {folded.front()});
    return success();
  }
  e.setSizes(op->getResult(0), {OpFoldResult(copy->getResult(0))});
  return success();
}

/// A scalar that is known, as an attribute of its type; null if it is not.
Attribute knownScalar(Value source, Translator &e) {
  Type type = source.getType();
  if (isa<IndexType>(type)) {
    auto number = e.getConstantSizes(source);
    return number ? IntegerAttr::get(type, number->front()) : Attribute();
  }
  if (!type.isIntOrFloat() || !e.get(source))
    return {};
  std::optional<TypedAttr> splat = e.splatOf(e.get(source));
  if (!splat || splat->getType() != type)
    return {};
  return *splat;
}

/// Computes now what depends on known scalars only, so that conditions and
/// bounds of loops are known, too.
bool foldScalars(Operation *op, Translator &e) {
  Type type = op->getResult(0).getType();
  if (e.body || (!isa<IndexType>(type) && !type.isIntOrFloat()))
    return false;
  SmallVector<Attribute> known;
  for (Value operand : op->getOperands()) {
    known.push_back(knownScalar(operand, e));
    if (!known.back())
      return false;
  }
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(known, folded)) || folded.size() != 1)
    return false;
  auto value = dyn_cast_or_null<TypedAttr>(dyn_cast<Attribute>(folded.front()));
  if (!value) // an operand
    for (auto [operand, attr] : llvm::zip(op->getOperands(), known))
      if (folded.front() == OpFoldResult(operand))
        value = cast<TypedAttr>(attr);
  if (!value || !isa<IntegerAttr, FloatAttr>(value))
    return false;
  if (isa<IndexType>(type))
    e.setSizes(op->getResult(0), {e.size(cast<IntegerAttr>(value).getInt())});
  else
    e.alias(op->getResult(0), e.full(value, {}));
  return true;
}

/// Whether the result has no other bits beyond its width than the operands.
bool keepsSpare(Operation *op) {
  return isa<arith::SelectOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
             arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp,
             arith::CmpIOp>(op);
}

/// The operation on all elements: `make` gets its translated operands.
template <typename Op, typename Make>
LogicalResult elements(Op op, Translator &e, Make make,
                       bool readsUnsigned = false) {
  if (foldScalars(op, e))
    return success();
  if (isSize(op, e))
    return sizes(op, e);
  SmallVector<Value, 3> values;
  if (isa<VectorType>(op->getResult(0).getType()))
    return e.unsupported(op, "on vectors");
  for (Value operand : op->getOperands()) {
    values.push_back(e.get(operand));
    if (!values.back())
      return failure();
    if (readsUnsigned)
      values.back() = clearSpare(operand.getType(), values.back(), e);
  }
  if (failed(e.broadcastTogether(op, values)))
    return failure();
  Value result = make(values);
  if (!result)
    return failure();
  if (!keepsSpare(op))
    result = wrapTo(op->getResult(0).getType(), result, e);
  return e.set(op->getResult(0), result);
}

template <typename From, typename To>
LogicalResult unary(From op, Translator &e) {
  return elements(op, e, [&](ArrayRef<Value> x) { return e.unary<To>(x[0]); });
}

template <typename From, typename To, bool readsUnsigned = false>
LogicalResult binary(From op, Translator &e) {
  return elements(
      op, e, [&](ArrayRef<Value> x) { return e.binary<To>(x[0], x[1]); },
      readsUnsigned);
}

template <typename From> LogicalResult add(From op, Translator &e) {
  return elements(op, e, [&](ArrayRef<Value> x) { return e.add(x[0], x[1]); });
}
template <typename From> LogicalResult sub(From op, Translator &e) {
  return elements(op, e, [&](ArrayRef<Value> x) { return e.sub(x[0], x[1]); });
}
template <typename From> LogicalResult mul(From op, Translator &e) {
  return elements(op, e, [&](ArrayRef<Value> x) { return e.mul(x[0], x[1]); });
}

/// Unsigned order is signed order with the first bit flipped.
Value flip(Value value, Translator &e) {
  unsigned width = e.elementOf(value).getIntOrFloatBitWidth();
  Value bit = e.integer(width == 1 ? 1 : int64_t(1) << (width - 1), value);
  return e.binary<prim::BitwiseXorOp>(value, bit);
}

template <typename From, typename To>
LogicalResult unsignedExtremum(From op, Translator &e) {
  return elements(op, e, [&](ArrayRef<Value> x) -> Value {
    if (e.elementOf(x[0]).isInteger(1)) // as on truth values
      return e.binary<To>(x[0], x[1]);
    return flip(e.binary<To>(flip(x[0], e), flip(x[1], e)), e);
  });
}

/// Whether no element can be negative: numbers, positions, sizes, and what is
/// made of them without a difference. Products are taken not to overflow.
bool isNonNegative(Value value, Translator &e, unsigned depth = 8) {
  if (auto numbers = e.integersOf(value))
    return llvm::all_of(*numbers, [](int64_t number) { return number >= 0; });
  Operation *op = value.getDefiningOp();
  if (!op || !depth || !e.elementOf(value).isInteger(64))
    return false;
  if (isa<prim::IotaOp>(op))
    return true;
  return isa<prim::AddOp, prim::MulOp, prim::DivOp, prim::FmodOp,
             prim::MinimumOp, prim::SumOp, prim::BroadcastInDimOp,
             prim::ReshapeOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return !isa<RankedTensorType>(operand.getType()) ||
                  isNonNegative(operand, e, depth - 1);
         });
}

/// Whether x >= y as unsigned numbers.
Value unsignedGe(Value x, Value y, Translator &e) {
  return e.compare<prim::GeOp>(flip(x, e), flip(y, e));
}

/// x / y as unsigned numbers of 64 bits. Half of x is no negative number: twice
/// its quotient is right or one too small, unless y has the highest bit, too.
Value unsignedQuotient(Value x, Value y, Translator &e) {
  Value one = e.integer(1, x), zero = e.integer(0, x);
  Value half = e.binary<prim::ShiftRightLogicalOp>(x, one);
  Value quotient =
      e.binary<prim::ShiftLeftOp>(e.binary<prim::DivOp>(half, y), one);
  Value rest = e.sub(x, e.mul(quotient, y));
  quotient = e.add(quotient, e.where(unsignedGe(rest, y, e), one, zero));
  Value few = e.where(unsignedGe(x, y, e), one, zero);
  return e.where(e.compare<prim::LtOp>(y, zero), few, quotient);
}

/// Unsigned division in a wider type, where there is one; `rest` is the
/// remainder, `up` the quotient rounded up.
enum class Unsigned { quotient, rest, up };

template <typename From, Unsigned what>
LogicalResult unsignedDivision(From op, Translator &e) {
  return elements(
      op, e,
      [&](ArrayRef<Value> x) -> Value {
        Type element = e.elementOf(x[0]);
        if (element.isInteger(1)) {
          (void)e.unsupported(op, "on " + Twine(text(element)));
          return {};
        }
        Type wide = e.b.getI64Type();
        Value lhs = e.convert(x[0], wide, false, true),
              rhs = e.convert(x[1], wide, false, true);
        Value one = e.integer(1, lhs), zero = e.integer(0, lhs);
        // A quotient is rounded up if one less gives one less.
        Value from = what == Unsigned::up ? e.sub(lhs, one) : lhs;
        bool isPlain = !element.isInteger(64) ||
                       (isNonNegative(lhs, e) && isNonNegative(rhs, e));
        Value quotient = isPlain ? e.binary<prim::DivOp>(from, rhs)
                                 : unsignedQuotient(from, rhs, e);
        Value result = quotient;
        if (what == Unsigned::rest)
          result = isPlain ? e.binary<prim::FmodOp>(lhs, rhs)
                           : e.sub(lhs, e.mul(quotient, rhs));
        else if (what == Unsigned::up)
          result = e.where(e.compare<prim::EqOp>(lhs, zero), zero,
                           e.add(quotient, one));
        return e.convert(result, element);
      },
      true);
}

template <typename From, bool up>
LogicalResult roundedDivision(From op, Translator &e) {
  return elements(op, e,
                  [&](ArrayRef<Value> x) { return e.divide(x[0], x[1], up); });
}

/// Comparison by predicate name: which order, and what NaN gives.
LogicalResult cmpf(arith::CmpFOp op, Translator &e) {
  using P = arith::CmpFPredicate;
  return elements(op, e, [&](ArrayRef<Value> x) -> Value {
    Value a = x[0], c = x[1];
    auto negate = [&](Value v) { return e.unary<prim::BitwiseNotOp>(v); };
    auto ordered = [&] {
      return e.binary<prim::BitwiseAndOp>(e.compare<prim::EqOp>(a, a),
                                          e.compare<prim::EqOp>(c, c));
    };
    auto different = [&] {
      return e.binary<prim::BitwiseOrOp>(e.compare<prim::LtOp>(a, c),
                                         e.compare<prim::GtOp>(a, c));
    };
    switch (op.getPredicate()) {
    case P::AlwaysFalse:
    case P::AlwaysTrue:
      return e.integer(op.getPredicate() == P::AlwaysTrue, a, e.b.getI1Type());
    case P::OEQ:
      return e.compare<prim::EqOp>(a, c);
    case P::OGT:
      return e.compare<prim::GtOp>(a, c);
    case P::OGE:
      return e.compare<prim::GeOp>(a, c);
    case P::OLT:
      return e.compare<prim::LtOp>(a, c);
    case P::OLE:
      return e.compare<prim::LeOp>(a, c);
    case P::ONE:
      return different();
    case P::ORD:
      return ordered();
    case P::UNO:
      return negate(ordered());
    case P::UEQ:
      return negate(different());
    case P::UGT:
      return negate(e.compare<prim::LeOp>(a, c));
    case P::UGE:
      return negate(e.compare<prim::LtOp>(a, c));
    case P::ULT:
      return negate(e.compare<prim::GeOp>(a, c));
    case P::ULE:
      return negate(e.compare<prim::GtOp>(a, c));
    case P::UNE:
      return e.compare<prim::NeOp>(a, c);
    }
    return {};
  });
}

LogicalResult cmpi(arith::CmpIOp op, Translator &e) {
  using P = arith::CmpIPredicate;
  return elements(op, e, [&](ArrayRef<Value> x) -> Value {
    Value a = x[0], c = x[1];
    bool isBool = e.elementOf(a).isInteger(1);
    P predicate = op.getPredicate();
    bool isUnsigned = predicate == P::ult || predicate == P::ule ||
                      predicate == P::ugt || predicate == P::uge;
    // Truth values are ordered as unsigned numbers.
    if (predicate != P::eq && predicate != P::ne && isUnsigned != isBool &&
        !(isUnsigned && isNonNegative(a, e) && isNonNegative(c, e))) {
      a = flip(a, e);
      c = flip(c, e);
    }
    switch (predicate) {
    case P::eq:
      return e.compare<prim::EqOp>(a, c);
    case P::ne:
      return e.compare<prim::NeOp>(a, c);
    case P::slt:
    case P::ult:
      return e.compare<prim::LtOp>(a, c);
    case P::sle:
    case P::ule:
      return e.compare<prim::LeOp>(a, c);
    case P::sgt:
    case P::ugt:
      return e.compare<prim::GtOp>(a, c);
    case P::sge:
    case P::uge:
      return e.compare<prim::GeOp>(a, c);
    }
    return {};
  });
}

LogicalResult select(arith::SelectOp op, Translator &e) {
  return elements(op, e,
                  [&](ArrayRef<Value> x) { return e.where(x[0], x[1], x[2]); });
}

} // namespace

void addArithRules(Rules &rules) {
  rules.add<arith::AddFOp>(add<arith::AddFOp>);
  rules.add<arith::AddIOp>(add<arith::AddIOp>);
  rules.add<arith::SubFOp>(sub<arith::SubFOp>);
  rules.add<arith::SubIOp>(sub<arith::SubIOp>);
  rules.add<arith::MulFOp>(mul<arith::MulFOp>);
  rules.add<arith::MulIOp>(mul<arith::MulIOp>);
  rules.add<arith::DivFOp>(binary<arith::DivFOp, prim::DivOp>);
  rules.add<arith::DivSIOp>(binary<arith::DivSIOp, prim::DivOp>);
  rules.add<arith::RemFOp>(binary<arith::RemFOp, prim::FmodOp>);
  rules.add<arith::RemSIOp>(binary<arith::RemSIOp, prim::FmodOp>);
  rules.add<arith::DivUIOp>(
      unsignedDivision<arith::DivUIOp, Unsigned::quotient>);
  rules.add<arith::RemUIOp>(unsignedDivision<arith::RemUIOp, Unsigned::rest>);
  rules.add<arith::CeilDivUIOp>(
      unsignedDivision<arith::CeilDivUIOp, Unsigned::up>);
  rules.add<arith::FloorDivSIOp>(roundedDivision<arith::FloorDivSIOp, false>);
  rules.add<arith::CeilDivSIOp>(roundedDivision<arith::CeilDivSIOp, true>);
  rules.add<arith::NegFOp>(unary<arith::NegFOp, prim::NegOp>);
  rules.add<arith::MaximumFOp>(binary<arith::MaximumFOp, prim::MaximumOp>);
  rules.add<arith::MinimumFOp>(binary<arith::MinimumFOp, prim::MinimumOp>);
  rules.add<arith::MaxNumFOp>(binary<arith::MaxNumFOp, prim::FmaxOp>);
  rules.add<arith::MinNumFOp>(binary<arith::MinNumFOp, prim::FminOp>);
  rules.add<arith::MaxSIOp>(binary<arith::MaxSIOp, prim::MaximumOp>);
  rules.add<arith::MinSIOp>(binary<arith::MinSIOp, prim::MinimumOp>);
  rules.add<arith::MaxUIOp>(unsignedExtremum<arith::MaxUIOp, prim::MaximumOp>);
  rules.add<arith::MinUIOp>(unsignedExtremum<arith::MinUIOp, prim::MinimumOp>);
  rules.add<arith::AndIOp>(binary<arith::AndIOp, prim::BitwiseAndOp>);
  rules.add<arith::OrIOp>(binary<arith::OrIOp, prim::BitwiseOrOp>);
  rules.add<arith::XOrIOp>(binary<arith::XOrIOp, prim::BitwiseXorOp>);
  rules.add<arith::ShLIOp>(binary<arith::ShLIOp, prim::ShiftLeftOp>);
  rules.add<arith::ShRSIOp>(
      binary<arith::ShRSIOp, prim::ShiftRightArithmeticOp>);
  rules.add<arith::ShRUIOp>(
      binary<arith::ShRUIOp, prim::ShiftRightLogicalOp, true>);
  rules.add<arith::CmpFOp>(cmpf);
  rules.add<arith::CmpIOp>(cmpi);
  rules.add<arith::SelectOp>(select);
}

} // namespace kiln::tensor_to_prim
