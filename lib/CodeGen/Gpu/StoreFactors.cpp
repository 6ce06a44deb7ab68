//===- StoreFactors.cpp - Computed operands in shared memory --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LayoutChoice.h"
#include "Machine.h"
#include "StorageAreas.h"
#include "StoredFactors.h"
#include "ThreadWriter.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// A factor that threads have and an instruction reads from memory.
struct Computed {
  MatrixProductOpInterface product;
  int which;  ///< 0: left, 1: right
  Value tile; ///< before its bytes are handed on
  int dim;    ///< of the tile, along which elements lie side by side
  SwizzleAttr swizzle;
};

/// Storage that a tile has been written to.
struct Stored {
  Value tile;
  int dim;
  SwizzleAttr swizzle;
  stage::AllocOp alloc;
};

class FactorStorer {
public:
  explicit FactorStorer(tile::KernelOp kernel)
      : kernel(kernel), description(target::getDescription(kernel)),
        room(sharedBytesOf(description)) {
    // A part is for exchanges.
    room -= room / kExchanges;
  }

  void run() {
    // Rings have as many slots as they have for good.
    kernel.walk(
        [&](stage::StorageOpInterface alloc) { room -= heldBytes(alloc); });
    SmallVector<Computed> all;
    kernel.walk([&](MatrixProductOpInterface product) {
      for (int which : {0, 1})
        if (std::optional<Computed> computed = computedFactor(product, which))
          all.push_back(*computed);
    });
    for (const Computed &computed : all)
      if (stage::AllocOp alloc = storageOf(computed))
        readFrom(alloc, computed);
  }

private:
  /// What storage takes where loops make a ring of it.
  static int64_t heldBytes(stage::StorageOpInterface alloc) {
    auto type = cast<MemRefType>(alloc.getStorage().getType());
    auto loop = dyn_cast<scf::ForOp>(alloc->getParentOp());
    auto slots =
        loop ? loop->getAttrOfType<stage::SlotsAttr>(stage::kDecidedAttr)
             : stage::SlotsAttr();
    int64_t bytes = type.getNumElements() *
                    ThreadBuilder::storedBytes(type.getElementType());
    return llvm::alignTo(bytes, alloc.getAlign().value_or(1)) *
           (slots ? slots.getCount() : 1);
  }

  std::optional<Computed> computedFactor(MatrixProductOpInterface product,
                                         int which) {
    target::MatrixInstructionAttr row = memoryRowOf(product, description);
    SwizzleAttr swizzle = row ? swizzleOf(row, which) : SwizzleAttr();
    OpOperand &factor =
        which == 0 ? product.getLhsOperand() : product.getRhsOperand();
    if (!swizzle || storageRead(factor.get()))
      return std::nullopt;
    Value tile = factor.get();
    bool isTransposed = false;
    for (Value before = bytesBefore(tile); before; before = bytesBefore(tile)) {
      isTransposed ^= isTransposition(tile.getDefiningOp());
      tile = before;
    }
    auto type = cast<RankedTensorType>(tile.getType());
    LayoutAttr layout = getLayout(tile);
    if (!layout || type.getRank() != 2)
      return std::nullopt;
    int summed = (which == 0 ? 1 : 0) ^ int(isTransposed);
    int dim = dimOf(type, layout, summed, swizzle);
    if (dim < 0)
      return std::nullopt;
    return Computed{product, which, tile, dim, swizzle};
  }

  /// The dimension along which a tile lies, so that threads write what they
  /// have side by side in few words; the summed one if that is no matter.
  static int dimOf(RankedTensorType type, LayoutAttr layout, int summed,
                   SwizzleAttr swizzle) {
    int64_t count =
        swizzle.getChunk() / ThreadBuilder::storedBytes(type.getElementType());
    int best = -1;
    size_t most = 0;
    for (int dim : {summed, 1 - summed}) {
      if (!mayLieAlong(type, dim, dim == summed, swizzle))
        continue;
      size_t bits = vectorBits(layout, dim, count).size();
      if (best < 0 || bits > most) {
        best = dim;
        most = bits;
      }
    }
    return best;
  }

