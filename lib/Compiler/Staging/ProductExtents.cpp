//===- ProductExtents.cpp - How far a product must go ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SplitProducts.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

namespace {
/// A box of a view that a tile is read from, or stored to.
struct ViewBox {
  Value view;
  SmallVector<ViewAxis, 4> axes;
  SmallVector<int64_t> shape; ///< of the tile
  bool isCopied = false;      ///< between the view and storage
};
} // namespace

/// The box at the coordinates of a copy.
static ViewBox boxOf(Value view, OperandRange coords, bool areOffsets,
                     ArrayRef<int64_t> shape) {
  int64_t leading = coords.size() - shape.size();
  ViewBox found{view, {}, SmallVector<int64_t>(shape), true};
  for (auto [d, coord] : llvm::enumerate(coords)) {
    int dim = int64_t(d) < leading ? -1 : int(d - leading);
    found.axes.push_back({OpFoldResult(coord), !areOffsets,
                          dim < 0 ? 1 : shape[dim], 1, dim, Value()});
  }
  return found;
}

/// The copy from a view that alone fills storage, before `reader`; null if
/// there is none.
static stage::StorageCopyOpInterface onlyFilling(Value storage,
                                                 Operation *reader) {
  stage::StorageCopyOpInterface found;
  if (!storage.getDefiningOp<stage::StorageOpInterface>())
    return {};
  for (Operation *user : storage.getUsers()) {
    auto copy = dyn_cast<stage::StorageCopyOpInterface>(user);
    auto product = dyn_cast<stage::StorageProductOpInterface>(user);
    if (copy && copy.getTarget() == storage) {
      if (found)
        return {};
      found = copy;
    } else if (!copy && !isa<stage::StorageReadOpInterface>(user) &&
               (!product || product.getAcc() == storage)) {
      return {};
    }
  }
  if (!found || !isa<tile::ViewType>(found.getSource().getType()) ||
      !found.getTo().empty())
    return {};
  Operation *behind = found->getBlock()->findAncestorOpInBlock(*reader);
  return behind && found->isBeforeInBlock(behind)
             ? found
             : stage::StorageCopyOpInterface();
}

static std::optional<ViewBox> readByCopy(stage::StorageReadOpInterface read) {
  stage::StorageCopyOpInterface copy =
      read.getOrigin().empty() ? onlyFilling(read.getStorage(), read)
                               : stage::StorageCopyOpInterface();
  if (!copy || !copy.readsZerosOutside())
    return std::nullopt;
  return boxOf(copy.getSource(), copy.getFrom(), copy.hasSourceOffsets(),
               read.getResult().getType().getShape());
}

static std::optional<ViewBox> zeroPadded(Value operand);

/// The same for an operation that permutes the dimensions of what was copied.
static std::optional<ViewBox> zeroPaddedBeforeTransposition(Operation *op) {
  if (!op || op->getNumOperands() != 1 || !handsOnElements(op))
    return std::nullopt;
  OperandRead read = getOperandRead(op->getOpOperand(0));
  if (!read || read.domain || !read.map.isPermutation())
    return std::nullopt;
  std::optional<ViewBox> found = zeroPadded(op->getOperand(0));
  if (!found || !found->isCopied)
    return std::nullopt;
  SmallVector<int64_t> shape(found->shape.size());
  for (auto [d, size] : llvm::enumerate(found->shape))
    shape[read.map.getDimPosition(d)] = size;
  found->shape = std::move(shape);
  for (ViewAxis &axis : found->axes)
    if (axis.tileDim >= 0)
      axis.tileDim = read.map.getDimPosition(axis.tileDim);
  return found;
}

