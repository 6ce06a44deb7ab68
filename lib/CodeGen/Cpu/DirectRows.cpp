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
#include "ViewRows.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Interfaces/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// The rows that a region copies into storage, as they are, and does nothing
/// else; none if it does something else.
static std::optional<ViewRows> rowsOf(stage::StorageWriteOpInterface write) {
  auto region = dyn_cast<stage::BoxRegionOpInterface>(write->getParentOp());
  std::optional<ViewRows> rows = region && !region->getNumResults()
                                     ? findViewRows(write.getValue())
                                     : std::nullopt;
  if (!rows || rows->load->getParentOp() != region)
    return std::nullopt;
  for (Operation &op : region.getBody().front())
    if (&op != write && &op != rows->load &&
        !op.hasTrait<OpTrait::IsTerminator>() && !isa<ReshapeOpInterface>(op))
      return std::nullopt;
  return rows;
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

/// How many steps a product has, where that is known.
static std::optional<int64_t> stepsOf(stage::ProductOp product) {
  if (!product.getDepth())
    return std::get<2>(product.getSizes());
  return getConstantIntValue(product.getDepth());
}

/// Whether micro-kernels read nothing but the rows of the tile: whole blocks,
/// or as many rows as the last one has, and whole groups of steps.
static bool readsRowsAlone(stage::ProductOp product, Value storage,
                           const ViewRows &view, int64_t numRows) {
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
  Type element = cast<MemRefType>(storage.getType()).getElementType();
  if (!canReadApart(view.apart(), element.getIntOrFloatBitWidth() / 8, granule))
    return false;
  // In several levels each part of the steps has to lie alike.
  if (view.steps.size() > 1) {
    std::optional<int64_t> steps = stepsOf(product);
    SmallVector<Level> levels =
        steps ? view.levelsOf(*steps) : SmallVector<Level>();
    if (levels.empty() || levels.back().count % granule ||
        view.numSteps() % *steps)
      return false;
  }
  return place->group > granule && view.numSteps() % granule == 0 &&
         depth % granule == 0 &&
         (view.line() % rows == 0 ||
          (view.line() == numRows && lastRows(product).has_value()));
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
  std::optional<ViewRows> view =
      write && !products.empty() ? rowsOf(write) : std::nullopt;
  if (!view)
    return;
  ViewAccessOpInterface load = view->load;
  DirectRows rows;
  rows.rows = view->rows;
  rows.steps = view->steps;
  rows.step = firstStep(write, e);
  ArrayRef<int64_t> shape = load.getAccessedType().getShape();
  auto tile = cast<RankedTensorType>(write.getValue().getType());
  if (tile.getElementType() != type.getElementType() || !rows.step ||
      !llvm::all_of(products, [&](stage::ProductOp product) {
        return readsRowsAlone(product, storage, *view, tile.getDimSize(0));
      }))
    return;
  // Where it lies is known here.
  for (const ViewAxis &axis : load.getAxes())
    if (auto offset = dyn_cast<Value>(axis.offset);
        offset && !getConstantIntValue(offset) && !e.mapping.contains(offset))
      return;
  const ViewInfo &memory = e.viewOf(load.getAccessedView());
  e.freshLevels();
  Value origin = e.c64(0);
  for (auto [d, axis] : llvm::enumerate(load.getAxes())) {
    origin = e.add(origin, e.mul(e.offsetOf(load, d), memory.strides[d]));
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
  rows.base = e.gep(memory.base, origin, memory.elementType);
  e.directRows[storage] = rows;
  e.skipped[write->getParentOp()] = rows.inside;
}

/// The offset of element `number` in levels.
static Value offsetIn(ArrayRef<Level> levels, Value number, KernelEmitter &e) {
  Value offset = e.c64(0);
  int64_t below = 1;
  for (const Level &level : llvm::reverse(levels)) {
    bool isOutermost = &level == levels.begin();
    Value at = below == 1
                   ? number
                   : arith::DivUIOp::create(e.b, e.loc, number, e.c64(below))
                         .getResult();
    if (!isOutermost)
      at = arith::RemUIOp::create(e.b, e.loc, at, e.c64(level.count));
    offset = e.add(offset, e.mul(at, e.c64(level.stride)));
    below *= level.count;
  }
  return offset;
}

Value cpu::directRowsAt(KernelEmitter &e, const DirectRows &rows,
                        stage::ProductOp product) {
  ValueRange origin = product.getLhsOrigin();
  Value row = offsetIn(rows.rows, e.scalar64(origin[0]), e);
  Value step = offsetIn(rows.steps,
                        e.add(e.scalar64(rows.step), e.scalar64(origin[1])), e);
  return e.gep(rows.base, e.add(row, step),
               cast<MemRefType>(product.getLhs().getType()).getElementType());
}

DenseI64ArrayAttr cpu::runsOfSteps(const DirectRows &rows,
                                   stage::ProductOp product) {
  std::optional<int64_t> steps = stepsOf(product);
  if (rows.steps.size() == 1 || !steps)
    return {};
  SmallVector<Level> levels = ViewRows{{}, {}, rows.steps}.levelsOf(*steps);
  assert(!levels.empty() && "expected rows with steps that levels hold");
  SmallVector<int64_t> runs;
  for (const Level &level : levels)
    runs.append({level.count, level.stride});
  return levels.size() < 2 ? DenseI64ArrayAttr()
                           : DenseI64ArrayAttr::get(product.getContext(), runs);
}
