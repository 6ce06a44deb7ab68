//===- LowerMath.cpp - Functions of threads as arithmetic -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/numerics.md has the bounds. Functions of f32 are polynomials and
// instructions of our own where these keep them; the rest, and all of f64, are
// libdevice's, whose errors the CUDA C++ Programming Guide lists ("Mathematical
// Functions"): they are within the bounds but for the deviations that the
// descriptions of chips declare. f16 and bf16 are computed in f32.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "LowerScalars.h"
#include "Passes.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::nvidia;

namespace {
struct LowerMath : PassWrapper<LowerMath, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerMath)
  StringRef getName() const final { return "NvidiaLowerMath"; }
  StringRef getArgument() const final { return "nvidia-lower-math"; }
  StringRef getDescription() const final {
    return "Expands functions and conversions of scalars to instructions and "
           "calls of libdevice";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                    LLVM::LLVMDialect, math::MathDialect>();
  }

  void runOnOperation() override;

private:
  LogicalResult lower(Operation *op, OpBuilder &b);
  LogicalResult lowerFunction(Operation *op, OpBuilder &b);
  LogicalResult lowerExtern(tile::CallExternOp op, OpBuilder &b);
  void lowerRest(arith::RemFOp op, OpBuilder &b);
  bool lowerQuotient(arith::DivFOp op, OpBuilder &b);
  Value single(Operation *op, ValueRange x, OpBuilder &b);
  Value classify(Operation *op, OpBuilder &b);
  Value power(math::FPowIOp op, OpBuilder &b);
  Value callLibdevice(OpBuilder &b, Location loc, StringRef name,
                      ValueRange operands, Type type);
  Value callFunction(OpBuilder &b, Location loc, StringRef symbol,
                     ValueRange operands, Type type);

  unsigned compute = 75;
  bool flush = false, approximate = false;
};
} // namespace

/// The name of a function in libdevice, without what stands for its type.
static StringRef libdeviceName(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().stripDialect())
      .Case("powf", "pow")
      .Default(op->getName().stripDialect());
}

Value LowerMath::callLibdevice(OpBuilder &b, Location loc, StringRef name,
                               ValueRange operands, Type type) {
  return callFunction(b, loc,
                      ("__nv_" + name + (type.isF32() ? "f" : "")).str(),
                      operands, type);
}

Value LowerMath::callFunction(OpBuilder &b, Location loc, StringRef symbol,
                              ValueRange operands, Type type) {
  auto function = getOperation().lookupSymbol<LLVM::LLVMFuncOp>(symbol);
  if (!function) {
    OpBuilder top(getOperation().getBodyRegion());
    function = LLVM::LLVMFuncOp::create(
        top, loc, symbol,
        LLVM::LLVMFunctionType::get(type,
                                    llvm::to_vector(operands.getTypes())));
  }
  return LLVM::CallOp::create(b, loc, function, operands).getResult();
}

/// A function of f32 that may be approximated, by instructions that do; null
/// for any other one.
static Value approximated(Operation *op, ValueRange x, OpBuilder &b) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!flags ||
      !arith::bitEnumContainsAny(flags.getFastMathFlagsAttr().getValue(),
                                 arith::FastMathFlags::afn))
    return nullptr;
  GpuFloat32 f(b, op->getLoc());
  if (isa<math::PowFOp>(op))
    return f.powerFast(x[0], x[1]);
  if (isa<math::Log2Op>(op))
    return f.log2Fast(x[0]);
  if (isa<math::LogOp>(op))
    return f.mul(f.log2Fast(x[0]), f.f32(llvm::numbers::ln2));
  if (isa<math::Log10Op>(op))
    return f.mul(f.log2Fast(x[0]),
                 f.f32(llvm::numbers::ln2 / llvm::numbers::ln10));
  if (isa<math::SinOp, math::CosOp>(op))
    return f.sineFast(x[0], isa<math::CosOp>(op));
  return nullptr;
}

