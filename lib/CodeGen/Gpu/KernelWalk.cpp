//===- KernelWalk.cpp - The function of a kernel, in program order --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelWalk.h"
#include "Grid.h"
#include "LayoutChoice.h"
#include "MemoryProducts.h"
#include "kiln/Dialect/Simt/LaunchAttrs.h"
#include "kiln/Dialect/Simt/ThreadCode.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Target/Declines.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/TypeSwitch.h"

namespace kiln::simt {
#define GEN_PASS_DEF_CONVERTTILETOSIMT
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

KernelWalk::KernelWalk(tile::KernelOp kernel, OpBuilder &builder, int64_t lanes,
                       int64_t warps, target::TargetAttr description)
    : ThreadBuilder(builder, kernel.getLoc(), lanes, warps), kernel(kernel),
      description(description), shape(lanes, warps, description) {
  marksUniform = sharesRegisters(description);
  namesMemories = simt::namesMemories(description);
}

Value KernelWalk::scalar(Value value) {
  auto it = scalars.find(value);
  assert(it != scalars.end() && "a scalar that was not emitted");
  return it->second;
}

const Regs &KernelWalk::registers(Value tile) {
  auto it = tiles.find(tile);
  assert(it != tiles.end() && "a tile that was not emitted");
  return it->second;
}

void KernelWalk::define(Value value, Regs regs) {
  assert(int64_t(regs.size()) == getLayout(value).getNumRegisters());
  tiles[value] = std::move(regs);
}

void KernelWalk::define(Value value, Value scalar) { scalars[value] = scalar; }

LogicalResult KernelWalk::decline(Operation *op, const Twine &why) {
  target::restoreDeclines(op);
  return target::emitUnsupported(op, why);
}

int64_t KernelWalk::scratch(int64_t bytes, int64_t warpBytes) {
  size_t at = 2 * scratchUsed++;
  if (at + 1 >= scratchPlaces.size() || scratchPlaces[at + 1] < bytes) {
    scratchPlaces = {};
    return 0; // the operation is in error
  }
  StorageArea area{scratchPlaces[at], scratchPlaces[at] + bytes};
  if (at && area.overlaps({scratchPlaces[at - 2],
                           scratchPlaces[at - 2] + scratchPlaces[at - 1]}))
    warpBytes ? warpBarrier() : barrier();
  return area.begin;
}

void KernelWalk::warpBarrier() { WarpBarrierOp::create(b, loc); }

int64_t KernelWalk::registerAt(LayoutAttr layout, ArrayRef<int64_t> offset) {
  // Elimination would do; there are few bits.
  Basis rest(offset);
  int64_t reg = 0;
  auto bases = layout.getRegisterBases();
  // Bases are mostly single bits of their own: greedy, then checked.
  for (auto [bit, basis] : llvm::enumerate(bases)) {
    bool covered = true, any = false;
    for (auto [have, want] : llvm::zip_equal(rest, basis)) {
      covered &= (have & want) == want;
      any |= want != 0;
    }
    if (!covered || !any)
      continue;
    reg |= int64_t(1) << bit;
    for (auto [have, want] : llvm::zip_equal(rest, basis))
      have ^= want;
  }
  if (layout.getRegisterOffset(reg) == Basis(offset))
    return reg;
  for (reg = 0; reg < layout.getNumRegisters(); ++reg)
    if (layout.getRegisterOffset(reg) == Basis(offset))
      return reg;
  return -1;
}

void KernelWalk::guarded(Value condition, function_ref<void()> make) {
  if (!condition)
    return make();
  auto choice = scf::IfOp::create(b, loc, condition);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  make();
}

FailureOr<SmallVector<Value>> KernelWalk::inlineRegion(Region &region,
                                                       ValueRange arguments) {
  Block &block = region.front();
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    scalars[argument] = value;
  for (Operation &op : block.without_terminator())
    if (failed(emitScalar(&op)))
      return failure();
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return scalar(value); });
}

