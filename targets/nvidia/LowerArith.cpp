//===- LowerArith.cpp - Arithmetic of a thread in the llvm dialect --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LowerScalars.h"
#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::nvidia;

namespace {
/// What most lowerings need of one operation.
struct Step {
  Operation *op;
  OpBuilder &b;
  Location loc = op->getLoc();

  Value operand(unsigned i) const { return op->getOperand(i); }
  Type type() const { return op->getResult(0).getType(); }
  void give(Value value, unsigned result = 0) const {
    op->getResult(result).replaceAllUsesWith(value);
  }
  template <typename Op> Value make(Type type, ValueRange operands) const {
    return Op::create(b, loc, TypeRange{type}, operands);
  }
  template <typename Op> Value make(ValueRange operands) const {
    return make<Op>(operands[0].getType(), operands);
  }
  Value compare(LLVM::ICmpPredicate predicate, Value x, Value y) const {
    return LLVM::ICmpOp::create(b, loc, predicate, x, y);
  }
  Value constant(Type type, int64_t value) const {
    Type element = getElementTypeOrSelf(type);
    TypedAttr attr = b.getIntegerAttr(element, value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, attr);
    return LLVM::ConstantOp::create(b, loc, type, attr);
  }
};

/// One operation for one.
template <typename From, typename To>
LogicalResult same(Operation *op, OpBuilder &b) {
  Step s{op, b};
  s.give(s.make<To>(s.type(), op->getOperands()));
  return success();
}

/// One for one, with the fastmath flags.
template <typename From, typename To>
LogicalResult sameFloat(Operation *op, OpBuilder &b) {
  auto made =
      To::create(b, op->getLoc(), op->getResultTypes(), op->getOperands());
  made.setFastmathFlags(
      arith::convertArithFastMathFlagsToLLVM(cast<From>(op).getFastmath()));
  Step{op, b}.give(made);
  return success();
}

/// One for one, with what is known of overflow.
template <typename From, typename To>
LogicalResult sameOverflow(Operation *op, OpBuilder &b) {
  auto made =
      To::create(b, op->getLoc(), op->getResultTypes(), op->getOperands());
  made.setOverflowFlags(arith::convertArithOverflowFlagsToLLVM(
      cast<From>(op).getOverflowFlags()));
  Step{op, b}.give(made);
  return success();
}

/// One for one, or nothing where the bits stay what they are.
template <typename From, typename Wider, typename Narrower>
LogicalResult resize(Operation *op, OpBuilder &b) {
  Step s{op, b};
  unsigned from =
      getElementTypeOrSelf(s.operand(0).getType()).getIntOrFloatBitWidth();
  unsigned to = getElementTypeOrSelf(s.type()).getIntOrFloatBitWidth();
  s.give(from == to  ? s.operand(0)
         : from < to ? s.make<Wider>(s.type(), s.operand(0))
                     : s.make<Narrower>(s.type(), s.operand(0)));
  return success();
}

LogicalResult lowerConstant(Operation *op, OpBuilder &b) {
  Step s{op, b};
  auto value = cast<TypedAttr>(cast<arith::ConstantOp>(op).getValue());
  Type element = getElementTypeOrSelf(value.getType());
  if (auto number = dyn_cast<IntegerAttr>(value); number && element.isIndex())
    value = b.getI64IntegerAttr(number.getInt());
  else if (auto number = dyn_cast<FloatAttr>(value);
           number && element.getIntOrFloatBitWidth() <= 8)
    value = b.getIntegerAttr(s.type(), number.getValue().bitcastToAPInt());
  else if (getElementTypeOrSelf(s.type()) != element)
    return op->emitError("unsupported: a constant of type ") << value.getType();
  s.give(LLVM::ConstantOp::create(b, s.loc, s.type(), value));
  return success();
}

template <typename From>
LogicalResult lowerIndexConstant(Operation *op, OpBuilder &b) {
  Step s{op, b};
  s.give(s.constant(s.type(), cast<From>(op).getValue().getSExtValue()));
  return success();
}

LogicalResult lowerCompareInt(Operation *op, OpBuilder &b) {
  Step s{op, b};
  // Both list the same predicates in the same order.
  auto predicate =
      static_cast<LLVM::ICmpPredicate>(cast<arith::CmpIOp>(op).getPredicate());
  s.give(s.compare(predicate, s.operand(0), s.operand(1)));
  return success();
}

LogicalResult lowerCompareIndex(Operation *op, OpBuilder &b) {
  Step s{op, b};
  using From = mlir::index::IndexCmpPredicate;
  using To = LLVM::ICmpPredicate;
  To predicate = To::eq;
  switch (cast<mlir::index::CmpOp>(op).getPred()) {
  case From::EQ:
    predicate = To::eq;
    break;
  case From::NE:
    predicate = To::ne;
    break;
  case From::SLT:
    predicate = To::slt;
    break;
  case From::SLE:
    predicate = To::sle;
    break;
  case From::SGT:
    predicate = To::sgt;
    break;
  case From::SGE:
    predicate = To::sge;
    break;
  case From::ULT:
    predicate = To::ult;
    break;
  case From::ULE:
    predicate = To::ule;
    break;
  case From::UGT:
    predicate = To::ugt;
    break;
  case From::UGE:
    predicate = To::uge;
    break;
  }
  s.give(s.compare(predicate, s.operand(0), s.operand(1)));
  return success();
}

LogicalResult lowerCompareFloat(Operation *op, OpBuilder &b) {
  auto from = cast<arith::CmpFOp>(op);
  auto made = LLVM::FCmpOp::create(
      b, op->getLoc(), static_cast<LLVM::FCmpPredicate>(from.getPredicate()),
      from.getLhs(), from.getRhs());
  made.setFastmathFlags(
      arith::convertArithFastMathFlagsToLLVM(from.getFastmath()));
  Step{op, b}.give(made);
  return success();
}

LogicalResult lowerBitcast(Operation *op, OpBuilder &b) {
  Step s{op, b};
  s.give(s.operand(0).getType() == s.type()
             ? s.operand(0)
             : s.make<LLVM::BitcastOp>(s.type(), s.operand(0)));
  return success();
}

/// The quotient by a power of two, which is a shift where it is rounded down.
Value shifted(const Step &s, const APInt &divisor, bool isUp) {
  Value x = s.operand(0);
  Value down =
      s.make<LLVM::AShrOp>({x, s.constant(s.type(), divisor.exactLogBase2())});
  if (!isUp)
    return down;
  Value mask = s.constant(s.type(), (divisor - 1).getSExtValue());
  Value some =
      s.compare(LLVM::ICmpPredicate::ne, s.make<LLVM::AndOp>({x, mask}),
                s.constant(s.type(), 0));
  return s.make<LLVM::AddOp>({down, s.make<LLVM::ZExtOp>(s.type(), some)});
}

/// The quotient towards zero, moved by one where there is a remainder whose
/// sign asks for it.
template <bool isUp> LogicalResult lowerRounded(Operation *op, OpBuilder &b) {
  Step s{op, b};
  using P = LLVM::ICmpPredicate;
  Value x = s.operand(0), y = s.operand(1);
  if (APInt divisor; matchPattern(y, m_ConstantInt(&divisor)) &&
                     divisor.isStrictlyPositive() && divisor.isPowerOf2()) {
    s.give(shifted(s, divisor, isUp));
    return success();
  }
  Value quotient = s.make<LLVM::SDivOp>({x, y});
  Value rest = s.make<LLVM::SubOp>({x, s.make<LLVM::MulOp>({quotient, y})});
  Value zero = s.constant(s.type(), 0);
  // A remainder has the sign of the dividend.
  Value signs = s.make<LLVM::XOrOp>({rest, y});
  Value moves = s.compare(isUp ? P::sge : P::slt, signs, zero);
  Value some = s.compare(P::ne, rest, zero);
  Value both = s.make<LLVM::AndOp>({moves, some});
  Value other =
      s.make<LLVM::AddOp>({quotient, s.constant(s.type(), isUp ? 1 : -1)});
  s.give(s.make<LLVM::SelectOp>(s.type(), {both, other, quotient}));
  return success();
}

LogicalResult lowerCeilDivU(Operation *op, OpBuilder &b) {
  Step s{op, b};
  Value x = s.operand(0), y = s.operand(1);
  Value zero = s.constant(s.type(), 0), one = s.constant(s.type(), 1);
  Value less = s.make<LLVM::SubOp>({x, one});
  Value quotient = s.make<LLVM::UDivOp>({less, y});
  Value more = s.make<LLVM::AddOp>({quotient, one});
  Value isZero = s.compare(LLVM::ICmpPredicate::eq, x, zero);
  s.give(s.make<LLVM::SelectOp>(s.type(), {isZero, zero, more}));
  return success();
}

LogicalResult lowerAddExtended(Operation *op, OpBuilder &b) {
  Step s{op, b};
  Value sum = s.make<LLVM::AddOp>(op->getOperands());
  s.give(s.compare(LLVM::ICmpPredicate::ult, sum, s.operand(0)), 1);
  s.give(sum);
  return success();
}

/// Both halves of a product, through a type of twice the width.
template <typename Extend>
LogicalResult lowerMulExtended(Operation *op, OpBuilder &b) {
  Step s{op, b};
  unsigned bits = getElementTypeOrSelf(s.type()).getIntOrFloatBitWidth();
  Type wide = b.getIntegerType(2 * bits);
  if (auto vector = dyn_cast<VectorType>(s.type()))
    wide = vector.clone(wide);
  Value product = s.make<LLVM::MulOp>(
      {s.make<Extend>(wide, s.operand(0)), s.make<Extend>(wide, s.operand(1))});
  Value high = s.make<LLVM::LShrOp>({product, s.constant(wide, bits)});
  s.give(s.make<LLVM::TruncOp>(s.type(), product), 0);
  s.give(s.make<LLVM::TruncOp>(s.type(), high), 1);
  return success();
}

/// Conversions between types of floats that LLVM has.
template <typename From, typename To>
LogicalResult lowerFloatCast(Operation *op, OpBuilder &b) {
  Step s{op, b};
  auto isFloat = [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  };
  if (!isFloat(s.operand(0).getType()) || !isFloat(s.type()))
    return op->emitError("unsupported: a conversion of small floats, which "
                         "'nvidia-lower-math' should have replaced");
  s.give(s.make<To>(s.type(), s.operand(0)));
  return success();
}

template <typename From, typename To>
LogicalResult lowerCountZeros(Operation *op, OpBuilder &b) {
  Step s{op, b};
  s.give(To::create(b, s.loc, s.type(), s.operand(0),
                    /*is_zero_poison=*/false));
  return success();
}

LogicalResult lowerAbsInt(Operation *op, OpBuilder &b) {
  Step s{op, b};
  s.give(LLVM::AbsOp::create(b, s.loc, s.type(), s.operand(0),
                             /*is_int_min_poison=*/false));
  return success();
}

/// A shift. PTX takes amounts of 32 bits, and larger ones for all bits. LLVM
/// drops a choice of 0 for large amounts in favour of that, also where their
/// low half is small: amounts of 64 bits are cut to what PTX takes, out of its
/// sight.
template <typename From, typename To>
LogicalResult lowerShift(Operation *op, OpBuilder &b) {
  Step s{op, b};
  Value amount = s.operand(1);
  if (s.type().isInteger(64) && !matchPattern(amount, m_Constant())) {
    amount = s.make<LLVM::UMinOp>({amount, s.constant(s.type(), 64)});
    Value narrow = LLVM::TruncOp::create(b, s.loc, b.getI32Type(), amount);
    StringRef text = std::is_same_v<To, LLVM::ShlOp>    ? "shl.b64 $0, $1, $2;"
                     : std::is_same_v<To, LLVM::LShrOp> ? "shr.u64 $0, $1, $2;"
                                                        : "shr.s64 $0, $1, $2;";
    s.give(LLVM::InlineAsmOp::create(
               b, s.loc, s.type(), ValueRange{s.operand(0), narrow}, text,
               "=l,l,r", /*has_side_effects=*/false, /*is_align_stack=*/false,
               LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
               .getResult(0));
    return success();
  }
  auto made = To::create(b, s.loc, s.type(), s.operand(0), amount);
  if constexpr (std::is_same_v<From, arith::ShLIOp>)
    made.setOverflowFlags(arith::convertArithOverflowFlagsToLLVM(
        cast<From>(op).getOverflowFlags()));
  s.give(made);
  return success();
}

template <typename From> void add(ScalarTable &table, ScalarLowering lowering) {
  table[TypeID::get<From>()] = lowering;
}
} // namespace

static void addIntegers(ScalarTable &table) {
  using namespace arith;
  add<AddIOp>(table, sameOverflow<AddIOp, LLVM::AddOp>);
  add<SubIOp>(table, sameOverflow<SubIOp, LLVM::SubOp>);
  add<MulIOp>(table, sameOverflow<MulIOp, LLVM::MulOp>);
  add<ShLIOp>(table, lowerShift<ShLIOp, LLVM::ShlOp>);
  add<ShRSIOp>(table, lowerShift<ShRSIOp, LLVM::AShrOp>);
  add<ShRUIOp>(table, lowerShift<ShRUIOp, LLVM::LShrOp>);
  add<AndIOp>(table, same<AndIOp, LLVM::AndOp>);
  add<OrIOp>(table, same<OrIOp, LLVM::OrOp>);
  add<XOrIOp>(table, same<XOrIOp, LLVM::XOrOp>);
  add<DivSIOp>(table, same<DivSIOp, LLVM::SDivOp>);
  add<DivUIOp>(table, same<DivUIOp, LLVM::UDivOp>);
  add<RemSIOp>(table, same<RemSIOp, LLVM::SRemOp>);
  add<RemUIOp>(table, same<RemUIOp, LLVM::URemOp>);
  add<CeilDivSIOp>(table, lowerRounded<true>);
  add<FloorDivSIOp>(table, lowerRounded<false>);
  add<CeilDivUIOp>(table, lowerCeilDivU);
  add<MaxSIOp>(table, same<MaxSIOp, LLVM::SMaxOp>);
  add<MinSIOp>(table, same<MinSIOp, LLVM::SMinOp>);
  add<MaxUIOp>(table, same<MaxUIOp, LLVM::UMaxOp>);
  add<MinUIOp>(table, same<MinUIOp, LLVM::UMinOp>);
  add<AddUIExtendedOp>(table, lowerAddExtended);
  add<MulSIExtendedOp>(table, lowerMulExtended<LLVM::SExtOp>);
  add<MulUIExtendedOp>(table, lowerMulExtended<LLVM::ZExtOp>);
  add<ExtSIOp>(table, same<ExtSIOp, LLVM::SExtOp>);
  add<ExtUIOp>(table, same<ExtUIOp, LLVM::ZExtOp>);
  add<TruncIOp>(table, sameOverflow<TruncIOp, LLVM::TruncOp>);
  add<IndexCastOp>(table, resize<IndexCastOp, LLVM::SExtOp, LLVM::TruncOp>);
  add<IndexCastUIOp>(table, resize<IndexCastUIOp, LLVM::ZExtOp, LLVM::TruncOp>);
  add<CmpIOp>(table, lowerCompareInt);
  add<SelectOp>(table, same<SelectOp, LLVM::SelectOp>);
  add<ConstantOp>(table, lowerConstant);
  add<BitcastOp>(table, lowerBitcast);
  add<math::AbsIOp>(table, lowerAbsInt);
  add<math::CountLeadingZerosOp>(
      table,
      lowerCountZeros<math::CountLeadingZerosOp, LLVM::CountLeadingZerosOp>);
  add<math::CountTrailingZerosOp>(
      table,
      lowerCountZeros<math::CountTrailingZerosOp, LLVM::CountTrailingZerosOp>);
  add<math::CtPopOp>(table, same<math::CtPopOp, LLVM::CtPopOp>);
}

static void addFloats(ScalarTable &table) {
  using namespace arith;
  add<AddFOp>(table, sameFloat<AddFOp, LLVM::FAddOp>);
  add<SubFOp>(table, sameFloat<SubFOp, LLVM::FSubOp>);
  add<MulFOp>(table, sameFloat<MulFOp, LLVM::FMulOp>);
  add<DivFOp>(table, sameFloat<DivFOp, LLVM::FDivOp>);
  add<NegFOp>(table, sameFloat<NegFOp, LLVM::FNegOp>);
  add<MaximumFOp>(table, sameFloat<MaximumFOp, LLVM::MaximumOp>);
  add<MinimumFOp>(table, sameFloat<MinimumFOp, LLVM::MinimumOp>);
  add<MaxNumFOp>(table, sameFloat<MaxNumFOp, LLVM::MaxNumOp>);
  add<MinNumFOp>(table, sameFloat<MinNumFOp, LLVM::MinNumOp>);
  add<CmpFOp>(table, lowerCompareFloat);
  add<SIToFPOp>(table, same<SIToFPOp, LLVM::SIToFPOp>);
  add<UIToFPOp>(table, same<UIToFPOp, LLVM::UIToFPOp>);
  add<FPToSIOp>(table, same<FPToSIOp, LLVM::FPToSIOp>);
  add<FPToUIOp>(table, same<FPToUIOp, LLVM::FPToUIOp>);
  add<ExtFOp>(table, lowerFloatCast<ExtFOp, LLVM::FPExtOp>);
  add<TruncFOp>(table, lowerFloatCast<TruncFOp, LLVM::FPTruncOp>);
  add<math::AbsFOp>(table, sameFloat<math::AbsFOp, LLVM::FAbsOp>);
  add<math::CopySignOp>(table, sameFloat<math::CopySignOp, LLVM::CopySignOp>);
  add<math::FmaOp>(table, sameFloat<math::FmaOp, LLVM::FMAOp>);
  add<math::SqrtOp>(table, sameFloat<math::SqrtOp, LLVM::SqrtOp>);
  add<math::FloorOp>(table, sameFloat<math::FloorOp, LLVM::FFloorOp>);
  add<math::CeilOp>(table, sameFloat<math::CeilOp, LLVM::FCeilOp>);
  add<math::TruncOp>(table, sameFloat<math::TruncOp, LLVM::FTruncOp>);
  add<math::RoundOp>(table, sameFloat<math::RoundOp, LLVM::RoundOp>);
  add<math::RoundEvenOp>(table,
                         sameFloat<math::RoundEvenOp, LLVM::RoundEvenOp>);
}

static void addIndices(ScalarTable &table) {
  using namespace mlir::index;
  add<AddOp>(table, same<AddOp, LLVM::AddOp>);
  add<SubOp>(table, same<SubOp, LLVM::SubOp>);
  add<MulOp>(table, same<MulOp, LLVM::MulOp>);
  add<DivSOp>(table, same<DivSOp, LLVM::SDivOp>);
  add<DivUOp>(table, same<DivUOp, LLVM::UDivOp>);
  add<RemSOp>(table, same<RemSOp, LLVM::SRemOp>);
  add<RemUOp>(table, same<RemUOp, LLVM::URemOp>);
  add<CeilDivSOp>(table, lowerRounded<true>);
  add<FloorDivSOp>(table, lowerRounded<false>);
  add<CeilDivUOp>(table, lowerCeilDivU);
  add<MaxSOp>(table, same<MaxSOp, LLVM::SMaxOp>);
  add<MaxUOp>(table, same<MaxUOp, LLVM::UMaxOp>);
  add<MinSOp>(table, same<MinSOp, LLVM::SMinOp>);
  add<MinUOp>(table, same<MinUOp, LLVM::UMinOp>);
  add<ShlOp>(table, lowerShift<ShlOp, LLVM::ShlOp>);
  add<ShrSOp>(table, lowerShift<ShrSOp, LLVM::AShrOp>);
  add<ShrUOp>(table, lowerShift<ShrUOp, LLVM::LShrOp>);
  add<AndOp>(table, same<AndOp, LLVM::AndOp>);
  add<OrOp>(table, same<OrOp, LLVM::OrOp>);
  add<XOrOp>(table, same<XOrOp, LLVM::XOrOp>);
  add<CastSOp>(table, resize<CastSOp, LLVM::SExtOp, LLVM::TruncOp>);
  add<CastUOp>(table, resize<CastUOp, LLVM::ZExtOp, LLVM::TruncOp>);
  add<CmpOp>(table, lowerCompareIndex);
  add<ConstantOp>(table, lowerIndexConstant<ConstantOp>);
}

void nvidia::addArithLowerings(ScalarTable &table) {
  addIntegers(table);
  addFloats(table);
  addIndices(table);
}