/// A function of f32 by our own code; null where there is none.
Value LowerMath::single(Operation *op, ValueRange x, OpBuilder &b) {
  GpuFloat32 f(b, op->getLoc());
  auto isFast = [](auto op) {
    return arith::bitEnumContainsAny(op.getFastmath(),
                                     arith::FastMathFlags::afn);
  };
  if (Value fast = approximated(op, x, b))
    return fast;
  if (auto power = dyn_cast<math::ExpOp>(op))
    return isFast(power) ? f.exp2(f.mul(x[0], f.f32(llvm::numbers::log2e)),
                                  /*flush=*/true)
                         : f.exp(x[0]);
  if (auto power = dyn_cast<math::Exp2Op>(op))
    return f.exp2(x[0], flush || isFast(power));
  if (isa<math::ExpM1Op>(op))
    return f.expm1(x[0]);
  if (isa<math::LogOp>(op))
    return f.log(x[0]);
  if (isa<math::Log2Op>(op))
    return f.log2(x[0]);
  if (isa<math::Log10Op>(op))
    return f.log10(x[0]);
  if (isa<math::Log1pOp>(op))
    return f.log1p(x[0]);
  if (isa<math::TanhOp>(op))
    return f.tanh(x[0]);
  if (isa<math::ErfOp>(op))
    return f.erf(x[0]);
  if (isa<math::SinOp>(op))
    return f.sine(x[0], 0, getOperation());
  if (isa<math::CosOp>(op))
    return f.sine(x[0], 1, getOperation());
  if (isa<math::TanOp>(op))
    return f.tangent(x[0], getOperation());
  if (isa<math::RsqrtOp>(op))
    return f.rsqrt(x[0], flush);
  if (isa<math::SqrtOp>(op) && approximate)
    return callIntrinsic(b, op->getLoc(), b.getF32Type(),
                         flush ? "llvm.nvvm.sqrt.approx.ftz.f"
                               : "llvm.nvvm.sqrt.approx.f",
                         x[0]);
  return nullptr;
}

Value LowerMath::classify(Operation *op, OpBuilder &b) {
  using P = arith::CmpFPredicate;
  Location loc = op->getLoc();
  Value x = op->getOperand(0);
  auto type = dyn_cast<FloatType>(x.getType());
  if (!type || type.getWidth() <= 8)
    return nullptr;
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  auto compare = [&](P predicate, Value value, const APFloat &with) -> Value {
    return arith::CmpFOp::create(
        b, loc, predicate, value,
        arith::ConstantOp::create(b, loc, b.getFloatAttr(type, with)));
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

/// x^n by products for a small constant (whose products do not overflow before
/// the result does), else by the function of f64, which
/// holds every n.
Value LowerMath::power(math::FPowIOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Value x = op.getLhs(), n = op.getRhs();
  Type type = x.getType(), f64 = b.getF64Type();
  IntegerAttr known;
  if (matchPattern(n, m_Constant(&known)) && known.getInt() >= -1 &&
      known.getInt() <= 4 && !isHalf(type)) {
    int64_t count = known.getInt();
    Value one = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 1.0));
    Value product = count == 0 ? one : x;
    for (int64_t i = 1; i < std::abs(count); ++i)
      product = arith::MulFOp::create(b, loc, product, x);
    return count < 0 ? arith::DivFOp::create(b, loc, one, product).getResult()
                     : product;
  }
  x = castFloat(b, loc, x, f64);
  Value exponent = arith::SIToFPOp::create(b, loc, f64, n);
  Value result = callLibdevice(b, loc, "pow", {x, exponent}, f64);
  return type == f64
             ? result
             : arith::TruncFOp::create(b, loc, type, result).getResult();
}

