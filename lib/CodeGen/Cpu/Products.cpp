//===- Products.cpp - Products of the stage level as micro-kernels --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage in panels, regions that write it, and products of them. Panels past
// the edges of a tile are padded, so that micro-kernels never see an edge.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "Pack.h"
#include "kiln/Dialect/Cpu/CpuDialect.h"
#include "kiln/Staging/SplitProduct.h"
#include "kiln/Target/Declines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

namespace {
/// How products use storage in panels.
struct PanelUse {
  PanelPlace place;
  stage::ProductOp product;
};

/// The form of storage that products read in panels; none where no product
/// reads it, or it has another form.
std::optional<PanelUse> findPanels(Value storage) {
  for (Operation *user : storage.getUsers()) {
    auto product = dyn_cast<stage::ProductOp>(user);
    if (!product)
      continue;
    bool isLeft = product.getLhs() == storage;
    // What is added to, or subtracted, lies in rows.
    if (!isLeft && product.getRhs() != storage)
      continue;
    auto [rows, columns, depth] = product.getSizes();
    if (auto place = panelPlaceOf(cast<MemRefType>(storage.getType()), isLeft,
                                  isLeft ? rows : columns))
      return PanelUse{*place, product};
  }
  return std::nullopt;
}

/// The row that a product names.
target::MatrixInstructionAttr rowOf(stage::ProductOp product) {
  target::TargetAttr description = target::getDescription(product);
  return product.getRow() && description
             ? description.getMatrixInstruction(*product.getRow())
             : target::MatrixInstructionAttr();
}

/// Steps are multiplied in multiples of this.
int64_t granuleOf(stage::ProductOp product) {
  target::MatrixInstructionAttr row = rowOf(product);
  return row ? row.getK().getMin() : 1;
}

/// first + origin, where the origin may undo where a box starts.
Value placeOf(KernelEmitter &e, Value first, Value origin) {
  if (auto negated = origin.getDefiningOp<arith::SubIOp>())
    if (getConstantIntValue(negated.getLhs()) == 0 && negated.getRhs() == first)
      return e.c64(0);
  return e.add(e.scalar64(first), e.scalar64(origin));
}

/// Whether [from, to) is at most `width` long, as far as it shows.
bool isWithin(Value from, Value to, int64_t width) {
  auto first = getConstantIntValue(from), last = getConstantIntValue(to);
  if (first && last)
    return *last - *first <= width;
  if (auto least = to.getDefiningOp<arith::MinSIOp>())
    return isWithin(from, least.getLhs(), width) ||
           isWithin(from, least.getRhs(), width);
  auto sum = to.getDefiningOp<arith::AddIOp>();
  auto distance =
      sum ? getConstantIntValue(sum.getRhs()) : std::optional<int64_t>();
  return sum && sum.getLhs() == from && distance && *distance <= width;
}

/// Whether panels start at the value.
bool isMultiple(Value value, int64_t width) {
  if (auto known = getConstantIntValue(value))
    return *known % width == 0;
  if (Operation *op = value.getDefiningOp();
      isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return isMultiple(op->getOperand(0), width) &&
           isMultiple(op->getOperand(1), width);
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop || argument != loop.getInductionVar())
    return false;
  auto step = getConstantIntValue(loop.getStep());
  return step && *step % width == 0 && isMultiple(loop.getLowerBound(), width);
}

Coord coordOf(KernelEmitter &e, Value value) {
  if (auto known = getConstantIntValue(value))
    return Coord{Value(), *known, 0, 0};
  return Coord{e.scalar64(value), 0, 0, 0};
}
} // namespace

bool KernelEmitter::writesPanels(stage::WriteOp write) {
  return findPanels(write.getStorage()).has_value();
}

