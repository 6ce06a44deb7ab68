//===- ChooseBulkCopies.cpp - Rings that a copy unit fills ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine.h"
#include "MemoryProducts.h"
#include "kiln/Dialect/Stage/Slots.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Gpu/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTCHOOSEBULKCOPIES
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// What can be copied in bulk on a chip.
class BulkChooser {
public:
  BulkChooser(tile::KernelOp kernel, target::TargetAttr description,
              BulkCopies copies)
      : kernel(kernel), description(description), copies(copies) {}

  /// Whether a copy unit can fill the slots of a ring, and the warps that empty
  /// them can say so by barriers.
  bool suits(stage::RingOpInterface ring);

  /// Whether it can fill storage that a kernel fills once, and that products
  /// alone read.
  bool suitsFixed(stage::StorageCopyOpInterface copy);

private:
  bool suits(stage::StorageCopyOpInterface copy, int64_t align);
  bool suitsView(Value view, unsigned along);
  bool suitsUse(Operation *user, int64_t align);
  bool suitsLoop(Value ring);
  static bool isReadByProduct(Operation *user, target::TargetAttr description);
  static bool isRead(Operation *consume, target::TargetAttr description);

  tile::KernelOp kernel;
  target::TargetAttr description;
  BulkCopies copies;
  index::Analysis facts;
};
} // namespace

/// Whether a view is one that a descriptor can be made of before the kernel
/// starts.
bool BulkChooser::suitsView(Value view, unsigned along) {
  auto argument = dyn_cast<BlockArgument>(view);
  auto type = cast<tile::ViewType>(view.getType());
  if (!argument || argument.getOwner() != &kernel.getBody().front() ||
      type.getRank() > copies.rank || alignmentOf(view, facts) < copies.align ||
      type.getStaticStride(along) != 1)
    return false;
  int64_t bytes = ThreadBuilder::storedBytes(type.getElementType());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    // Coordinates have 32 bits, strides 40.
    std::optional<int64_t> most = sizeFacts(view, d, facts).range.high;
    if (!most || *most > std::numeric_limits<int32_t>::max())
      return false;
    if (d == int64_t(along))
      continue;
    int64_t stride = type.getStaticStride(d);
    if (!ShapedType::isDynamic(stride) &&
        (stride < 1 || stride * bytes >= int64_t(1) << 40))
      return false;
    if (strideDivisor(view, d, facts) * bytes % copies.align)
      return false;
  }
  return true;
}

bool BulkChooser::suits(stage::StorageCopyOpInterface copy, int64_t align) {
  auto storage = dyn_cast<MemRefType>(copy.getTarget().getType());
  auto view = dyn_cast<tile::ViewType>(copy.getSource().getType());
  if (!storage || !view || storage.getRank() != 2 || copy.getBox() ||
      !copy.getTo().empty() || !copy.readsZerosOutside() ||
      !copy.canUseCopyUnit() || copy->getNumRegions())
    return false;
  Permutation permutation = permutationOf(storage);
  int64_t each = ThreadBuilder::storedBytes(storage.getElementType());
  int64_t row = storage.getDimSize(permutation.inner) * each,
          rows = storage.getDimSize(1 - permutation.inner);
  unsigned along = view.getRank() - storage.getRank() + permutation.inner;
  // A single row lies as it is in memory.
  if (rows == 1)
    return row >= copies.chunk && llvm::isPowerOf2_64(row) &&
           row / each <= copies.extent && align % copies.row == 0 &&
           suitsView(copy.getSource(), along);
  // The hardware's swizzle, whose pattern begins anew at the slot.
  int64_t piece = std::min(row, permutation.piece);
  if (permutation.piece != copies.row || permutation.unit != copies.chunk ||
      row < 2 * copies.chunk || !llvm::isPowerOf2_64(row) ||
      rows * piece % copies.row || align % (copies.row * piece / copies.chunk))
    return false;
  // Boxes of more rows are several.
  if (piece / each > copies.extent ||
      (rows > copies.extent && rows % copies.extent))
    return false;
  return suitsView(copy.getSource(), along);
}

