//===- AssignRoles.cpp - Filling and using slots beside each other --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Staging/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln::staging {
#define GEN_PASS_DEF_STAGEASSIGNROLES
#include "kiln/Staging/Passes.h.inc"
} // namespace kiln::staging

using namespace kiln;

namespace {

/// Whether an operation of a loop does nothing but fill slots.
bool onlyFills(Operation *op) {
  if (isa<stage::ProduceOp>(op))
    return true;
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch || branch.getNumResults())
    return false;
  bool fills = false;
  for (Region &region : branch->getRegions())
    for (Block &block : region)
      for (Operation &inner : block.without_terminator()) {
        if (!onlyFills(&inner) && !isMemoryEffectFree(&inner))
          return false;
        fills |= onlyFills(&inner);
      }
  return fills;
}

/// One loop as two roles.
class RoleMaker {
public:
  explicit RoleMaker(scf::ForOp loop) : loop(loop) {}

  bool run(StringRef fillName, StringRef useName) {
    // What the loop carries would be carried between roles.
    if (loop.getNumResults() || loop->getParentOfType<stage::RolesOp>() ||
        !findFilling())
      return false;
    OpBuilder builder(loop);
    auto dictionary = builder.getDictionaryAttr({});
    auto roles = stage::RolesOp::create(
        builder, loop.getLoc(), builder.getStrArrayAttr({fillName, useName}),
        builder.getArrayAttr({dictionary, dictionary}), /*bodiesCount=*/2);
    fillRole(roles.getBodies()[0], /*fills=*/true);
    fillRole(roles.getBodies()[1], /*fills=*/false);
    loop.erase();
    return true;
  }

private:
  /// What fills slots, and what that is computed from.
  bool findFilling() {
    bool consumes = false;
    SmallVector<Operation *> open;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (onlyFills(&op))
        open.push_back(&op);
      consumes |= isa<stage::ConsumeOp>(op);
    }
    if (open.empty() || !consumes)
      return false;
    while (!open.empty()) {
      Operation *op = open.pop_back_val();
      if (!filling.insert(op))
        continue;
      bool isGood = true;
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands()) {
          Operation *def = operand.getDefiningOp();
          if (!def || def->getBlock() != loop.getBody())
            continue;
          // Scalars are cloned into both roles.
          isGood &= isMemoryEffectFree(def) && def->getNumRegions() == 0;
          open.push_back(def);
        }
      });
      if (!isGood)
        return false;
    }
    return true;
  }

  void fillRole(Region &region, bool fills) {
    OpBuilder builder = OpBuilder::atBlockBegin(&region.emplaceBlock());
    IRMapping mapping;
    auto copy = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                                   loop.getUpperBound(), loop.getStep());
    copy.setUnsignedCmp(loop.getUnsignedCmp());
    stage::YieldOp::create(builder, loop.getLoc());
    mapping.map(loop.getInductionVar(), copy.getInductionVar());
    builder.setInsertionPoint(copy.getBody()->getTerminator());
    for (Operation &op : loop.getBody()->without_terminator()) {
      bool isScalar = isMemoryEffectFree(&op) && op.getNumRegions() == 0;
      if (fills ? filling.contains(&op) : !filling.contains(&op) || isScalar)
        builder.clone(op, mapping)->removeAttr(stage::kAtAttr);
    }
  }

  scf::ForOp loop;
  llvm::SetVector<Operation *> filling;
};

struct StageAssignRolesPass
    : staging::impl::StageAssignRolesBase<StageAssignRolesPass> {
  using StageAssignRolesBase::StageAssignRolesBase;

  void runOnOperation() override {
    if (fill == use) {
      getOperation().emitError("expected two names of roles, found '")
          << fill << "' twice";
      return signalPassFailure();
    }
    SmallVector<scf::ForOp> loops;
    getOperation().walk<WalkOrder::PreOrder>(
        [&](scf::ForOp loop) { loops.push_back(loop); });
    // Roles are not nested: the outermost loop that can be divided is.
    llvm::SmallPtrSet<Operation *, 8> gone;
    for (scf::ForOp loop : loops) {
      if (gone.contains(loop))
        continue;
      SmallVector<Operation *> inner;
      loop.walk([&](scf::ForOp nested) { inner.push_back(nested); });
      if (RoleMaker(loop).run(fill, use))
        gone.insert(inner.begin(), inner.end());
    }
  }
};

} // namespace
