//===- OverlapProducts.cpp - Products that begin an iteration early -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a loop whose second product multiplies what is computed from the first
// one's sums, the matrix unit would idle while threads compute. If the next
// iteration's first product has begun by then, both go on at the same time
// (FlashAttention-3, Shah et al. 2024, section 3.2).
//
//===----------------------------------------------------------------------===//

#include "MemoryProducts.h"
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

  void run() {
    SmallVector<MatrixProductOpInterface> early;
    for (MatrixProductOpInterface product : products)
      if (feedsAnother(product) && isKnownEarly(product))
        early.push_back(product);
    if (early.empty() || registersWith(early) > most)
      return;
    auto sooner = stage::AtAttr::get(loop.getContext(), /*step=*/-1, 0);
    for (MatrixProductOpInterface product : early)
      product->setAttr(stage::kAtAttr, sooner);
  }

private:
  bool feedsAnother(MatrixProductOpInterface product);
  bool isKnownEarly(MatrixProductOpInterface product);
  bool isReadOnlyBy(Value storage, Operation *product);
  bool isPlain(Operation *op);
  int64_t registersWith(ArrayRef<MatrixProductOpInterface> early);

  scf::ForOp loop;
  target::TargetAttr description;
  int64_t most;
  SmallVector<MatrixProductOpInterface> products;
};
} // namespace

/// Whether a factor of another product of the iteration is computed from the
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
    auto read = dyn_cast<stage::ReadOp>(user);
    if (!read) {
      auto copy = dyn_cast<stage::CopyOp>(user);
      if (!copy || copy.getTarget() != storage)
        return false;
      continue;
    }
    Value factor = read.getResult();
    while (factor.hasOneUse() && handsOnBytes(*factor.getUsers().begin()))
      factor = (*factor.getUsers().begin())->getResult(0);
    if (!factor.hasOneUse() || *factor.getUsers().begin() != product)
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
    if (auto read = dyn_cast<stage::ReadOp>(op)) {
      Value storage = read.getStorage();
      if (!isReadOnlyBy(storage, product))
        return false;
      for (Operation *user : storage.getUsers())
        if (isa<stage::CopyOp>(user))
          needed.insert(user);
      readsStorage = true;
      continue;
    }
    if (!isa<stage::CopyOp>(op) && !isPlain(op))
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

/// Registers of a thread for sums, those of early products twice, and for
/// factors that threads hold.
int64_t Overlap::registersWith(ArrayRef<MatrixProductOpInterface> early) {
  auto wordsOf = [](Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    return llvm::divideCeil(
        getLayout(tile).getNumRegisters() *
            ThreadBuilder::storedBytes(type.getElementType()),
        4);
  };
  int64_t words = 0;
  for (MatrixProductOpInterface product : products) {
    words += wordsOf(product->getResult(0)) *
             (llvm::is_contained(early, product) ? 2 : 1);
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
    if (!description || !hasMemoryProducts(kernel, description))
      return;
    kernel.walk([&](scf::ForOp loop) {
      // Copies that are ahead go through rings.
      if (loop->hasAttr(stage::kDepthAttr))
        Overlap(loop, description, registers).run();
    });
  }
};
} // namespace
