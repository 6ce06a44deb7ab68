// Functions of device libraries, translated by meaning.
#include "Assembly.h"
#include "Patterns.h"

#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Dialect/Triton/Triton.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace kiln::triton_to_tile {
namespace {

/// The function's name without the library's prefix and the type's suffix:
/// `__nv_tanhf` and `__ocml_tanh_f32` are both `tanh`.
StringRef getMeaning(StringRef symbol) {
  if (symbol.consume_front("__nv_")) {
    symbol.consume_front("fast_");
    // The names of these end in f as doubles, too.
    if (symbol == "erf" || symbol == "modf")
      return symbol;
    static constexpr StringRef conversions[] = {"ll2float", "float2"};
    for (StringRef prefix : conversions)
      if (symbol.starts_with(prefix))
        return symbol;
    symbol.consume_back("f");
    return symbol;
  }
  if (symbol.consume_front("__ocml_")) {
    symbol.consume_front("native_");
    for (StringRef suffix : {"_f64", "_f32", "_f16", "_rte"})
      symbol.consume_back(suffix);
    return symbol;
  }
  return {};
}

/// Makes an operation with the operands' type for each function that is one.
Operation *createSimple(OpBuilder &builder, Location loc, StringRef meaning,
                        ValueRange operands) {
  StringRef name = llvm::StringSwitch<StringRef>(meaning)
                       .Case("acos", "math.acos")
                       .Case("acosh", "math.acosh")
                       .Case("asin", "math.asin")
                       .Case("asinh", "math.asinh")
                       .Case("atan", "math.atan")
                       .Case("atan2", "math.atan2")
                       .Case("atanh", "math.atanh")
                       .Case("cbrt", "math.cbrt")
                       .Case("ceil", "math.ceil")
                       .Case("copysign", "math.copysign")
                       .Case("cos", "math.cos")
                       .Case("cosh", "math.cosh")
                       .Case("erf", "math.erf")
                       .Case("erfc", "math.erfc")
                       .Case("exp", "math.exp")
                       .Case("exp2", "math.exp2")
                       .Case("expm1", "math.expm1")
                       .Case("fabs", "math.absf")
                       .Case("floor", "math.floor")
                       .Case("fma", "math.fma")
                       .Case("fma_rn", "math.fma")
                       .Case("fmod", "arith.remf")
                       .Case("fmax", "arith.maxnumf")
                       .Case("fmin", "arith.minnumf")
                       .Case("log", "math.log")
                       .Case("log10", "math.log10")
                       .Case("log1p", "math.log1p")
                       .Case("log2", "math.log2")
                       .Case("nearbyint", "math.roundeven")
                       .Case("pow", "math.powf")
                       .Case("powi", "math.fpowi")
                       .Case("pown", "math.fpowi")
                       .Case("rint", "math.roundeven")
                       .Case("round", "math.round")
                       .Case("rsqrt", "math.rsqrt")
                       .Case("sin", "math.sin")
                       .Case("sinh", "math.sinh")
                       .Case("sqrt", "math.sqrt")
                       .Case("tan", "math.tan")
                       .Case("tanh", "math.tanh")
                       .Case("trunc", "math.trunc")
                       .Case("clz", "math.ctlz")
                       .Case("popc", "math.ctpop")
                       .Case("abs", "math.absi")
                       .Case("llabs", "math.absi")
                       .Case("fadd_rn", "arith.addf")
                       .Case("fsub_rn", "arith.subf")
                       .Case("fmul_rn", "arith.mulf")
                       .Case("fdiv_rn", "arith.divf")
                       .Case("fsqrt_rn", "math.sqrt")
                       .Case("min", "arith.minsi")
                       .Case("max", "arith.maxsi")
                       .Case("umin", "arith.minui")
                       .Case("umax", "arith.maxui")
                       .Default("");
  if (name.empty())
    return nullptr;
  OperationState state(loc, name);
  state.addOperands(operands);
  state.addTypes(operands.front().getType());
  return builder.create(state);
}

/// Constants, comparisons and conversions that some functions stand for.
Value createCompound(OpBuilder &builder, Location loc, StringRef meaning,
                     ValueRange operands, Type resultType) {
  Value x = operands.front();
  auto boolResult = [&](Value condition) -> Value {
    if (condition.getType() == resultType)
      return condition;
    return arith::ExtUIOp::create(builder, loc, resultType, condition);
  };
  // Rounded to nearest even, then converted.
  if (meaning == "llrint" || meaning == "rint" || meaning == "lrint" ||
      meaning.starts_with("float2int_rn") || meaning.starts_with("float2ll_rn"))
    return arith::FPToSIOp::create(builder, loc, resultType,
                                   math::RoundEvenOp::create(builder, loc, x));
  if (meaning == "llround" || meaning == "lround")
    return arith::FPToSIOp::create(builder, loc, resultType,
                                   math::RoundOp::create(builder, loc, x));
  if (meaning.starts_with("float2int_rz") || meaning.starts_with("float2ll_rz"))
    return arith::FPToSIOp::create(builder, loc, resultType, x);
  if (meaning == "isnan" || meaning == "isnand")
    return boolResult(
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, x, x));
  if (meaning == "isinf" || meaning == "isinfd" || meaning == "finite" ||
      meaning == "isfinited") {
    auto type = cast<FloatType>(getElementTypeOrSelf(x.getType()));
    Attribute infinity =
        builder.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics()));
    if (auto tensor = dyn_cast<RankedTensorType>(x.getType()))
      infinity = DenseElementsAttr::get(tensor, infinity);
    Value limit =
        arith::ConstantOp::create(builder, loc, cast<TypedAttr>(infinity));
    auto predicate = meaning.starts_with("isinf") ? arith::CmpFPredicate::OEQ
                                                  : arith::CmpFPredicate::OLT;
    return boolResult(arith::CmpFOp::create(
        builder, loc, predicate, math::AbsFOp::create(builder, loc, x), limit));
  }
  if (meaning == "signbit" || meaning == "signbitd") {
    Type type = x.getType();
    Type bits = builder.getIntegerType(
        getElementTypeOrSelf(type).getIntOrFloatBitWidth());
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      bits = tensor.clone(bits);
    Value raw = arith::BitcastOp::create(builder, loc, bits, x);
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(bits));
    return boolResult(arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, raw, zero));
  }
  if (meaning == "umulhi" || meaning == "umul64hi")
    return arith::MulUIExtendedOp::create(builder, loc, operands[0],
                                          operands[1])
        .getHigh();
  if (meaning == "mulhi" || meaning == "mul64hi")
    return arith::MulSIExtendedOp::create(builder, loc, operands[0],
                                          operands[1])
        .getHigh();
  return {};
}

