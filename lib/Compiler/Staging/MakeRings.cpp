//===- MakeRings.cpp - What loops copy and load goes through rings --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "kiln/Staging/LoopValues.h"
#include "kiln/Staging/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln::staging {
#define GEN_PASS_DEF_STAGEMAKERINGS
#include "kiln/Staging/Passes.h.inc"
} // namespace kiln::staging

using namespace kiln;

namespace {

/// What fills whole storage from memory: a copy, or a load and the writing of
/// what it gives.
class Filling {
public:
  /// Null where an operation is none.
  static std::optional<Filling> of(Operation *op) {
    Filling filling;
    filling.last = op;
    if (auto copy = dyn_cast<stage::StorageCopyOpInterface>(op)) {
      filling.storage = copy.getTarget();
      if (copy.getAsync() || copy.getBox() || !copy.getTo().empty() ||
          !isa<tile::ViewType>(copy.getSource().getType()))
        return std::nullopt;
    } else if (auto write = dyn_cast<stage::StorageWriteOpInterface>(op)) {
      filling.storage = write.getStorage();
      filling.load = write.getValue().getDefiningOp();
      if (!filling.load || filling.load->getBlock() != op->getBlock() ||
          !filling.load->hasOneUse() || !write.getOrigin().empty() ||
          !isLoad(filling.load))
        return std::nullopt;
    } else {
      return std::nullopt;
    }
    return filling;
  }

  /// Whether an operation only reads memory of the launch.
  static bool isLoad(Operation *op) {
    return (isa<tile::TileDialect>(op->getDialect()) ||
            isa<ViewAccessOpInterface>(op)) &&
           !op->getNumRegions() && hasSingleEffect<MemoryEffects::Read>(op);
  }

  Operation *first() const { return load ? load : last; }
  SmallVector<Operation *, 2> ops() const {
    return load ? SmallVector<Operation *, 2>{load, last}
                : SmallVector<Operation *, 2>{last};
  }

  Operation *load = nullptr, *last = nullptr;
  Value storage;
};

/// One loop whose fillings of storage may go through a ring.
class RingMaker {
public:
  RingMaker(scf::ForOp loop, int64_t depth) : loop(loop), depth(depth) {}

  void run() {
    SmallVector<Filling> all, group;
    for (Operation &op : *loop.getBody())
      if (auto filling = Filling::of(&op); filling && fits(*filling))
        all.push_back(*filling);
    for (const Filling &filling : all) {
      if (!group.empty() && (!mayMove(group.front(), filling) ||
                             isEarly(group.front()) != isEarly(filling) ||
                             spaceOf(group.front()) != spaceOf(filling))) {
        make(group);
        group.clear();
      }
      group.push_back(filling);
    }
    if (!group.empty())
      make(group);
  }

private:
  static StringRef spaceOf(const Filling &filling) {
    auto type = cast<MemRefType>(filling.storage.getType());
    auto space = dyn_cast_or_null<stage::SpaceAttr>(type.getMemorySpace());
    return space ? space.getName() : StringRef();
  }

  /// Whether the storage goes to operations that are asked to run before the
  /// rest of their iteration.
  bool isEarly(const Filling &filling) {
    llvm::SetVector<Value> names;
    names.insert(filling.storage);
    for (size_t i = 0; i < names.size(); ++i)
      for (Operation *user : names[i].getUsers()) {
        Operation *whole = loop.getBody()->findAncestorOpInBlock(*user);
        auto at = whole ? whole->getAttrOfType<stage::AtAttr>(stage::kAtAttr)
                        : stage::AtAttr();
        if (at && at.getStep() < 0)
          return true;
        if (isa<stage::StorageReadOpInterface>(user) ||
            (isPure(user) && user->getNumOperands() == 1))
          names.insert(user->result_begin(), user->result_end());
      }
    return false;
  }

  /// The counter of the loop, at most that of its last iteration. A slot that
  /// is consumed early is filled for iterations, too, that the loop does not
  /// have: then what the last one reads is read again.
  Value boundedCounter(OpBuilder &b) {
    Location loc = loop.getLoc();
    OpBuilder outside(loop);
    Value lower = loop.getLowerBound(), step = loop.getStep(),
          one = arith::ConstantOp::create(
              outside, loc, outside.getIntegerAttr(lower.getType(), 1));
    Value span =
        arith::SubIOp::create(outside, loc, loop.getUpperBound(), lower);
    span = arith::SubIOp::create(outside, loc, span, one);
    Value steps = arith::DivSIOp::create(outside, loc, span, step);
    Value last = arith::AddIOp::create(
        outside, loc, lower, arith::MulIOp::create(outside, loc, steps, step));
    last = arith::MaxSIOp::create(outside, loc, last, lower);
    return arith::MinSIOp::create(b, loc, loop.getInductionVar(), last);
  }

  /// Maps what pure operations of the iteration compute for `op` to the same
  /// computed from another counter.
  void recompute(OpBuilder &b, Operation *op, IRMapping &mapping) {
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (!source || source->getBlock() != loop.getBody() || !isPure(source) ||
          source->getNumRegions() || mapping.contains(operand))
        continue;
      recompute(b, source, mapping);
      b.clone(*source, mapping);
    }
  }

