//===- DirectSums.cpp - Sums that go to memory at once --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a product is summed up by itself, and nothing but a store reads it,
// micro-kernels write what the store would write. That takes whole blocks
// inside of the view, which is known when the kernel runs: else the sums go to
// storage, and are stored from there.
//
//===----------------------------------------------------------------------===//

#include "OwnLowerings.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// The store that a region consists of, if it stores what it reads from
/// storage as it is.
static ViewAccessOpInterface storeOf(stage::StorageReadOpInterface read) {
  auto region = dyn_cast<stage::BoxRegionOpInterface>(read->getParentOp());
  if (!region || !region.getFrom().empty() || !region.getTo().empty() ||
      region->getNumResults() || !read.getOrigin().empty() ||
      !read.getResult().hasOneUse() ||
      llvm::range_size(region.getBody().front()) != 3)
    return {};
  auto store = dyn_cast<ViewAccessOpInterface>(*read.getResult().user_begin());
  if (!store || store.getAccessKind() != AccessKind::Write ||
      store.getAccessedTile() != read.getResult() ||
      store->getNumResults() != 0)
    return {};
  // Others may write in a way of their own.
  if (store->getDialect() != read->getContext()->getLoadedDialect("tile"))
    return {};
  return store;
}

/// Whether the elements of a stored tile lie in the view as in the tile, and
/// nobody else looks at the view.
static bool storesAsItIs(ViewAccessOpInterface store, tile::Kernel kernel) {
  auto view = dyn_cast<tile::ViewType>(store.getAccessedView().getType());
  auto argument = dyn_cast<BlockArgument>(store.getAccessedView());
  RankedTensorType type = store.getAccessedType();
  if (!view || !argument || argument.getOwner()->getParentOp() != kernel ||
      !tile::getFact(kernel, argument.getArgNumber(), tile::kNoaliasFact) ||
      view.getElementType() != type.getElementType() ||
      view.getRank() != type.getRank() ||
      view.getStaticStride(view.getRank() - 1) != 1 ||
      !llvm::all_of(argument.getUsers(), [&](Operation *user) {
        return user == store || isa<tile::DimOp, tile::NumBlocksOp>(user);
      }))
    return false;
  for (auto [d, axis] : llvm::enumerate(store.getAxes()))
    if (axis.isIndirect() || axis.step != 1 || axis.tileDim != int64_t(d))
      return false;
  return true;
}

/// Whether it fills with zeros, before the first products overwrite the
/// storage, what lies outside of the view that the sums are stored to.
static bool fillsOutside(stage::StorageWriteOpInterface write,
                         stage::StorageOpInterface alloc) {
  auto region = dyn_cast<stage::BoxRegionOpInterface>(write->getParentOp());
  if (!region || region.getFrom().empty() || !write.getOrigin().empty() ||
      region->getBlock() != alloc->getBlock() ||
      !(matchPattern(write.getValue(), m_AnyZeroFloat()) ||
        matchPattern(write.getValue(), m_Zero())))
    return false;
  return llvm::all_of(alloc.getStorage().getUsers(), [&](Operation *user) {
    Operation *place = alloc->getBlock()->findAncestorOpInBlock(*user);
    return !isa<stage::StorageProductOpInterface>(user) ||
           region->isBeforeInBlock(place);
  });
}

/// Whether sums begin in the first of several passes over the steps, each of
/// which goes over all of them.
static bool beginsInFirstPass(Value fresh, Operation *alloc) {
  auto compare = fresh.getDefiningOp<arith::CmpIOp>();
  auto counter =
      compare ? dyn_cast<BlockArgument>(compare.getLhs()) : BlockArgument();
  if (!counter || compare.getPredicate() != arith::CmpIPredicate::eq ||
      getConstantIntValue(compare.getRhs()) != 0)
    return false;
  auto passes = dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp());
  if (!passes || passes->getBlock() != alloc->getBlock() ||
      counter != passes.getInductionVar())
    return false;
  auto last = getConstantIntValue(passes.getUpperBound());
  return getConstantIntValue(passes.getLowerBound()) == 0 && last && *last > 0;
}

/// Whether rows of the view follow each other as those of the tile do: sums are
/// then as near in the view as in storage.
static bool isContiguous(ViewAccessOpInterface store) {
  auto view = dyn_cast<tile::ViewType>(store.getAccessedView().getType());
  RankedTensorType type = store.getAccessedType();
  return view && view.getRank() == 2 && type.getRank() == 2 &&
         view.getStaticStride(0) == type.getDimSize(1);
}

void cpu::findDirectSums(KernelEmitter &e, stage::StorageOpInterface alloc) {
  Value storage = alloc.getStorage();
  MemRefType type = alloc.getStorage().getType();
  ViewAccessOpInterface store;
  bool isMultiplied = false, hasPasses = false;
  if (type.getRank() != 2)
    return;
  for (Operation *user : storage.getUsers()) {
    if (auto read = dyn_cast<stage::StorageReadOpInterface>(user);
        read && !store) {
      store = storeOf(read);
      if (store)
        continue;
    }
    // Where whole blocks are inside of the view, that is nothing.
    if (auto write = dyn_cast<stage::StorageWriteOpInterface>(user);
        write && fillsOutside(write, alloc))
      continue;
    // Whole blocks; in several passes where that moves no sums farther.
    auto product = dyn_cast<stage::StorageProductOpInterface>(user);
    if (!product || product.getAcc() != storage ||
        product.getLhs() == storage || product.getRhs() == storage ||
        !product.getFresh() || getConstantIntValue(product.getFresh()) == 0)
      return;
    if (!getConstantIntValue(product.getFresh())) {
      if (!beginsInFirstPass(product.getFresh(), alloc))
        return;
      hasPasses = true;
    }
    auto [rows, columns, depth] = product.getSizes();
    stage::ProductOp micro = microProduct(user);
    bool isWhole = type.getDimSize(0) % rows == 0 || (micro && lastRows(micro));
    if (!isWhole || type.getDimSize(1) % columns)
      return;
    isMultiplied = true;
  }
  if (!store || !isMultiplied || !storesAsItIs(store, e.kernel) ||
      store->getParentOp()->getBlock() != alloc->getBlock() ||
      (hasPasses && !isContiguous(store)))
    return;
  // What is larger than the caches passes by them as it is stored.
  auto region = dyn_cast<stage::BoxRegionOpInterface>(store->getParentOp());
  stage::StreamAttr stream = region ? region.getStreamAttr() : nullptr;
  if (stream && stream.getPeel())
    return;
  // Where it goes is known here.
  const ViewInfo &view = e.viewOf(store.getAccessedView());
  for (const ViewAxis &axis : store.getAxes())
    if (auto offset = dyn_cast<Value>(axis.offset);
        offset && !getConstantIntValue(offset) && !e.mapping.contains(offset))
      return;
  e.freshLevels();
  DirectSum sum;
  Value origin = e.c64(0);
  for (int64_t d = 0; d < 2; ++d) {
    origin = e.add(origin, e.mul(e.offsetOf(store, d), view.strides[d]));
    Bounds range = e.validRange(store, d);
    sum.inside =
        e.conjunction(sum.inside, e.compare(arith::CmpIPredicate::sge, range.hi,
                                            e.c64(type.getDimSize(d))));
    if (range.lo)
      sum.inside = e.conjunction(
          sum.inside, e.compare(arith::CmpIPredicate::sle, range.lo, e.c64(0)));
  }
  sum.base = e.gep(view.base, origin, view.elementType);
  sum.stride = view.strides[0];
  e.directSums[storage] = sum;
  e.skipped[store->getParentOp()] = sum.inside;
}
