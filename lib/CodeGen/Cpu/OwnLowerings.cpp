//===- OwnLowerings.cpp - The table of the family's lowerings -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OwnLowerings.h"
#include "LoweringTable.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Interfaces/Names.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

void LoweringTable::addAny(
    StringRef name, StringRef op,
    std::function<LogicalResult(Operation *, KernelEmitter &)> lower) {
  constexpr int kPriority = 50;
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
    LogicalResult result = lower(op, context->emitter);
    if (failed(result) && !context->emitter.declined.empty())
      return base.decline(op, context->emitter.declined);
    return result;
  };
  registry.addLowering(std::move(lowering));
}

namespace {
template <typename OpT> using Lower = LoweringTable::Lower<OpT>;

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
  LoweringTable table(registry);
  // Files with kinds of operations come first: of two lowerings for one
  // operation the last one counts.
  addProductsLowerings(table);
  addStoreLowerings(table);
  addReduceLowerings(table);
  addScanLowerings(table);
  addFourierLowerings(table);
  addPointersLowerings(table);
  addOutputLowerings(table);
  addInlineAsmLowerings(table);
  table.add<tile::AssumeOp>(lowerNothing);
}
