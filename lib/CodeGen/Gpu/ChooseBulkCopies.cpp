//===- ChooseBulkCopies.cpp - Rings that a copy unit fills ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine.h"
#include "MemoryProducts.h"
#include "kiln/Analysis/AnchoredBox.h"
#include "kiln/Dialect/Stage/Slots.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Gpu/Passes.h"
#include "mlir/IR/IntegerSet.h"
#include "llvm/Support/MathExtras.h"
#include <map>

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

  /// Lets a copy that suits read a view that a launch knows.
  stage::StorageCopyOpInterface anchor(stage::StorageCopyOpInterface copy);

private:
  bool suits(stage::StorageCopyOpInterface copy, int64_t align);
  bool suitsSource(stage::StorageCopyOpInterface copy, unsigned along);
  bool suitsAnchored(stage::StorageCopyOpInterface copy, unsigned along);
  bool suitsView(Value view, unsigned along);
  bool isOfLaunch(Value value, unsigned &left);
  bool isOfLaunch(tile::MakeViewOp view);
  bool writesLast();
  bool suitsUse(Operation *user, int64_t align);
  bool suitsLoop(Value ring);
  static bool isReadByProduct(Operation *user, target::TargetAttr description);
  static bool isRead(Operation *consume, target::TargetAttr description);

  tile::KernelOp kernel;
  target::TargetAttr description;
  BulkCopies copies;
  index::Analysis facts;
  std::map<Operation *, tile::AnchoredBox> anchors;
  std::optional<bool> areWritesLast;
};
} // namespace

/// Whether a scalar follows from parameters of the kernel alone, by few
/// operations.
bool BulkChooser::isOfLaunch(Value value, unsigned &left) {
  if (!left || !left--)
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &kernel.getBody().front() &&
           argument.getType().isSignlessInteger();
  Operation *op = value.getDefiningOp();
  return isa<arith::ConstantOp>(op) ||
         ((isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ExtSIOp>(
               op) ||
           // A cast of an index to an integer may cut it.
           (isa<arith::IndexCastOp>(op) && value.getType().isIndex())) &&
          llvm::all_of(op->getOperands(), [&](Value operand) {
            return isOfLaunch(operand, left);
          }));
}

/// Whether a launch knows a view, as it does those of tensor descriptors.
/// Strides that it computes might be negative.
bool BulkChooser::isOfLaunch(tile::MakeViewOp view) {
  unsigned left = 24;
  return view && view.getStrides().empty() && !view.getType().isDense() &&
         isa<BlockArgument>(view.getBase()) &&
         cast<BlockArgument>(view.getBase()).getOwner() ==
             &kernel.getBody().front() &&
         llvm::all_of(view.getSizes(),
                      [&](Value size) { return isOfLaunch(size, left); });
}

/// Whether a kernel writes memory behind all copies only. A copy unit would not
/// see what threads wrote before.
bool BulkChooser::writesLast() {
  if (areWritesLast)
    return *areWritesLast;
  Block &body = kernel.getBody().front();
  Operation *last = nullptr;
  for (Operation &op : body)
    if (op.walk([](stage::StorageCopyOpInterface copy) {
            return copy.fillsStorage() ? WalkResult::interrupt()
                                       : WalkResult::advance();
          }).wasInterrupted())
      last = &op;
  auto writes = [](Operation *op) {
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        isa<stage::RingOpInterface>(op) || stage::ringFilledBy(op) ||
        stage::ringTakenBy(op) || stage::ringFreedBy(op))
      return false;
    if (auto copy = dyn_cast<stage::StorageCopyOpInterface>(op))
      return !copy.fillsStorage();
    auto effects = getEffectsRecursively(op);
    return !effects || llvm::any_of(*effects, [](const auto &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect()) &&
             !(effect.getValue() &&
               isa<MemRefType>(effect.getValue().getType()));
    });
  };
  areWritesLast = true;
  for (Operation &op : body)
    if (last && (&op == last || op.isBeforeInBlock(last)))
      op.walk([&](Operation *inner) {
        if (writes(inner))
          areWritesLast = false;
      });
  return *areWritesLast;
}

