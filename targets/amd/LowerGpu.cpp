//===- LowerGpu.cpp - Threads in the llvm dialect -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LowerOps.h"
#include "Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

namespace {
Value constant(OpBuilder &b, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(value)));
}

/// An index of a number that is not negative.
Value asIndex(OpBuilder &b, Location loc, Value number) {
  return LLVM::ZExtOp::create(b, loc, b.getI64Type(), number);
}

/// A number from a register that the launch fills, along one dimension.
template <typename From>
struct RegisterLowering : ConvertOpToLLVMPattern<From> {
  RegisterLowering(const LLVMTypeConverter &types, StringRef name)
      : ConvertOpToLLVMPattern<From>(types), name(name) {}
  LogicalResult
  matchAndRewrite(From op, typename From::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    const char *axes[] = {"x", "y", "z"};
    Value number =
        callIntrinsic(rewriter, loc, rewriter.getI32Type(),
                      name + "." + axes[unsigned(op.getDimension())], {});
    rewriter.replaceOp(op, asIndex(rewriter, loc, number));
    return success();
  }
  std::string name;
};

/// A number that stands behind the arguments of the kernel: LLVM's AMDGPU
/// guide, "Code Object V5 Kernel Argument Metadata": three counts of
/// workgroups (32 bits each), then three sizes of one (16 bits each).
template <typename From, unsigned begin, unsigned bytes>
struct HiddenLowering : ConvertOpToLLVMPattern<From> {
  using ConvertOpToLLVMPattern<From>::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(From op, typename From::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    constexpr unsigned kConstantSpace = 4;
    auto pointer =
        LLVM::LLVMPointerType::get(rewriter.getContext(), kConstantSpace);
    Value base = callIntrinsic(rewriter, loc, pointer, "implicitarg.ptr", {});
    Value at =
        LLVM::GEPOp::create(rewriter, loc, pointer, rewriter.getI8Type(), base,
                            ArrayRef<LLVM::GEPArg>{int32_t(
                                begin + bytes * unsigned(op.getDimension()))});
    auto load = LLVM::LoadOp::create(
        rewriter, loc, rewriter.getIntegerType(bytes * 8), at, bytes);
    load.setInvariant(true);
    rewriter.replaceOp(op, asIndex(rewriter, loc, load));
    return success();
  }
};

struct Lowering {
  const Chip &chip;
};

template <typename Op>
struct ChipLowering : ConvertOpToLLVMPattern<Op>, Lowering {
  ChipLowering(const LLVMTypeConverter &types, const Chip &chip)
      : ConvertOpToLLVMPattern<Op>(types), Lowering{chip} {}
};

struct LaneIdLowering : ChipLowering<gpu::LaneIdOp> {
  using ChipLowering::ChipLowering;
  LogicalResult
  matchAndRewrite(gpu::LaneIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    rewriter.replaceOp(op, asIndex(rewriter, loc, laneId(rewriter, loc, chip)));
    return success();
  }
};

/// Waves are counted along x: workgroups have one dimension of threads.
struct SubgroupIdLowering : ChipLowering<gpu::SubgroupIdOp> {
  using ChipLowering::ChipLowering;
  LogicalResult
  matchAndRewrite(gpu::SubgroupIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value thread = callIntrinsic(rewriter, loc, rewriter.getI32Type(),
                                 "workitem.id.x", {});
    Value wave = LLVM::LShrOp::create(
        rewriter, loc, thread,
        constant(rewriter, loc, llvm::Log2_64(uint64_t(chip.lanes))));
    rewriter.replaceOp(op, asIndex(rewriter, loc, wave));
    return success();
  }
};

struct SubgroupSizeLowering : ChipLowering<gpu::SubgroupSizeOp> {
  using ChipLowering::ChipLowering;
  LogicalResult
  matchAndRewrite(gpu::SubgroupSizeOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ConstantOp>(
        op, rewriter.getI64IntegerAttr(chip.lanes));
    return success();
  }
};

/// Fences for the workgroup and s_barrier: the back end waits for what they
/// name, and splits the barrier where the chip has it so.
struct BarrierLowering : ConvertOpToLLVMPattern<gpu::BarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(gpu::BarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    LLVM::FenceOp::create(rewriter, loc, LLVM::AtomicOrdering::release,
                          "workgroup");
    LLVM::CallIntrinsicOp::create(
        rewriter, loc, rewriter.getStringAttr("llvm.amdgcn.s.barrier"),
        ValueRange());
    LLVM::FenceOp::create(rewriter, loc, LLVM::AtomicOrdering::acquire,
                          "workgroup");
    rewriter.eraseOp(op);
    return success();
  }
};

/// One word of 32 bits after the other.
struct ShuffleLowering : ChipLowering<gpu::ShuffleOp> {
  using ChipLowering::ChipLowering;

