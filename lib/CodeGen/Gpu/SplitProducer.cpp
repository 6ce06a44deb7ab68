//===- SplitProducer.cpp - A warp of its own for bulk copies --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp specialization by fission: the producer executes the operations that
// fill slots, with what these need, and the consumers all others.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "SharedPlaces.h"
#include "Work.h"
#include "kiln/Dialect/Simt/ThreadCode.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Gpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTSPLITPRODUCER
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// Whether an operation is one of those that fill slots: they have masks by
/// which one thread, or its warp, does them.
static bool fills(Operation *op) {
  auto slot = dyn_cast<SlotBarrierOpInterface>(op);
  return slot && slot.getMask() && !slot.releasesAccesses();
}

static bool isBarrier(Operation *op) {
  return synchronizes(op, Synchronization::Kind::BlockBarrier);
}

namespace {
class ProducerSplitter {
public:
  ProducerSplitter(LLVM::LLVMFuncOp function, target::TargetAttr description,
                   ProducerCosts costs, int64_t lanes, bool everywhere)
      : function(function), description(description),
        entry(function.getBody().front()), costs(costs), lanes(lanes),
        everywhere(everywhere) {}

  /// Whether the conditions hold.
  bool find();
  void run();

private:
  bool collect();
  bool need(Value value);
  bool needParents(Operation *op);
  void clone(Block &from, OpBuilder &to, IRMapping &mapping);
  void cloneLoop(scf::ForOp loop, OpBuilder &to, IRMapping &mapping);
  void cloneFill(Operation *op, OpBuilder &to, IRMapping &mapping);
  void barrier(OpBuilder &b, Location loc, int64_t number, int64_t count) {
    NamedBarrierOp::create(b, loc, number, count);
  }

  bool isAlone();
  bool isOneGroup() const;
  bool computesBesides();
  void findSharedBarriers();
  void shareRegisters(scf::IfOp roles);

  LLVM::LLVMFuncOp function;
  target::TargetAttr description;
  Block &entry;
  ProducerCosts costs;
  int64_t lanes, threads = 0;
  bool everywhere;   ///< also in loops of products alone
  int64_t added = 0; ///< threads beside the consumers
  /// Where the roles begin, and the operation of the entry that fills last.
  Operation *begin = nullptr, *last = nullptr;
  llvm::SetVector<Operation *> needed; ///< operations of the producer
  llvm::DenseSet<Operation *> ofBoth;  ///< barriers
  llvm::DenseSet<Value> values;        ///< and what loops carry for it
  Value isFirstLane;                   ///< in the producer
};
} // namespace

bool ProducerSplitter::needParents(Operation *op) {
  for (Operation *around = op->getParentOp(); around != function;
       around = around->getParentOp()) {
    if (auto choice = dyn_cast<scf::IfOp>(around)) {
      if (!choice.getElseRegion().empty() || !need(choice.getCondition()))
        return false;
    } else if (auto loop = dyn_cast<scf::ForOp>(around)) {
      if (!need(loop.getLowerBound()) || !need(loop.getUpperBound()) ||
          !need(loop.getStep()))
        return false;
    } else {
      return false;
    }
    needed.insert(around);
  }
  return true;
}

/// Adds what computes a value; false if that is not of numbers alone.
bool ProducerSplitter::need(Value value) {
  if (!values.insert(value).second)
    return true;
  Operation *op = value.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (argument.getOwner() == &entry ||
        (loop && argument == loop.getInductionVar()))
      return true;
    return loop && need(loop.getTiedLoopInit(argument)->get()) &&
           need(loop.getTiedLoopYieldedValue(argument)->get());
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    BlockArgument carried =
        loop.getTiedLoopRegionIterArg(cast<OpResult>(value));
    needed.insert(op);
    return need(carried) && need(loop.getLowerBound()) &&
           need(loop.getUpperBound()) && need(loop.getStep()) &&
           needParents(op);
  }
  if (!isMemoryEffectFree(op))
    return false;
  needed.insert(op);
  // Regions of an operation without effects may use values from outside.
  bool isKnown = needParents(op);
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op->isProperAncestor(operand.getParentBlock()->getParentOp()) &&
          operand.getParentBlock()->getParentOp() != op)
        isKnown = isKnown && need(operand);
  });
  return isKnown;
}

