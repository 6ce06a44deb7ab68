// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowerings for the target and for its family, one of each kind. FIRST and SECOND make two plug-ins of it, the variable
// BAD selects a mistake.
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Gpu/Copies.h"
#include "kiln/Gpu/Registers.h"
#include "kiln/Target/Plugin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {
bool isBad(const char *what) {
  const char *bad = std::getenv("BAD");
  return bad && !std::strcmp(bad, what);
}

Value constantLike(OpBuilder &b, Location loc, Value value, double number) {
  Type element = getElementTypeOrSelf(value);
  TypedAttr attr = b.getFloatAttr(element, number);
  if (auto tile = dyn_cast<RankedTensorType>(value.getType()))
    attr = DenseElementsAttr::get(tile, Attribute(attr));
  return arith::ConstantOp::create(b, loc, attr);
}

#ifdef FIRST
/// exp(x) as exp2(x / log 2).
LogicalResult lowerExp(Operation *op, LoweringContext &ctx) {
  if (!getElementTypeOrSelf(op->getResult(0)).isF32())
    return ctx.decline(op, "it is written for f32");
  RewriterBase &b = ctx.rewriter;
  Location loc = op->getLoc();
  Value x = op->getOperand(0);
  if (isBad("nothing"))
    return success();
  if (isBad("type")) {
    Value narrow = arith::TruncFOp::create(b, loc, cast<RankedTensorType>(x.getType()).clone(b.getF16Type()), x);
    op->getResult(0).replaceAllUsesWith(narrow);
    op->erase();
    return success();
  }
  if (isBad("declined")) {
    op->getResult(0).replaceAllUsesWith(x);
    op->erase();
    return ctx.decline(op, "too late");
  }
  Value scaled = arith::MulFOp::create(b, loc, x, constantLike(b, loc, x, 1.44269504088896341));
  b.replaceOpWithNewOp<math::Exp2Op>(op, scaled);
  return success();
}

/// Sums of vectors in two steps, without the rewriter.
LogicalResult lowerReduce(Operation *op, LoweringContext &ctx) {
  auto reduce = cast<tile::ReduceOp>(op);
  auto type = cast<RankedTensorType>(reduce.getSources()[0].getType());
  if (type.getRank() != 1 || type.getDimSize(0) % 16 || reduce.getSources().size() != 1 || reduce.getOrdered())
    return ctx.decline(op, "it is written for vectors");
  OpBuilder b(op);
  Location loc = op->getLoc();
  auto matrix = RankedTensorType::get({type.getDimSize(0) / 16, 16}, type.getElementType());
  Value folded = tile::ReshapeOp::create(b, loc, matrix, reduce.getSources()[0]);
  auto fold = [&](Value source, ArrayRef<int64_t> shape) {
    OperationState state(loc, op->getName());
    state.addOperands(source);
    state.addTypes(RankedTensorType::get(shape, type.getElementType()));
    state.addAttributes(op->getAttrs());
    state.addRegion()->takeBody(*[&] {
      auto copy = std::make_unique<Region>();
      IRMapping mapping;
      reduce->getRegion(0).cloneInto(copy.get(), mapping);
      return copy;
    }());
    return b.create(state)->getResult(0);
  };
  Value sum = fold(fold(folded, {16}), {});
  op->getResult(0).replaceAllUsesWith(sum);
  op->erase();
  return success();
}

/// An operation that the family has no lowering for.
LogicalResult lowerSplat(Operation *op, LoweringContext &ctx) {
  if (!op->getOperand(0).getType().isF32())
    return ctx.decline(op, "it is written for floats");
  ctx.rewriter.replaceOpWithNewOp<tile::SplatOp>(op, op->getResultTypes(), op->getOperands());
  return success();
}

/// What the target has no function for: a call is its argument twice.
LogicalResult lowerCall(Operation *op, LoweringContext &ctx) {
  auto call = cast<tile::CallExternOp>(op);
  if (call.getSymbol() != "twice")
    return ctx.decline(op, "it knows the function 'twice' alone");
  ctx.rewriter.replaceOpWithNewOp<arith::AddFOp>(op, op->getOperand(0), op->getOperand(0));
  return success();
}

