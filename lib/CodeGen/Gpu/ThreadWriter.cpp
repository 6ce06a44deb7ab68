//===- ThreadWriter.cpp - The function of a kernel, in program order
//--------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ThreadWriter.h"
#include "LaunchRanges.h"
#include "Lowerings.h"
#include "MemoryProducts.h"
#include "OwnLowerings.h"
#include "RegisterCandidates.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Simt/ThreadCode.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/Declines.h"
#include "kiln/Target/ForeignOperation.h"
#include "mlir/Pass/Pass.h"
#include <limits>

namespace kiln::simt {
#define GEN_PASS_DEF_CONVERTTILETOSIMT
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

ThreadWriter::ThreadWriter(tile::KernelOp kernel, RewriterBase &builder,
                           int64_t lanes, int64_t warps,
                           target::TargetAttr description)
    : RegisterCode(builder, kernel.getLoc(), lanes, warps), kernel(kernel),
      description(description), shape(kernel, lanes, warps, description),
      rewriter(builder) {
  marksUniform = sharesRegisters(description);
  namesMemories = simt::namesMemories(description);
}

LogicalResult ThreadWriter::decline(Operation *op, const Twine &why) {
  target::restoreDeclines(op);
  return target::emitUnsupported(op, why);
}

FailureOr<SmallVector<Value>> ThreadWriter::inlineRegion(Region &region,
                                                         ValueRange arguments) {
  Block &block = region.front();
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    define(argument, value);
  for (Operation &op : block.without_terminator())
    if (failed(lowerScalar(&op, *this)))
      return failure();
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return scalar(value); });
}

//===----------------------------------------------------------------------===//
// Parameters and the function
//===----------------------------------------------------------------------===//