  /// Whether what is read follows from pure operations of the iteration, and of
  /// those before it, which can be performed ahead with it.
  bool isKnownEarly(const Filling &filling) {
    llvm::SetVector<Operation *> needed;
    needed.insert(filling.first());
    bool isPure = true;
    for (size_t i = 0; i < needed.size(); ++i)
      needed[i]->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands()) {
          Operation *op = staging::definitionIn(loop, operand);
          if (!op || operand == filling.storage)
            continue;
          isPure &= isMemoryEffectFree(op);
          needed.insert(op);
        }
      });
    return isPure;
  }

  /// Whether the filling is of storage that only this loop uses, before
  /// anything else in the iteration does.
  bool fits(const Filling &filling) {
    auto alloc = filling.storage.getDefiningOp<stage::StorageOpInterface>();
    if (!alloc || alloc.getOffset() || !isKnownEarly(filling))
      return false;
    for (OpOperand &use : alloc->getUses()) {
      Operation *user = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
      if (!user ||
          (user != filling.last && user->isBeforeInBlock(filling.last)))
        return false;
      // What names the storage longer than this iteration is not followed.
      Operation *owner = use.getOwner();
      if (owner->hasTrait<OpTrait::IsTerminator>())
        return false;
      for (Type type : owner->getResultTypes())
        if (isa<MemRefType, stage::TokenType, stage::FutureType>(type))
          return false;
      // A second filling would be one of a slot that is full.
      auto copy = dyn_cast<stage::StorageCopyOpInterface>(owner);
      if (owner != filling.last &&
          (isa<stage::StorageWriteOpInterface>(owner) ||
           (copy && copy.getTarget() == filling.storage)))
        return false;
    }
    return true;
  }

  /// Whether `first` can be performed at `last` instead.
  static bool mayMove(const Filling &first, const Filling &last) {
    for (Operation *op = first.first()->getNextNode(); op != last.last;
         op = op->getNextNode()) {
      if (op == first.last)
        continue;
      if (auto other = Filling::of(op);
          other && other->storage != first.storage)
        continue;
      if (!isMemoryEffectFree(op) && !isa<stage::StorageOpInterface>(op) &&
          !Filling::isLoad(op))
        return false;
    }
    return true;
  }

  void make(ArrayRef<Filling> group) {
    OpBuilder builder(loop);
    Location loc = group.front().last->getLoc();
    SmallVector<MemRefType> parts;
    int64_t align = 1;
    for (const Filling &filling : group) {
      parts.push_back(cast<MemRefType>(filling.storage.getType()));
      auto alloc = filling.storage.getDefiningOp<stage::StorageOpInterface>();
      align = std::max<int64_t>(align, alloc.getAlign().value_or(1));
    }
    auto type = stage::RingType::get(builder.getContext(), depth, parts);
    IntegerAttr alignAttr =
        align > 1 ? builder.getI64IntegerAttr(align) : IntegerAttr();
    auto ring = stage::RingOp::create(builder, loc, type, alignAttr,
                                      /*offset=*/IntegerAttr());
    Operation *place = group.back().last;
    builder.setInsertionPoint(place);
    IRMapping counted;
    if (isEarly(group.front())) {
      counted.map(loop.getInductionVar(), boundedCounter(builder));
      for (const Filling &filling : group)
        for (Operation *op : filling.ops())
          recompute(builder, op, counted);
    }
    auto produce = stage::ProduceOp::create(builder, loc, ring);
    Block *slot = builder.createBlock(&produce.getBody());
    SmallVector<Value> tokens;
    for (auto [filling, part] : llvm::zip(group, parts)) {
      Value storage = slot->addArgument(part, filling.last->getLoc());
      IRMapping mapping = counted;
      mapping.map(filling.storage, storage);
      for (Operation *op : filling.ops())
        builder.clone(*op, mapping);
      auto clone = dyn_cast<stage::CopyOp>(slot->back());
      if (!clone)
        continue;
      auto async = stage::CopyOp::create(
          builder, clone.getLoc(), stage::TokenType::get(builder.getContext()),
          clone.getSource(), clone.getFrom(), storage, ValueRange(),
          clone.getPad(), builder.getUnitAttr(), clone.getFromOffsetsAttr(),
          UnitAttr(), DenseI64ArrayAttr(), clone.getPaddingAttr());
      clone.erase();
      tokens.push_back(async.getToken());
    }
    stage::CommitOp::create(builder, loc, tokens);
    builder.setInsertionPoint(place);
    auto consume = stage::ConsumeOp::create(builder, loc, ring);
    // Behind the last use of any part.
    Operation *last = consume;
    llvm::SetVector<Operation *> allocs;
    for (auto [filling, part] : llvm::zip(group, consume.getResults())) {
      Value storage = filling.storage;
      for (OpOperand &use : llvm::make_early_inc_range(storage.getUses())) {
        if (use.getOwner() == filling.last)
          continue;
        Operation *user =
            loop.getBody()->findAncestorOpInBlock(*use.getOwner());
        if (last->isBeforeInBlock(user))
          last = user;
        use.set(part);
      }
      allocs.insert(storage.getDefiningOp());
    }
    builder.setInsertionPointAfter(last);
    stage::ReleaseOp::create(builder, loc, ring);
    for (const Filling &filling : group) {
      filling.last->erase();
      if (filling.load)
        filling.load->erase();
    }
    for (Operation *alloc : allocs)
      alloc->erase();
  }

  scf::ForOp loop;
  int64_t depth;
};

struct StageMakeRingsPass
    : staging::impl::StageMakeRingsBase<StageMakeRingsPass> {
  using StageMakeRingsBase::StageMakeRingsBase;

  void runOnOperation() override {
    if (depth < 1) {
      getOperation().emitError("expected a depth of at least 1, found ")
          << depth.getValue();
      return signalPassFailure();
    }
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      auto own = loop->getAttrOfType<stage::SlotsAttr>(stage::kDecidedAttr);
      RingMaker(loop, own ? own.getCount() : depth).run();
    }
  }
};

} // namespace