/// Whether a product whose left operand is in registers would have to be done
/// before the next iteration waits for a slot, because assemblers may not keep
/// these registers over the branch of that wait, and no other product of the
/// loop makes up for that.
static bool isCarriedInRegisters(Operation *op) {
  auto product = cast<MatrixProductOpInterface>(op);
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  auto acc = product.getAccOperand()
                 ? dyn_cast<BlockArgument>(product.getAccOperand()->get())
                 : BlockArgument();
  Value left = product.getLhsOperand().get();
  bool isCarried = loop && isa<BlockArgument>(left) &&
                   cast<BlockArgument>(left).getOwner() == loop.getBody();
  return loop && acc && acc.getOwner() == loop.getBody() &&
         llvm::hasSingleElement(
             loop.getBody()->getOps<MatrixProductOpInterface>()) &&
         !storageRead(left) && !isCarried;
}

/// Whether a user of storage reads it for an asynchronous product.
bool BulkChooser::isReadByProduct(Operation *user,
                                  target::TargetAttr description) {
  auto read = dyn_cast<stage::StorageReadOpInterface>(user);
  if (!read || !simt::isReadByProduct(read))
    return false;
  Operation *reader = *read->getUsers().begin();
  while (handsOnBytes(reader))
    reader = *reader->getUsers().begin();
  return isMemoryProduct(reader, description) &&
         reader->getBlock() == read->getBlock() &&
         !isCarriedInRegisters(reader);
}

/// Whether asynchronous products, or threads that have then what they read in
/// registers, read what is consumed.
bool BulkChooser::isRead(Operation *consume, target::TargetAttr description) {
  return llvm::all_of(consume->getUsers(), [&](Operation *user) {
    auto read = dyn_cast<stage::StorageReadOpInterface>(user);
    return read && read->getBlock() == consume->getBlock() &&
           (isReadByProduct(user, description) || !simt::isReadByProduct(read));
  });
}

bool BulkChooser::suitsUse(Operation *user, int64_t align) {
  if (stage::ringFreedBy(user))
    return true;
  if (stage::ringTakenBy(user))
    return isRead(user, description);
  return stage::ringFilledBy(user) &&
         llvm::all_of(user->getRegion(0).front().without_terminator(),
                      [&](Operation &op) {
                        auto copy = dyn_cast<stage::StorageCopyOpInterface>(op);
                        return copy ? copy.getAsync() && suits(copy, align)
                                    : isPure(&op);
                      });
}

/// Whether slots are filled and emptied in one loop of the kernel, one of each
/// an iteration, and outside of loops.
bool BulkChooser::suitsLoop(Value ring) {
  scf::ForOp loop;
  stage::SlotCounts counts;
  Block *body = &kernel.getBody().front();
  for (Operation *user : ring.getUsers()) {
    Operation *around = user->getParentOp();
    if (auto choice = dyn_cast<scf::IfOp>(around)) {
      if (!stage::ringFilledBy(user) || !choice.getElseRegion().empty() ||
          choice.getNumResults())
        return false;
      around = choice->getParentOp();
    }
    if (around == kernel)
      continue;
    auto own = dyn_cast<scf::ForOp>(around);
    if (!own || own->getBlock() != body || (loop && loop != own))
      return false;
    loop = own;
    counts.add(user);
  }
  return loop && counts.filled == 1 && counts.taken == 1 && counts.freed == 1;
}

bool BulkChooser::suits(stage::RingOpInterface ring) {
  if (ring->getParentOp() != kernel)
    return false;
  int64_t align = ring.getAlign().value_or(1);
  return llvm::all_of(ring->getUsers(),
                      [&](Operation *user) { return suitsUse(user, align); }) &&
         suitsLoop(ring.getRing());
}

bool BulkChooser::suitsFixed(stage::StorageCopyOpInterface copy) {
  auto alloc = copy.getTarget().getDefiningOp<stage::StorageOpInterface>();
  return alloc && !alloc.getOffset() && !copy.getAsync() &&
         copy->getParentOp() == kernel && alloc->getParentOp() == kernel &&
         suits(copy, alloc.getAlign().value_or(1)) &&
         llvm::all_of(alloc->getUsers(), [&](Operation *user) {
           return user == copy || isReadByProduct(user, description);
         });
}