void ThreadWriter::bindParameters(LLVM::LLVMFuncOp function) {
  unsigned next = 0;
  auto word = [&]() -> Value { return entry->getArgument(next++); };
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    auto type = dyn_cast<tile::ViewType>(argument.getType());
    if (!type) {
      define(argument, word());
      continue;
    }
    ViewParts view;
    view.base = word();
    for (int64_t size : type.getShape()) {
      Value given = word();
      view.sizes.push_back(ShapedType::isDynamic(size) ? given : c64(size));
    }
    for (int64_t d = 0; d < type.getRank(); ++d) {
      Value given = word();
      int64_t stride = type.getStaticStride(d);
      view.strides.push_back(ShapedType::isDynamic(stride) ? given
                                                           : c64(stride));
    }
    views[argument] = view;
  }
  for (int d = 0; d < 3; ++d)
    programCounts.push_back(word());
  // Blocks form a grid of these extents or one axis, along which x runs
  // fastest: only then is there anything to divide.
  bool isLinear = description && description.getTopology() &&
                  description.getTopology().getGridAxes() == 1;
  b.setInsertionPointToEnd(entry);
  using ::mlir::gpu::Dimension;
  auto number = [&](auto made) -> Value {
    return arith::IndexCastUIOp::create(b, loc, b.getI32Type(), made);
  };
  auto blockId = [&](Dimension d) {
    return number(::mlir::gpu::BlockIdOp::create(b, loc, b.getIndexType(), d));
  };
  Value linear = blockId(Dimension::x), width;
  if (!isLinear)
    width = number(
        ::mlir::gpu::GridDimOp::create(b, loc, b.getIndexType(), Dimension::x));
  Value gx = narrow(programCounts[0]), gy = narrow(programCounts[1]);
  auto divided = [&] {
    Value rows = arith::DivUIOp::create(b, loc, linear, gx);
    return SmallVector<Value>{arith::RemUIOp::create(b, loc, linear, gx),
                              arith::RemUIOp::create(b, loc, rows, gy),
                              arith::DivUIOp::create(b, loc, rows, gy)};
  };
  if (isLinear) {
    for (Value id : divided())
      programIds.push_back(widen(id));
    return;
  }
  SmallVector<Type> types(3, b.getI32Type());
  auto ids = scf::IfOp::create(b, loc, types,
                               compare(arith::CmpIPredicate::eq, width, gx),
                               /*addThenBlock=*/true, /*addElseBlock=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(ids.thenBlock());
    scf::YieldOp::create(
        b, loc, {linear, blockId(Dimension::y), blockId(Dimension::z)});
    b.setInsertionPointToEnd(ids.elseBlock());
    scf::YieldOp::create(b, loc, divided());
  }
  for (Value id : ids.getResults())
    programIds.push_back(widen(id));
}

/// Lowers what the first thread of a block runs alone.
static LogicalResult inFirstThread(ThreadWriter &w,
                                   llvm::function_ref<LogicalResult()> lower) {
  Value first = w.compare(arith::CmpIPredicate::eq, w.threadId(), w.c32(0));
  auto choice = scf::IfOp::create(w.b, w.loc, first, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(w.b);
  w.b.setInsertionPoint(choice.thenYield());
  return lower();
}

LogicalResult ThreadWriter::run() {
  auto kernel = cast<tile::KernelOp>(this->kernel.getOperation());
  auto shared = kernel.getSharedBytesAttr();
  if (!shared)
    return kernel.emitOpError(
        "has no barriers; run simt-insert-barriers before");
  MLIRContext *context = b.getContext();
  SmallVector<Type> parameters;
  Type i64 = b.getI64Type();
  auto pointer = LLVM::LLVMPointerType::get(context, kGlobal);
  for (Type type : kernel.getArgumentTypes()) {
    if (auto view = dyn_cast<tile::ViewType>(type)) {
      parameters.push_back(pointer);
      parameters.append(2 * view.getRank(), i64);
    } else {
      Type scalar = scalarType(type);
      parameters.push_back(scalar);
    }
  }
  parameters.append(3, i64);
  b.setInsertionPoint(kernel);
  function = LLVM::LLVMFuncOp::create(
      b, loc, kernel.getSymName(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                  parameters));
  if (checksBounds(description))
    annotateRanges(kernel, function);
  entry = function.addEntryBlock(b);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(entry);
  bindParameters(function);
  Block *body = &kernel.getBody().front();
  if (failed(getDecided(kernel, kFirstThreadEntry)
                 ? inFirstThread(*this, [&] { return lowerBlock(body); })
                 : lowerBlock(body)))
    return failure();
  LLVM::ReturnOp::create(b, loc, ValueRange());
  function->setAttr(
      kBlockAttr,
      ThreadBlockAttr::get(
          context, threads(), lanes != lanesOf(description) ? lanes : 0,
          shared.getInt(),
          /*cooperative=*/kernel.getProgress() == tile::Progress::concurrent,
          tile::isPersistent(kernel), kernel.getNumericsAttr(),
          b.getTypeArrayAttr(kernel.getArgumentTypes())));
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult ThreadWriter::lowerBlock(Block *block) {
  for (Operation &op : block->without_terminator()) {
    loc = op.getLoc();
    auto places = getDecided<DenseI64ArrayAttr>(&op, kScratchEntry);
    beginScratch(places ? places.asArrayRef() : ArrayRef<int64_t>());
    if (failed(lower(&op)))
      return failure();
    if (lacksScratch())
      return op.emitOpError("borrows shared memory without a place; run "
                            "simt-insert-barriers before");
  }
  return success();
}

LogicalResult ThreadWriter::lower(Operation *op) {
  for (Value result : op->getResults())
    if (stage::isTileOrFuture(result.getType()) && !getLayout(result))
      return op->emitOpError(
          "has a tile without a layout; run simt-assign-layouts before");
  if (isLookup(op))
    return success(); // with what it is written to
  if (!getDecided(op, kFirstThreadEntry))
    return applyLowering(op);
  return inFirstThread(*this, [&] { return applyLowering(op); });
}

LogicalResult ThreadWriter::applyLowering(Operation *op) {
  RegisterLoweringContext context(rewriter, shape.options, shape, this);
  for (const RegisterCandidate &candidate : candidatesFor(op, shape)) {
    const target::Lowering &lowering = *candidate.lowering;
    if (candidate.isOwn)
      return lowering.lower(op, context);
    if (target::hasDeclined(op, lowering.name))
      continue;
    FailureOr<bool> taken =
        target::LoweringRegistry::get().applyOne(lowering, op, context);
    if (failed(taken))
      return failure();
    if (!*taken)
      continue;
    if (lacksScratch())
      return op->emitError()
             << target::describeOwner("lowering", lowering.name,
                                      lowering.plugin)
             << " borrows more shared memory than it said it needs";
    // Barriers are placed as if the operation had waited where it borrows.
    if (leavesScratch())
      barrier(Memories::All);
    target::restoreDeclines(op);
    target::Report::of(op->getContext())
        .chose(op, "lowering", description ? description.getName() : "",
               lowering.name);
    return checkDefined(op, lowering);
  }
  return decline(op, target::whyNoLowering(op, shape.options.name));
}

