//===- MathFunctions.cpp - Functions on registers -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Polynomials in f32 (kiln/Math/Float32.h), and calls of libm lane by lane.
//
//===----------------------------------------------------------------------===//

#include "MathFunctions.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Math/Float32.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

namespace {
/// Functions on registers, with branches that whole registers take.
struct F32 : functions::Float32 {
  using Float32::Float32;

  /// Whether |x| <= limit in every lane; not where one is NaN.
  Value allWithin(Value x, float limit) const;

  /// A short way where all lanes are in [-87, 87], else the general one.
  Value exp(Value x) const override {
    auto choice = scf::IfOp::create(b, loc, TypeRange{x.getType()},
                                    allWithin(x, 87), true, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    Value shifted;
    Value y = expParts(x, shifted);
    // The exponent goes up by n; higher bits of `shifted` leave the register.
    scf::YieldOp::create(b, loc, float_(addi(bits(y), shl(bits(shifted), 23))));
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, loc, Float32::exp(x));
    return choice.getResult(0);
  }
};

Value F32::allWithin(Value x, float limit) const {
  // The bits of magnitudes are ordered as they are, those of NaN behind.
  Value size = bits(abs(x));
  // One comparison for all registers of a wide vector.
  constexpr int64_t kCompared = 8;
  int64_t lanes = vector ? vector.getNumElements() : 1;
  for (; lanes > kCompared && lanes % 2 == 0; lanes /= 2) {
    auto half = [&](int64_t begin) -> Value {
      return mlir::vector::ExtractStridedSliceOp::create(
          b, loc, size, ArrayRef<int64_t>{begin}, ArrayRef<int64_t>{lanes / 2},
          ArrayRef<int64_t>{1});
    };
    size = arith::MaxSIOp::create(b, loc, half(0), half(lanes / 2));
  }
  Value fine = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::sle, size,
      Lanes(b, loc, size.getType()).i32(llvm::bit_cast<int32_t>(limit)));
  if (vector)
    fine = mlir::vector::ReductionOp::create(
        b, loc, mlir::vector::CombiningKind::AND, fine);
  // Registers are for the short way.
  Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  return LLVM::ExpectOp::create(b, loc, fine, yes);
}

/// The function of libm for an operation, without the suffix of its type.
StringRef libmName(Operation *op) {
  if (auto call = dyn_cast<tile::CallExternOp>(op))
    return call.getSymbol();
  return llvm::StringSwitch<StringRef>(op->getName().stripDialect())
      .Case("powf", "pow")
      .Default(op->getName().stripDialect());
}

/// The declaration of a function of libm.
func::FuncOp declareLibm(OpBuilder &b, Location loc, Operation *op,
                         ArrayRef<Type> arguments, Type result) {
  auto module =
      b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  bool isSingle =
      llvm::any_of(arguments, [](Type type) { return type.isF32(); });
  std::string name = (libmName(op) + (isSingle ? "f" : "")).str();
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(b, loc, name,
                                       b.getFunctionType(arguments, {result}));
  function.setPrivate();
  // No errno, so that calls may move and go away.
  function->setAttr("llvm.memory_effects",
                    LLVM::MemoryEffectsAttr::get(
                        b.getContext(), LLVM::ModRefInfo::NoModRef,
                        LLVM::ModRefInfo::NoModRef, LLVM::ModRefInfo::NoModRef,
                        LLVM::ModRefInfo::NoModRef, LLVM::ModRefInfo::NoModRef,
                        LLVM::ModRefInfo::NoModRef));
  return function;
}

/// Calls of libm, lane by lane.
Value byLanes(OpBuilder &b, Location loc, Operation *op, ValueRange operands,
              Type result) {
  SmallVector<Type> arguments;
  for (Value operand : operands)
    arguments.push_back(getElementTypeOrSelf(operand.getType()));
  func::FuncOp function =
      declareLibm(b, loc, op, arguments, getElementTypeOrSelf(result));
  auto vector = dyn_cast<VectorType>(result);
  if (!vector)
    return func::CallOp::create(b, loc, function, operands).getResult(0);
  Value all = arith::ConstantOp::create(b, loc, b.getZeroAttr(vector));
  for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
    SmallVector<Value> scalars;
    for (Value operand : operands)
      scalars.push_back(vector::ExtractOp::create(b, loc, operand, lane));
    Value one = func::CallOp::create(b, loc, function, scalars).getResult(0);
    all = vector::InsertOp::create(b, loc, one, all, lane);
  }
  return all;
}

/// What libraries give for the exponent of zero and of a NaN differs: it is the
/// smallest number here.
Value fixExponent(OpBuilder &b, Location loc, Value x, Value exponent) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(x.getType()));
  Value hasNone =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UEQ, x, zero);
  Type type = exponent.getType();
  TypedAttr least =
      b.getIntegerAttr(getElementTypeOrSelf(type),
                       APInt::getSignedMinValue(
                           getElementTypeOrSelf(type).getIntOrFloatBitWidth()));
  if (auto vector = dyn_cast<VectorType>(type))
    least = DenseElementsAttr::get(vector, Attribute(least));
  return arith::SelectOp::create(b, loc, hasNone,
                                 arith::ConstantOp::create(b, loc, type, least),
                                 exponent);
}