/// Known functions become `math` and `arith`; others stay calls, which a target
/// may know.
struct ConvertExtern : OpConversionPattern<tt::ExternElementwiseOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::ExternElementwiseOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    StringRef meaning = getMeaning(op.getSymbol());
    ValueRange operands = adaptor.getSrcs();
    if (!meaning.empty() && !operands.empty()) {
      if (op.getType() == operands.front().getType())
        if (Operation *simple =
                createSimple(rewriter, op.getLoc(), meaning, operands)) {
          rewriter.replaceOp(op, simple->getResults());
          return success();
        }
      if (Value compound = createCompound(rewriter, op.getLoc(), meaning,
                                          operands, op.getType())) {
        rewriter.replaceOp(op, compound);
        return success();
      }
    }
    rewriter.replaceOpWithNewOp<tile::CallExternOp>(
        op, TypeRange{op.getType()}, op.getSymbol(), op.getLibname(),
        op.getPure(), operands);
    return success();
  }
};

/// Assembly that is understood becomes `math` and `arith`; other text stays
/// what it is, for targets of its instruction set.
struct ConvertInlineAsm : OpConversionPattern<tt::ElementwiseInlineAsmOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::ElementwiseInlineAsmOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // Packed elements share registers.
    if (op.getPure() && op.getPackedElement() == 1)
      if (auto values = translateAssembly(
              rewriter, op.getLoc(), op.getAsmString(), op.getConstraints(),
              adaptor.getArgs(), op.getResultTypes())) {
        rewriter.replaceOp(op, *values);
        return success();
      }
    rewriter.replaceOpWithNewOp<tile::InlineAsmOp>(
        op, op.getResultTypes(), op.getAsmString(), "ptx", op.getConstraints(),
        static_cast<int64_t>(op.getPackedElement()), op.getPure(),
        adaptor.getArgs());
    return success();
  }
};

} // namespace

void populateExternPatterns(const TypeConverter &converter,
                            RewritePatternSet &patterns) {
  patterns.add<ConvertExtern, ConvertInlineAsm>(converter,
                                                patterns.getContext());
}

} // namespace kiln::triton_to_tile
