//===- ChooseBulkCopies.cpp - Rings that a copy unit fills ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine.h"
#include "MemoryProducts.h"
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
  bool suits(stage::RingOp ring);

private:
  bool suits(stage::CopyOp copy, int64_t align);
  bool suitsView(Value view, unsigned along);
  bool suitsUse(Operation *user, int64_t align);
  bool suitsLoop(Value ring);
  static bool isReadByProducts(stage::ConsumeOp consume,
                               target::TargetAttr description);

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

bool BulkChooser::suits(stage::CopyOp copy, int64_t align) {
  auto storage = dyn_cast<MemRefType>(copy.getTarget().getType());
  auto view = dyn_cast<tile::ViewType>(copy.getSource().getType());
  if (!copy.getAsync() || !storage || !view || storage.getRank() != 2 ||
      copy.getBox() || !copy.getTo().empty() ||
      copy.getPadding() != tile::Padding::zero || copy->getNumRegions())
    return false;
  Permutation permutation = permutationOf(storage);
  int64_t each = ThreadBuilder::storedBytes(storage.getElementType());
  int64_t row = storage.getDimSize(permutation.inner) * each,
          rows = storage.getDimSize(1 - permutation.inner);
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
  return suitsView(copy.getSource(),
                   view.getRank() - storage.getRank() + permutation.inner);
}

/// Whether a product whose left operand is in registers may be in flight where
/// the next iteration waits for a slot: assemblers may not keep these registers
/// over the branch of that wait.
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
         !storageRead(left) && !isCarried;
}

/// Whether asynchronous products alone read what is consumed.
bool BulkChooser::isReadByProducts(stage::ConsumeOp consume,
                                   target::TargetAttr description) {
  return llvm::all_of(consume->getUsers(), [&](Operation *user) {
    auto read = dyn_cast<stage::ReadOp>(user);
    if (!read || read->getBlock() != consume->getBlock() ||
        !isReadByProduct(read))
      return false;
    Operation *reader = *read->getUsers().begin();
    while (handsOnBytes(reader))
      reader = *reader->getUsers().begin();
    return isMemoryProduct(reader, description) &&
           reader->getBlock() == consume->getBlock() &&
           !isCarriedInRegisters(reader);
  });
}

bool BulkChooser::suitsUse(Operation *user, int64_t align) {
  if (isa<stage::ReleaseOp>(user))
    return true;
  if (auto consume = dyn_cast<stage::ConsumeOp>(user))
    return isReadByProducts(consume, description);
  auto produce = dyn_cast<stage::ProduceOp>(user);
  return produce && llvm::all_of(produce.getBody().front().without_terminator(),
                                 [&](Operation &op) {
                                   auto copy = dyn_cast<stage::CopyOp>(op);
                                   return copy ? suits(copy, align)
                                               : isPure(&op);
                                 });
}

/// Whether slots are filled and emptied in one loop of the kernel, one of each
/// an iteration, and outside of loops.
bool BulkChooser::suitsLoop(Value ring) {
  scf::ForOp loop;
  int64_t filled = 0, consumed = 0, released = 0;
  Block *body = &kernel.getBody().front();
  for (Operation *user : ring.getUsers()) {
    Operation *around = user->getParentOp();
    if (auto choice = dyn_cast<scf::IfOp>(around)) {
      if (!isa<stage::ProduceOp>(user) || !choice.getElseRegion().empty() ||
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
    filled += isa<stage::ProduceOp>(user);
    consumed += isa<stage::ConsumeOp>(user);
    released += isa<stage::ReleaseOp>(user);
  }
  return loop && filled == 1 && consumed == 1 && released == 1;
}

bool BulkChooser::suits(stage::RingOp ring) {
  if (ring->getParentOp() != kernel)
    return false;
  int64_t align = ring.getAlign().value_or(1);
  return llvm::all_of(ring->getUsers(),
                      [&](Operation *user) { return suitsUse(user, align); }) &&
         suitsLoop(ring.getRing());
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
    Builder b(&getContext());
    for (auto ring : kernel.getBody().getOps<stage::RingOp>()) {
      if (!chooser.suits(ring))
        continue;
      // Places are given by simt-insert-barriers.
      ring.setBarriersAttr(
          SlotBarriersAttr::get(&getContext(), /*place=*/0, /*held=*/0));
      for (Operation *user : ring->getUsers())
        user->walk([&](stage::CopyOp copy) {
          if (copy->getParentOp() == user)
            copy.setBulk(true);
        });
    }
  }
};
} // namespace