/// sin, cos, tan: polynomials, or libm where a lane is too large for them.
Value emitTrigonometric(OpBuilder &b, Location loc, Operation *op, Value x) {
  F32 f(b, loc, x.getType());
  auto choice = scf::IfOp::create(b, loc, TypeRange{x.getType()},
                                  f.allWithin(x, F32::kTrigLimit), true, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, loc,
                       isa<math::TanOp>(op)
                           ? f.tan(x)
                           : f.trigonometric(x, isa<math::CosOp>(op)));
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, loc, byLanes(b, loc, op, x, x.getType()));
  return choice.getResult(0);
}
} // namespace

bool cpu::isPolynomial(Operation *op) {
  // Narrower types are computed with in f32.
  return isa<math::ExpOp, math::LogOp, math::TanhOp, math::ErfOp, math::ExpM1Op,
             math::Log2Op, math::Log10Op, math::Log1pOp, math::SinOp,
             math::CosOp, math::TanOp>(op) &&
         !getElementTypeOrSelf(op->getResult(0)).isF64();
}

Value cpu::emitMathFunction(OpBuilder &b, Location loc, Operation *op,
                            ValueRange operands, Type result) {
  if (auto call = dyn_cast<tile::CallExternOp>(op)) {
    Value value = byLanes(b, loc, op, operands, result);
    return call.getLibrary().empty() && call.getSymbol() == "ilogb"
               ? fixExponent(b, loc, operands[0], value)
               : value;
  }
  if (!isa<math::MathDialect>(op->getDialect()))
    return nullptr;
  if (isa<math::SqrtOp, math::FmaOp, math::FloorOp, math::CeilOp, math::TruncOp,
          math::RoundOp, math::RoundEvenOp, math::AbsFOp, math::AbsIOp,
          math::CopySignOp, math::CountLeadingZerosOp,
          math::CountTrailingZerosOp, math::CtPopOp, math::IsNaNOp,
          math::IsFiniteOp>(op))
    return nullptr;
  if (isa<math::IPowIOp>(op))
    return emitIntegerPower(b, loc, operands[0], operands[1]);
  F32 f(b, loc, operands[0].getType());
  Type element = getElementTypeOrSelf(operands[0].getType());
  if (isa<math::IsInfOp, math::IsNormalOp>(op)) {
    // By the type of the operation: registers may be wider.
    Type own = getElementTypeOrSelf(op->getOperand(0).getType());
    const llvm::fltSemantics &semantics =
        cast<FloatType>(own).getFloatSemantics();
    bool ignored;
    APFloat least = APFloat::getSmallestNormalized(semantics);
    least.convert(cast<FloatType>(element).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &ignored);
    Value size = math::AbsFOp::create(b, loc, operands[0]);
    Value infinity = f.constant(b.getFloatAttr(
        element,
        APFloat::getInf(cast<FloatType>(element).getFloatSemantics())));
    using P = arith::CmpFPredicate;
    if (isa<math::IsInfOp>(op))
      return arith::CmpFOp::create(b, loc, P::OEQ, size, infinity);
    Value finite = arith::CmpFOp::create(b, loc, P::OLT, size, infinity);
    Value large = arith::CmpFOp::create(
        b, loc, P::OGE, size, f.constant(b.getFloatAttr(element, least)));
    return arith::AndIOp::create(b, loc, finite, large);
  }
  if (isa<math::RsqrtOp>(op)) {
    Value root = math::SqrtOp::create(b, loc, operands[0]);
    Value one = f.constant(b.getFloatAttr(element, 1.0));
    return arith::DivFOp::create(b, loc, one, root);
  }
  if (isa<math::ClampFOp>(op))
    return arith::MinimumFOp::create(
        b, loc, arith::MaximumFOp::create(b, loc, operands[0], operands[1]),
        operands[2]);
  if (isa<math::FPowIOp>(op)) {
    Value exponent = arith::SIToFPOp::create(b, loc, result, operands[1]);
    auto power = math::PowFOp::create(b, loc, operands[0], exponent);
    Value value = byLanes(b, loc, power, power->getOperands(), result);
    power.erase();
    return value;
  }
  if (element.isF32()) {
    if (isa<math::ExpOp>(op))
      return f.exp(operands[0]);
    if (isa<math::LogOp>(op))
      return f.log(operands[0]);
    if (isa<math::TanhOp>(op))
      return f.tanh(operands[0]);
    if (isa<math::ErfOp>(op))
      return f.erf(operands[0]);
    if (isa<math::ExpM1Op>(op))
      return f.expm1(operands[0]);
    if (isa<math::Log2Op>(op))
      return f.log2(operands[0]);
    if (isa<math::Log10Op>(op))
      return f.log10(operands[0]);
    if (isa<math::Log1pOp>(op))
      return f.log1p(operands[0]);
    if (isa<math::SinOp, math::CosOp, math::TanOp>(op))
      return emitTrigonometric(b, loc, op, operands[0]);
  }
  Value value = byLanes(b, loc, op, operands, result);
  if (element.isF64() && isa<math::ErfcOp>(op))
    return refineErfc(b, loc, operands[0], value);
  if (element.isF64() && isa<math::CbrtOp>(op))
    return refineCbrt(b, loc, operands[0], value);
  return value;
}
