//===- Work.cpp - How much code a kernel becomes --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Work.h"
#include "Machine.h"
#include "ProductChoice.h"
#include "ThreadWriter.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Target/Lowering.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// What is counted of a tile or a kernel, at most: far beyond what is compiled,
/// and small enough that sums of it are numbers.
static constexpr int64_t kMost = int64_t(1) << 40;

static int64_t multiply(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? kMost : std::min(product, kMost);
}

/// Elements of a tile, at most kMost.
static int64_t countElements(RankedTensorType tile) {
  int64_t elements = 1;
  for (int64_t size : tile.getShape())
    elements = multiply(elements, size);
  return elements;
}

/// Elements of the largest tile that an operation has.
static int64_t elementsOf(Operation *op) {
  int64_t most = 0;
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                SmallVector<Type>(op->getResultTypes())))
    if (auto tile = dyn_cast<RankedTensorType>(type))
      most = std::max(most, countElements(tile));
  return most;
}

/// Operations on scalars that stand for one of an operation.
static int64_t textOf(Operation *op) {
  int64_t count = std::max<int64_t>(op->getNumResults(), 1);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      count += block.getOperations().size() - 1;
  return count;
}

static int64_t operationsOf(Operation *op, int64_t lanes, int64_t warps,
                            target::TargetAttr description) {
  // What loops and branches hold is counted by itself.
  if (op->hasTrait<OpTrait::ConstantLike>() ||
      isa<LoopLikeOpInterface, RegionBranchOpInterface>(op))
    return 0;
  if (auto product = dyn_cast<MatrixProductOpInterface>(op))
    if (auto row = findInstruction(product, description, warps)) {
      // An instruction and the fragments that it takes.
      constexpr int64_t kText = 4;
      auto factor =
          cast<RankedTensorType>(product.getLhsOperand().get().getType());
      int64_t sums = countElements(product.getProductType());
      int64_t each = row.getM().getMin() * row.getN().getMin();
      return multiply(
          kText * llvm::divideCeil(sums, each * warps),
          llvm::divideCeil(factor.getShape().back(), row.getK().getMin()));
    }
  int64_t elements = elementsOf(op);
  return elements
             ? multiply(llvm::divideCeil(elements, lanes * warps), textOf(op))
             : 0;
}

Work simt::workOf(tile::KernelOp kernel, int64_t lanes, int64_t warps,
                  target::TargetAttr description) {
  Work work;
  kernel.walk([&](Operation *op) {
    // What regions of other operations do with elements is in their text.
    Operation *around = op->getParentOp();
    if (op == kernel ||
        (around != kernel &&
         !isa<LoopLikeOpInterface, RegionBranchOpInterface>(around)))
      return;
    int64_t own = operationsOf(op, lanes, warps, description);
    work.operations += own;
    if (own > work.share) {
      work.most = op;
      work.share = own;
    }
  });
  return work;
}

int64_t simt::registersOf(target::TargetAttr description) {
  constexpr int64_t kUsual = 255;
  if (description)
    for (target::MemoryAttr memory : description.getMemories())
      if (memory.getScope() == target::MemoryScope::Thread &&
          memory.getKind() == target::MemoryKind::Register && memory.getSize())
        return memory.getSize() / 4;
  return kUsual;
}

int64_t simt::registerFileOf(target::TargetAttr description) {
  if (description)
    for (target::MemoryAttr memory : description.getMemories())
      if (memory.getScope() == target::MemoryScope::Core &&
          memory.getKind() == target::MemoryKind::Register)
        return memory.getSize();
  return 0;
}

bool simt::fillsRegisters(tile::KernelOp kernel, int64_t threads,
                          target::TargetAttr description) {
  // Addresses, fragments and other numbers of a thread beside its sums.
  constexpr int64_t kOthers = 72;
  int64_t registers = registerFileOf(description) / 4, sums = 0;
  kernel.walk([&](Operation *op) {
    if (!isa<MatrixProductOpInterface, stage::StorageProductOpInterface>(op) ||
        !op->getNumResults())
      return;
    if (LayoutAttr layout = getLayout(op->getResult(0)))
      sums = std::max(sums, layout.getNumRegisters());
  });
  return registers && registers < 2 * threads * (sums + kOthers);
}

/// Operations of a thread that are compiled in seconds.
static int64_t usualWork(target::TargetAttr description) {
  // Each register is written so often.
  constexpr int64_t kWrites = 32;
  return kWrites * registersOf(description);
}

/// Elements of a tile that a thread may hold: `thread_elements` of the
/// description if that is at least 1, else eight for each register. What is
/// live together is stored and loaded again by the assembler, in a time that
/// grows faster than it.
static int64_t mostHeld(target::TargetAttr description) {
  constexpr int64_t kTimes = 8;
  DictionaryAttr extra = description ? description.getExtra() : nullptr;
  auto most =
      extra ? extra.getAs<IntegerAttr>("thread_elements") : IntegerAttr();
  return most && most.getInt() > 0 ? most.getInt()
                                   : kTimes * registersOf(description);
}

/// The first operation on a tile of which threads have more; null if none is.
static Operation *findLargeTile(tile::KernelOp kernel, int64_t threads,
                                int64_t most) {
  Operation *found = nullptr;
  kernel.walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>() ||
        int64_t(llvm::divideCeil(elementsOf(op), threads)) <= most)
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

