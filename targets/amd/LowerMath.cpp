//===- LowerMath.cpp - Functions of threads as arithmetic -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/numerics.md has the bounds. exp, exp2, log, log2 and log10 of f32 are
// LLVM's, which its AMDGPU back end expands to 1 unit; other functions of f32
// are polynomials of our own where there are some. The rest, and all of f64,
// are AMD's device library's, whose errors are those of OpenCL's full profile.
// f16 and bf16 are computed in f32.
//
//===----------------------------------------------------------------------===//

#include "BrainFloats.h"
#include "Extremes.h"
#include "Float8.h"
#include "Functions.h"
#include "LibraryCalls.h"
#include "LowerOps.h"
#include "Passes.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Math/HalfFloats.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

static bool convertsToBrainFloat(Operation *op) {
  return isa<arith::SIToFPOp, arith::UIToFPOp>(op) &&
         op->getResult(0).getType().isBF16();
}

namespace {
struct LowerMath : PassWrapper<LowerMath, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerMath)
  StringRef getName() const final { return "AmdLowerMath"; }
  StringRef getArgument() const final { return "amd-lower-math"; }
  StringRef getDescription() const final {
    return "Expands functions of scalars to arithmetic, intrinsics and calls "
           "of "
           "AMD's device library";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                    LLVM::LLVMDialect, math::MathDialect>();
  }

  void runOnOperation() override {
    OpBuilder b(&getContext());
    target::TargetAttr description = target::getDescription(getOperation());
    chip = description ? findChip(description.getCpu()) : nullptr;
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<math::MathDialect>(op->getDialect()) ||
          isa<tile::CallExternOp, arith::TruncFOp, arith::ExtFOp,
              arith::DivFOp>(op) ||
          convertsToBrainFloat(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      b.setInsertionPoint(op);
      LogicalResult lowered = success();
      if (auto call = dyn_cast<tile::CallExternOp>(op))
        lowered = lowerExtern(call, b);
      else if (auto quotient = dyn_cast<arith::DivFOp>(op))
        keepExact(quotient);
      else if (convertsToBrainFloat(op))
        roundOnce(op, b);
      else if (auto narrow = dyn_cast<arith::TruncFOp>(op))
        lowered = lowerTruncation(narrow, b);
      else if (auto wider = dyn_cast<arith::ExtFOp>(op)) {
        if (isFloat8(wider.getIn().getType()))
          widenFloat8(wider, areFnuz(), b);
      } else
        lowered = lowerFunction(op, b);
      if (failed(lowered))
        return signalPassFailure();
    }
    lowerExtremes(getOperation(), chip);
  }

private:
  /// An approximate quotient of LLVM's is 0 for large divisors.
  static void keepExact(arith::DivFOp op) {
    op.setFastmath(op.getFastmath() & ~arith::FastMathFlags::afn);
  }
  LogicalResult lowerFunction(Operation *op, OpBuilder &b);
  LogicalResult lowerExtern(tile::CallExternOp op, OpBuilder &b);
  LogicalResult lowerTruncation(arith::TruncFOp op, OpBuilder &b);
  Value named(StringRef name, ValueRange operands, Type type, Location loc,
              OpBuilder &b);
  Value classify(Operation *op, OpBuilder &b);
  Value power(Value x, Value n, Location loc, OpBuilder &b);

  /// Whether the 8-bit floats of the chip have no negative zero.
  bool areFnuz() const { return chip && chip->family == Family::CDNA3; }

  const Chip *chip = nullptr;
};
} // namespace

