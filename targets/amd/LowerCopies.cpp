//===- LowerCopies.cpp - Waits and barriers around copies into LDS --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy past registers is a load without a result: the lanes of a wave write
// pieces that follow each other, from an address in a scalar register on. It is
// a load of a raw buffer from what lanes have alike of the address on; lanes
// that copy nothing have an offset that is outside, and write zeros.
//
// Such copies count as loads ("AMD Instinct MI300"
// instruction set manual, "Memory Buffer Load to LDS", and VM_CNT), which end
// in the order in which they began. So a wait for all groups of copies but the
// latest ones is a wait for all loads but as many as these groups have copies;
// other loads among them only make it wait for more. The fences of a barrier
// would wait for all copies: in functions with copies a barrier waits for the
// wave's own accesses to LDS, and the fences only keep the compiler in order.
//
//===----------------------------------------------------------------------===//

#include "CopyAddresses.h"
#include "LowerOps.h"
#include "Passes.h"
#include "WaitCounts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

namespace {
struct LowerCopies : PassWrapper<LowerCopies, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerCopies)
  StringRef getName() const final { return "AmdLowerCopies"; }
  StringRef getArgument() const override { return "amd-lower-copies"; }
  StringRef getDescription() const override {
    return "Turns copies into LDS into loads, and waits for them into waits "
           "for "
           "counters";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<arith::ArithDialect, LLVM::LLVMDialect, ROCDL::ROCDLDialect>();
  }

  void runOnOperation() override {
    chip = chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      bool copies = false;
      function.walk([&](AsyncCopyOpInterface) { copies = true; });
      if (!copies)
        continue;
      // Addresses of all lanes are made one for a wave where they are computed.
      function.walk([](scf::ForOp loop) { moveLoopInvariantCode(loop); });
      lower(function);
    }
    scalars.clear();
    zeros = {};
  }