bool ProducerSplitter::collect() {
  SmallVector<Operation *> filling;
  bool suits = true;
  function.walk([&](Operation *op) {
    if (fills(op))
      filling.push_back(op);
    suits = suits && !synchronizes(op, Synchronization::Kind::CreateSplit) &&
            !synchronizes(op, Synchronization::Kind::PartBarrier) &&
            !isa<OutputOp, StopOp, InlineAsmOp>(op);
  });
  if (filling.empty() || !suits)
    return false;
  for (Operation *op : filling) {
    needed.insert(op);
    last = entry.findAncestorOpInBlock(*op);
    for (Value operand : op->getOperands()) {
      // Masks say which thread it was.
      if (cast<SlotBarrierOpInterface>(op).getMask() != operand &&
          !need(operand))
        return false;
    }
    if (!needParents(op))
      return false;
  }
  return true;
}

/// Whether a core runs one block at a time: the registers of a warp more are
/// then there.
bool ProducerSplitter::isAlone() {
  ThreadBlockAttr block = getThreadBlock(function);
  return block && 2 * block.getSharedBytes() > sharedBytesOf(description);
}

/// Whether a loop with copies computes more than products. Only then do groups
/// of consumers drift apart, so that one multiplies while another computes.
bool ProducerSplitter::computesBesides() {
  return function
      .walk([](Operation *op) {
        auto loop = op->getParentOfType<scf::ForOp>();
        if (!loop || !fills(op))
          return WalkResult::advance();
        return loop.walk([](arith::ArithFastMathInterface) {
          return WalkResult::interrupt();
        });
      })
      .wasInterrupted();
}

/// Whether all warps are one group. Then no other group multiplies while its
/// threads wait for an empty slot and start copies.
bool ProducerSplitter::isOneGroup() const {
  return threads / lanes == costs.warps;
}

bool ProducerSplitter::find() {
  ThreadBlockAttr block = getThreadBlock(function);
  if (!block || !function.getBody().hasOneBlock())
    return false;
  threads = block.getThreads();
  std::optional<int64_t> warps =
      warpsOfProducer(costs, threads / lanes, lanes, description);
  bool gains =
      everywhere || isOneGroup() || block.getPersistent() || computesBesides();
  if (threads % lanes || !warps || !isAlone() || !gains || !collect())
    return false;
  added = *warps * lanes;
  // The roles begin behind the objects by which they meet, and behind the
  // barrier by which other blocks know of these.
  for (Operation &op : entry)
    if (synchronizes(&op, Synchronization::Kind::CreateBarriers) ||
        (begin == &op && isa<tile::ClusterBarrierOp>(op)))
      begin = op.getNextNode();
  if (!begin || !begin->isBeforeInBlock(last))
    return false;
  findSharedBarriers();
  return true;
}

/// The producer's whole warp waits, and its first lane does the rest.
void ProducerSplitter::cloneFill(Operation *op, OpBuilder &to,
                                 IRMapping &mapping) {
  auto made = cast<SlotBarrierOpInterface>(to.clone(*op, mapping));
  made.replaceMask(made.getAwaitedParity() ? Value() : isFirstLane);
}

void ProducerSplitter::cloneLoop(scf::ForOp loop, OpBuilder &to,
                                 IRMapping &mapping) {
  SmallVector<unsigned> carried;
  SmallVector<Value> inits;
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (values.contains(argument)) {
      carried.push_back(i);
      inits.push_back(mapping.lookupOrDefault(loop.getInitArgs()[i]));
    }
  auto made = scf::ForOp::create(
      to, loop.getLoc(), mapping.lookupOrDefault(loop.getLowerBound()),
      mapping.lookupOrDefault(loop.getUpperBound()),
      mapping.lookupOrDefault(loop.getStep()), inits,
      [&](OpBuilder &inside, Location loc, Value number, ValueRange args) {
        mapping.map(loop.getInductionVar(), number);
        for (auto [k, i] : llvm::enumerate(carried))
          mapping.map(loop.getRegionIterArg(i), args[k]);
        clone(*loop.getBody(), inside, mapping);
        SmallVector<Value> yielded;
        for (unsigned i : carried)
          yielded.push_back(
              mapping.lookupOrDefault(loop.getYieldedValues()[i]));
        scf::YieldOp::create(inside, loc, yielded);
      });
  for (auto [k, i] : llvm::enumerate(carried))
    mapping.map(loop.getResult(i), made.getResult(k));
}

/// The barriers that the producer passes, too: those behind a proxy fence, as
/// for the verifier. Others part only what threads do.
void ProducerSplitter::findSharedBarriers() {
  bool isFenced = false;
  for (Operation &op : entry) {
    isFenced |= synchronizes(&op, Synchronization::Kind::ProxyFence);
    if (!isBarrier(&op))
      continue;
    if (isFenced && op.isBeforeInBlock(last))
      ofBoth.insert(&op);
    isFenced = false;
  }
}

