//===- MakeRings.cpp - Copies of loops through rings ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Staging/Passes.h"
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

/// One loop whose copies may go through a ring.
class RingMaker {
public:
  RingMaker(scf::ForOp loop, int64_t depth) : loop(loop), depth(depth) {}

  void run() {
    SmallVector<stage::CopyOp> group;
    for (auto copy :
         llvm::make_early_inc_range(loop.getBody()->getOps<stage::CopyOp>())) {
      if (!fits(copy))
        continue;
      if (!group.empty() && (!mayMove(group.front(), copy) ||
                             spaceOf(group.front()) != spaceOf(copy))) {
        make(group);
        group.clear();
      }
      group.push_back(copy);
    }
    if (!group.empty())
      make(group);
  }

private:
  static StringRef spaceOf(stage::CopyOp copy) {
    auto type = cast<MemRefType>(copy.getTarget().getType());
    auto space = dyn_cast_or_null<stage::SpaceAttr>(type.getMemorySpace());
    return space ? space.getName() : StringRef();
  }

  /// Whether what the copy reads follows from pure operations of the iteration,
  /// which can be performed ahead with it.
  bool isKnownEarly(stage::CopyOp copy) {
    llvm::SetVector<Operation *> needed;
    needed.insert(copy);
    bool isPure = true;
    for (size_t i = 0; i < needed.size(); ++i)
      needed[i]->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands()) {
          Operation *op = operand.getDefiningOp();
          if (!op || op->getBlock() != loop.getBody() ||
              operand == copy.getTarget())
            continue;
          isPure &= isMemoryEffectFree(op);
          needed.insert(op);
        }
      });
    return isPure;
  }

  /// Whether the copy fills whole storage that only this loop uses, before
  /// anything else in the iteration does.
  bool fits(stage::CopyOp copy) {
    auto alloc = copy.getTarget().getDefiningOp<stage::AllocOp>();
    if (!alloc || alloc.getOffset() || copy.getAsync() || copy.getBox() ||
        !copy.getTo().empty() ||
        !isa<tile::ViewType>(copy.getSource().getType()) || !isKnownEarly(copy))
      return false;
    for (OpOperand &use : alloc->getUses()) {
      Operation *user = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
      if (!user || (user != copy && user->isBeforeInBlock(copy)))
        return false;
      // What names the storage longer than this iteration is not followed.
      Operation *owner = use.getOwner();
      if (owner->hasTrait<OpTrait::IsTerminator>())
        return false;
      for (Type type : owner->getResultTypes())
        if (isa<MemRefType, stage::TokenType, stage::FutureType>(type))
          return false;
      // A second filling would be one of a slot that is full.
      if (auto other = dyn_cast<stage::CopyOp>(owner);
          other && other != copy && other.getTarget() == copy.getTarget())
        return false;
    }
    return true;
  }

  /// Whether `first` can be performed at `last` instead.
  static bool mayMove(stage::CopyOp first, stage::CopyOp last) {
    for (Operation *op = first->getNextNode(); op != last;
         op = op->getNextNode()) {
      if (auto copy = dyn_cast<stage::CopyOp>(op);
          copy && isa<MemRefType>(copy.getTarget().getType()) &&
          copy.getTarget() != first.getTarget() &&
          copy.getSource() != first.getTarget())
        continue;
      if (!isMemoryEffectFree(op) && !isa<stage::AllocOp>(op))
        return false;
    }
    return true;
  }

  void make(SmallVectorImpl<stage::CopyOp> &group) {
    OpBuilder builder(loop);
    Location loc = group.front().getLoc();
    SmallVector<MemRefType> parts;
    int64_t align = 1;
    for (stage::CopyOp copy : group) {
      parts.push_back(cast<MemRefType>(copy.getTarget().getType()));
      auto alloc = copy.getTarget().getDefiningOp<stage::AllocOp>();
      align = std::max<int64_t>(align, alloc.getAlign().value_or(1));
    }
    auto type = stage::RingType::get(builder.getContext(), depth, parts);
    IntegerAttr alignAttr =
        align > 1 ? builder.getI64IntegerAttr(align) : IntegerAttr();
    auto ring = stage::RingOp::create(builder, loc, type, alignAttr,
                                      /*offset=*/IntegerAttr());
    builder.setInsertionPoint(group.back());
    auto produce = stage::ProduceOp::create(builder, loc, ring);
    Block *slot = builder.createBlock(&produce.getBody());
    SmallVector<Value> tokens;
    for (auto [copy, part] : llvm::zip(group, parts)) {
      Value storage = slot->addArgument(part, copy.getLoc());
      IRMapping mapping;
      mapping.map(copy.getTarget(), storage);
      auto clone = cast<stage::CopyOp>(builder.clone(*copy, mapping));
      auto async = stage::CopyOp::create(
          builder, copy.getLoc(), stage::TokenType::get(builder.getContext()),
          clone.getSource(), clone.getFrom(), storage, ValueRange(),
          clone.getPad(), builder.getUnitAttr(), clone.getFromOffsetsAttr(),
          UnitAttr(), DenseI64ArrayAttr(), clone.getPaddingAttr());
      clone.erase();
      tokens.push_back(async.getToken());
    }
    stage::CommitOp::create(builder, loc, tokens);
    builder.setInsertionPoint(group.back());
    auto consume = stage::ConsumeOp::create(builder, loc, ring);
    // Behind the last use of any part.
    Operation *last = consume;
    llvm::SetVector<Operation *> allocs;
    for (auto [copy, part] : llvm::zip(group, consume.getResults())) {
      Value storage = copy.getTarget();
      for (OpOperand &use : llvm::make_early_inc_range(storage.getUses())) {
        if (use.getOwner() == copy)
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
    for (stage::CopyOp copy : group)
      copy.erase();
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
      auto own = loop->getAttrOfType<IntegerAttr>("stage.depth");
      RingMaker(loop, own ? std::max<int64_t>(1, own.getInt()) : depth).run();
    }
  }
};

} // namespace