//===----------------------------------------------------------------------===//
// Parameters and the function
//===----------------------------------------------------------------------===//

void KernelWalk::bindParameters(LLVM::LLVMFuncOp function) {
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

LogicalResult KernelWalk::run() {
  auto shared = kernel->getAttrOfType<IntegerAttr>(kSharedBytesAttr);
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
  entry = function.addEntryBlock(b);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(entry);
  bindParameters(function);
  if (failed(emitBlock(&kernel.getBody().front())))
    return failure();
  LLVM::ReturnOp::create(b, loc, ValueRange());
  function->setAttr(kThreadsAttr, b.getI64IntegerAttr(threads()));
  if (lanes != lanesOf(description))
    function->setAttr(kLanesAttr, b.getI64IntegerAttr(lanes));
  function->setAttr(kParametersAttr,
                    b.getTypeArrayAttr(kernel.getArgumentTypes()));
  function->setAttr(kSharedBytesAttr, shared);
  if (kernel.getProgress() == tile::Progress::concurrent)
    function->setAttr(kCooperativeAttr, b.getUnitAttr());
  if (tile::isPersistent(kernel))
    function->setAttr(kPersistentAttr, b.getUnitAttr());
  if (auto numerics = kernel.getNumericsAttr())
    function->setAttr(kNumericsAttr, numerics);
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult KernelWalk::emitBlock(Block *block) {
  for (Operation &op : block->without_terminator()) {
    loc = op.getLoc();
    scratchUsed = 0;
    auto places = op.getAttrOfType<DenseI64ArrayAttr>(kScratchAttr);
    scratchPlaces = places ? places.asArrayRef() : ArrayRef<int64_t>();
    if (failed(emitOp(&op)))
      return failure();
    if (scratchUsed && scratchPlaces.empty())
      return op.emitOpError("borrows shared memory without a place; run "
                            "simt-insert-barriers before");
  }
  return success();
}

static bool hasTiles(Operation *op) {
  auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTile) ||
         llvm::any_of(op->getResultTypes(), isTile);
}

LogicalResult KernelWalk::emitOp(Operation *op) {
  for (Value result : op->getResults())
    if (isa<RankedTensorType>(result.getType()) && !getLayout(result))
      return op->emitOpError(
          "has a tile without a layout; run simt-assign-layouts before");
  if (isLookup(op))
    return success(); // with what it is written to
  if (auto access = dyn_cast<ViewAccessOpInterface>(op))
    return emitViewAccess(access);
  if (isa_and_nonnull<stage::StageDialect>(op->getDialect()))
    return emitStage(op);
  if (op->getNumResults() && lateReads.contains(op->getResult(0)))
    return success();
  if (emitGridOp(*this, op))
    return success();
  if (isa<MatrixProductOpInterface>(op))
    return emitProduct(op);
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp op) { return emitFor(op); })
      .Case([&](scf::IfOp op) { return emitIf(op); })
      .Case([&](scf::WhileOp op) { return emitWhile(op); })
      .Case([&](arith::ConstantOp op) { return emitConstant(op); })
      .Case([&](tile::ProgramIdOp op) {
        for (auto [result, id] : llvm::zip(op.getIds(), programIds))
          define(result, id);
        return success();
      })
      .Case([&](tile::NumProgramsOp op) {
        for (auto [result, count] : llvm::zip(op.getCounts(), programCounts))
          define(result, count);
        return success();
      })
      .Case([&](tile::MakeViewOp op) {
        (void)viewOf(op.getResult());
        return success();
      })
      .Case([&](tile::DimOp op) {
        define(op.getResult(), viewOf(op.getView()).sizes[op.getDim()]);
        return success();
      })
      .Case([&](tile::NumBlocksOp op) {
        Value size = viewOf(op.getView()).sizes[op.getDim()];
        define(op.getResult(), b.createOrFold<arith::CeilDivSIOp>(
                                   loc, size, c64(op.getBlock())));
        return success();
      })
      .Case([&](tile::ReduceOp op) { return emitReduce(op); })
      .Case([&](tile::ScanOp op) { return emitScan(op); })
      .Case([&](tile::SortOp op) { return emitSort(op); })
      .Case([&](tile::HistogramOp op) { return emitHistogram(op); })
      .Case([&](tile::GatherOp op) { return emitGather(op); })
      .Case([&](tile::AssumeOp) { return success(); })
      .Case([&](tile::AssertOp op) { return emitAssert(op); })
      .Case([&](tile::PrintOp op) { return emitPrint(op); })
      .Case<tile::PtrAddOp, tile::PtrCastOp, tile::PtrToIntOp,
            tile::IntToPtrOp>([&](Operation *op) { return emitPointerOp(op); })
      .Case([&](tile::LoadPtrOp op) { return emitLoadPtr(op); })
      .Case([&](tile::StorePtrOp op) { return emitStorePtr(op); })
      .Case<tile::AtomicRMWOp, tile::AtomicCASOp>(
          [&](Operation *op) { return emitAtomic(op); })
      .Case<::mlir::gpu::BarrierOp, BarrierOp, WarpBarrierOp, PublishOp,
            CommitCopiesOp, WaitCopiesOp, WaitProductsOp, CreateSplitBarrierOp,
            ArriveOp, AwaitOp>([&](Operation *op) { return emitWait(op); })
      .Case([&](tile::InlineAsmOp op) { return emitInlineAsm(op); })
      .Case([&](tensor::ExtractOp op) -> LogicalResult {
        if (!op.getIndices().empty())
          return emitExtract(op);
        define(op.getResult(), registers(op.getTensor())[0]);
        return success();
      })
      .Default([&](Operation *op) -> LogicalResult {
        if (auto moved = dyn_cast<IndexMapOpInterface>(op))
          if (moved.movesElements() || moved.getGeneratedElement())
            return emitMovement(op);
        if (!hasTiles(op))
          return emitScalar(op);
        if (OpTrait::hasElementwiseMappableTraits(op))
          return emitElementwise(op);
        return decline(op, op->getName().getStringRef());
      });
}

