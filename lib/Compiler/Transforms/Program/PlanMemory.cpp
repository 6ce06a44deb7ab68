//===- PlanMemory.cpp - Places buffers in one arena -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SizeExpressions.h"
#include "kiln/Dialect/Program/BufferInterfaces.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Transforms/Program/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::program {
#define GEN_PASS_DEF_PROGRAMPLANMEMORY
#include "kiln/Transforms/Program/Passes.h.inc"
} // namespace kiln::program

using namespace kiln;
using namespace kiln::program;

namespace {

constexpr int64_t kAlign = 64;

/// A buffer to place: its lifetime, and its size in units of its class.
struct Item {
  AllocOp alloc;
  int64_t first, last;
  int64_t count;
  int64_t bytes; ///< of static buffers
  int64_t offset = 0;
};

/// Buffers whose sizes are multiples of one expression: 64 bytes times a
/// product of sizes, or, when that would waste memory, the aligned size itself.
struct SizeClass {
  index::Expr unit;
  bool aligned = false; ///< the unit is the size rounded up
  SmallVector<Item> items;
  int64_t total = 0;
};

/// First and last use of a buffer, counted in operations of its block. Uses
/// through views count; returned is set when the buffer leaves the program.
struct Lifetime {
  int64_t first = -1, last = -1;
  bool returned = false;

  void collect(Value buffer, const DenseMap<Operation *, int64_t> &position,
               Block *block) {
    SmallVector<Value> worklist = {buffer};
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      for (Operation *user : value.getUsers()) {
        if (isa<memref::DimOp>(user))
          continue;
        // What a branch or loop hands on may be used for longer.
        returned |= user->hasTrait<OpTrait::IsTerminator>() ||
                    isa<RegionBranchOpInterface>(user);
        // Whatever makes a memref of a memref may be the same memory.
        if (!isa<TransferOp>(user))
          for (Value result : user->getResults())
            if (isa<BaseMemRefType>(result.getType()))
              worklist.push_back(result);
        if (getViewedBuffer(user))
          continue;
        Operation *ancestor = block->findAncestorOpInBlock(*user);
        int64_t at = ancestor ? position.lookup(ancestor) : 0;
        first = first < 0 ? at : std::min(first, at);
        last = std::max(last, at);
      }
    }
  }
};

/// Gives every item the lowest offset at which no item alive at the same time
/// lies, the largest items first.
void placeItems(SizeClass &sizes) {
  SmallVector<Item *> order;
  for (Item &item : sizes.items)
    order.push_back(&item);
  llvm::sort(order, [](const Item *a, const Item *b) {
    return std::make_tuple(-a->count, a->first, a) <
           std::make_tuple(-b->count, b->first, b);
  });
  SmallVector<Item *> placed; // by offset
  for (Item *item : order) {
    int64_t offset = 0;
    for (Item *other : placed) {
      if (other->last < item->first || item->last < other->first)
        continue;
      if (offset + item->count <= other->offset)
        break;
      offset = std::max(offset, other->offset + other->count);
    }
    item->offset = offset;
    sizes.total = std::max(sizes.total, offset + item->count);
    auto where =
        llvm::upper_bound(placed, item, [](const Item *a, const Item *b) {
          return a->offset < b->offset;
        });
    placed.insert(where, item);
  }
}

/// Whether two buffers are in the same memory of the same device.
bool shareMemory(AllocOp a, AllocOp b) {
  return a.getDevice() == b.getDevice() &&
         a.getOrdinal().value_or(0) == b.getOrdinal().value_or(0) &&
         a.getMemory() == b.getMemory();
}

/// Plans one memory of a host program.
class Planner {
public:
  explicit Planner(FuncOp func) : func(func) {
    int64_t next = 0;
    for (Operation &op : func.getBody().front())
      position[&op] = next++;
  }