private:
  /// Copies of a group, at least.
  static int64_t copiesOfGroups(LLVM::LLVMFuncOp function) {
    int64_t least = kAny;
    function.walk([&](simt::CommitCopiesOp commit) {
      int64_t count = 0;
      for (Operation *op = commit->getPrevNode();
           op && !isa<simt::CommitCopiesOp>(op); op = op->getPrevNode())
        count += isa<AsyncCopyOpInterface>(op);
      least = std::min(least, count);
    });
    return least;
  }

  /// Lanes whose mask is false write zeros to a slot that is free while the
  /// loop runs. The groups of such copies need no wait, but what uses the bytes
  /// behind the loop must not meet them.
  static void endCopies(LLVM::LLVMFuncOp function) {
    bool masks = false;
    function.walk(
        [&](simt::CopyAsyncOp copy) { masks |= bool(copy.getMask()); });
    function.walk([&](scf::ForOp loop) {
      if (!masks || loop.getOps<simt::CopyAsyncOp>().empty())
        return;
      OpBuilder b(loop);
      b.setInsertionPointAfter(loop);
      ROCDL::SWaitcntOp::create(b, loop.getLoc(), waitFor(0, kAny));
      lowerBarrier(b, loop.getLoc());
    });
  }

  void lower(LLVM::LLVMFuncOp function) {
    endCopies(function);
    int64_t each = copiesOfGroups(function);
    SmallVector<Operation *> done;
    function.walk([&](Operation *op) {
      OpBuilder b(op);
      if (auto wait = dyn_cast<simt::WaitCopiesOp>(op)) {
        ROCDL::SWaitcntOp::create(b, op->getLoc(),
                                  waitFor(int64_t(wait.getBut()) * each, kAny));
        done.push_back(op);
      } else if (isa<simt::CommitCopiesOp>(op)) {
        // LLVM would sink copies behind the products that hide them.
        if (op->getParentOfType<scf::ForOp>())
          ROCDL::SchedBarrier::create(b, op->getLoc(), 0);
        done.push_back(op);
      } else if (auto copy = dyn_cast<simt::CopyAsyncOp>(op);
                 copy && movesWhole(copy)) {
        lowerCopy(copy, b);
        done.push_back(op);
      } else if (auto barrier = dyn_cast<simt::BarrierOp>(op);
                 barrier && barrier.getMemories() != simt::Memories::All) {
        lowerBarrier(b, op->getLoc());
        done.push_back(op);
      }
    });
    for (Operation *op : done)
      op->erase();
  }

  /// Whether an instruction does what a copy does: all bytes or none.
  bool movesWhole(simt::CopyAsyncOp op) const {
    return int64_t(op.getBytes()) == chip->copyBytes() &&
           (!op.getValid() || op.getValid().getType().isInteger(1));
  }

  /// A number that lanes have each for itself, of the first lane of a wave.
  Value firstLane(Value number) {
    Value &found = scalars[number];
    if (!found) {
      OpBuilder b(number.getContext());
      b.setInsertionPointAfterValue(number);
      found = callIntrinsic(b, number.getLoc(), number.getType(),
                            "readfirstlane", number);
    }
    return found;
  }

  /// The address to which the first lane of a wave copies.
  Value placeOfWave(Value address, OpBuilder &b) {
    auto moved = address.getDefiningOp<LLVM::GEPOp>();
    if (!moved)
      return address;
    Value base = placeOfWave(moved.getBase(), b);
    SmallVector<LLVM::GEPArg> indices;
    for (auto index : moved.getIndices()) {
      if (auto known = dyn_cast<IntegerAttr>(index))
        indices.push_back(int32_t(known.getInt()));
      else
        indices.push_back(firstLane(cast<Value>(index)));
    }
    return LLVM::GEPOp::create(b, address.getLoc(), address.getType(),
                               moved.getElemType(), base, indices);
  }

  /// Bytes that are zero.
  Value zerosOf(OpBuilder &b, Location loc) {
    if (!zeros) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(getOperation().getBody());
      auto type = VectorType::get({chip->copyBytes() / 4}, b.getI32Type());
      zeros = LLVM::GlobalOp::create(
          b, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
          "kiln_zeros", b.getZeroAttr(type), uint64_t(chip->copyBytes()),
          /*addrSpace=*/1);
    }
    return LLVM::AddressOfOp::create(b, loc, zeros);
  }

  void lowerCopy(simt::CopyAsyncOp op, OpBuilder &b) {
    Location loc = op.getLoc();
    Value to = placeOfWave(op.getTarget(), b), takesPart = op.getMask();
    if (Value valid = op.getValid())
      takesPart =
          takesPart
              ? arith::AndIOp::create(b, loc, takesPart, valid).getResult()
              : valid;
    auto number = [&](unsigned bits, int64_t value) -> Value {
      return arith::ConstantIntOp::create(b, loc, b.getIntegerType(bits),
                                          value);
    };
    Value bytes = number(32, int64_t(op.getBytes())), zero = number(32, 0);
    simt::ThreadBlockAttr block =
        simt::getThreadBlock(op->getParentOfType<LLVM::LLVMFuncOp>());
    std::optional<CopyAddress> from;
    if (block)
      from = splitAddress(op.getSource(), block.getThreads(), b, loc);
    if (!from)
      return copyByAddress(op.getSource(), takesPart, {to, bytes, zero, zero},
                           b, loc);
    constexpr int64_t kOutside = int64_t(1) << 31, kFlags = 0x00027000;
    Value view = LLVM::CallIntrinsicOp::create(
                     b, loc, LLVM::LLVMPointerType::get(b.getContext(), 8),
                     b.getStringAttr("llvm.amdgcn.make.buffer.rsrc"),
                     ValueRange{from->base, number(16, 0),
                                number(64, kOutside - 1), number(32, kFlags)})
                     .getResult(0);
    Value at = from->lane;
    if (takesPart)
      at =
          arith::SelectOp::create(b, loc, takesPart, at, number(32, -kOutside));
    LLVM::CallIntrinsicOp::create(
        b, loc, b.getStringAttr("llvm.amdgcn.raw.ptr.buffer.load.lds"),
        ValueRange{view, to, bytes, at, zero, zero, zero});
  }

  /// A copy from a whole address. LLVM counts it among the accesses to LDS that
  /// end in order, which the manual does not say: none is in flight before it,
  /// and none moves there.
  void copyByAddress(Value from, Value takesPart, ArrayRef<Value> rest,
                     OpBuilder &b, Location loc) {
    if (takesPart)
      from = arith::SelectOp::create(b, loc, takesPart, from, zerosOf(b, loc));
    ROCDL::SWaitcntOp::create(b, loc, waitFor(kAny, 0));
    SmallVector<Value> operands{from};
    llvm::append_range(operands, rest);
    LLVM::CallIntrinsicOp::create(
        b, loc, b.getStringAttr("llvm.amdgcn.global.load.lds"), operands);
    ROCDL::SchedBarrier::create(b, loc, 0);
  }

  static void lowerBarrier(OpBuilder &b, Location loc) {
    LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::release, "wavefront");
    ROCDL::SWaitcntOp::create(b, loc, waitFor(kAny, 0));
    LLVM::CallIntrinsicOp::create(
        b, loc, b.getStringAttr("llvm.amdgcn.s.barrier"), ValueRange());
    LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acquire, "wavefront");
  }

  const Chip *chip = nullptr;
  llvm::DenseMap<Value, Value> scalars;
  LLVM::GlobalOp zeros;
};
} // namespace

std::unique_ptr<Pass> amd::createLowerCopiesPass() {
  return std::make_unique<LowerCopies>();
}
