// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every operation of stage is one of the machine's.
#include "../device/Isa.h"
#include "SystolicDialect.h"
#include "kiln/Staging/Scratchpad.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;
using namespace systolic;

namespace {

struct Lowering : public staging::ScratchpadLowering {
  using ScratchpadLowering::ScratchpadLowering;

  FailureOr<Value> beginTransfer(const staging::TransferBox &box) override {
    auto view = dyn_cast<BlockArgument>(box.view);
    if (!view || box.counts.size() > kMaxRank)
      return emitUnsupported(box.address.getDefiningOp(),
                             "a transfer of what is no argument of rank 4");
    auto make = [&](auto op) -> Value {
      return decltype(op)::create(b, loc, b.getIndexType(), view, box.offsets,
                                  box.address, box.padding, box.counts,
                                  box.strides, box.padding.getType());
    };
    return box.isIn ? make(DmaInOp()) : make(DmaOutOp());
  }
  void wait(Value transfer) override { WaitOp::create(b, loc, transfer); }
  void makeRing(int64_t ring, int64_t base, int64_t bytes,
                int64_t depth) override {
    RingOp::create(b, loc, ring, base, bytes, depth);
  }
  Value fillSlot(int64_t ring) override {
    return SlotFillOp::create(b, loc, b.getIndexType(), ring);
  }
  Value takeSlot(int64_t ring) override {
    return SlotTakeOp::create(b, loc, b.getIndexType(), ring);
  }
  void commitSlot(int64_t ring, ValueRange transfers) override {
    SlotCommitOp::create(b, loc, transfers, ring);
  }
  void freeSlot(int64_t ring) override { SlotFreeOp::create(b, loc, ring); }
  void fill(Value address, int64_t bytes, uint64_t word) override {
    FillOp::create(b, loc, address, bytes, word);
  }
  LogicalResult multiply(const staging::ProductBlock &block) override {
    stage::ProductOp op = block.op;
    if (!op.getRow() || op.getInputPrecision() == tile::InputPrecision::tf32)
      return emitUnsupported(op, "a product that the array does not compute");
    SmallVector<Value> operands(block.addresses.begin(), block.addresses.end());
    operands.append(block.sizes.begin(), block.sizes.end());
    MmaOp::create(b, loc, operands, block.rowBytes,
                  getElementTypeOrSelf(op.getLhs()));
    return success();
  }
};

struct ConvertStageToSystolic
    : PassWrapper<ConvertStageToSystolic, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertStageToSystolic)
  StringRef getArgument() const final { return "convert-stage-to-systolic"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<SystolicDialect, arith::ArithDialect, scf::SCFDialect>();
  }
  void runOnOperation() override {
    BoundTarget bound = TargetRegistry::get().boundTarget(getOperation());
    IRRewriter rewriter(&getContext());
    for (auto kernel : getOperation().getOps<tile::KernelOp>()) {
      // Instances run one after the other.
      LogicalResult done =
          kernel.getProgress()
              ? emitUnsupported(kernel, "instances that wait for each other")
              : Lowering(rewriter, bound).run(kernel);
      if (failed(done))
        return signalPassFailure();
    }
  }
};

} // namespace

std::unique_ptr<Pass> systolic::createConvertStageToSystolic() {
  return std::make_unique<ConvertStageToSystolic>();
}
