//===- OverlapProducts.cpp - Products that begin an iteration early -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a loop whose second product multiplies what is computed from the first
// one's sums, the matrix unit would idle while threads compute. So all that
// leads to an operand of the second product runs an iteration early, behind the
// beginning of the second product of the iteration before: threads compute
// while the unit multiplies (FlashAttention-3, Shah et al. 2024, section 3.2).
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "MemoryProducts.h"
#include "Work.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Staging/LoopValues.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTOVERLAPPRODUCTS
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// The products of one loop that instructions compute beside the threads.
class Overlap {
public:
  Overlap(scf::ForOp loop, target::TargetAttr description, int64_t registers)
      : loop(loop), description(description), most(registers) {
    for (auto product : loop.getBody()->getOps<MatrixProductOpInterface>())
      if (isMemoryProduct(product, description))
        products.push_back(product);
  }

  bool find() {
    for (MatrixProductOpInterface product : products)
      (feedsAnother(product) && isKnownEarly(product) ? early : late)
          .insert(product);
    return !early.empty() && !late.empty() && ahead() > 0 &&
           registers() <= most && findSums() && isMovable();
  }
  /// Whether the loop goes on with what another one computes.
  bool continues(Overlap &other) {
    return llvm::any_of(loop.getInitArgs(), [&](Value init) {
      return init.getDefiningOp() == other.loop;
    });
  }
  size_t getSize() { return loop.getBody()->getOperations().size(); }
  void apply() {
    // Sums are changed while no product is in flight. Of the products the early
    // ones begin first, as threads wait for these.
    int64_t slots =
        cast<stage::SlotsAttr>(loop->getAttr(stage::kDecidedAttr)).getCount();
    loop->setAttr(stage::kDecidedAttr,
                  stage::SlotsAttr::get(loop.getContext(), slots, ahead()));
    constexpr int64_t kSums = 0, kEarly = 1, kLate = 2, kThreads = 3;
    for (Operation &op : loop.getBody()->without_terminator()) {
      auto at = op.getAttrOfType<stage::AtAttr>(stage::kAtAttr);
      if (!isOfTiles(&op) || (at && at.getStep() == stage::kBeforeUsers))
        continue;
      bool isLate = late.contains(&op) || sums.contains(&op);
      int64_t place = sums.contains(&op)    ? kSums
                      : early.contains(&op) ? kEarly
                      : late.contains(&op)  ? kLate
                                            : kThreads;
      if (Operation *reader = readerOf(&op)) {
        isLate = late.contains(reader);
        place = isLate ? kLate : kEarly;
      }
      op.setAttr(stage::kAtAttr,
                 stage::AtAttr::get(loop.getContext(), isLate ? 0 : -1, place));
    }
  }

private:
  /// Whether an operation computes tiles, rather than addresses or storage.
  static bool isOfTiles(Operation *op) {
    return llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  }
  bool feedsAnother(MatrixProductOpInterface product);
  bool isKnownEarly(MatrixProductOpInterface product);
  bool isReadOnlyBy(Value storage, Operation *product);
  bool isPlain(Operation *op);
  /// The product that alone reads the storage that `op` hands on; null if it
  /// hands on none.
  Operation *readerOf(Operation *op);
  /// What changes the carried sums of late products before these add to them.
  /// False where the sums go elsewhere, too.
  bool findSums();
  bool isMovable();
  int64_t ahead();
  int64_t registers();

  scf::ForOp loop;
  target::TargetAttr description;
  int64_t most;
  SmallVector<MatrixProductOpInterface> products;
  llvm::SetVector<Operation *> early, late, sums;
};
} // namespace

/// Whether an operand of another product of the iteration is computed from the
/// sums.
bool Overlap::feedsAnother(MatrixProductOpInterface product) {
  llvm::SetVector<Operation *> behind;
  behind.insert(product);
  for (size_t i = 0; i < behind.size(); ++i)
    for (OpOperand &use : behind[i]->getUses()) {
      Operation *user = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
      if (!user)
        continue;
      auto other = dyn_cast<MatrixProductOpInterface>(user);
      if (!other || !isMemoryProduct(other, description))
        behind.insert(user);
      else if (&use == &other.getLhsOperand() || &use == &other.getRhsOperand())
        return true;
    }
  return false;
}

bool Overlap::isReadOnlyBy(Value storage, Operation *product) {
  for (Operation *user : storage.getUsers()) {
    auto read = dyn_cast<stage::StorageReadOpInterface>(user);
    if (!read) {
      auto copy = dyn_cast<stage::StorageCopyOpInterface>(user);
      if (!copy || copy.getTarget() != storage)
        return false;
      continue;
    }
    Value operand = read.getResult();
    while (operand.hasOneUse() && handsOnBytes(*operand.getUsers().begin()))
      operand = (*operand.getUsers().begin())->getResult(0);
    if (!operand.hasOneUse() || *operand.getUsers().begin() != product)
      return false;
  }
  return true;
}

/// Whether an operation is pure, and follows from the loop's counter and what
/// is defined outside.
bool Overlap::isPlain(Operation *op) {
  return isPure(op) && !op->getNumRegions() &&
         llvm::none_of(op->getOperands(), [&](Value operand) {
           auto argument = dyn_cast<BlockArgument>(operand);
           return argument && argument.getOwner() == loop.getBody() &&
                  argument != loop.getInductionVar();
         });
}