/// Tiles that come from memory, or from such tiles: all others are made where
/// they are needed.
static SmallVector<Value> heldTiles(tile::KernelOp kernel) {
  llvm::SetVector<Value> held;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      if (op != kernel && !region.empty())
        for (BlockArgument argument : region.front().getArguments())
          if (isa<RankedTensorType>(argument.getType()))
            held.insert(argument);
    bool isHeld = !isMemoryEffectFree(op) ||
                  llvm::any_of(op->getOperands(), [&](Value value) {
                    return held.contains(value);
                  });
    for (Value result : op->getResults())
      if (isHeld && isa<RankedTensorType>(result.getType()))
        held.insert(result);
  });
  return held.takeVector();
}

int64_t simt::mostLiveWords(tile::KernelOp kernel) {
  // Where an operation begins, and where what is inside of it ends.
  llvm::DenseMap<Operation *, int64_t> begins, ends;
  int64_t at = 0;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { begins[op] = at++; });
  kernel.walk([&](Operation *op) {
    // A copy: the next entry may move all others.
    int64_t end = std::max(ends.lookup(op), begins.lookup(op));
    ends[op] = end;
    if (Operation *parent = op == kernel ? nullptr : op->getParentOp())
      ends[parent] = std::max(ends.lookup(parent), end);
  });
  // What is alive changes by so much at each place.
  SmallVector<int64_t> changes(at + 1);
  constexpr int64_t kWordBits = 32;
  for (Value tile : heldTiles(kernel)) {
    auto type = cast<RankedTensorType>(tile.getType());
    if (!type.getElementType().isIntOrFloat())
      continue;
    Operation *owner = tile.getDefiningOp();
    int64_t begin =
        begins[owner ? owner : tile.getParentBlock()->getParentOp()];
    int64_t end = begin;
    for (Operation *user : tile.getUsers())
      if (Operation *top = tile.getParentBlock()->findAncestorOpInBlock(*user))
        end = std::max(end, ends[top]);
    int64_t words =
        multiply(countElements(type),
                 llvm::divideCeil(type.getElementTypeBitWidth(), kWordBits));
    changes[begin] += words;
    changes[end] -= words;
  }
  int64_t now = 0, most = 0;
  for (int64_t change : changes)
    most = std::max(most, now += change);
  return most;
}

int64_t simt::liveWordsOfThread(Operation *op) {
  auto kernel = cast<tile::KernelOp>(op);
  int64_t threads = int64_t(kernel.getWarps().value_or(1)) *
                    lanesOf(target::getDescription(op));
  return mostLiveWords(kernel) / threads;
}

bool simt::wantsMoreWarps(tile::KernelOp kernel, int64_t lanes, int64_t warps,
                          target::TargetAttr description) {
  return workOf(kernel, lanes, warps, description).operations >
             usualWork(description) ||
         findLargeTile(kernel, lanes * warps, mostHeld(description));
}

/// Says which tile has no element or a size that is open, so that threads
/// cannot share it; false where there is none.
static bool hasNoTile(tile::KernelOp kernel) {
  WalkResult found = kernel.walk([](Operation *op) {
    for (Type type :
         llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                  SmallVector<Type>(op->getResultTypes())))
      if (auto tile = dyn_cast<RankedTensorType>(type);
          tile && llvm::any_of(tile.getShape(),
                               [](int64_t size) { return size < 1; })) {
        op->emitOpError("expected tiles of static shape with elements, found ")
            << type;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return found.wasInterrupted();
}

bool simt::isTooMuch(tile::KernelOp kernel, int64_t lanes, int64_t warps,
                     target::TargetAttr description) {
  if (hasNoTile(kernel))
    return true;
  // Sums are in registers from the first product to the last.
  int64_t file = registerFileOf(description);
  WalkResult products = kernel.walk([&](MatrixProductOpInterface product) {
    RankedTensorType type = product.getProductType();
    int64_t bytes =
        countElements(type) * ThreadBuilder::storedBytes(type.getElementType());
    if (!file || bytes <= file)
      return WalkResult::advance();
    (void)target::emitUnsupported(
        product, "the sums of an instance, " + Twine(bytes) +
                     " bytes, are more than the registers of a core, " +
                     Twine(file) + " bytes; smaller tiles have fewer");
    return WalkResult::interrupt();
  });
  if (products.wasInterrupted())
    return true;
  int64_t held = mostHeld(description);
  if (Operation *op = findLargeTile(kernel, lanes * warps, held)) {
    int64_t elements = elementsOf(op);
    (void)target::emitUnsupported(
        op, "a tile of " + Twine(elements < kMost ? "" : "at least ") +
                Twine(elements) + " elements is " +
                Twine(llvm::divideCeil(elements, lanes * warps)) +
                " for each of " + Twine(lanes * warps) +
                " threads, more than " + Twine(held) + " for threads of " +
                Twine(registersOf(description)) + " registers");
    return true;
  }
  // Beyond that compiling takes minutes.
  constexpr int64_t kFactor = 4;
  Work work = workOf(kernel, lanes, warps, description);
  int64_t most = kFactor * usualWork(description);
  if (work.operations <= most)
    return false;
  (void)target::emitUnsupported(
      work.most, "tiles of this size would become " + Twine(work.operations) +
                     " operations of each of " + Twine(lanes * warps) +
                     " threads (" + Twine(work.share) +
                     " of them here), more than " + Twine(most) +
                     " for threads of " + Twine(registersOf(description)) +
                     " registers; smaller tiles become fewer");
  return true;
}