  /// Where the tile can be written first: before the next product behind it,
  /// which the barrier that others need may stand at.
  static Operation *placeOf(Value tile, Operation *product) {
    Block *block = tile.getParentBlock();
    Operation *last = block->findAncestorOpInBlock(*product);
    Operation *made = tile.getDefiningOp();
    Operation *op = made ? made->getNextNode() : &block->front();
    while (op != last && !isa<MatrixProductOpInterface>(op) &&
           !op->getNumRegions())
      op = op->getNextNode();
    // Reads stand right before their product.
    while (op->getPrevNode() && op->getPrevNode() != made &&
           (isa<stage::StorageReadOpInterface>(op->getPrevNode()) ||
            handsOnBytes(op->getPrevNode())))
      op = op->getPrevNode();
    return op;
  }

  /// The storage that holds a factor where its product is; null where there is
  /// no room.
  stage::AllocOp storageOf(const Computed &computed) {
    MatrixProductOpInterface product = computed.product;
    for (const Stored &stored : known)
      if (stored.tile == computed.tile && stored.dim == computed.dim &&
          stored.swizzle == computed.swizzle)
        return stored.alloc;
    auto type = cast<RankedTensorType>(computed.tile.getType());
    int64_t align = computed.swizzle.getAlign();
    int64_t bytes =
        llvm::alignTo(type.getNumElements() *
                          ThreadBuilder::storedBytes(type.getElementType()),
                      align);
    if (bytes > room)
      return {};
    room -= bytes;
    OpBuilder b(placeOf(computed.tile, product));
    Location loc = product.getLoc();
    auto space =
        stage::SpaceAttr::get(b.getContext(), sharedSpaceOf(description),
                              permuteOf(computed.swizzle, computed.dim));
    auto storage = MemRefType::get(type.getShape(), type.getElementType(),
                                   MemRefLayoutAttrInterface(), space);
    auto alloc =
        stage::AllocOp::create(b, loc, storage, b.getI64IntegerAttr(align),
                               IntegerAttr(), IntegerAttr());
    Value written = computed.tile;
    // A load that is only written would be a copy, which not all loads can be.
    if (isTileLoad(written.getDefiningOp()))
      written = ConvertLayoutOp::create(b, loc, written.getType(), written);
    stage::WriteOp::create(b, loc, written, alloc, ValueRange());
    known.push_back({computed.tile, computed.dim, computed.swizzle, alloc});
    target::Report::of(b.getContext())
        .chose(product, "lowering", description.getName(), "storage",
               Twine(bytes) + " bytes for a computed factor");
    return alloc;
  }

  /// Has a product read the storage, through what hands the bytes on.
  static void readFrom(stage::AllocOp alloc, const Computed &computed) {
    MatrixProductOpInterface product = computed.product;
    OpOperand &factor =
        computed.which == 0 ? product.getLhsOperand() : product.getRhsOperand();
    SmallVector<Operation *> between;
    for (Value value = factor.get(); value != computed.tile;
         value = bytesBefore(value))
      between.push_back(value.getDefiningOp());
    OpBuilder b(product);
    Value read = stage::ReadOp::create(
        b, product.getLoc(), computed.tile.getType(), alloc, ValueRange());
    for (Operation *op : llvm::reverse(between)) {
      Operation *moved = b.clone(*op);
      moved->setOperand(0, read);
      read = moved->getResult(0);
    }
    factor.set(read);
    for (Operation *op : between)
      if (op->use_empty())
        op->erase();
  }

  static constexpr int64_t kExchanges = 16;
  tile::KernelOp kernel;
  target::TargetAttr description;
  int64_t room;
  SmallVector<Stored> known;
};
} // namespace

void simt::storeFactors(tile::KernelOp kernel) {
  if (hasMemoryProducts(kernel, target::getDescription(kernel)))
    FactorStorer(kernel).run();
}

bool simt::writesFragment(Operation *op) {
  auto write = dyn_cast_or_null<stage::StorageWriteOpInterface>(op);
  return write && !isLookup(write.getValue().getDefiningOp());
}
