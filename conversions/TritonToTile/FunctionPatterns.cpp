// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions, the grid, and operations of other dialects on converted types.
#include "Hints.h"
#include "Patterns.h"

#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Triton/Triton.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace kiln::triton_to_tile {
namespace {

/// A public function becomes a kernel.
struct ConvertFunc : OpConversionPattern<tt::FuncOp> {
  ConvertFunc(const mlir::TypeConverter &converter, MLIRContext *context,
              const KernelTraits &traits)
      : OpConversionPattern(converter, context), traits(traits) {}

  LogicalResult
  matchAndRewrite(tt::FuncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getResultTypes().empty())
      return op.emitOpError("unsupported: a kernel with results");
    mlir::TypeConverter::SignatureConversion signature(op.getNumArguments());
    for (auto [index, type] : llvm::enumerate(op.getArgumentTypes())) {
      SmallVector<Type> types;
      if (failed(getTypeConverter()->convertType(type, types)) ||
          types.size() != 1)
        return op.emitOpError("unsupported: argument ")
               << index << " of type " << type
               << "; pass the pointer, sizes and strides instead";
      signature.addInputs(index, types);
    }
    auto type = rewriter.getFunctionType(signature.getConvertedTypes(), {});
    auto kernel =
        tile::KernelOp::create(rewriter, op.getLoc(), op.getSymName(), type);
    kernel.getBody().getBlocks().clear();
    rewriter.inlineRegionBefore(op.getBody(), kernel.getBody(),
                                kernel.getBody().end());
    for (unsigned i = 0; i < op.getNumArguments(); ++i) {
      DictionaryAttr facts = convertParameterHints(op, i);
      if (!facts.empty())
        kernel.setArgAttrs(i, facts);
    }
    if (traits.hints)
      kernel->setAttr(tile::kHintsAttr, traits.hints);
    if (!traits.isStrict)
      kernel.setNumericsAttr(tile::NumericsAttr::get(
          getContext(), /*contract=*/true, /*approx=*/true, /*ftz=*/false,
          /*reassoc=*/false));
    if (traits.concurrent.contains(op.getSymName()))
      kernel.setProgress(tile::Progress::concurrent);
    rewriter.applySignatureConversion(&kernel.getBody().front(), signature,
                                      getTypeConverter());
    rewriter.eraseOp(op);
    return success();
  }

  const KernelTraits &traits;
};

struct ConvertReturn : OpConversionPattern<tt::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::ReturnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<tile::ReturnOp>(op);
    return success();
  }
};

/// Coordinates and extents come as i32 along one axis.
template <typename From, typename To>
struct ConvertGrid : OpConversionPattern<From> {
  using OpConversionPattern<From>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(From op, typename From::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    unsigned axis = static_cast<unsigned>(op.getAxis());
    SmallVector<Type> types(axis + 1, rewriter.getIndexType());
    auto grid = To::create(rewriter, op.getLoc(), types);
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, rewriter.getI32Type(),
                                                    grid->getResult(axis));
    return success();
  }
};

/// Hints that order nothing within an instance.
template <typename OpT> struct Drop : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

/// What is assumed of one element of several says nothing of a tile.
struct ConvertAssume : OpConversionPattern<LLVM::AssumeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LLVM::AssumeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (isa<tt::ReduceOp, tt::ScanOp, tile::ReduceOp, tile::ScanOp>(
            op->getParentOp()))
      rewriter.eraseOp(op);
    else
      rewriter.replaceOpWithNewOp<tile::AssumeOp>(op, adaptor.getCond());
    return success();
  }
};

/// Any value is right for poison; a constant keeps it from spreading.
struct ConvertPoison : OpConversionPattern<ub::PoisonOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ub::PoisonOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return failure();
    SmallVector<Value> values;
    for (Type type : types) {
      Location loc = op.getLoc();
      if (isa<tile::PtrType>(getElementTypeOrSelf(type))) {
        Type ints = rewriter.getI64Type();
        if (auto tensor = dyn_cast<RankedTensorType>(type))
          ints = tensor.clone(ints);
        Value zero = arith::ConstantOp::create(rewriter, loc,
                                               rewriter.getZeroAttr(ints));
        values.push_back(tile::IntToPtrOp::create(rewriter, loc, type, zero));
        continue;
      }
      TypedAttr zero = rewriter.getZeroAttr(type);
      if (!zero)
        return op.emitOpError("unsupported: poison of type ") << type;
      values.push_back(arith::ConstantOp::create(rewriter, loc, zero));
    }
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// An operation of another dialect on converted types stays what it is.
struct ConvertTypes : ConversionPattern {
  ConvertTypes(const mlir::TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
      return failure();
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return failure();
    OperationState state(op->getLoc(), op->getName(), operands, types,
                         op->getAttrs());
    rewriter.replaceOp(op, rewriter.create(state)->getResults());
    return success();
  }
};

} // namespace

void populateFunctionPatterns(const TypeConverter &converter,
                              RewritePatternSet &patterns,
                              const KernelTraits &traits) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ConvertFunc>(converter, context, traits);
  patterns.add<ConvertReturn, ConvertPoison, ConvertTypes,
               ConvertGrid<tt::GetProgramIdOp, tile::ProgramIdOp>,
               ConvertGrid<tt::GetNumProgramsOp, tile::NumProgramsOp>,
               Drop<tt::GridDependencyWaitOp>,
               Drop<tt::GridDependencyLaunchDependentsOp>, Drop<gpu::BarrierOp>,
               ConvertAssume>(converter, context);
}

} // namespace kiln::triton_to_tile