LogicalResult KernelEmitter::emitPack(stage::ComputeOp region,
                                      stage::WriteOp write) {
  std::optional<PanelUse> use = findPanels(write.getStorage());
  const PanelPlace &form = use->place;
  auto shape = cast<ShapedType>(write.getValue().getType()).getShape();
  auto bound = [&](OperandRange bounds, int d, int64_t whole) {
    return bounds.empty() ? index(whole) : Value(bounds[d]);
  };
  int p = form.panelDim, s = form.stepDim;
  Value start = bound(region.getFrom(), p, 0),
        end = bound(region.getTo(), p, shape[p]),
        from = bound(region.getFrom(), s, 0),
        to = bound(region.getTo(), s, shape[s]);
  auto originAt = [&](int d) {
    return write.getOrigin().empty() ? index(0) : Value(write.getOrigin()[d]);
  };
  freshLevels();
  Value row = placeOf(*this, start, originAt(p)),
        step = placeOf(*this, from, originAt(s));
  bool isStart =
      getConstantIntValue(row) == 0 ||
      (isMultiple(originAt(p), form.width) && isMultiple(start, form.width));
  if (!isStart || !isWithin(start, end, form.width) || shape.size() > 3)
    return target::emitUnsupported(region, "a region that packs anything but "
                                           "one panel from its start");
  const TileBuffer &panels = storages.at(write.getStorage());
  Value place = gep(
      panels.base, add(mul(row, c64(form.deepest)), mul(step, c64(form.width))),
      panels.elementType);
  Packer packer(*this, write.getValue(), form, granuleOf(use->product));
  Coord batch;
  if (shape.size() == 3)
    batch = coordOf(*this, bound(region.getFrom(), 0, 0));
  packer.pack(batch, coordOf(*this, start), coordOf(*this, from),
              sub(scalar64(to), scalar64(from)), place);
  return success();
}

Value RegisterBuilder::elementAt(Value base, ArrayRef<Value> strides,
                                 ValueRange origin, Type element) {
  Value offset = c64(0);
  for (auto [stride, index] : llvm::zip_equal(strides, origin))
    offset = add(offset, mul(scalar64(index), stride));
  return gep(base, offset, element);
}

LogicalResult KernelEmitter::emitPrefetch(stage::PrefetchOp prefetch) {
  const ViewInfo &view = viewOf(prefetch.getView());
  if (prefetch.getBox().size() != 1)
    return success(); // it has no effect
  SmallVector<Value> coords;
  freshLevels();
  for (Value coordinate : prefetch.getCoords())
    coords.push_back(coordinate);
  if (!prefetch.getElementOffsets())
    return success();
  Value address = elementAt(view.base, view.strides, coords, view.elementType);
  constexpr int64_t line = 64;
  int64_t bytes = prefetch.getBox()[0] * storageBytes(view.elementType);
  // The box may start within a line.
  for (int64_t at = 0; at < bytes + line; at += line)
    LLVM::Prefetch::create(
        b, loc, gep(address, c64(std::min(at, bytes - 1)), b.getI8Type()),
        /*rw=*/0, /*hint=*/2, /*cache=*/1);
  return success();
}

LogicalResult KernelEmitter::checkBlocks(stage::ProductOp product) {
  // Micro-kernels compute whole blocks.
  auto type = cast<MemRefType>(product.getAcc().getType());
  auto alloc = product.getAcc().getDefiningOp<stage::AllocOp>();
  const TileBuffer &sum = storages.at(product.getAcc());
  auto [rows, columns, depth] = product.getSizes();
  int64_t rank = type.getRank(), stride = sum.strides[rank - 2];
  int64_t m = type.getDimSize(rank - 2), n = type.getDimSize(rank - 1);
  int64_t below =
      (llvm::alignTo(m, rows) - m) * stride * storageBytes(sum.elementType);
  if (sum.strides[rank - 1] != 1 ||
      (m > 1 && stride < int64_t(llvm::alignTo(n, columns))) ||
      (alloc && int64_t(alloc.getSlack().value_or(0)) < below))
    return product.emitOpError("expected an accumulator with room for whole "
                               "blocks, which 'stage-place' gives");
  return success();
}