/// Whether a result has as many registers as its layout, of its elements' type;
/// `found` is null for a scalar.
static LogicalResult
checkRegisters(OpResult result, const Regs *found,
               llvm::function_ref<InFlightDiagnostic()> wrong) {
  Type type = stage::getAwaitedType(result.getType());
  bool isTile = isa<RankedTensorType>(type);
  auto about = [&] {
    return "for its result " + std::to_string(result.getResultNumber());
  };
  if (isTile != (found != nullptr))
    return wrong() << " defined "
                   << (isTile ? "a scalar " : "registers of a tile ") << about()
                   << ", which is a " << result.getType();
  if (!isTile)
    return success();
  int64_t wanted = getLayout(result).getNumRegisters();
  if (int64_t(found->size()) != wanted)
    return wrong() << " defined " << found->size() << " registers " << about()
                   << ", expected " << wanted << " as its layout has";
  Type element = ThreadBuilder::scalarType(getElementTypeOrSelf(type));
  for (Value value : *found) {
    if (!value)
      return wrong() << " defined a register that is no value " << about();
    if (value.getType() != element)
      return wrong() << " defined registers of " << value.getType() << " "
                     << about() << ", expected " << element;
  }
  return success();
}

LogicalResult ThreadWriter::checkDefined(Operation *op,
                                         const target::Lowering &lowering) {
  auto wrong = [&] {
    return op->emitError() << target::describeOwner("lowering", lowering.name,
                                                    lowering.plugin);
  };
  for (OpResult result : op->getResults()) {
    if (!isDefined(result))
      return wrong()
             << " took the operation, but defined no registers for its result "
             << result.getResultNumber();
    auto found = tiles.find(result);
    if (failed(checkRegisters(
            result, found == tiles.end() ? nullptr : &found->second, wrong)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Threads compute addresses from what `tile.make_view` states.
static LogicalResult verifyViews(tile::KernelOp kernel) {
  WalkResult walked = kernel.walk([&](Operation *op) {
    if (isa<tile::MakeViewOp>(op) ||
        llvm::none_of(op->getResultTypes(), llvm::IsaPred<tile::ViewType>))
      return WalkResult::advance();
    (void)target::emitUnsupported(
        op, "a view that '" + op->getName().getStringRef() + "' makes");
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

namespace {
struct ConvertTileToSimt
    : simt::impl::ConvertTileToSimtBase<ConvertTileToSimt> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    target::TargetAttr description = target::getDescription(module);
    IRRewriter builder(&getContext());
    SmallVector<tile::KernelOp> kernels(module.getOps<tile::KernelOp>());
    if (kernels.empty())
      return;
    int64_t lanes = lanesOf(description, this->lanes);
    if (failed(verifyMachine(kernels.front(), description, lanes)))
      return signalPassFailure();
    builder.setInsertionPointToStart(module.getBody());
    int64_t align = 16;
    for (tile::KernelOp kernel : kernels)
      align = std::max(align, alignOfMemoryProducts(kernel, description));
    auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    LLVM::GlobalOp::create(builder, module.getLoc(), bytes,
                           /*isConstant=*/false, LLVM::Linkage::External,
                           kSharedSymbol, Attribute(), align, kShared);
    for (tile::KernelOp kernel : kernels) {
      if (failed(verifyViews(kernel)))
        return signalPassFailure();
      int64_t warps = warpsOf(kernel);
      // Threads are counted in 32 bits.
      if (warps > std::numeric_limits<int32_t>::max() / lanes) {
        kernel.emitOpError("unsupported: ")
            << warps << " warps of " << lanes << " lanes";
        return signalPassFailure();
      }
      ThreadWriter writer(kernel, builder, lanes, warps, description);
      reportLowerings(kernel, writer.shape);
      if (failed(writer.run()))
        return signalPassFailure();
      kernel.erase();
    }
  }
};
} // namespace