/// Whether the box that a copy reads through a pointer is one of a view that a
/// launch knows.
bool BulkChooser::suitsAnchored(stage::StorageCopyOpInterface copy,
                                unsigned along) {
  if (!writesLast())
    return false;
  if (anchors.count(copy))
    return true;
  tile::AnchoredBox box(kernel);
  SmallVector<OpFoldResult> from(copy.getFrom().begin(), copy.getFrom().end());
  auto storage = cast<MemRefType>(copy.getTarget().getType());
  if (!box.find(copy.getSource(), from, storage.getShape(),
                !copy.hasSourceOffsets()) ||
      int64_t(box.getDims().size()) > copies.rank ||
      tile::alignmentOf(box.getBase(), facts) < copies.align)
    return false;
  // The view is made in front of what fills a slot.
  if (stage::ringFilledBy(copy->getParentOp()) &&
      !box.isOutside(copy->getParentOp()))
    return false;
  int64_t bytes = ThreadBuilder::storedBytes(storage.getElementType());
  unsigned extra = box.getDims().size() -
                   cast<tile::ViewType>(copy.getSource().getType()).getRank();
  for (auto [d, dim] : llvm::enumerate(box.getDims()))
    if (d == extra + along
            ? !dim.stride.is(1)
            : box.strideDivisor(dim, facts) * bytes % copies.align != 0)
      return false;
  // View recovery has noted them, where launches may differ.
  auto set = kernel.getConditionAttr();
  for (AffineExpr condition : box.getConditions())
    if (!set || !llvm::is_contained(set.getValue().getConstraints(), condition))
      return false;
  anchors.emplace(copy, std::move(box));
  return true;
}

stage::StorageCopyOpInterface
BulkChooser::anchor(stage::StorageCopyOpInterface copy) {
  auto found = anchors.find(copy);
  if (found == anchors.end())
    return copy;
  // Coordinates are not computed where slots are filled.
  Operation *around = copy;
  if (stage::ringFilledBy(copy->getParentOp()))
    around = copy->getParentOp();
  OpBuilder b(around);
  SmallVector<Value> at;
  Value view = found->second.make(b, copy.getLoc(), at);
  anchors.erase(found);
  b.setInsertionPoint(copy);
  UnitAttr isAsync = copy.getAsync() ? b.getUnitAttr() : UnitAttr();
  auto made = stage::CopyOp::create(
      b, copy.getLoc(),
      isAsync ? Type(stage::TokenType::get(b.getContext())) : Type(), view, at,
      copy.getTarget(), ValueRange(), /*pad=*/Value(), isAsync,
      /*fromOffsets=*/b.getUnitAttr(), UnitAttr(), DenseI64ArrayAttr(),
      tile::PaddingAttr::get(b.getContext(), tile::Padding::zero));
  copy->replaceAllUsesWith(made.getOperation());
  copy->erase();
  return cast<stage::StorageCopyOpInterface>(made.getOperation());
}

bool BulkChooser::suitsSource(stage::StorageCopyOpInterface copy,
                              unsigned along) {
  return suitsView(copy.getSource(), along) || suitsAnchored(copy, along);
}

/// Whether a view is one that a descriptor can be made of before the kernel
/// starts.
bool BulkChooser::suitsView(Value view, unsigned along) {
  auto argument = dyn_cast<BlockArgument>(view);
  auto type = cast<tile::ViewType>(view.getType());
  bool isKnown =
      argument
          ? argument.getOwner() == &kernel.getBody().front()
          : isOfLaunch(view.getDefiningOp<tile::MakeViewOp>()) && writesLast();
  if (!isKnown || type.getRank() > copies.rank ||
      alignmentOf(view, facts) < copies.align ||
      type.getStaticStride(along) != 1)
    return false;
  int64_t bytes = ThreadBuilder::storedBytes(type.getElementType());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    // Coordinates have 31 bits, strides 40.
    std::optional<int64_t> most = sizeFacts(view, d, facts).range.high;
    if (!most || *most > tile::kEndless)
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
           suitsSource(copy, along);
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
  return suitsSource(copy, along);
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
    for (stage::RingOpInterface ring : rings)
      for (Operation *user : ring->getUsers())
        if (stage::ringFilledBy(user))
          for (auto copy : llvm::to_vector(
                   user->getRegion(0).getOps<stage::StorageCopyOpInterface>()))
            (void)chooser.anchor(copy);
    for (stage::StorageCopyOpInterface copy : fixed) {
      rings.push_back(makeSlot(chooser.anchor(copy)));
    }
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
