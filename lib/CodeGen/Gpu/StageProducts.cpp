//===- StageProducts.cpp - Products of fragments and storage --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matmul of tiles says what is multiplied. Behind this pass it also says
// where its operands are, and which instruction multiplies them: nothing is
// decided about it when the code of a thread is written.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"
#include "Machine.h"
#include "MemoryProducts.h"
#include "ProductChoice.h"
#include "RegisterCandidates.h"
#include "StorageAreas.h"
#include "ThreadProducts.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Stage/Slots.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/ScaledProducts.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Target/Activity.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTSTAGEPRODUCTS
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// An operand of a product: a fragment, or storage.
struct Factor {
  Value value;
  TypeAttr as = {}; ///< the tile, where it is not the storage itself
  bool isTransposed = false;
  /// What reads the storage for the product alone, the last one first.
  SmallVector<Operation *> reads = {};
};
} // namespace

/// Whether what multiplies reads storage itself (by a swizzle, if that is an
/// instruction), or threads read fragments of it for an instruction.
static Factor findFactor(OpOperand &operand, bool readsItself) {
  Factor factor{operand.get()};
  stage::StorageReadOpInterface read = storageRead(operand.get());
  if (!read || !read.getOrigin().empty() ||
      read.getResult().getType().getRank() != 2)
    return factor;
  for (Value value = operand.get(); value != read.getResult();
       value = bytesBefore(value)) {
    factor.isTransposed ^= isTransposition(value.getDefiningOp());
    factor.reads.push_back(value.getDefiningOp());
  }
  factor.reads.push_back(read);
  factor.value = read.getStorage();
  auto tile = cast<RankedTensorType>(operand.get().getType());
  auto storage = cast<MemRefType>(factor.value.getType());
  if (readsItself)
    tile = RankedTensorType::get(tile.getShape(), tile.getElementType());
  if (!readsItself || factor.isTransposed ||
      storage.getElementType() != tile.getElementType())
    factor.as = TypeAttr::get(tile);
  return factor;
}

/// Whether threads can read a factor by themselves: storage whose rows are
/// whole.
static bool isStorage(const Factor &factor) {
  auto type = dyn_cast<MemRefType>(factor.value.getType());
  return type && !permutationOf(type).piece;
}

/// An instruction that reads shared memory runs beside the threads. A wait for
/// its sum stands right behind it until simt-insert-barriers moves that.
static Value waitFor(OpBuilder &b, stage::ProductOp product) {
  if (!product.getAsync())
    return product.getResult();
  return stage::WaitOp::create(b, product.getLoc(), product.getResult(),
                               /*kept=*/ValueRange(), /*but=*/IntegerAttr())
      .getResult(0);
}

/// A slot is released behind the product that reads it, rather than behind the
/// fragments that would have been read.
static void releaseBehind(Operation *product, ArrayRef<Operation *> reads) {
  if (reads.empty())
    return;
  SmallVector<Operation *> releases;
  for (Operation *op = reads.back(); op != product; op = op->getNextNode())
    if (stage::ringFreedBy(op))
      releases.push_back(op);
  for (Operation *release : llvm::reverse(releases))
    release->moveAfter(product);
}

static Value zeros(OpBuilder &b, Location loc, RankedTensorType type) {
  return arith::ConstantOp::create(b, loc,
                                   cast<TypedAttr>(b.getZeroAttr(type)));
}

/// What the code of a thread has to know of a product beside its operands.
static LogicalResult decideShares(stage::ProductOp product,
                                  target::MatrixInstructionAttr ofMemory,
                                  const BlockShape &block) {
  Builder b(product.getContext());
  if (!product.getRow()) {
    int64_t taken =
        storageEndAt(product->getParentOfType<tile::KernelOp>(), product);
    if (storesRhsByColumns(product))
      setDecided(product, kByColumnsEntry, b.getUnitAttr());
    if (hasFragments(product) &&
        hasRoomForPadding(product.getLhs(), product.getRhs(), block.description,
                          taken))
      setDecided(product, kPaddedEntry, b.getUnitAttr());
    return success();
  }
  if (!ofMemory)
    return success();
  std::optional<Split> split =
      splitOf(cast<RankedTensorType>(product.getAccType()),
              sumsInParts(product), ofMemory, block.warps);
  if (!split)
    return product.emitOpError("cannot be shared out among ")
           << block.warps << " warps by '" << ofMemory.getName() << "'";
  setDecided(product, kColumnsEntry, b.getI64IntegerAttr(split->width));
  return success();
}