  LogicalResult
  matchAndRewrite(gpu::ShuffleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value value = adaptor.getValue();
    Type type = value.getType(), i32 = rewriter.getI32Type();
    int64_t bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    if (auto vector = dyn_cast<VectorType>(type))
      bits *= vector.getNumElements();
    if (bits > 32 && bits % 32)
      return op.emitError("unsupported: a shuffle of ") << type;
    Value valid;
    auto cast = [&](Type to, Value from) -> Value {
      return from.getType() == to
                 ? from
                 : LLVM::BitcastOp::create(rewriter, loc, to, from).getResult();
    };
    Value result;
    if (bits <= 32) {
      Type number = rewriter.getIntegerType(unsigned(bits));
      Value word = cast(number, value);
      if (bits < 32)
        word = LLVM::ZExtOp::create(rewriter, loc, i32, word);
      word = other(op, adaptor, word, valid, rewriter);
      if (bits < 32)
        word = LLVM::TruncOp::create(rewriter, loc, number, word);
      result = cast(type, word);
    } else {
      auto words = VectorType::get({bits / 32}, i32);
      Value from = cast(words, value);
      Value to = LLVM::PoisonOp::create(rewriter, loc, words);
      for (int64_t i = 0; i < bits / 32; ++i) {
        Value at = constant(rewriter, loc, i);
        Value part = LLVM::ExtractElementOp::create(rewriter, loc, from, at);
        to = LLVM::InsertElementOp::create(
            rewriter, loc, to, other(op, adaptor, part, valid, rewriter), at);
      }
      result = cast(type, to);
    }
    rewriter.replaceOp(op, {result, valid});
    return success();
  }

  /// The word of the other lane, and whether there is one.
  Value other(gpu::ShuffleOp op, OpAdaptor adaptor, Value word, Value &valid,
              ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    IntegerAttr offset, width;
    using Mode = gpu::ShuffleMode;
    bool isWhole = matchPattern(op.getWidth(), m_Constant(&width)) &&
                   width.getInt() == chip.lanes;
    if (op.getMode() == Mode::XOR && isWhole &&
        matchPattern(op.getOffset(), m_Constant(&offset)) &&
        offset.getInt() >= 0 && offset.getInt() < chip.lanes) {
      if (!valid)
        valid =
            LLVM::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
      if (offset.getInt() == 0)
        return word;
      return exchangeByMask(rewriter, loc, word, unsigned(offset.getInt()),
                            chip);
    }
    // Lanes form groups of `width`; beyond a group a lane keeps its own word.
    using P = LLVM::ICmpPredicate;
    Value lane = laneId(rewriter, loc, chip);
    Value by = adaptor.getOffset(), size = adaptor.getWidth();
    Value mask =
        LLVM::SubOp::create(rewriter, loc, size, constant(rewriter, loc, 1));
    Value rest =
        LLVM::XOrOp::create(rewriter, loc, mask, constant(rewriter, loc, -1));
    Value first = LLVM::AndOp::create(rewriter, loc, lane, rest);
    Value end = LLVM::AddOp::create(rewriter, loc, first, size);
    Value from;
    switch (op.getMode()) {
    case Mode::XOR:
      from = LLVM::XOrOp::create(rewriter, loc, lane, by);
      break;
    case Mode::UP:
      from = LLVM::SubOp::create(rewriter, loc, lane, by);
      break;
    case Mode::DOWN:
      from = LLVM::AddOp::create(rewriter, loc, lane, by);
      break;
    case Mode::IDX:
      from = LLVM::AddOp::create(
          rewriter, loc, first,
          LLVM::AndOp::create(rewriter, loc, by, mask).getResult());
      break;
    }
    Value notBefore = LLVM::ICmpOp::create(rewriter, loc, P::sge, from, first);
    Value notBehind = LLVM::ICmpOp::create(rewriter, loc, P::slt, from, end);
    Value inside = LLVM::AndOp::create(rewriter, loc, notBefore, notBehind);
    if (!valid)
      valid = inside;
    Value index = LLVM::SelectOp::create(rewriter, loc, inside, from, lane);
    return readLane(rewriter, loc, word, index);
  }
};

struct LowerGpu : PassWrapper<LowerGpu, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerGpu)
  StringRef getName() const final { return "AmdLowerGpu"; }
  StringRef getArgument() const final { return "amd-lower-gpu"; }
  StringRef getDescription() const final {
    return "Lowers thread code to the llvm dialect";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, ROCDL::ROCDLDialect>();
  }

  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    shareReducedRows(getOperation(), *chip);
    LLVMTypeConverter types(&getContext());
    RewritePatternSet patterns(&getContext());
    patterns.add<RegisterLowering<gpu::ThreadIdOp>>(types, "workitem.id");
    patterns.add<RegisterLowering<gpu::BlockIdOp>>(types, "workgroup.id");
    patterns.add<HiddenLowering<gpu::GridDimOp, 0, 4>,
                 HiddenLowering<gpu::BlockDimOp, 12, 2>, BarrierLowering>(
        types);
    patterns.add<LaneIdLowering, SubgroupIdLowering, SubgroupSizeLowering,
                 ShuffleLowering>(types, *chip);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    mlir::index::populateIndexToLLVMConversionPatterns(types, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    populateFuncToLLVMConversionPatterns(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns);
    ConversionTarget target(getContext());
    target.addLegalDialect<LLVM::LLVMDialect, ROCDL::ROCDLDialect>();
    target.addIllegalDialect<arith::ArithDialect, math::MathDialect,
                             mlir::index::IndexDialect, cf::ControlFlowDialect,
                             func::FuncDialect, gpu::GPUDialect>();
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> amd::createLowerGpuPass() {
  return std::make_unique<LowerGpu>();
}