/// Functions by their names in C, without suffix, which are those of math and
/// of the device library.
namespace {
/// Functions of f32 with code of this target.
using Make = Value (*)(AmdFloat32 &, Value, ModuleOp);
const std::pair<StringRef, Make> kOwn[] = {
    {"exp",
     [](AmdFloat32 &f, Value x, ModuleOp) -> Value {
       return math::ExpOp::create(f.b, f.loc, x);
     }},
    {"exp2",
     [](AmdFloat32 &f, Value x, ModuleOp) -> Value {
       return math::Exp2Op::create(f.b, f.loc, x);
     }},
    {"log",
     [](AmdFloat32 &f, Value x, ModuleOp) -> Value {
       return math::LogOp::create(f.b, f.loc, x);
     }},
    {"log2",
     [](AmdFloat32 &f, Value x, ModuleOp) -> Value {
       return math::Log2Op::create(f.b, f.loc, x);
     }},
    {"log10",
     [](AmdFloat32 &f, Value x, ModuleOp) -> Value {
       return math::Log10Op::create(f.b, f.loc, x);
     }},
    {"expm1", [](AmdFloat32 &f, Value x, ModuleOp) { return f.expm1(x); }},
    {"log1p", [](AmdFloat32 &f, Value x, ModuleOp) { return f.log1p(x); }},
    {"tanh", [](AmdFloat32 &f, Value x, ModuleOp) { return f.tanh(x); }},
    {"erf", [](AmdFloat32 &f, Value x, ModuleOp) { return f.erf(x); }},
    {"sin", [](AmdFloat32 &f, Value x, ModuleOp m) { return f.sine(x, 0, m); }},
    {"cos", [](AmdFloat32 &f, Value x, ModuleOp m) { return f.sine(x, 1, m); }},
    {"tan", [](AmdFloat32 &f, Value x, ModuleOp m) { return f.tangent(x, m); }},
    {"rsqrt", [](AmdFloat32 &f, Value x, ModuleOp) { return f.rsqrt(x); }},
};

/// Functions that round once at most: LLVM has them for both types.
using Plain = Value (*)(OpBuilder &, Location, ValueRange);
const std::pair<StringRef, Plain> kPlain[] = {
    {"sqrt",
     [](OpBuilder &b, Location loc, ValueRange x) -> Value {
       return math::SqrtOp::create(b, loc, x[0]);
     }},
    {"fabs",
     [](OpBuilder &b, Location loc, ValueRange x) -> Value {
       return math::AbsFOp::create(b, loc, x[0]);
     }},
    {"floor",
     [](OpBuilder &b, Location loc, ValueRange x) -> Value {
       return math::FloorOp::create(b, loc, x[0]);
     }},
    {"ceil",
     [](OpBuilder &b, Location loc, ValueRange x) -> Value {
       return math::CeilOp::create(b, loc, x[0]);
     }},
    {"trunc",
     [](OpBuilder &b, Location loc, ValueRange x) -> Value {
       return math::TruncOp::create(b, loc, x[0]);
     }},
    {"round",
     [](OpBuilder &b, Location loc, ValueRange x) -> Value {
       return math::RoundOp::create(b, loc, x[0]);
     }},
    {"rint",
     [](OpBuilder &b, Location loc, ValueRange x) -> Value {
       return math::RoundEvenOp::create(b, loc, x[0]);
     }},
    {"fma",
     [](OpBuilder &b, Location loc, ValueRange x) -> Value {
       return math::FmaOp::create(b, loc, x[0], x[1], x[2]);
     }},
    {"copysign",
     [](OpBuilder &b, Location loc, ValueRange x) -> Value {
       return math::CopySignOp::create(b, loc, x[0], x[1]);
     }},
    {"fmod",
     [](OpBuilder &b, Location loc, ValueRange x) -> Value {
       return arith::RemFOp::create(b, loc, x[0], x[1]);
     }},
};
} // namespace

Value LowerMath::named(StringRef name, ValueRange x, Type type, Location loc,
                       OpBuilder &b) {
  ModuleOp module = getOperation();
  AmdFloat32 f(b, loc);
  if (type.isF32()) {
    for (auto [known, make] : kOwn)
      if (known == name)
        return make(f, x[0], module);
  }
  for (auto [known, make] : kPlain)
    if (known == name)
      return make(b, loc, x);
  if (name == "rsqrt") {
    // Two roundings.
    Value one = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 1.0));
    return arith::DivFOp::create(b, loc, one,
                                 math::SqrtOp::create(b, loc, x[0]));
  }
  return callLibrary(module, name, x, type, loc, b);
}