/// The magnitude of one number with the sign of another, by bits. It is text,
/// as LLVM makes one of what it recognises by `abs` and `neg` of halves, which
/// give a NaN whatever sign they like.
static Value copySign(math::CopySignOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Type bits = b.getI16Type();
  SmallVector<Value> operands;
  for (Value value : op->getOperands())
    operands.push_back(arith::BitcastOp::create(b, loc, bits, value));
  auto both = LLVM::InlineAsmOp::create(
      b, loc, bits, operands,
      "{ .reg .b16 sign; and.b16 sign, $2, 0x8000; and.b16 $0, $1, 0x7fff; "
      "or.b16 $0, $0, sign; }",
      "=&h,h,h", /*has_side_effects=*/false, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  return arith::BitcastOp::create(b, loc, op.getType(), both.getResult(0));
}

/// The nearest integer, halves away from zero: where the largest number below
/// one half is added, the sum of numbers below a half stays below one, and no
/// other sum passes an integer. A conversion to an integer cuts by itself.
static Value roundAway(OpBuilder &b, Location loc, Value x) {
  GpuFloat32 f(b, loc);
  Value half = f.copysign(f.f32(0x1.fffffep-2), x);
  return math::TruncOp::create(b, loc, arith::AddFOp::create(b, loc, x, half));
}

LogicalResult LowerMath::lowerFunction(Operation *op, OpBuilder &b) {
  Location loc = op->getLoc();
  if (isa<math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::CtPopOp,
          math::AbsIOp>(op))
    return success();
  Type type = op->getOperand(0).getType();
  auto give = [&](Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return success();
  };
  if (isa<math::IPowIOp>(op) && isa<IntegerType>(type))
    return give(LLVM::CallOp::create(b, loc,
                                     integerPowerFunction(getOperation(), type),
                                     op->getOperands())
                    .getResult());
  auto number = dyn_cast<FloatType>(type);
  if (!number || !(type.isF32() || type.isF64() || isHalf(type)))
    return op->emitError("unsupported: '")
           << op->getName() << "' of " << type << " in the code of a thread";
  if (op->getResult(0).getType().isInteger(1))
    return give(classify(op, b));
  if (auto powi = dyn_cast<math::FPowIOp>(op))
    return give(power(powi, b));
  if (auto sign = dyn_cast<math::CopySignOp>(op); sign && isHalf(type))
    return give(copySign(sign, b));
  // These have no roundings, so that they need no more bits.
  if (isa<math::AbsFOp, math::CopySignOp>(op))
    return success();
  if (auto clamp = dyn_cast<math::ClampFOp>(op)) {
    Value low =
        arith::MaximumFOp::create(b, loc, clamp.getValue(), clamp.getMin());
    return give(arith::MinimumFOp::create(b, loc, low, clamp.getMax()));
  }
  if (isa<math::RoundOp>(op) && !type.isF64()) {
    Value x = castFloat(b, loc, op->getOperand(0), b.getF32Type());
    return give(castFloat(b, loc, roundAway(b, loc, x), type));
  }
  bool isPrimitive = isa<math::FmaOp, math::SqrtOp, math::FloorOp, math::CeilOp,
                         math::TruncOp, math::RoundOp, math::RoundEvenOp>(op);
  if (isPrimitive && !isHalf(type) && !(approximate && isa<math::SqrtOp>(op)))
    return success();
  SmallVector<Value> operands(op->getOperands());
  Type wide = isHalf(type) ? b.getF32Type() : type;
  for (Value &operand : operands)
    operand = castFloat(b, loc, operand, wide);
  auto narrow = [&](Value value) { return castFloat(b, loc, value, type); };
  if (isa<math::SincosOp>(op)) {
    const StringRef names[] = {"sin", "cos"};
    for (auto [i, name] : llvm::enumerate(names)) {
      Value value =
          wide.isF32()
              ? GpuFloat32(b, loc).sine(operands[0], int64_t(i), getOperation())
              : callLibdevice(b, loc, name, operands, wide);
      op->getResult(unsigned(i)).replaceAllUsesWith(narrow(value));
    }
    op->erase();
    return success();
  }
  if (Value value = wide.isF32() ? single(op, operands, b) : nullptr)
    return give(narrow(value));
  if (isPrimitive) {
    Operation *copy = b.clone(*op);
    copy->setOperands(operands);
    copy->getResult(0).setType(wide);
    return give(narrow(copy->getResult(0)));
  }
  return give(narrow(callLibdevice(b, loc, libdeviceName(op), operands, wide)));
}

/// The functions of C that `tile.call_extern` knows have their names in
/// libdevice, too; what is libdevice's already is called as it is.
LogicalResult LowerMath::lowerExtern(tile::CallExternOp op, OpBuilder &b) {
  StringRef name = op.getSymbol();
  if (op->getNumResults() != 1 ||
      !(op.getCFunction() || name.consume_front("__nv_")))
    return op->emitError("unsupported: function '")
           << op.getSymbol() << "'" << (op.getLibrary().empty() ? "" : " of ")
           << op.getLibrary();
  Type type = op.getResult(0).getType();
  if (!op.getCFunction()) {
    // The name says which type it is of.
    std::string symbol = ("__nv_" + name).str();
    op.getResult(0).replaceAllUsesWith(
        callFunction(b, op.getLoc(), symbol, op.getOperands(), type));
    op.erase();
    return success();
  }
  bool isSingle = llvm::any_of(op->getOperandTypes(),
                               [](Type type) { return type.isF32(); });
  op.getResult(0).replaceAllUsesWith(callFunction(
      b, op.getLoc(), ("__nv_" + name + (isSingle ? "f" : "")).str(),
      op.getOperands(), type));
  op.erase();
  return success();
}

/// fmod, which is exact: the back end's own remainder is not.
void LowerMath::lowerRest(arith::RemFOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Type type = op.getType(), wide = isHalf(type) ? b.getF32Type() : type;
  SmallVector<Value> operands(op->getOperands());
  for (Value &operand : operands)
    operand = castFloat(b, loc, operand, wide);
  Value rest = callLibdevice(b, loc, "fmod", operands, wide);
  op.replaceAllUsesWith(castFloat(b, loc, rest, type));
  op.erase();
}

/// A quotient of f32 that may err by 2 ulp: div.full errs by no more for all
/// numbers (PTX ISA, "div"), unlike div.approx for large divisors.
bool LowerMath::lowerQuotient(arith::DivFOp op, OpBuilder &b) {
  if (!op.getType().isF32() ||
      !bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn))
    return false;
  op.replaceAllUsesWith(
      callIntrinsic(b, op.getLoc(), op.getType(),
                    flush ? "llvm.nvvm.div.full.ftz" : "llvm.nvvm.div.full",
                    op.getOperands()));
  op.erase();
  return true;
}