/// Whether a product needs nothing of its iteration but storage that copies of
/// boxes fill for it alone, and no earlier iteration.
bool Overlap::isKnownEarly(MatrixProductOpInterface product) {
  llvm::SetVector<Operation *> needed;
  auto add = [&](Value value) {
    if (Operation *op = value.getDefiningOp();
        op && op->getBlock() == loop.getBody())
      needed.insert(op);
  };
  auto isCarried = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == loop.getBody() &&
           argument != loop.getInductionVar();
  };
  bool readsStorage = false;
  for (Value operand : product->getOperands()) {
    if (isCarried(operand))
      return false;
    add(operand);
  }
  for (size_t i = 0; i < needed.size(); ++i) {
    Operation *op = needed[i];
    if (auto read = dyn_cast<stage::StorageReadOpInterface>(op)) {
      Value storage = read.getStorage();
      if (!isReadOnlyBy(storage, product))
        return false;
      for (Operation *user : storage.getUsers())
        if (isa<stage::StorageCopyOpInterface>(user))
          needed.insert(user);
      readsStorage = true;
      continue;
    }
    if (!isa<stage::StorageCopyOpInterface>(op) && !isPlain(op))
      return false;
    for (Value operand : op->getOperands()) {
      if (isCarried(operand))
        return false;
      if (!isa<MemRefType>(operand.getType()))
        add(operand);
    }
  }
  return readsStorage;
}

Operation *Overlap::readerOf(Operation *op) {
  if (!isa<stage::StorageReadOpInterface>(op) && !handsOnBytes(op))
    return nullptr;
  while (op->hasOneUse()) {
    op = *op->getUsers().begin();
    if (early.contains(op) || late.contains(op))
      return op;
    if (!handsOnBytes(op))
      break;
  }
  return nullptr;
}

bool Overlap::findSums() {
  Block *body = loop.getBody();
  for (Operation *product : late) {
    Value result = product->getResult(0);
    if (!result.hasOneUse() ||
        *result.getUsers().begin() != body->getTerminator())
      return false;
    SmallVector<Value> open = {
        loop.getRegionIterArg(result.use_begin()->getOperandNumber())};
    while (!open.empty())
      for (OpOperand &use : open.pop_back_val().getUses()) {
        Operation *user = use.getOwner();
        if (late.contains(user)) {
          OpOperand *acc = cast<MatrixProductOpInterface>(user).getAccOperand();
          if (&use != acc)
            return false;
        } else if (user->getBlock() != body || !isOfTiles(user) ||
                   !isPure(user) || early.contains(user)) {
          return false;
        } else if (sums.insert(user)) {
          llvm::append_range(open, user->getResults());
        }
      }
  }
  // What only repeats elements is repeated late, too: the loop carries less.
  auto elementsOf = [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile ? tile.getNumElements() : int64_t(1);
  };
  for (size_t i = 0; i < sums.size(); ++i)
    for (Value operand : sums[i]->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (op && op->getBlock() == body && op->getNumOperands() == 1 &&
          isPure(op) && !op->getNumRegions() &&
          elementsOf(op->getOperand(0).getType()) <
              elementsOf(operand.getType()) &&
          llvm::all_of(op->getUsers(),
                       [&](Operation *user) { return sums.contains(user); }))
        sums.insert(op);
    }
  return true;
}

/// Whether all but the filling of storage computes, or reads storage for one
/// product alone.
bool Overlap::isMovable() {
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isMemoryEffectFree(&op) ||
        isa<stage::StorageOpInterface, stage::StorageCopyOpInterface>(op))
      continue;
    auto read = dyn_cast<stage::StorageReadOpInterface>(op);
    Operation *reader = read ? readerOf(read) : nullptr;
    if (!reader || !isReadOnlyBy(read.getStorage(), reader))
      return false;
  }
  return true;
}

/// The slots that are filled ahead where warps are an iteration apart: all but
/// the one that some read and the one that others fill. 0: there are too few.
int64_t Overlap::ahead() {
  auto slots = loop->getAttrOfType<stage::SlotsAttr>(stage::kDecidedAttr);
  if (!slots)
    return 0;
  if (std::optional<int64_t> decided = slots.getAhead())
    return slots.getCount() >= *decided + 2 ? *decided : 0;
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  bool isAlone = fillsRegisters(
      kernel, warpsOf(kernel) * lanesOf(description, 0), description);
  return isAlone ? std::max<int64_t>(slots.getCount() - 2, 0) : 0;
}

/// Registers of a thread for sums, and for operands that it holds. The wait for
/// a late product stands before what makes its next operand
/// (chooseProductWait), so that one of them lives at a time.
int64_t Overlap::registers() {
  auto wordsOf = [](Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    return llvm::divideCeil(
        getLayout(tile).getNumRegisters() *
            ThreadBuilder::storedBytes(type.getElementType()),
        4);
  };
  int64_t words = 0;
  for (MatrixProductOpInterface product : products) {
    words += wordsOf(product->getResult(0));
    Value left = product.getLhsOperand().get();
    if (!storageRead(left))
      words += wordsOf(left);
  }
  return words;
}

namespace {
struct OverlapProducts : simt::impl::SimtOverlapProductsBase<OverlapProducts> {
  using SimtOverlapProductsBase::SimtOverlapProductsBase;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    target::TargetAttr description = target::getDescription(kernel);
    // In step, warps would compute at the same time all the same.
    if (!description || !hasSplitBarriers(description) ||
        !hasMemoryProducts(kernel, description))
      return;
    std::vector<Overlap> all;
    kernel.walk([&](scf::ForOp loop) {
      if (Overlap overlap(loop, description, registers); overlap.find())
        all.push_back(std::move(overlap));
    });
    // Of two loops for one sum the one that does more handles what is at an
    // edge, such as of a mask: it has few iterations, and the kernel would need
    // its registers.
    for (Overlap &one : all)
      if (llvm::none_of(all, [&](Overlap &other) {
            return (one.continues(other) || other.continues(one)) &&
                   other.getSize() < one.getSize();
          }))
        one.apply();
  }
};
} // namespace
