//===- SumsInFlight.cpp - Who uses the sums of asynchronous products ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two steps. The first finds for each wait which products may be in flight
// before it, and the least number of younger groups of each. The second
// follows the sums of products from operation to operation up to waits that
// cover them; any other use is an error. Of a product in a loop an older
// instance, of some iteration before, is told from the latest one.
//
//===----------------------------------------------------------------------===//

#include "BarrierCheck.h"
#include "SharedPlaces.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Target/Unverified.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PointerIntPair.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// A product, and whether the instance is one of an iteration before.
using Instance = llvm::PointerIntPair<Operation *, 1, bool>;
/// How many groups are younger than that of an instance at least; -1 where it
/// is yet to become part of one.
using Flights = llvm::MapVector<Instance, int64_t>;

/// Which products are in flight where.
class FlightAnalysis {
public:
  void run(Block &block) { visit(block); }
  /// Whether a wait covers an instance on all ways.
  bool isCovered(Operation *wait, int64_t but, Instance instance) const {
    auto at = before.find(wait);
    if (at == before.end())
      return false;
    auto found = at->second.find(instance);
    return found == at->second.end() || found->second >= but;
  }

private:
  void visit(Block &block);
  void visit(Operation &op);
  /// Goes through what a loop repeats until nothing new is in flight where an
  /// iteration begins; `body` leaves what is in flight where it ends.
  void iterate(Operation *loop, function_ref<void()> body);
  /// Whether there is anything new, or younger.
  static bool join(Flights &into, const Flights &other);

  Flights now;
  llvm::DenseMap<Operation *, Flights> before;
};
} // namespace

bool FlightAnalysis::join(Flights &into, const Flights &other) {
  bool changed = false;
  for (auto [instance, age] : other) {
    auto [known, isNew] = into.try_emplace(instance, age);
    changed |= isNew || age < known->second;
    known->second = std::min(known->second, age);
  }
  return changed;
}

void FlightAnalysis::visit(Block &block) {
  for (Operation &op : block)
    visit(op);
}

void FlightAnalysis::iterate(Operation *loop, function_ref<void()> body) {
  Flights head = now;
  while (true) {
    now = head;
    body();
    Flights back;
    for (auto [instance, age] : now) {
      bool isOld = instance.getInt() || loop->isAncestor(instance.getPointer());
      Flights one;
      one[Instance(instance.getPointer(), isOld)] = age;
      join(back, one);
    }
    if (!join(head, back))
      break;
  }
  now = head;
}

void FlightAnalysis::visit(Operation &op) {
  constexpr Synchronization::Group kProducts = Synchronization::Group::Products;
  std::optional<Synchronization> sync = synchronizationOf(&op);
  if (isa<AsyncProductOpInterface>(op)) {
    now[Instance(&op, false)] = -1;
  } else if (sync && sync->isCommitOf(kProducts)) {
    // Joins keep the least, so that loops end.
    for (auto &[instance, age] : now)
      ++age;
  } else if (sync && sync->isWaitFor(kProducts)) {
    join(before[&op], now);
    now.remove_if([&](auto &entry) { return entry.second >= sync->but; });
  } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
    Flights entry = now, after;
    for (Region &region : choice->getRegions()) {
      now = entry;
      if (!region.empty())
        visit(region.front());
      join(after, now);
    }
    now = std::move(after);
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    iterate(&op, [&] { visit(*loop.getBody()); });
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    Flights exit;
    iterate(&op, [&] {
      visit(*loop.getBeforeBody());
      exit = now;
      visit(*loop.getAfterBody());
    });
    now = exit;
  }
}

namespace {
/// A value that a use of sums hands them on to, and whether into another
/// iteration.
struct HandedOn {
  Value value;
  bool isNextIteration = false;
};
} // namespace

/// The values that a use of sums in flight hands them on to, before any wait:
/// results of structured operations and what their regions carry. Nothing for
/// a use that is itself allowed; failure for any other one.
static FailureOr<SmallVector<HandedOn>> handOn(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned i = use.getOperandNumber();
  if (auto product = dyn_cast<AsyncProductOpInterface>(op)) {
    // Products of one accumulator are executed in order. A factor is a number.
    if (!product.isAccumulator(use))
      return failure();
    return SmallVector<HandedOn>{};
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (i < loop.getNumControlOperands())
      return failure();
    i -= loop.getNumControlOperands();
    return SmallVector<HandedOn>{{loop.getRegionIterArg(i)},
                                 {loop.getResult(i)}};
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return SmallVector<HandedOn>{{loop.getBeforeArguments()[i]}};
  if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    if (!i)
      return failure();
    auto loop = cast<scf::WhileOp>(op->getParentOp());
    return SmallVector<HandedOn>{{loop.getAfterArguments()[i - 1]},
                                 {loop.getResult(i - 1)}};
  }
  if (isa<scf::YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return SmallVector<HandedOn>{{loop.getRegionIterArg(i), true},
                                   {loop.getResult(i), true}};
    if (auto loop = dyn_cast<scf::WhileOp>(parent))
      return SmallVector<HandedOn>{{loop.getBeforeArguments()[i], true}};
    return SmallVector<HandedOn>{{parent->getResult(i)}};
  }
  return failure();
}

LogicalResult simt::verifySumsInFlight(LLVM::LLVMFuncOp function) {
  FlightAnalysis flights;
  for (Block &block : function.getBody())
    flights.run(block);
  SmallVector<std::pair<Value, Instance>> open;
  llvm::DenseSet<std::pair<Value, Instance>> seen;
  auto add = [&](Value sums, Instance instance) {
    if (seen.insert({sums, instance}).second)
      open.push_back({sums, instance});
  };
  function.walk([&](AsyncProductOpInterface product) {
    for (Value sum : product->getResults())
      add(sum, Instance(product, false));
  });
  while (!open.empty()) {
    auto [sums, instance] = open.pop_back_val();
    for (OpOperand &use : sums.getUses()) {
      Operation *user = use.getOwner();
      std::optional<Synchronization> sync = synchronizationOf(user);
      if (sync && sync->isWaitFor(Synchronization::Group::Products)) {
        if (!flights.isCovered(user, sync->but, instance))
          add(user->getResult(use.getOperandNumber()), instance);
        continue;
      }
      FailureOr<SmallVector<HandedOn>> next = handOn(use);
      if (failed(next)) {
        InFlightDiagnostic error =
            target::emitUnverified(use.getOwner(), function)
            << "uses sums of a product before a wait covers it";
        error.attachNote(instance.getPointer()->getLoc())
            << "the product is here";
        return error;
      }
      for (HandedOn to : *next)
        add(to.value, Instance(instance.getPointer(),
                               instance.getInt() || to.isNextIteration));
    }
  }
  return success();
}
