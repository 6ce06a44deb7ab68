//===- OwnLowerings.cpp - The family's lowerings of tiles in registers ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OwnLowerings.h"
#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Tile/ExchangeOps.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/Names.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// What a lowering of the family is: its code, and what it borrows.
template <typename OpT> using Lower = LogicalResult (*)(OpT, KernelWalk &);
template <typename OpT> using Needs = ScratchNeeds (*)(OpT, const BlockShape &);

class Table {
public:
  explicit Table(target::TargetRegistry &registry) : registry(registry) {}

  /// For operations of a name or a kind, whose class is OpT.
  template <typename OpT>
  void add(StringRef op, Lower<OpT> lower, Needs<OpT> needs = nullptr) {
    StringRef last = op.contains('.') ? op.rsplit('.').second : op;
    RegisterLowering lowering{
        ("gpu." + last).str(), GpuLoweringContext::kFamily.str(), op.str(),
        GpuLoweringContext::kOwnPriority,
        [lower](Operation *op, RegisterLoweringContext &context) {
          return lower(cast<OpT>(op),
                       static_cast<KernelWalk &>(context.code()));
        }};
    if (needs)
      lowering.needs = [needs](Operation *op, RegisterLoweringContext &context,
                               ScratchNeeds &result) {
        result = needs(cast<OpT>(op),
                       static_cast<const BlockShape &>(context.block));
        return success();
      };
    addLowering(registry, std::move(lowering));
  }
  template <typename OpT>
  void add(Lower<OpT> lower, Needs<OpT> needs = nullptr) {
    add<OpT>(OpT::getOperationName(), lower, needs);
  }

private:
  target::TargetRegistry &registry;
};
} // namespace

template <typename OpT>
static ScratchNeeds outputNeeds(OpT op, const BlockShape &block) {
  return simt::outputNeeds(op.getOperation(), block);
}

/// What is known at this level costs nothing.
template <typename OpT> static LogicalResult lowerNothing(OpT, KernelWalk &) {
  return success();
}

//===----------------------------------------------------------------------===//
// Barriers, waits and fences, which stand in the kernel already
//===----------------------------------------------------------------------===//

static LogicalResult lowerGpuBarrier(::mlir::gpu::BarrierOp, KernelWalk &w) {
  w.barrier(Memories::All);
  return success();
}

static LogicalResult lowerBarrier(BarrierOp op, KernelWalk &w) {
  w.barrier(op.getMemories());
  return success();
}

static LogicalResult lowerWarpBarrier(WarpBarrierOp, KernelWalk &w) {
  w.warpBarrier();
  return success();
}

static LogicalResult lowerPublish(PublishOp, KernelWalk &w) {
  PublishOp::create(w.b, w.loc);
  return success();
}

static LogicalResult lowerCommitCopies(CommitCopiesOp, KernelWalk &w) {
  CommitCopiesOp::create(w.b, w.loc);
  return success();
}

static LogicalResult lowerWaitCopies(WaitCopiesOp op, KernelWalk &w) {
  WaitCopiesOp::create(w.b, w.loc, op.getBut());
  return success();
}

static LogicalResult lowerCreateSplitBarrier(CreateSplitBarrierOp op,
                                             KernelWalk &w) {
  CreateSplitBarrierOp::create(w.b, w.loc, op.getPlace());
  return success();
}

static LogicalResult lowerCreateBarriers(CreateBarriersOp op, KernelWalk &w) {
  CreateBarriersOp::create(w.b, w.loc, op.getPlace(), op.getCount(),
                           op.getArrivals());
  return success();
}

static LogicalResult lowerArrive(ArriveOp op, KernelWalk &w) {
  w.define(op.getPhase(),
           ArriveOp::create(w.b, w.loc, w.b.getI64Type(), op.getPlace()));
  return success();
}

static LogicalResult lowerAwait(AwaitOp op, KernelWalk &w) {
  AwaitOp::create(w.b, w.loc, w.scalar(op.getPhase()), op.getPlace());
  return success();
}