static LogicalResult stageProduct(MatrixProductOpInterface op,
                                  const BlockShape &block) {
  target::TargetAttr description = block.description;
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto unit = [&](bool holds) { return holds ? b.getUnitAttr() : UnitAttr(); };
  auto row = getDecided<StringAttr>(op, kRowEntry);
  target::MatrixInstructionAttr ofMemory = memoryRowOf(op, description);
  auto find = [&](OpOperand &operand, int which) {
    return findFactor(operand, row ? ofMemory && swizzleOf(ofMemory, which)
                                   : multipliesAsStored(op));
  };
  Factor lhs = find(op.getLhsOperand(), 0), rhs = find(op.getRhsOperand(), 1);
  // Threads multiply storage with storage alone.
  if (!row && !(isStorage(lhs) && isStorage(rhs))) {
    lhs = {op.getLhsOperand().get()};
    rhs = {op.getRhsOperand().get()};
  }
  SmallVector<Operation *> reads(lhs.reads);
  llvm::append_range(reads, rhs.reads);
  reportProduct(op, reads, description);
  for (const Factor *factor : {&lhs, &rhs})
    releaseBehind(op, factor->reads);
  OpOperand *acc = op.getAccOperand();
  Type sum = op.getProductType();
  if (ofMemory)
    sum = stage::FutureType::get(b.getContext(), op.getProductType());
  auto made = stage::ProductOp::create(
      b, loc, sum, lhs.value, ValueRange(), rhs.value, ValueRange(),
      acc ? acc->get() : zeros(b, loc, op.getProductType()), ValueRange(),
      /*depth=*/Value(), /*rows=*/Value(), /*columns=*/Value(),
      /*minus=*/Value(), /*fresh=*/Value(), /*block=*/DenseI64ArrayAttr(),
      row ? FlatSymbolRefAttr::get(row) : FlatSymbolRefAttr(),
      /*async=*/unit(bool(ofMemory)),
      tile::InputPrecisionAttr::get(
          b.getContext(), tile::InputPrecision(int(op.getProductPrecision()))),
      unit(op.isLhsUnsigned()), unit(op.isRhsUnsigned()), lhs.as, rhs.as,
      unit(lhs.isTransposed), unit(rhs.isTransposed),
      unit(row && getDecided(op, kExchangedEntry)),
      b.getI64IntegerAttr(op.getImpreciseTerms()));
  op->getResult(0).replaceAllUsesWith(waitFor(b, made));
  op->erase();
  for (Operation *read : reads)
    if (read->use_empty())
      read->erase();
  return decideShares(made, ofMemory, block);
}

namespace {
struct StageProducts : simt::impl::SimtStageProductsBase<StageProducts> {
  using SimtStageProductsBase::SimtStageProductsBase;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    target::TargetAttr description = target::getDescription(kernel);
    int64_t lanes = lanesOf(description, this->lanes);
    if (failed(verifyMachine(kernel, description, lanes)))
      return signalPassFailure();
    BlockShape block(kernel, lanes, warpsOf(kernel), description);
    SmallVector<MatrixProductOpInterface> products;
    kernel.walk([&](MatrixProductOpInterface op) { products.push_back(op); });
    for (MatrixProductOpInterface op : products) {
      // Storage has no scales: threads hold the operands.
      if (tile::hasFormats(op) && getDecided<StringAttr>(op, kRowEntry)) {
        reportProduct(op, {}, description);
        continue;
      }
      FailureOr<bool> taken = isTakenByPlugIn(op, block);
      if (failed(taken) || (!*taken && failed(verify(op))))
        return signalPassFailure();
      if (!*taken) {
        if (failed(stageProduct(op, block)))
          return signalPassFailure();
        continue;
      }
      // No row computes it.
      removeDecided(op, kRowEntry);
      removeDecided(op, kExchangedEntry);
    }
  }

private:
  static LogicalResult verify(MatrixProductOpInterface op) {
    for (Value value : {op.getLhsOperand().get(), op.getRhsOperand().get(),
                        Value(op->getResult(0))})
      if (!getLayout(value))
        return op->emitOpError("has a tile without a layout; run "
                               "simt-assign-layouts before");
    if (op.hasEncodedFactors() || op.getLhsScaleOperand() ||
        op.getRhsScaleOperand())
      return target::emitUnsupported(op, "a product of encoded factors");
    std::optional<ProductShape> shape = getProductShape(op);
    if (!shape || !shape->isRowMajor())
      return target::emitUnsupported(
          op, "a matmul whose operands are not m x k and k x n");
    if (OpOperand *acc = op.getAccOperand();
        acc && acc->get().getType() != op.getProductType())
      return op->emitOpError("has an accumulator of another layout");
    return success();
  }
};
} // namespace