LogicalResult KernelWalk::emitWait(Operation *op) {
  TypeSwitch<Operation *>(op)
      .Case([&](::mlir::gpu::BarrierOp) { barrier(Memories::All); })
      .Case([&](BarrierOp op) { barrier(op.getMemories()); })
      .Case([&](WarpBarrierOp) { warpBarrier(); })
      .Case([&](PublishOp) { PublishOp::create(b, loc); })
      .Case([&](CommitCopiesOp) { CommitCopiesOp::create(b, loc); })
      .Case([&](WaitCopiesOp op) { WaitCopiesOp::create(b, loc, op.getBut()); })
      .Case([&](CreateSplitBarrierOp op) {
        CreateSplitBarrierOp::create(b, loc, op.getPlace());
      })
      .Case([&](ArriveOp op) {
        define(op.getPhase(),
               ArriveOp::create(b, loc, b.getI64Type(), op.getPlace()));
      })
      .Case([&](AwaitOp op) {
        AwaitOp::create(b, loc, scalar(op.getPhase()), op.getPlace());
      })
      .Case([&](WaitProductsOp op) {
        SmallVector<Value> values = flatten(op.getValues());
        auto wait = WaitProductsOp::create(
            b, loc, ValueRange(values).getTypes(), op.getBut(), values);
        unflatten(op.getResults(), wait.getResults());
      });
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertTileToSimt
    : simt::impl::ConvertTileToSimtBase<ConvertTileToSimt> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    target::TargetAttr description = target::getDescription(module);
    OpBuilder builder(&getContext());
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
      auto warps = kernel->getAttrOfType<IntegerAttr>(kWarpsAttr);
      KernelWalk walk(kernel, builder, lanes, warps ? warps.getInt() : 4,
                      description);
      reportLowerings(kernel, description);
      if (failed(walk.run()))
        return signalPassFailure();
      kernel.erase();
    }
  }
};
} // namespace
