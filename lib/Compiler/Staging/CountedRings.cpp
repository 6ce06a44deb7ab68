//===- CountedRings.cpp - Rings whose counters the program keeps ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CountedRings.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

Value CountedRings::constant(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

CountedRings::Variable CountedRings::makeVariable(Location loc, Value initial) {
  auto type = MemRefType::get({}, initial.getType());
  auto variable = memref::AllocaOp::create(b, loc, type);
  memref::StoreOp::create(b, loc, initial, variable);
  return variable;
}

void CountedRings::make(Location loc, int64_t number, int64_t base,
                        int64_t slotBytes, int64_t depth, Value none) {
  assert(number == int64_t(rings.size()) && "expected rings in their order");
  Value first = constant(loc, base);
  rings.push_back({base, slotBytes, depth, none, makeVariable(loc, first),
                   makeVariable(loc, first),
                   llvm::SmallVector<llvm::SmallVector<Variable>>(depth)});
}

/// The address in a variable, which becomes that of the slot behind it.
Value CountedRings::advance(Location loc, const Ring &ring, Variable next) {
  Value address = memref::LoadOp::create(b, loc, next, ValueRange());
  Value behind =
      arith::AddIOp::create(b, loc, address, constant(loc, ring.slotBytes));
  Value isLast = isSlot(loc, ring, address, ring.depth - 1);
  behind =
      arith::SelectOp::create(b, loc, isLast, constant(loc, ring.base), behind);
  memref::StoreOp::create(b, loc, behind, next);
  return address;
}

Value CountedRings::isSlot(Location loc, const Ring &ring, Value address,
                           int64_t slot) {
  Value begin = constant(loc, ring.base + slot * ring.slotBytes);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, address,
                               begin);
}

CountedRings::Ring &CountedRings::get(int64_t number) {
  assert(has(number) && "expected a ring that was made");
  return rings[number];
}

Value CountedRings::fill(Location loc, int64_t number) {
  return memref::LoadOp::create(b, loc, get(number).filled, ValueRange());
}

Value CountedRings::take(Location loc, int64_t number) {
  Value address = advance(loc, get(number), get(number).taken);
  takes.push_back({number, address, loc});
  return address;
}

void CountedRings::commit(Location loc, int64_t number, ValueRange transfers) {
  Ring &ring = get(number);
  for (SmallVector<Variable> &slot : ring.transfers)
    while (slot.size() < transfers.size()) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointAfter(ring.taken);
      slot.push_back(makeVariable(ring.taken.getLoc(), ring.none));
    }
  Value address = advance(loc, ring, ring.filled);
  for (auto [i, slot] : llvm::enumerate(ring.transfers)) {
    if (transfers.empty())
      break;
    Value isThis = isSlot(loc, ring, address, int64_t(i));
    for (auto [variable, transfer] : llvm::zip(slot, transfers)) {
      Value before = memref::LoadOp::create(b, loc, variable, ValueRange());
      Value after = arith::SelectOp::create(b, loc, isThis, transfer, before);
      memref::StoreOp::create(b, loc, after, variable);
    }
  }
}

void CountedRings::awaitSlot(const Taken &taken,
                             llvm::function_ref<void(Value)> wait) {
  Ring &ring = rings[taken.ring];
  b.setInsertionPointAfterValue(taken.address);
  SmallVector<Value> conditions;
  for (int64_t slot = 1; slot < ring.depth; ++slot)
    conditions.push_back(isSlot(taken.loc, ring, taken.address, slot));
  for (size_t i = 0; i < ring.transfers.front().size(); ++i) {
    Value transfer = memref::LoadOp::create(
        b, taken.loc, ring.transfers.front()[i], ValueRange());
    for (auto [slot, isThis] : llvm::enumerate(conditions)) {
      Value other = memref::LoadOp::create(
          b, taken.loc, ring.transfers[slot + 1][i], ValueRange());
      transfer = arith::SelectOp::create(b, taken.loc, isThis, other, transfer);
    }
    wait(transfer);
  }
}

//===----------------------------------------------------------------------===//
// Variables become values
//===----------------------------------------------------------------------===//