/// What the producer executes of a block.
void ProducerSplitter::clone(Block &from, OpBuilder &to, IRMapping &mapping) {
  auto first = &from == &entry ? begin->getIterator() : from.begin();
  for (Operation &op : llvm::make_range(first, from.end())) {
    if (ofBoth.contains(&op)) {
      barrier(to, op.getLoc(), /*number=*/0, threads + lanes);
    } else if (!needed.contains(&op)) {
      continue;
    } else if (fills(&op)) {
      cloneFill(&op, to, mapping);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      cloneLoop(loop, to, mapping);
    } else if (auto choice = dyn_cast<scf::IfOp>(op);
               choice && !isMemoryEffectFree(choice)) {
      auto made = scf::IfOp::create(
          to, op.getLoc(), mapping.lookupOrDefault(choice.getCondition()));
      OpBuilder inside = made.getThenBodyBuilder();
      clone(*choice.thenBlock(), inside, mapping);
    } else {
      to.clone(op, mapping);
    }
  }
}

/// Consumers get the registers that the producer's group does not need.
void ProducerSplitter::shareRegisters(scf::IfOp roles) {
  int64_t words = registerFileOf(description) / 4;
  if (added == lanes || !words)
    return;
  int64_t consumers =
      std::min(costs.most, (words - added * costs.registers) / threads /
                               costs.granule * costs.granule);
  Location loc = function.getLoc();
  OpBuilder b = roles.getThenBodyBuilder();
  b.setInsertionPointToStart(roles.thenBlock());
  SetRegistersOp::create(b, loc, costs.registers, /*more=*/false);
  b.setInsertionPointToStart(roles.elseBlock());
  SetRegistersOp::create(b, loc, consumers, /*more=*/true);
}

void ProducerSplitter::run() {
  OpBuilder b(begin);
  Location loc = function.getLoc();
  Type i32 = b.getI32Type();
  auto number = [&](int64_t n) -> Value {
    return arith::ConstantIntOp::create(b, loc, i32, n);
  };
  Value thread = arith::IndexCastUIOp::create(
      b, loc, i32,
      gpu::ThreadIdOp::create(b, loc, b.getIndexType(), gpu::Dimension::x));
  Value isProducer = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                           thread, number(threads));
  isFirstLane = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread,
                                      number(threads));
  // One warp of its group has work.
  Value works = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, thread,
                                      number(threads + lanes));
  auto roles = scf::IfOp::create(b, loc, isProducer, /*withElseRegion=*/true);
  OpBuilder producer = roles.getThenBodyBuilder();
  producer = scf::IfOp::create(producer, loc, works).getThenBodyBuilder();
  IRMapping mapping;
  clone(entry, producer, mapping);
  // The consumers have all other operations, in their places.
  SmallVector<Operation *> filling;
  function.walk([&](Operation *op) {
    if (fills(op) && !roles.getThenRegion().isAncestor(op->getParentRegion()))
      filling.push_back(op);
  });
  SmallVector<Operation *> barriers;
  for (Operation *op = roles->getNextNode(); op; op = op->getNextNode())
    op->walk([&](Operation *inner) {
      if (isBarrier(inner))
        barriers.push_back(inner);
    });
  for (Operation *op : barriers) {
    bool isOfBoth = ofBoth.contains(op);
    OpBuilder at(op);
    barrier(at, op->getLoc(), isOfBoth ? 0 : 1,
            isOfBoth ? threads + lanes : threads);
    op->erase();
  }
  for (Operation *op : filling)
    op->erase();
  Block *consumers = roles.elseBlock();
  for (Operation *op = roles->getNextNode(); op != entry.getTerminator();) {
    Operation *next = op->getNextNode();
    op->moveBefore(consumers->getTerminator());
    op = next;
  }
  shareRegisters(roles);
  function->setAttr(kBlockAttr,
                    getThreadBlock(function).withThreads(threads + added));
}

namespace {
struct SplitProducer : simt::impl::SimtSplitProducerBase<SplitProducer> {
  using SimtSplitProducerBase::SimtSplitProducerBase;

  void runOnOperation() override {
    LLVM::LLVMFuncOp function = getOperation();
    if (function.isExternal())
      return;
    target::TargetAttr description = target::getDescription(function);
    std::optional<ProducerCosts> costs = producerCostsOf(description);
    if (!costs)
      return;
    ProducerSplitter splitter(function, description, *costs,
                              lanesOf(description, lanes), everywhere);
    if (splitter.find())
      splitter.run();
  }
};
} // namespace
