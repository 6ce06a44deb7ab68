//===- DirectRows.cpp - Lhs rows that are read where they lie -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Panels that keep rows are copies of a view's rows. Where all of the tile is
// inside of the view, micro-kernels read the rows there, and nothing is packed.
// That is known when the kernel runs.
//
//===----------------------------------------------------------------------===//

#include "OwnLowerings.h"
#include "Pack.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// The load of a region that copies it into storage, as it is, and does nothing
/// else.
static ViewAccessOpInterface loadOf(stage::StorageWriteOpInterface write) {
  auto region = dyn_cast<stage::BoxRegionOpInterface>(write->getParentOp());
  auto load =
      dyn_cast_or_null<ViewAccessOpInterface>(write.getValue().getDefiningOp());
  if (!region || region->getNumResults() || !load || !load.isRead() ||
      load->getParentOp() != region || load.isVolatileAccess() ||
      load->getDialect() != write->getContext()->getLoadedDialect("tile") ||
      llvm::range_size(region.getBody().front()) != 3)
    return {};
  return load;
}

/// The elements from one row to the next of a loaded tile of rank 2, if it lies
/// in a view that does not change, with its rows element by element; else 0.
static int64_t rowStride(ViewAccessOpInterface load, tile::Kernel kernel,
                         Type element) {
  auto view = dyn_cast<tile::ViewType>(load.getAccessedView().getType());
  auto argument = dyn_cast<BlockArgument>(load.getAccessedView());
  if (!view || !argument || argument.getOwner()->getParentOp() != kernel ||
      !tile::getFact(kernel, argument.getArgNumber(), tile::kReadonlyFact) ||
      view.getElementType() != element ||
      load.getAccessedType().getRank() != 2 ||
      load.getAccessedType().getElementType() != element)
    return 0;
  int64_t found = 0, stride = 0;
  for (auto [d, axis] : llvm::enumerate(load.getAxes())) {
    int64_t apart = view.getStaticStride(d);
    if (axis.isIndirect() || axis.step != 1 ||
        (axis.tileDim == 1 && apart != 1))
      return 0;
    if (axis.tileDim == 0)
      stride = apart;
    found += axis.tileDim >= 0 ? 1 << axis.tileDim : 0;
  }
  return found == 3 ? stride : 0;
}

/// The step from which on a pass packs, where panels begin with it and hold
/// all rows; null if that does not show.
static Value firstStep(stage::StorageWriteOpInterface write, KernelEmitter &e) {
  if (write.getOrigin().empty())
    return e.index(0);
  if (getConstantIntValue(write.getOrigin()[0]) != 0)
    return {};
  Value origin = write.getOrigin()[1];
  if (getConstantIntValue(origin) == 0)
    return e.index(0);
  auto negated = origin.getDefiningOp<arith::SubIOp>();
  return negated && getConstantIntValue(negated.getLhs()) == 0
             ? negated.getRhs()
             : Value();
}

/// Whether micro-kernels read nothing but the rows of the tile: whole blocks,
/// or as many rows as the last one has, and whole groups of steps.
static bool readsRowsAlone(stage::ProductOp product, Value storage,
                           ArrayRef<int64_t> tile) {
  auto [rows, columns, depth] = product.getSizes();
  auto place = panelPlaceOf(cast<MemRefType>(storage.getType()),
                            /*isLeft=*/true, rows);
  target::TargetAttr description = target::getDescription(product);
  target::MatrixInstructionAttr row =
      product.getRow() && description
          ? description.getMatrixInstruction(*product.getRow())
          : target::MatrixInstructionAttr();
  if (!place || !place->keepsRows() || place->width != rows || !row ||
      product.getLhs() != storage || product.getLhsOrigin().size() != 2)
    return false;
  int64_t granule = row.getK().getMin();
  return place->group > granule && tile[1] % granule == 0 &&
         depth % granule == 0 &&
         (tile[0] % rows == 0 || lastRows(product).has_value());
}

void cpu::findDirectRows(KernelEmitter &e, stage::StorageOpInterface alloc) {
  Value storage = alloc.getStorage();
  MemRefType type = alloc.getStorage().getType();
  stage::StorageWriteOpInterface write;
  SmallVector<stage::ProductOp> products;
  if (type.getRank() != 2)
    return;
  for (Operation *user : storage.getUsers()) {
    if (stage::ProductOp product = microProduct(user)) {
      products.push_back(product);
      continue;
    }
    auto other = dyn_cast<stage::StorageWriteOpInterface>(user);
    if (!other || write)
      return;
    write = other;
  }
  ViewAccessOpInterface load =
      write && !products.empty() ? loadOf(write) : ViewAccessOpInterface();
  if (!load)
    return;
  DirectRows rows;
  rows.stride = rowStride(load, e.kernel, type.getElementType());
  rows.step = firstStep(write, e);
  ArrayRef<int64_t> shape = load.getAccessedType().getShape();
  // Micro-kernels take rows that do not overlap, a limited distance apart. Rows
  // whole pages apart would have the same few places of the nearest cache.
  constexpr int64_t kMostApart = 65536, kPage = 4096;
  if (rows.stride < shape[1] || rows.stride > kMostApart ||
      rows.stride * e.storageBytes(type.getElementType()) % kPage == 0 ||
      !rows.step || !llvm::all_of(products, [&](stage::ProductOp product) {
        return readsRowsAlone(product, storage, shape);
      }))
    return;
  // Where it lies is known here.
  for (const ViewAxis &axis : load.getAxes())
    if (auto offset = dyn_cast<Value>(axis.offset);
        offset && !getConstantIntValue(offset) && !e.mapping.contains(offset))
      return;
  const ViewInfo &view = e.viewOf(load.getAccessedView());
  e.freshLevels();
  Value origin = e.c64(0);
  for (auto [d, axis] : llvm::enumerate(load.getAxes())) {
    origin = e.add(origin, e.mul(e.offsetOf(load, d), view.strides[d]));
    Bounds range = e.validRange(load, d);
    int64_t size = axis.tileDim < 0 ? 1 : shape[axis.tileDim];
    if (auto known = getConstantIntValue(range.hi); known && *known < size)
      return;
    else if (!known)
      rows.inside =
          e.conjunction(rows.inside, e.compare(arith::CmpIPredicate::sge,
                                               range.hi, e.c64(size)));
    if (range.lo)
      rows.inside =
          e.conjunction(rows.inside, e.compare(arith::CmpIPredicate::sle,
                                               range.lo, e.c64(0)));
  }
  rows.base = e.gep(view.base, origin, view.elementType);
  e.directRows[storage] = rows;
  e.skipped[write->getParentOp()] = rows.inside;
}