namespace {

/// Walks over a kernel in program order and keeps what each variable holds.
class Promotion {
public:
  explicit Promotion(RewriterBase &b) : b(b) {}

  /// `cells` are the variables with what they hold; changed by the block.
  using Cells = llvm::MapVector<Value, Value>;
  void promote(Block &block, Cells &cells) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto load = dyn_cast<memref::LoadOp>(op);
          load && cells.contains(load.getMemRef())) {
        b.replaceOp(load, cells.lookup(load.getMemRef()));
      } else if (auto store = dyn_cast<memref::StoreOp>(op);
                 store && store.getMemRef().getDefiningOp<memref::AllocaOp>()) {
        cells[store.getMemRef()] = store.getValue();
        b.eraseOp(store);
      } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
        promoteLoop(loop, cells);
      } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
        promoteChoice(choice, cells);
      }
    }
  }

private:
  /// The variables of `cells` that an operation changes.
  static SmallVector<Value> changedIn(Operation *op, const Cells &cells) {
    llvm::SetVector<Value> changed;
    op->walk([&](memref::StoreOp store) {
      if (cells.contains(store.getMemRef()))
        changed.insert(store.getMemRef());
    });
    return changed.takeVector();
  }

  static SmallVector<Value> valuesOf(const Cells &cells,
                                     ArrayRef<Value> variables) {
    return llvm::map_to_vector(
        variables, [&](Value variable) { return cells.lookup(variable); });
  }

  static void set(Cells &cells, ArrayRef<Value> variables, ValueRange values) {
    for (auto [variable, value] : llvm::zip_equal(variables, values))
      cells[variable] = value;
  }

  void promoteLoop(scf::ForOp loop, Cells &cells) {
    SmallVector<Value> changed = changedIn(loop, cells);
    if (changed.empty()) {
      promote(*loop.getBody(), cells);
      return;
    }
    b.setInsertionPoint(loop);
    auto carried = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        b, valuesOf(cells, changed), /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &, Location, ArrayRef<BlockArgument> held) {
          Cells inside = cells;
          set(inside, changed, ValueRange(SmallVector<Value>(held)));
          promote(*loop.getBody(), inside);
          return valuesOf(inside, changed);
        }));
    set(cells, changed, carried.getResults().take_back(changed.size()));
  }

  void promoteChoice(scf::IfOp choice, Cells &cells) {
    SmallVector<Value> changed = changedIn(choice, cells);
    SmallVector<Type> types(choice.getResultTypes());
    for (Value value : valuesOf(cells, changed))
      types.push_back(value.getType());
    b.setInsertionPoint(choice);
    auto carried =
        scf::IfOp::create(b, choice.getLoc(), types, choice.getCondition(),
                          /*withElseRegion=*/!types.empty());
    for (auto [from, to] :
         llvm::zip(choice->getRegions(), carried->getRegions())) {
      Cells inside = cells;
      if (!from.empty()) {
        promote(from.front(), inside);
        to.takeBody(from);
      }
      if (to.empty())
        continue;
      if (to.front().empty() ||
          !to.front().back().hasTrait<OpTrait::IsTerminator>()) {
        b.setInsertionPointToEnd(&to.front());
        scf::YieldOp::create(b, choice.getLoc());
      }
      auto yield = cast<scf::YieldOp>(to.front().getTerminator());
      yield.getResultsMutable().append(valuesOf(inside, changed));
    }
    ValueRange results = carried.getResults();
    set(cells, changed, results.take_back(changed.size()));
    b.replaceOp(choice, results.drop_back(changed.size()));
  }

  RewriterBase &b;
};

} // namespace

void CountedRings::finish(tile::KernelOp kernel,
                          llvm::function_ref<void(Value)> wait) {
  if (rings.empty())
    return;
  for (const Taken &taken : takes)
    awaitSlot(taken, wait);
  Promotion::Cells cells;
  Promotion(b).promote(kernel.getBody().front(), cells);
  for (Ring &ring : rings) {
    SmallVector<Variable> variables = {ring.filled, ring.taken};
    for (const SmallVector<Variable> &slot : ring.transfers)
      llvm::append_range(variables, slot);
    for (Variable variable : variables)
      b.eraseOp(variable);
  }
}