  /// All of these are in one memory.
  void run(ArrayRef<AllocOp> allocs) {
    SizeExpressions expressions(allocs.front());
    for (AllocOp alloc : allocs)
      classify(alloc, expressions);
    if (classes.empty())
      return;
    // Static sizes first: their offsets need no arithmetic.
    auto *fixed = llvm::find_if(
        classes, [](const SizeClass &sizes) { return sizes.unit.isStatic(); });
    if (fixed != classes.end())
      std::rotate(classes.begin(), fixed, std::next(fixed));
    emit(allocs.front(), expressions.symbols);
  }

private:
  void classify(AllocOp alloc, SizeExpressions &expressions) {
    Lifetime lifetime;
    lifetime.collect(alloc.getResult(), position, alloc->getBlock());
    if (lifetime.returned || lifetime.first < 0 || alloc.getOffset())
      return;
    std::optional<index::Expr> size = expressions.bytesOf(alloc);
    // A sum of one: the content is its coefficient.
    if (!size || index::contentOf(*size) > (int64_t(1) << 50))
      return;
    Item item{alloc, lifetime.first, lifetime.last, 1, index::contentOf(*size)};
    bool aligned = false;
    if (size->isStatic()) {
      item.count = llvm::divideCeil(item.bytes, kAlign);
      size = index::Expr(kAlign);
    } else if (item.bytes % kAlign == 0) {
      item.count = item.bytes / kAlign;
      size = *size->exactDiv(item.count);
    } else {
      aligned = true;
    }
    for (SizeClass &known : classes)
      if (known.aligned == aligned && known.unit == *size) {
        known.items.push_back(item);
        return;
      }
    classes.push_back({*size, aligned, {item}});
  }

  /// Writes the offsets and the arena before the first buffer.
  void emit(AllocOp before, const index::Symbols &symbols) {
    OpBuilder builder(before);
    Location loc = func.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    auto add = [&](Value a, Value b) -> Value {
      return builder.createOrFold<arith::AddIOp>(loc, a, b);
    };
    auto scale = [&](Value unit, int64_t count) -> Value {
      return builder.createOrFold<arith::MulIOp>(loc, unit, constant(count));
    };
    Value base = constant(0);
    for (SizeClass &sizes : classes) {
      placeItems(sizes);
      Value unit = constant(index::contentOf(sizes.unit));
      for (const index::Expr::Term &term : sizes.unit.getTerms())
        for (unsigned factor : term.factors)
          unit = builder.createOrFold<arith::MulIOp>(loc, unit,
                                                     symbols[factor].value);
      if (sizes.aligned) {
        Value blocks =
            arith::CeilDivSIOp::create(builder, loc, unit, constant(kAlign));
        unit = arith::MulIOp::create(builder, loc, blocks, constant(kAlign));
      }
      DenseMap<int64_t, Value> offsets; // equal offsets share a value
      for (Item &item : sizes.items) {
        Value &offset = offsets[item.offset];
        if (!offset)
          offset = add(base, scale(unit, item.offset));
        item.alloc.getOffsetMutable().assign(offset);
      }
      base = add(base, scale(unit, sizes.total));
    }
    ArenaOp::create(builder, loc, base, before.getDeviceAttr(),
                    before.getOrdinalAttr(), before.getMemoryAttr());
  }

  FuncOp func;
  DenseMap<Operation *, int64_t> position;
  SmallVector<SizeClass> classes;
};

/// Plans each memory of a host program, in the order of their first buffers.
void plan(FuncOp func) {
  Block &block = func.getBody().front();
  if (!block.getOps<ArenaOp>().empty())
    return; // planned before
  SmallVector<SmallVector<AllocOp>> memories;
  for (AllocOp alloc : block.getOps<AllocOp>()) {
    auto *known = llvm::find_if(memories, [&](ArrayRef<AllocOp> list) {
      return shareMemory(list.front(), alloc);
    });
    if (known == memories.end())
      memories.push_back({alloc});
    else
      known->push_back(alloc);
  }
  for (ArrayRef<AllocOp> memory : memories)
    Planner(func).run(memory);
}

/// Plans every host program under the operation that the pass runs on.
struct ProgramPlanMemoryPass
    : kiln::program::impl::ProgramPlanMemoryBase<ProgramPlanMemoryPass> {
  void runOnOperation() override {
    getOperation()->walk([](FuncOp func) { plan(func); });
  }
};

} // namespace
