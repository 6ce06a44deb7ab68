//===- OwnLowerings.cpp - The table of the family's lowerings -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OwnLowerings.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Interfaces/Names.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

namespace {
/// What a lowering of the family is.
template <typename OpT> using Lower = LogicalResult (*)(OpT, KernelEmitter &);

/// Registers lowerings of the tile level.
class Table {
public:
  explicit Table(target::TargetRegistry &registry) : registry(registry) {}

  /// For operations of a name or a kind, whose class is OpT.
  template <typename OpT>
  void add(StringRef name, StringRef op, Lower<OpT> lower) {
    target::Lowering lowering;
    lowering.name = name.str();
    lowering.target = CpuLoweringContext::kFamily.str();
    lowering.op = op.str();
    lowering.priority = kPriority;
    lowering.lower = [lower](Operation *op, target::LoweringContext &base) {
      auto *context = base.as<CpuLoweringContext>();
      if (!context)
        return base.decline(op, "works in the cpu family only");
      context->emitter.declined.clear();
      LogicalResult result = lower(cast<OpT>(op), context->emitter);
      if (failed(result) && !context->emitter.declined.empty())
        return base.decline(op, context->emitter.declined);
      return result;
    };
    registry.addLowering(std::move(lowering));
  }
  template <typename OpT> void add(Lower<OpT> lower) {
    StringRef op = OpT::getOperationName();
    add<OpT>(("cpu." + op.split('.').second).str(), op, lower);
  }

private:
  static constexpr int kPriority = 50;
  target::TargetRegistry &registry;
};

/// The frame, by the names of its operations.
class Frame {
public:
  Frame();
  FrameLowering find(Operation *op) const {
    return all.lookup(op->getName().getStringRef());
  }

private:
  template <typename OpT, Lower<OpT> lower> void add() {
    all[OpT::getOperationName()] = [](Operation *op, KernelEmitter &e) {
      return lower(cast<OpT>(op), e);
    };
  }
  llvm::StringMap<FrameLowering> all;
};
} // namespace

Frame::Frame() {
  add<scf::ForOp, lowerFor>();
  add<scf::IfOp, lowerIf>();
  add<scf::WhileOp, lowerWhile>();
  add<tile::ProgramIdOp, lowerProgramId>();
  add<tile::NumProgramsOp, lowerNumPrograms>();
  add<tile::DimOp, lowerDim>();
  add<tile::NumBlocksOp, lowerNumBlocks>();
  add<tile::MakeViewOp, lowerMakeView>();
  add<tile::PtrAddOp, lowerPtrAdd>();
  add<tile::PtrCastOp, lowerPtrCast>();
  add<tile::PtrToIntOp, lowerPtrToInt>();
  add<tile::IntToPtrOp, lowerIntToPtr>();
  add<stage::ComputeOp, lowerCompute>();
  add<stage::ProductOp, lowerProduct>();
  add<stage::PrefetchOp, lowerPrefetch>();
  all[stage::AllocOp::getOperationName()] = lowerStorage;
  all[memref::ReinterpretCastOp::getOperationName()] = lowerStorage;
}

FrameLowering cpu::findFrameLowering(Operation *op) {
  static const Frame frame;
  return frame.find(op);
}

/// What is known at this level costs nothing.
static LogicalResult lowerNothing(tile::AssumeOp, KernelEmitter &) {
  return success();
}

void cpu::addOwnLowerings(target::TargetRegistry &registry) {
  Table table(registry);
  table.add<MatrixProductOpInterface>("cpu.dot.packed", kMatrixProduct,
                                      lowerDot);
  table.add<tile::ReduceOp>(lowerReduce);
  table.add<ViewAccessOpInterface>("cpu.store", kViewWrite, lowerStore);
  table.add<tile::LoadPtrOp>(lowerLoadPtr);
  table.add<tile::StorePtrOp>(lowerStorePtr);
  table.add<tile::AtomicRMWOp>(lowerAtomicRMW);
  table.add<tile::AtomicCASOp>(lowerAtomicCAS);
  table.add<tile::ScanOp>(lowerScan);
  table.add<tile::GatherOp>(lowerGather);
  table.add<tile::SortOp>(lowerSort);
  table.add<tile::FourierOp>(lowerFourier);
  table.add<tile::HistogramOp>(lowerHistogram);
  table.add<tile::JoinOp>(lowerJoin);
  table.add<tile::SplitOp>(lowerSplit);
  table.add<tile::AssertOp>(lowerAssert);
  table.add<tile::AssumeOp>(lowerNothing);
  table.add<tile::PrintOp>(lowerPrint);
  table.add<tile::InlineAsmOp>(lowerInlineAsm);
}
