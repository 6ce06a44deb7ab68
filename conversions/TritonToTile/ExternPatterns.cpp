// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of device libraries, translated by meaning.
#include "ExternFunctions.h"
#include "Patterns.h"

#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Triton/Triton.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace kiln::triton_to_tile {
namespace {

/// Known functions become `math`, `arith` and calls of C; others stay calls,
/// which a target may know.
struct ConvertExtern : OpConversionPattern<tt::ExternElementwiseOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::ExternElementwiseOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<ExternSymbol> symbol = parseExternSymbol(op.getSymbol());
    if (symbol)
      return expand(*symbol, op, adaptor.getSrcs(), rewriter);
    rewriter.replaceOpWithNewOp<tile::CallExternOp>(
        op, TypeRange{op.getType()}, op.getSymbol(), op.getLibname(),
        op.getPure(), adaptor.getSrcs());
    return success();
  }

private:
  static LogicalResult expand(const ExternSymbol &symbol,
                              tt::ExternElementwiseOp op, ValueRange sources,
                              ConversionPatternRewriter &rewriter) {
    const ExternFunction &function = *symbol.function;
    Builder &b = rewriter;
    Type element = getElementTypeOrSelf(op.getType());
    Type real = symbol.real == 'f'   ? Type(b.getF32Type())
                : symbol.real == 'd' ? Type(b.getF64Type())
                : symbol.real == 'h' ? Type(b.getF16Type())
                : sources.empty()    ? Type()
                                     : getElementTypeOrSelf(sources.front());
    auto [from, to] = StringRef(function.signature).split('>');
    bool matches =
        from.size() == sources.size() && isType(element, to.front(), real);
    for (size_t i = 0; matches && i < from.size(); ++i)
      matches = isType(getElementTypeOrSelf(sources[i]), from[i], real) &&
                isa<ShapedType>(sources[i].getType()) ==
                    isa<ShapedType>(op.getType());
    if (!matches) {
      auto diag = op.emitOpError("expected (");
      llvm::interleaveComma(from, diag,
                            [&](char letter) { diag << spell(letter, real); });
      return diag << ") -> " << spell(to.front(), real) << " for '"
                  << op.getSymbol() << "', found " << sources.getTypes()
                  << " -> " << op.getType();
    }

    // Where reals are computed in another type, they are so here and back.
    Type computed = function.precision == Precision::wide       ? b.getF64Type()
                    : real && real.isF16() && !function.hasMode ? b.getF32Type()
                                                                : real;
    SmallVector<Term> operands;
    for (auto [letter, source] : llvm::zip(from, sources)) {
      Term term(rewriter, op.getLoc(), source);
      operands.push_back(letter == 'r' ? term.extendTo(computed) : term);
    }
    Term result =
        function.expand({function.name, operands, real, element, symbol.mode});
    if (symbol.isFast)
      approximate(result.getValue().getDefiningOp());
    rewriter.replaceOp(op, result.extendTo(element, false).getValue());
    return success();
  }

  /// Lets a target compute a function as fast as it can.
  static void approximate(Operation *function) {
    auto flags = dyn_cast_or_null<arith::ArithFastMathInterface>(function);
    if (flags)
      function->setAttr(
          flags.getFastMathAttrName(),
          arith::FastMathFlagsAttr::get(
              function->getContext(), flags.getFastMathFlagsAttr().getValue() |
                                          arith::FastMathFlags::afn));
  }

  static bool isType(Type type, char letter, Type real) {
    switch (letter) {
    case 'r':
      return type == real && isa<Float16Type, Float32Type, Float64Type>(type);
    case 'n':
      return type == real && type.isInteger();
    case 'f':
      return type.isF32();
    case 'd':
      return type.isF64();
    case 's':
      return type.isInteger(16);
    case 'i':
      return type.isInteger(32);
    case 'l':
      return type.isInteger(64);
    default:
      return type.isInteger();
    }
  }

  static std::string spell(char letter, Type real) {
    switch (letter) {
    case 'r':
      return real.isF64() ? "f64" : real.isF16() ? "f16" : "f32";
    case 'f':
      return "f32";
    case 'd':
      return "f64";
    case 's':
      return "i16";
    case 'i':
      return "i32";
    case 'l':
      return "i64";
    default:
      return "an integer";
    }
  }
};

/// Whether a text of assembly orders accesses, and no more: those of an
/// instance keep their order anyway, and launches come one after the other.
bool isBarrier(StringRef text) {
  // A comment may end it.
  auto [first, comment] = text.split("//");
  if (!comment.split('\n').second.trim(" \t\n\r{};").empty())
    return false;
  text = first.trim(" \t\n\r{};");
  if (text == "griddepcontrol.wait" ||
      text == "griddepcontrol.launch_dependents")
    return true;
  auto [name, operands] = text.split(' ');
  return llvm::is_contained({"bar.sync", "bar.cta.sync", "bar.warp.sync",
                             "barrier.sync", "barrier.sync.aligned",
                             "barrier.cta.sync", "barrier.cta.sync.aligned"},
                            name) &&
         operands.find_first_not_of("0123456789abcdefx, ") == StringRef::npos;
}

/// Assembly stays what it is; a target that does not assemble it runs
/// `tile-expand-inline-asm`.
struct ConvertInlineAsm : OpConversionPattern<tt::ElementwiseInlineAsmOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::ElementwiseInlineAsmOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (isBarrier(op.getAsmString())) {
      // Nothing writes the results.
      SmallVector<Value> results;
      for (Type type : op.getResultTypes())
        if (TypedAttr zero = rewriter.getZeroAttr(type))
          results.push_back(
              arith::ConstantOp::create(rewriter, op.getLoc(), zero));
      if (results.size() == op.getNumResults()) {
        rewriter.replaceOp(op, results);
        return success();
      }
    }
    // Authors may write spaces between constraints; assemblers know none.
    std::string constraints = op.getConstraints().str();
    llvm::erase_if(constraints, [](char c) { return llvm::isSpace(c); });
    rewriter.replaceOpWithNewOp<tile::InlineAsmOp>(
        op, op.getResultTypes(), op.getAsmString(),
        tile::InlineAsmOp::getVirtualIsa(), constraints,
        static_cast<int64_t>(op.getPackedElement()), op.getPure(),
        adaptor.getArgs(), /*untranslated=*/nullptr);
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