Value LowerMath::classify(Operation *op, OpBuilder &b) {
  using P = arith::CmpFPredicate;
  Location loc = op->getLoc();
  Value x = op->getOperand(0);
  const llvm::fltSemantics &semantics =
      cast<FloatType>(x.getType()).getFloatSemantics();
  auto compare = [&](P predicate, Value value, const APFloat &with) -> Value {
    return arith::CmpFOp::create(
        b, loc, predicate, value,
        arith::ConstantOp::create(b, loc, b.getFloatAttr(x.getType(), with)));
  };
  if (isa<math::IsNaNOp>(op))
    return arith::CmpFOp::create(b, loc, P::UNO, x, x);
  Value size = math::AbsFOp::create(b, loc, x);
  APFloat infinity = APFloat::getInf(semantics);
  if (isa<math::IsInfOp>(op))
    return compare(P::OEQ, size, infinity);
  Value finite = compare(P::OLT, size, infinity);
  if (isa<math::IsFiniteOp>(op))
    return finite;
  return arith::AndIOp::create(
      b, loc, finite,
      compare(P::OGE, size, APFloat::getSmallestNormalized(semantics)));
}

/// x^n: by products in f64 for narrower types, where their errors do not count;
/// f64 by the device library.
Value LowerMath::power(Value x, Value n, Location loc, OpBuilder &b) {
  Type type = x.getType(), f64 = b.getF64Type(), i32 = b.getI32Type();
  unsigned bits = n.getType().getIntOrFloatBitWidth();
  if (bits < 32)
    n = arith::ExtSIOp::create(b, loc, i32, n);
  if (type == f64)
    return named("pow", {x, arith::SIToFPOp::create(b, loc, f64, n)}, f64, loc,
                 b);
  if (bits > 32) {
    // Beyond these every power is 0, 1 or infinite; the sign of the last bit.
    Value low = arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(n.getType(), -(int64_t(1) << 30)));
    Value high = arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(n.getType(), (int64_t(1) << 30)));
    Value one =
        arith::ConstantOp::create(b, loc, b.getIntegerAttr(n.getType(), 1));
    Value last = arith::AndIOp::create(b, loc, n, one);
    n = arith::MinSIOp::create(b, loc, arith::MaxSIOp::create(b, loc, n, low),
                               high);
    n = arith::OrIOp::create(b, loc, n, last);
    n = arith::TruncIOp::create(b, loc, i32, n);
  }
  x = arith::ExtFOp::create(b, loc, f64, x);
  Value result =
      LLVM::CallOp::create(b, loc, powerFunction(getOperation(), f64), {x, n})
          .getResult();
  return arith::TruncFOp::create(b, loc, type, result);
}

LogicalResult LowerMath::lowerFunction(Operation *op, OpBuilder &b) {
  Location loc = op->getLoc();
  if (isa<math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::CtPopOp,
          math::AbsIOp>(op))
    return success();
  auto give = [&](Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return success();
  };
  Type type = op->getOperand(0).getType();
  if (isa<math::IPowIOp>(op) && isa<IntegerType>(type))
    return give(LLVM::CallOp::create(b, loc,
                                     powerFunction(getOperation(), type),
                                     op->getOperands())
                    .getResult());
  if (!(type.isF32() || type.isF64() || isHalf(type)))
    return op->emitError("unsupported: '")
           << op->getName() << "' of " << type << " in the code of a thread";
  if (op->getResult(0).getType().isInteger(1))
    return give(classify(op, b));
  if (auto powi = dyn_cast<math::FPowIOp>(op))
    return give(power(powi.getLhs(), powi.getRhs(), loc, b));
  if (isa<math::AbsFOp, math::CopySignOp>(op))
    return success();
  if (type.isF32() && isa<math::ExpOp, math::Exp2Op>(op) &&
      arith::bitEnumContainsAny(cast<arith::ArithFastMathInterface>(op)
                                    .getFastMathFlagsAttr()
                                    .getValue(),
                                arith::FastMathFlags::afn)) {
    // v_exp_f32 flushes results, which the flag allows.
    AmdFloat32 f(b, loc);
    Value x = op->getOperand(0);
    if (isa<math::ExpOp>(op))
      x = f.mul(x, f.f32(llvm::numbers::log2e));
    return give(callIntrinsic(b, loc, type, "exp2", x));
  }
  if (auto clamp = dyn_cast<math::ClampFOp>(op)) {
    Value low =
        arith::MaximumFOp::create(b, loc, clamp.getValue(), clamp.getMin());
    return give(arith::MinimumFOp::create(b, loc, low, clamp.getMax()));
  }
  if (isa<math::FmaOp, math::SqrtOp, math::FloorOp, math::CeilOp, math::TruncOp,
          math::RoundOp, math::RoundEvenOp>(op) &&
      !type.isBF16())
    return success();
  if (type.isF32() &&
      isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::Log10Op>(
          op))
    return success();
  SmallVector<Value> operands(op->getOperands());
  Type wide = isHalf(type) ? b.getF32Type() : type;
  for (Value &operand : operands)
    operand = castFloat(b, loc, operand, wide);
  auto narrow = [&](Value value) { return castFloat(b, loc, value, type); };
  if (isa<math::SincosOp>(op)) {
    const StringRef names[] = {"sin", "cos"};
    for (auto [i, name] : llvm::enumerate(names))
      op->getResult(unsigned(i))
          .replaceAllUsesWith(narrow(named(name, operands, wide, loc, b)));
    op->erase();
    return success();
  }
  StringRef name = llvm::StringSwitch<StringRef>(op->getName().stripDialect())
                       .Case("powf", "pow")
                       .Case("roundeven", "rint")
                       .Default(op->getName().stripDialect());
  return give(narrow(named(name, operands, wide, loc, b)));
}