LogicalResult LowerMath::lower(Operation *op, OpBuilder &b) {
  b.setInsertionPoint(op);
  if (isa<math::MathDialect>(op->getDialect()))
    return lowerFunction(op, b);
  if (auto call = dyn_cast<tile::CallExternOp>(op))
    return lowerExtern(call, b);
  if (auto rest = dyn_cast<arith::RemFOp>(op)) {
    lowerRest(rest, b);
    return success();
  }
  if (auto quotient = dyn_cast<arith::DivFOp>(op);
      quotient && lowerQuotient(quotient, b))
    return success();
  return lowerConversion(op, b, compute);
}

void LowerMath::runOnOperation() {
  if (target::TargetAttr description = target::getDescription(getOperation()))
    if (DictionaryAttr extra = description.getExtra())
      if (auto number = extra.getAs<IntegerAttr>("compute"))
        compute = unsigned(number.getInt());
  OpBuilder b(&getContext());
  for (Operation &function :
       llvm::make_early_inc_range(*getOperation().getBody())) {
    auto numerics = function.getAttrOfType<tile::NumericsAttr>("gpu.numerics");
    flush = numerics && numerics.getFtz();
    approximate = numerics && numerics.getApprox();
    // What is added in front of an operation is not looked at again.
    WalkResult result = function.walk([&](Operation *op) {
      return failed(lower(op, b)) ? WalkResult::interrupt()
                                  : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
  }
}

std::unique_ptr<Pass> nvidia::createLowerMathPass() {
  return std::make_unique<LowerMath>();
}

bool kiln::nvidia::flushesSubnormals(Operation *function) {
  auto numerics = function->getAttrOfType<tile::NumericsAttr>("gpu.numerics");
  return numerics && numerics.getFtz();
}