LogicalResult KernelEmitter::emitProduct(stage::ProductOp product) {
  auto unsupported = [&](const Twine &what) {
    return target::emitUnsupported(product, what);
  };
  if (product.getAsync() || !isa<MemRefType>(product.getAcc().getType()) ||
      !isa<MemRefType>(product.getLhs().getType()) ||
      isa<RankedTensorType>(product.getRhs().getType()))
    return unsupported("a product of fragments, or beside the program");
  bool isTf32 = product.getInputPrecision() != tile::InputPrecision::ieee;
  if (isTf32)
    return unsupported("a product of storage with precision 'tf32'");
  if (failed(checkBlocks(product)))
    return failure();
  target::MatrixInstructionAttr row = rowOf(product);
  if (product.getRow() && !row)
    return unsupported("the matrix instruction '" + *product.getRow() + "'");
  auto [rows, columns, depth] = product.getSizes();
  auto left = panelPlaceOf(cast<MemRefType>(product.getLhs().getType()),
                           /*isLeft=*/true, rows);
  if (!left || left->width != rows)
    return unsupported("a left operand that is not in panels of " +
                       Twine(rows) + " rows");
  freshLevels();
  auto strides = [&](ArrayRef<int64_t> known) {
    return llvm::map_to_vector(known, [&](int64_t s) { return c64(s); });
  };
  auto panelAt = [&](Value storage, const PanelPlace &form, ValueRange origin) {
    const TileBuffer &panels = storages.at(storage);
    SmallVector<Value> elements(form.panelDim + form.stepDim, c64(0));
    elements.resize(cast<ShapedType>(storage.getType()).getRank(), c64(0));
    elements[form.panelDim] = c64(form.deepest);
    elements[form.stepDim] = c64(form.width);
    return origin.empty()
               ? panels.base
               : elementAt(panels.base, elements, origin, panels.elementType);
  };
  Value lhs = panelAt(product.getLhs(), *left, product.getLhsOrigin());
  Value rhs, rhsStride;
  int64_t rhsGroup = 1;
  Type rhsType;
  if (isa<tile::ViewType>(product.getRhs().getType())) {
    const ViewInfo &view = viewOf(product.getRhs());
    rhs = elementAt(view.base, view.strides, product.getRhsOrigin(),
                    view.elementType);
    rhsStride = view.strides[view.strides.size() - 2];
    rhsType = view.elementType;
  } else {
    auto type = cast<MemRefType>(product.getRhs().getType());
    rhsType = type.getElementType();
    const TileBuffer &buffer = storages.at(product.getRhs());
    if (type.isStrided()) {
      rhs = product.getRhsOrigin().empty()
                ? buffer.base
                : elementAt(buffer.base, strides(buffer.strides),
                            product.getRhsOrigin(), buffer.elementType);
      rhsStride = c64(buffer.strides[buffer.strides.size() - 2]);
    } else {
      auto right = panelPlaceOf(type, /*isLeft=*/false, columns);
      if (!right || right->width != columns)
        return unsupported("a right operand in panels of anything but " +
                           Twine(columns) + " columns");
      rhs = panelAt(product.getRhs(), *right, product.getRhsOrigin());
      rhsStride = c64(columns * right->group);
      rhsGroup = right->group;
    }
  }
  const TileBuffer &sum = storages.at(product.getAcc());
  Value acc = product.getAccOrigin().empty()
                  ? sum.base
                  : elementAt(sum.base, strides(sum.strides),
                              product.getAccOrigin(), sum.elementType);
  Value accStride = c64(sum.strides[sum.strides.size() - 2]);
  if (auto found = directSums.find(product.getAcc());
      found != directSums.end()) {
    const DirectSum &direct = found->second;
    Value place = product.getAccOrigin().empty()
                      ? direct.base
                      : elementAt(direct.base, {direct.stride, c64(1)},
                                  product.getAccOrigin(), sum.elementType);
    acc = select(direct.inside, place, acc);
    accStride = select(direct.inside, direct.stride, accStride);
  }
  Value steps = product.getDepth() ? scalar64(product.getDepth()) : c64(depth);
  int64_t granule = granuleOf(product);
  Value whole = roundDown(add(steps, c64(granule - 1)), granule);
  Value minus =
      product.getMinus() ? storages.at(product.getMinus()).base : Value();
  Value fresh = product.getFresh() ? scalar(product.getFresh()) : Value();
  auto withSign = [&](Type type, bool isUnsigned) -> Type {
    if (!row || !isa<IntegerType>(type))
      return type;
    return IntegerType::get(b.getContext(), type.getIntOrFloatBitWidth(),
                            isUnsigned ? IntegerType::Unsigned
                                       : IntegerType::Signed);
  };
  auto name = row ? FlatSymbolRefAttr::get(b.getContext(), *product.getRow())
                  : FlatSymbolRefAttr();
  bool acquires = !acquired && needsUnit(product);
  if (acquires)
    AcquireOp::create(b, loc, name);
  int64_t lhsGroup = left->group;
  if (left->width == 1 && row) // it does not show
    if (auto layout =
            dyn_cast_or_null<target::InterleaveAttr>(row.getLhs().getLayout()))
      lhsGroup = layout.getGroup();
  MicroKernelOp::create(
      b, loc, lhs, rhs, rhsStride, acc, accStride, whole, minus, fresh, rows,
      columns, lhsGroup, rhsGroup, name,
      withSign(cast<MemRefType>(product.getLhs().getType()).getElementType(),
               product.getLhsUnsigned()),
      withSign(rhsType, product.getRhsUnsigned()), sum.elementType);
  if (acquires)
    ReleaseOp::create(b, loc, name);
  return success();
}

