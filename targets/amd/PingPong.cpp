//===- PingPong.cpp - Halves of a workgroup in turns ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each SIMD has two waves of a workgroup of eight. In step, both read LDS, and
// then both multiply. This pass shifts one half of the waves by half of an
// iteration, so that one reads while the other multiplies:
//
//   for i: wait for copies of i; barrier; copy i + n; read and multiply i
//   =>
//   wait for copies of 0; the second half: barrier
//   for i: barrier; copy i + n; read i; wait for copies of i + 1; barrier;
//          multiply i
//   the first half: barrier
//
// The waves count barriers alike. The first half reads tile i behind barrier
// 2i + 1, the second one behind barrier 2i + 2. Copies of tile i are waited for
// by all before barrier 2i + 1: by the first half before barrier 2i, by the
// second one before its second barrier of iteration i - 1, which is that one.
// The slot that iteration i fills was read in iteration i - 1, by the second
// half up to the same barrier, and waves wait for what they have read before
// each barrier; so it is free behind barrier 2i + 1.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "LowerOps.h"
#include "Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

/// SIMDs of a compute unit.
constexpr int64_t kSimds = 4;
/// Bytes of a thread for all that an iteration reads of LDS.
constexpr int64_t kMostBytes = 384;

/// Bytes that a thread reads of LDS; 0 for anything else.
static int64_t readBytes(Operation *op) {
  if (auto matrix = dyn_cast<simt::LoadMatrixOp>(op))
    return 4 * int64_t(matrix->getNumResults());
  auto load = dyn_cast<LLVM::LoadOp>(op);
  if (!load || load.getAddr().getType().getAddressSpace() != simt::kShared)
    return 0;
  int64_t count = 1;
  Type type = load.getType();
  if (auto vector = dyn_cast<VectorType>(type)) {
    count = vector.getNumElements();
    type = vector.getElementType();
  }
  return type.isIntOrFloat()
             ? count * llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)
             : 0;
}

namespace {
/// One loop.
class Shifter {
public:
  Shifter(scf::ForOp loop, int64_t threads)
      : loop(loop), body(*loop.getBody()), threads(threads) {}

  void run() {
    if (suits())
      rewrite();
  }

private:
  /// Whether the loop only waits, copies, reads and multiplies, in this order
  /// but for reads among the products.
  bool suits() {
    int64_t bytes = 0;
    bool copies = false;
    for (Operation &op : body.without_terminator()) {
      if (auto product = dyn_cast<simt::MmaOp>(op)) {
        if (!first)
          first = product;
        last = product;
      } else if (auto one = dyn_cast<simt::WaitCopiesOp>(op)) {
        if (wait || barrier)
          return false;
        wait = one;
      } else if (auto one = dyn_cast<simt::BarrierOp>(op)) {
        if (!wait || barrier || one.getMemories() == simt::Memories::All)
          return false;
        barrier = one;
      } else if (isa<AsyncCopyOpInterface, simt::CommitCopiesOp>(op)) {
        if (!barrier)
          return false;
        copies = true;
      } else if (int64_t read = readBytes(&op)) {
        if (!barrier)
          return false;
        bytes += read;
      } else if (op.getNumRegions() || !isMemoryEffectFree(&op)) {
        return false;
      }
    }
    // Copies of the next iteration must have begun in the one before.
    return first && barrier && copies && wait.getBut() > 0 &&
           bytes <= kMostBytes;
  }

  /// Moves what does not follow from products before the first one.
  void gather() {
    llvm::SmallPtrSet<Operation *, 32> late;
    SmallVector<Operation *> moved;
    for (Operation &op : body.without_terminator()) {
      bool follows = isa<simt::MmaOp>(op) ||
                     llvm::any_of(op.getOperands(), [&](Value operand) {
                       Operation *made = operand.getDefiningOp();
                       return made && late.contains(made);
                     });
      if (follows)
        late.insert(&op);
      else if (first->isBeforeInBlock(&op))
        moved.push_back(&op);
    }
    for (Operation *op : moved)
      op->moveBefore(first);
  }

  void rewrite() {
    gather();
    Location loc = loop.getLoc();
    OpBuilder b(loop);
    simt::WaitCopiesOp::create(b, loc, wait.getBut());
    Value second = isSecondHalf(b, loc);
    arriveIf(b, loc, second);
    wait->moveBefore(first);
    b.setInsertionPoint(first);
    simt::BarrierOp::create(b, loc, barrier.getMemories());
    // The half that multiplies goes first where both could issue.
    ROCDL::SetPrioOp::create(b, loc, 1);
    b.setInsertionPointAfter(last);
    ROCDL::SetPrioOp::create(b, loc, 0);
    b.setInsertionPointAfter(loop);
    Value yes = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
    arriveIf(b, loc, arith::XOrIOp::create(b, loc, second, yes));
  }

  /// A number of the wave, in scalar registers: branches by it are those of
  /// whole waves.
  Value isSecondHalf(OpBuilder &b, Location loc) const {
    Value thread = arith::IndexCastOp::create(
        b, loc, b.getI32Type(),
        gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x));
    Value first =
        callIntrinsic(b, loc, b.getI32Type(), "readfirstlane", thread);
    return arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::uge, first,
        arith::ConstantIntOp::create(b, loc, b.getI32Type(), threads / 2));
  }

  void arriveIf(OpBuilder &b, Location loc, Value condition) {
    auto branch =
        scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
    OpBuilder inner = branch.getThenBodyBuilder();
    simt::BarrierOp::create(inner, loc, barrier.getMemories());
  }

  scf::ForOp loop;
  Block &body;
  int64_t threads;
  simt::MmaOp first, last;
  simt::WaitCopiesOp wait;
  simt::BarrierOp barrier;
};

struct PingPong : PassWrapper<PingPong, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PingPong)
  StringRef getName() const final { return "AmdPingPong"; }
  StringRef getArgument() const override { return "amd-ping-pong"; }
  StringRef getDescription() const override {
    return "Lets one half of the waves read LDS while the other multiplies";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, arith::ArithDialect, gpu::GPUDialect,
                    ROCDL::ROCDLDialect, scf::SCFDialect>();
  }

  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      simt::ThreadBlockAttr block = simt::getThreadBlock(function);
      if (!block || block.getThreads() != 2 * kSimds * chip->lanes)
        continue;
      SmallVector<scf::ForOp> loops;
      function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      for (scf::ForOp loop : loops)
        Shifter(loop, block.getThreads()).run();
    }
  }
};
} // namespace

std::unique_ptr<Pass> amd::createPingPongPass() {
  return std::make_unique<PingPong>();
}