LogicalResult takeBarrier(Operation *op, LoweringContext &ctx) {
  auto *threads = ctx.as<simt::GpuLoweringContext>();
  if (!threads || threads->level != simt::GpuLoweringContext::Level::Threads)
    return ctx.decline(op, "it is written for threads");
  LLVM::InlineAsmOp::create(ctx.rewriter, op->getLoc(), TypeRange(), ValueRange(), "barrier.sync.aligned 0;", "",
                            /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
  ctx.rewriter.eraseOp(op);
  return success();
}

/// A sum of a vector by one thread, for all; mistakes of lowerings of tiles in registers.
LogicalResult lowerInRegisters(Operation *op, simt::RegisterLoweringContext &ctx) {
  if (isBad("late"))
    return ctx.decline(op, "it has second thoughts");
  if (isBad("undefined"))
    return success();
  simt::RegisterCode &code = ctx.code();
  Value source = op->getOperand(0);
  auto type = cast<RankedTensorType>(source.getType());
  int64_t start = code.scratch(4096);
  code.writeTile(start, code.registers(source), simt::getLayout(source), type.getShape());
  code.barrier();
  Value sum = code.zero(type.getElementType());
  for (int64_t n = 0; n < type.getNumElements(); ++n)
    sum = arith::AddFOp::create(code.b, code.loc, sum, code.readElement(start, code.c32(n), type.getElementType()));
  code.define(op->getResult(0), simt::Regs(simt::getLayout(op->getResult(0)).getNumRegisters(), sum));
  return success();
}

LogicalResult needsInRegisters(Operation *op, simt::RegisterLoweringContext &ctx, simt::ScratchNeeds &needs) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  if (type.getRank() != 1 || type.getNumElements() > 1024)
    return ctx.decline(op, "it is written for short vectors");
  needs.push_back({4096});
  return success();
}

/// Copies of tile.load as the family starts them.
LogicalResult startCopy(Operation *load, simt::CopyLoweringContext &ctx, const simt::CopyPiece &piece) {
  if (isBad("piece"))
    return ctx.decline(load, "it has second thoughts");
  simt::RegisterCode &code = ctx.code();
  if (!isBad("started"))
    simt::CopyAsyncOp::create(code.b, code.loc, piece.source, piece.target, piece.bytes, piece.mask, piece.valid);
  return success();
}

void registerAll(TargetRegistry &registry) {
  registry.addLowering({"first.exp", "nvidia", "math.exp", 200, lowerExp});
  registry.addLowering({"first.sum", "gpu", "tile.reduce", 60, lowerReduce});
  registry.addLowering({"first.call", "gpu", "tile.call_extern", 50, lowerCall});
  registry.addLowering({"first.splat", "gpu", "tensor.splat", 10, lowerSplat});
  registry.addLowering({"first.scaled", "nvidia", "tile.dot_scaled", 100, [](Operation *op, LoweringContext &ctx) {
                          return ctx.decline(op, "it has seen the scales");
                        }});
  if (std::getenv("COPIES"))
    simt::addCopyLowering(registry, {"first.copies", "nvidia", "tile.load", 100, startCopy});
  if (std::getenv("REGISTERS"))
    simt::addLowering(registry, {"first.registers", "gpu", "tile.reduce", 70, lowerInRegisters,
                                 isBad("unsaid") ? nullptr : needsInRegisters});
  if (std::getenv("BARRIER"))
    registry.addLowering({"first.barrier", "gpu", "gpu.barrier", 60, takeBarrier});
}
KILN_TARGET_PLUGIN("first", "1.0", registerAll)
#else
auto looks(const char *reason) {
  return [=](Operation *op, LoweringContext &ctx) -> LogicalResult { return ctx.decline(op, reason); };
}

void registerAll(TargetRegistry &registry) {
  registry.addLowering({"second.exp", "gpu", "math.exp", 300, looks("it goes first")});
  registry.addLowering({"second.exp2", "nvidia", "math.exp2", 50, looks("it is asked what others emit")});
  registry.addLowering({"second.sum", "nvidia", "tile.reduce", 60, looks("it was loaded last")});
  registry.addLowering({"second.late", "nvidia", "math.exp", 40, looks("it comes behind the family's own")});
}
KILN_TARGET_PLUGIN("second", "1.0", registerAll)
#endif
} // namespace