bool KernelEmitter::needsUnit(stage::ProductOp product) {
  target::MatrixInstructionAttr row = rowOf(product);
  if (!row || !description)
    return false;
  return llvm::any_of(description.getUnits(),
                      [&](target::ExecutionUnitAttr unit) {
                        return unit.getName() == row.getUnit() &&
                               unit.getKind() == target::UnitKind::Matrix;
                      });
}

FlatSymbolRefAttr KernelEmitter::unitOf(Operation *nest) {
  FlatSymbolRefAttr found;
  WalkResult result = nest->walk([&](Operation *op) -> WalkResult {
    if (auto product = dyn_cast<stage::ProductOp>(op)) {
      if (!needsUnit(product) || (found && found != product.getRowAttr()))
        return WalkResult::interrupt();
      found = product.getRowAttr();
      return WalkResult::advance();
    }
    // Nothing may leave the kernel in between.
    return isCustom(op) || isa<scf::WhileOp>(op) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
  });
  return result.wasInterrupted() ? FlatSymbolRefAttr() : found;
}

LogicalResult KernelEmitter::emitDot(MatrixProductOpInterface dot) {
  target::restoreDeclines(dot);
  if (dot.getLhsScaleOperand() || dot.getRhsScaleOperand())
    return decline("its operands have scales");
  if (dot.hasEncodedFactors())
    return decline("its operands are not numbers of their element types");
  if (!dot.getAccOperand())
    return decline("it has no accumulator");
  std::optional<ProductShape> shape = getProductShape(dot);
  if (!shape || !shape->isRowMajor())
    return decline("its operands are not m x k and k x n");
  auto region = cast<stage::ComputeOp>(dot->getParentOp());
  Operation *before = region->getPrevNode();
  if (failed(staging::splitProduct(dot))) {
    auto how = dot->getAttrOfType<ProductAttr>(kProductAttr);
    return decline(how && !how.getRow().empty()
                       ? "no matrix instruction '" + how.getRow() +
                             "' for its types"
                       : Twine("nothing says in which blocks"));
  }
  // Constants stand at the beginning of the kernel.
  for (Operation &constant : kernel.getBody().front()) {
    if (!isa<arith::ConstantOp>(constant))
      break;
    if (!mapping.contains(constant.getResult(0)) && failed(emitOp(&constant)))
      return failure();
  }
  Operation *op = before ? before->getNextNode() : &region->getBlock()->front();
  for (; op != region; op = op->getNextNode())
    if (failed(emitOp(op)))
      return failure();
  for (Operation *user : dot->getUsers())
    if (auto write = dyn_cast<stage::WriteOp>(user))
      define(dot->getResult(0), storageAt(write.getStorage()));
  return success();
}