static LogicalResult lowerWaitProducts(WaitProductsOp op, KernelWalk &w) {
  SmallVector<Value> values = w.flatten(op.getValues());
  auto wait = WaitProductsOp::create(w.b, w.loc, ValueRange(values).getTypes(),
                                     op.getBut(), values);
  w.unflatten(op.getResults(), wait.getResults());
  return success();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Kinds come before operations: of two for one operation the last one counts.
static void addKinds(Table &table) {
  table.add<Operation *>(kElementwise, lowerElementwise);
  table.add<Operation *>(kMovement, lowerMovement, movementNeeds);
  table.add<Operation *>(kMatrixProduct, lowerProduct, productNeeds);
  table.add<ViewAccessOpInterface>(kViewRead, lowerViewAccess);
  table.add<ViewAccessOpInterface>(kViewWrite, lowerViewAccess);
}

static void addTiles(Table &table) {
  table.add<arith::ConstantOp>(lowerConstant);
  table.add<tensor::ExtractOp>(lowerExtract, extractNeeds);
  table.add<tile::ReduceOp>(lowerReduce, reduceNeeds);
  table.add<tile::ScanOp>(lowerScan, scanNeeds);
  table.add<tile::SortOp>(lowerSort, sortNeeds);
  table.add<tile::HistogramOp>(lowerHistogram, histogramNeeds);
  table.add<tile::ExchangeOp>(lowerExchange, exchangeNeeds);
  table.add<tile::GatherOp>(lowerGather, gatherNeeds);
  table.add<tile::InlineAsmOp>(lowerInlineAsm, inlineAsmNeeds);
  table.add<tile::PrintOp>(lowerPrint, outputNeeds<tile::PrintOp>);
  table.add<tile::AssertOp>(lowerAssert, outputNeeds<tile::AssertOp>);
  table.add<tile::AssumeOp>(lowerNothing);
}

static void addPointers(Table &table) {
  for (StringRef op :
       {tile::PtrAddOp::getOperationName(), tile::PtrCastOp::getOperationName(),
        tile::PtrToIntOp::getOperationName(),
        tile::IntToPtrOp::getOperationName()})
    table.add<Operation *>(op, lowerPointerOp);
  table.add<tile::LoadPtrOp>(lowerLoadPtr);
  table.add<tile::StorePtrOp>(lowerStorePtr);
  for (StringRef op : {tile::AtomicRMWOp::getOperationName(),
                       tile::AtomicCASOp::getOperationName()})
    table.add<Operation *>(op, lowerAtomicOp, atomicNeeds);
}

static void addFrame(Table &table) {
  table.add<scf::ForOp>(lowerFor);
  table.add<scf::IfOp>(lowerIf);
  table.add<scf::WhileOp>(lowerWhile);
  table.add<tile::ProgramIdOp>(lowerProgramId);
  table.add<tile::NumProgramsOp>(lowerNumPrograms);
  table.add<tile::InstanceIdOp>(lowerInstanceId);
  table.add<tile::NumInstancesOp>(lowerNumInstances);
  table.add<tile::GridCoordinatesOp>(lowerGridCoordinates);
  table.add<tile::MakeViewOp>(lowerMakeView);
  table.add<tile::DimOp>(lowerDim);
  table.add<tile::NumBlocksOp>(lowerNumBlocks);
}

static void addStorage(Table &table) {
  table.add<stage::RingOp>(lowerRing);
  table.add<stage::AllocOp>(lowerAlloc);
  table.add<stage::ProduceOp>(lowerProduce);
  table.add<stage::ConsumeOp>(lowerConsume);
  table.add<stage::ReleaseOp>(lowerRelease);
  table.add<stage::CopyOp>(lowerCopy);
  table.add<stage::WriteOp>(lowerWrite);
  table.add<stage::ReadOp>(lowerRead);
  table.add<::mlir::gpu::BarrierOp>(lowerGpuBarrier);
  table.add<BarrierOp>(lowerBarrier);
  table.add<WarpBarrierOp>(lowerWarpBarrier);
  table.add<PublishOp>(lowerPublish);
  table.add<CommitCopiesOp>(lowerCommitCopies);
  table.add<WaitCopiesOp>(lowerWaitCopies);
  table.add<WaitProductsOp>(lowerWaitProducts);
  table.add<CreateSplitBarrierOp>(lowerCreateSplitBarrier);
  table.add<CreateBarriersOp>(lowerCreateBarriers);
  table.add<ArriveOp>(lowerArrive);
  table.add<AwaitOp>(lowerAwait);
}

void simt::addOwnLowerings(target::TargetRegistry &registry) {
  Table table(registry);
  addKinds(table);
  addTiles(table);
  addPointers(table);
  addFrame(table);
  addStorage(table);
}