/// What a factor is loaded from, through conversions, if it is zero outside.
static std::optional<ViewBox> zeroPadded(Value operand) {
  Operation *op = operand.getDefiningOp();
  while (op && isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    op = op->getOperand(0).getDefiningOp();
  if (auto read = dyn_cast_or_null<stage::StorageReadOpInterface>(op))
    return readByCopy(read);
  if (std::optional<ViewBox> found = zeroPaddedBeforeTransposition(op))
    return found;
  auto load = dyn_cast_or_null<ViewAccessOpInterface>(op);
  if (!load || load.getOutside() != Outside::Zero)
    return std::nullopt;
  ViewBox found{load.getAccessedView(), load.getAxes(),
                SmallVector<int64_t>(load.getAccessedType().getShape()), false};
  if (indirectAxis(found.axes) >= 0)
    return std::nullopt;
  return found;
}

namespace {
/// Follows a product's result to the boxes of views that it is stored to,
/// through operations that keep elements apart. Rows and columns outside of
/// all of these views are never read.
class StoredBoxes {
public:
  /// Whether the value ends in stores only, at its own coordinates.
  bool follow(Value value) {
    return llvm::all_of(value.getUses(),
                        [&](OpOperand &use) { return followUse(use); });
  }

  ArrayRef<ViewBox> get() const { return boxes; }

private:
  bool followOnce(Operation *user, Value value) {
    return !seen.insert(user).second || follow(value);
  }
  bool followUse(OpOperand &use);
  bool followCopy(stage::StorageCopyOpInterface copy, Value value);
  bool followStore(ViewAccessOpInterface store);

  llvm::SmallPtrSet<Operation *, 8> seen;
  SmallVector<ViewBox, 2> boxes;
};
} // namespace

bool StoredBoxes::followCopy(stage::StorageCopyOpInterface copy, Value value) {
  if (copy.getSource() != value) // It writes over the sums.
    return true;
  if (!isa<tile::ViewType>(copy.getTarget().getType()))
    return copy.getFrom().empty() && copy.getTo().empty() &&
           followOnce(copy, copy.getTarget());
  if (!copy.getFrom().empty())
    return false;
  if (seen.insert(copy).second)
    boxes.push_back(boxOf(copy.getTarget(), copy.getTo(),
                          copy.hasTargetOffsets(), copy.getCopiedSizes()));
  return true;
}

bool StoredBoxes::followStore(ViewAccessOpInterface store) {
  if (indirectAxis(store.getAxes()) >= 0)
    return false;
  if (seen.insert(store).second)
    boxes.push_back({store.getAccessedView(), store.getAxes(),
                     SmallVector<int64_t>(store.getAccessedType().getShape()),
                     false});
  return true;
}

bool StoredBoxes::followUse(OpOperand &use) {
  Operation *user = use.getOwner();
  Value value = use.get();
  if (auto write = dyn_cast<stage::StorageWriteOpInterface>(user))
    return write.getValue() != value ||
           (write.getOrigin().empty() && followOnce(write, write.getStorage()));
  if (auto read = dyn_cast<stage::StorageReadOpInterface>(user))
    return read.getOrigin().empty() && followOnce(read, read.getResult());
  if (auto copy = dyn_cast<stage::StorageCopyOpInterface>(user))
    return followCopy(copy, value);
  if (auto product = dyn_cast<stage::StorageProductOpInterface>(
          user)) // It adds to the sums.
    return product.getAcc() == value && product.getLhs() != value &&
           product.getRhs() != value;
  auto access = dyn_cast<ViewAccessOpInterface>(user);
  if (access && access.getWrittenOperand() == &use)
    return followStore(access);
  if (auto dot = dyn_cast<MatrixProductOpInterface>(user))
    return dot.getLhsOperand().get() != value &&
           dot.getRhsOperand().get() != value && dot.getAccOperand() == &use &&
           followOnce(user, user->getResult(0));
  return OpTrait::hasElementwiseMappableTraits(user) &&
         followOnce(user, user->getResult(0));
}

/// The end of a view along a dimension of the tile, counted from the last.
static Value endOf(const ViewBox &load, int64_t fromBack, Indices &math) {
  int64_t dim = load.shape.size() - 1 - fromBack;
  int64_t whole = load.shape[dim];
  for (auto [d, axis] : llvm::enumerate(load.axes)) {
    if (axis.tileDim != dim)
      continue;
    // Whole blocks of the view, or none of it, which need not be fast.
    auto view = cast<tile::ViewType>(load.view.getType());
    int64_t size = view.getShape()[d];
    if (axis.countsBlocks && axis.step == 1 && axis.block == whole &&
        !ShapedType::isDynamic(size) && size % whole == 0)
      return math.constant(whole);
    Value end = math.sub(math.sizeOf(load.view, d), math.offsetOf(axis));
    // Loops over blocks of storage end at once where it is negative.
    return load.isCopied
               ? end
               : math.max(math.ceilDiv(end, axis.step), math.constant(0));
  }
  return math.constant(whole);
}

/// The larger of two ends. The scalar units of machines with copies may have no
/// maximum, but they have what counts at edges take.
static Value larger(Value x, Value y, bool isCopied, Indices &math) {
  return isCopied ? math.add(x, math.sub(y, math.min(x, y))) : math.max(x, y);
}

/// The box with what its end along a dimension needs computed here.
static std::optional<ViewBox> computedHere(ViewBox box, int64_t fromBack,
                                           Indices &math) {
  int64_t dim = box.shape.size() - 1 - fromBack;
  box.view = math.computeHere(box.view);
  if (!box.view)
    return std::nullopt;
  for (ViewAxis &axis : box.axes) {
    if (axis.tileDim != dim || isa<Attribute>(axis.offset))
      continue;
    Value offset = math.computeHere(cast<Value>(axis.offset));
    if (!offset)
      return std::nullopt;
    axis.offset = offset;
  }
  return box;
}

/// The latest of the ends of boxes; null if one of them is not computable here.
static Value lastEnd(ArrayRef<ViewBox> boxes, int64_t fromBack, Indices &math) {
  Value last;
  for (const ViewBox &stored : boxes) {
    std::optional<ViewBox> here = computedHere(stored, fromBack, math);
    if (!here)
      return {};
    Value end = endOf(*here, fromBack, math);
    last = last ? larger(last, end, stored.isCopied, math) : end;
  }
  return last;
}

std::pair<Value, Value> staging::findSides(MatrixProductOpInterface product,
                                           Indices &math) {
  RankedTensorType type = product.getProductType();
  int64_t rank = type.getRank();
  Value endM = math.constant(type.getDimSize(rank - 2)),
        endN = math.constant(type.getDimSize(rank - 1));
  StoredBoxes stored;
  if (!stored.follow(product->getResult(0)))
    return {endM, endN};
  if (Value end = lastEnd(stored.get(), 1, math))
    endM = math.min(endM, end);
  if (Value end = lastEnd(stored.get(), 0, math))
    endN = math.min(endN, end);
  return {endM, endN};
}

bool staging::sidesAreKnown(MatrixProductOpInterface product,
                            Operation *place) {
  StoredBoxes stored;
  return !stored.follow(product->getResult(0)) ||
         llvm::all_of(stored.get(), [&](const ViewBox &box) {
           return isComputable(box.view, place) &&
                  llvm::all_of(box.axes, [&](const ViewAxis &axis) {
                    return isa<Attribute>(axis.offset) ||
                           isComputable(cast<Value>(axis.offset), place);
                  });
         });
}

std::tuple<Value, Value, Value>
staging::findExtents(MatrixProductOpInterface product, Indices &math) {
  Value lhs = product.getLhsOperand().get();
  auto shape = cast<ShapedType>(lhs.getType()).getShape();
  Value endK = math.constant(shape.back());
  auto [endM, endN] = findSides(product, math);
  std::optional<ViewBox> left = zeroPadded(lhs),
                         right = zeroPadded(product.getRhsOperand().get());
  if (left && right) {
    Value x = endOf(*left, 0, math), y = endOf(*right, 1, math);
    bool isCopied = left->isCopied || right->isCopied;
    endK = math.min(endK, larger(x, y, isCopied, math));
  }
  return {endM, endN, endK};
}

void staging::cloneCone(Value tile, OpBuilder &b, IRMapping &mapping) {
  Operation *op = tile.getDefiningOp();
  if (!op || mapping.contains(tile) ||
      !isa<stage::BoxRegionOpInterface>(op->getParentOp()))
    return;
  for (Value operand : op->getOperands())
    cloneCone(operand, b, mapping);
  b.clone(*op, mapping);
}

ViewAccessOpInterface staging::onlyLoad(Value tile) {
  SmallVector<Value> open = {tile};
  ViewAccessOpInterface found;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op)
      return {};
    if (auto load = dyn_cast<ViewAccessOpInterface>(op)) {
      if (found && found != load)
        return {};
      found = load;
      continue;
    }
    if (isa<stage::StorageReadOpInterface>(op) ||
        !OpTrait::hasElementwiseMappableTraits(op)) {
      if (isShapeless(op))
        continue;
      return {};
    }
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        open.push_back(operand);
  }
  if (!found || indirectAxis(found.getAxes()) >= 0)
    return {};
  auto view = dyn_cast<tile::ViewType>(found.getAccessedView().getType());
  int64_t last = found.getAccessedType().getRank() - 1;
  for (auto [d, axis] : llvm::enumerate(found.getAxes()))
    if (axis.tileDim == last && axis.step == 1 && view &&
        view.getStaticStride(d) == 1)
      return found;
  return {};
}