/// Makes a ring of one slot of storage that a kernel fills once, so that the
/// copy unit fills it while threads go on.
static stage::RingOpInterface makeSlot(stage::StorageCopyOpInterface copy) {
  auto alloc = copy.getTarget().getDefiningOp<stage::StorageOpInterface>();
  Block *body = copy->getBlock();
  Operation *first = nullptr, *last = nullptr;
  for (Operation *user : alloc->getUsers()) {
    if (user == copy)
      continue;
    Operation *whole = body->findAncestorOpInBlock(*user);
    if (!first || whole->isBeforeInBlock(first))
      first = whole;
    // Behind what reads it: the product.
    if (whole == user)
      for (whole = *user->getUsers().begin(); handsOnBytes(whole);)
        whole = *whole->getUsers().begin();
    if (!last || last->isBeforeInBlock(whole))
      last = whole;
  }
  OpBuilder b(copy);
  Location loc = copy.getLoc();
  auto storage = cast<MemRefType>(alloc.getStorage().getType());
  auto ring = stage::RingOp::create(
      b, loc, stage::RingType::get(b.getContext(), /*depth=*/1, {storage}),
      alloc.getAlign() ? b.getI64IntegerAttr(*alloc.getAlign()) : IntegerAttr(),
      /*offset=*/IntegerAttr());
  auto produce = stage::ProduceOp::create(b, loc, ring);
  Block *slot = b.createBlock(&produce.getBody());
  auto async = stage::CopyOp::create(
      b, loc, stage::TokenType::get(b.getContext()), copy.getSource(),
      copy.getFrom(), slot->addArgument(storage, loc), ValueRange(),
      /*pad=*/Value(), b.getUnitAttr(),
      copy.hasSourceOffsets() ? b.getUnitAttr() : UnitAttr(), UnitAttr(),
      DenseI64ArrayAttr(),
      tile::PaddingAttr::get(b.getContext(), tile::Padding::zero));
  stage::CommitOp::create(b, loc, async.getToken());
  b.setInsertionPoint(first);
  auto consume = stage::ConsumeOp::create(b, loc, ring);
  b.setInsertionPointAfter(last);
  stage::ReleaseOp::create(b, loc, ring);
  copy.erase();
  alloc.getStorage().replaceAllUsesWith(consume.getParts().front());
  alloc.erase();
  return cast<stage::RingOpInterface>(ring.getOperation());
}

namespace {
struct ChooseBulkCopies
    : simt::impl::SimtChooseBulkCopiesBase<ChooseBulkCopies> {
  using SimtChooseBulkCopiesBase::SimtChooseBulkCopiesBase;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    target::TargetAttr description = target::getDescription(kernel);
    std::optional<BulkCopies> copies = bulkCopiesOf(description);
    if (!copies)
      return;
    BulkChooser chooser(kernel, description, *copies);
    SmallVector<stage::RingOpInterface> rings;
    for (auto ring : kernel.getBody().getOps<stage::RingOpInterface>())
      if (chooser.suits(ring))
        rings.push_back(ring);
    // Beside rings, with whose barriers threads wait anyway.
    SmallVector<stage::StorageCopyOpInterface> fixed;
    for (auto copy : kernel.getBody().getOps<stage::StorageCopyOpInterface>())
      if (!rings.empty() && chooser.suitsFixed(copy))
        fixed.push_back(copy);
    for (stage::StorageCopyOpInterface copy : fixed)
      rings.push_back(makeSlot(copy));
    for (stage::RingOpInterface ring : rings) {
      // Places are given by simt-insert-barriers.
      ring.setBarriersAttr(SlotBarriersAttr::get(&getContext(), /*place=*/0));
      for (Operation *user : ring->getUsers())
        user->walk([&](stage::StorageCopyOpInterface copy) {
          if (copy->getParentOp() == user)
            copy.setUsesCopyUnit(true);
        });
    }
  }
};
} // namespace