/// The functions of C that `tile.call_extern` knows, and those of libdevice
/// that have such a name behind `__nv_`: programs that were recorded elsewhere
/// call them.
LogicalResult LowerMath::lowerExtern(tile::CallExternOp op, OpBuilder &b) {
  StringRef name = op.getSymbol();
  Location loc = op.getLoc();
  bool isC = op.getCFunction();
  if (op->getNumResults() != 1 || !op->getNumOperands() ||
      !(isC || name.consume_front("__nv_") || name.consume_front("__ocml_")))
    return op->emitError("unsupported: function '")
           << op.getSymbol() << "'" << (op.getLibrary().empty() ? "" : " of ")
           << op.getLibrary();
  Type type = op.getResult(0).getType(), first = op->getOperandTypes()[0];
  if (!isC) {
    name.consume_back("_f32") || name.consume_back("_f64");
    if (first.isF32())
      name.consume_back("f");
  }
  if (!first.isF32() && !first.isF64())
    return op->emitError("unsupported: function '")
           << op.getSymbol() << "' of " << first;
  Value result;
  if (name == "powi" && op->getNumOperands() == 2) {
    result = power(op->getOperand(0), op->getOperand(1), loc, b);
  } else if ((name == "llrint" || name == "lrint") && isa<IntegerType>(type)) {
    Value whole = named("rint", op->getOperands(), first, loc, b);
    result = arith::FPToSIOp::create(b, loc, type, whole);
  } else {
    result = named(name, op->getOperands(), type, loc, b);
  }
  op.getResult(0).replaceAllUsesWith(result);
  op.erase();
  return success();
}

/// Conversions towards zero: the nearest number, and where that is larger, the
/// one before it.
LogicalResult LowerMath::lowerTruncation(arith::TruncFOp op, OpBuilder &b) {
  arith::RoundingMode mode =
      op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even);
  if (mode == arith::RoundingMode::to_nearest_even) {
    if (isFloat8(op.getType()))
      narrowToFloat8(op, areFnuz(), b);
    else if (op.getType().isBF16() && op.getIn().getType().isF32() && chip &&
             !chip->hasBrainFloats())
      narrowToBrainFloat(op, b);
    return success();
  }
  Type from = op.getIn().getType(), to = op.getType();
  if (mode != arith::RoundingMode::toward_zero || isa<VectorType>(to))
    return op.emitError("unsupported: the rounding mode of a conversion from ")
           << from << " to " << to;
  Location loc = op.getLoc();
  Value x = op.getIn();
  Value near = arith::TruncFOp::create(b, loc, to, x);
  Value back = arith::ExtFOp::create(b, loc, from, near);
  Value isLarger = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                         math::AbsFOp::create(b, loc, back),
                                         math::AbsFOp::create(b, loc, x));
  Type bits = b.getIntegerType(to.getIntOrFloatBitWidth());
  Value raw = arith::BitcastOp::create(b, loc, bits, near);
  Value one = arith::ConstantOp::create(b, loc, b.getIntegerAttr(bits, 1));
  Value before = arith::SubIOp::create(b, loc, raw, one);
  Value chosen = arith::SelectOp::create(b, loc, isLarger, before, raw);
  op.replaceAllUsesWith(
      arith::BitcastOp::create(b, loc, to, chosen).getResult());
  op.erase();
  return success();
}

std::unique_ptr<Pass> amd::createLowerMathPass() {
  return std::make_unique<LowerMath>();
}
