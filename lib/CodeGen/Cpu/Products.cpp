//===- Products.cpp - Products of the stage level as micro-kernels --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage in panels, regions that write it, and products of them. Panels past
// the edges of a tile are padded, so that micro-kernels never see an edge.
//
//===----------------------------------------------------------------------===//

#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "Pack.h"
#include "kiln/Dialect/Cpu/CpuDialect.h"
#include "kiln/Dialect/Cpu/RowUse.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
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
  auto known = getConstantIntValue(value);
  return {known ? Value() : e.scalar64(value), known.value_or(0), 0, 0};
}
} // namespace

bool cpu::writesPanels(stage::StorageWriteOpInterface write) {
  return findPanels(write.getStorage()).has_value();
}

LogicalResult cpu::lowerPack(stage::ComputeOp region,
                             stage::StorageWriteOpInterface write,
                             KernelEmitter &e) {
  std::optional<PanelUse> use = findPanels(write.getStorage());
  const PanelPlace &form = use->place;
  auto shape = cast<ShapedType>(write.getValue().getType()).getShape();
  auto bound = [&](OperandRange given, int d, int64_t whole) {
    return given.empty() ? e.index(whole) : Value(given[d]);
  };
  int p = form.panelDim, s = form.stepDim;
  Value start = bound(region.getFrom(), p, 0),
        end = bound(region.getTo(), p, shape[p]),
        from = bound(region.getFrom(), s, 0),
        to = bound(region.getTo(), s, shape[s]);
  auto originAt = [&](int d) {
    return write.getOrigin().empty() ? e.index(0) : Value(write.getOrigin()[d]);
  };
  e.freshLevels();
  Value row = placeOf(e, start, originAt(p)),
        step = placeOf(e, from, originAt(s));
  bool isStart =
      getConstantIntValue(row) == 0 ||
      (isMultiple(originAt(p), form.width) && isMultiple(start, form.width));
  if (!isStart || !isWithin(start, end, form.width) || shape.size() > 3)
    return target::emitUnsupported(region, "a region that packs anything but "
                                           "one panel from its start");
  const TileBuffer &panels = e.storages.at(write.getStorage());
  Value place = e.gep(panels.base,
                      e.add(e.mul(row, e.c64(form.deepest)),
                            e.mul(step, e.c64(form.stepStride()))),
                      panels.elementType);
  Packer packer(e, write.getValue(), form, granuleOf(use->product));
  Coord batch;
  if (shape.size() == 3)
    batch = coordOf(e, bound(region.getFrom(), 0, 0));
  packer.pack(batch, coordOf(e, start), coordOf(e, from),
              e.sub(e.scalar64(to), e.scalar64(from)), place);
  return success();
}

Value RegisterBuilder::elementAt(Value base, ArrayRef<Value> strides,
                                 ValueRange origin, Type element) {
  Value offset = c64(0);
  for (auto [stride, index] : llvm::zip_equal(strides, origin))
    offset = add(offset, mul(scalar64(index), stride));
  return gep(base, offset, element);
}

void RegisterBuilder::prefetch(Value address, bool isNear) {
  LLVM::Prefetch::create(b, loc, address, /*rw=*/0, /*hint=*/isNear ? 3 : 2,
                         /*cache=*/1);
}

/// Whether the accumulator has room for the whole blocks of a micro-kernel.
static LogicalResult checkBlocks(KernelEmitter &e, stage::ProductOp product) {
  auto type = cast<MemRefType>(product.getAcc().getType());
  auto alloc = product.getAcc().getDefiningOp<stage::StorageOpInterface>();
  const TileBuffer &sum = e.storages.at(product.getAcc());
  auto [rows, columns, depth] = product.getSizes();
  int64_t rank = type.getRank(), stride = sum.strides[rank - 2];
  int64_t m = type.getDimSize(rank - 2), n = type.getDimSize(rank - 1);
  int64_t below =
      (llvm::alignTo(m, rows) - m) * stride * e.storageBytes(sum.elementType);
  if (sum.strides[rank - 1] != 1 ||
      (m > 1 && stride < int64_t(llvm::alignTo(n, columns))) ||
      (alloc && int64_t(alloc.getSlack().value_or(0)) < below))
    return product.emitOpError("expected an accumulator with room for whole "
                               "blocks, which 'stage-place' gives");
  return success();
}

namespace {
/// An operand of a micro-kernel: its address, the elements from one row to the
/// next, and how many steps of a column lie beside each other.
struct Factor {
  Value base, stride;
  int64_t group = 1;
  Type element;
};

SmallVector<Value> constantsOf(KernelEmitter &e, ArrayRef<int64_t> numbers) {
  return llvm::map_to_vector(numbers, [&](int64_t n) { return e.c64(n); });
}

/// The address of panels from an origin in them.
Value panelAt(KernelEmitter &e, Value storage, const PanelPlace &form,
              ValueRange origin) {
  const TileBuffer &panels = e.storages.at(storage);
  SmallVector<Value> elements(form.panelDim + form.stepDim, e.c64(0));
  elements.resize(cast<ShapedType>(storage.getType()).getRank(), e.c64(0));
  elements[form.panelDim] = e.c64(form.deepest);
  elements[form.stepDim] = e.c64(form.stepStride());
  return origin.empty()
             ? panels.base
             : e.elementAt(panels.base, elements, origin, panels.elementType);
}

/// The right operand: in a view, in rows of storage, or in panels.
FailureOr<Factor> rightFactor(KernelEmitter &e, stage::ProductOp product) {
  int64_t columns = std::get<1>(product.getSizes());
  Factor factor;
  if (isa<tile::ViewType>(product.getRhs().getType())) {
    const ViewInfo &view = e.viewOf(product.getRhs());
    factor.base = e.elementAt(view.base, view.strides, product.getRhsOrigin(),
                              view.elementType);
    factor.stride = view.strides[view.strides.size() - 2];
    factor.element = view.elementType;
    return factor;
  }
  auto type = cast<MemRefType>(product.getRhs().getType());
  factor.element = type.getElementType();
  const TileBuffer &buffer = e.storages.at(product.getRhs());
  if (type.isStrided()) {
    factor.base = product.getRhsOrigin().empty()
                      ? buffer.base
                      : e.elementAt(buffer.base, constantsOf(e, buffer.strides),
                                    product.getRhsOrigin(), buffer.elementType);
    factor.stride = e.c64(buffer.strides[buffer.strides.size() - 2]);
    return factor;
  }
  auto right = panelPlaceOf(type, /*isLeft=*/false, columns);
  if (!right || right->width != columns)
    return target::emitUnsupported(
        product, "a right operand in panels of anything but " + Twine(columns) +
                     " columns");
  factor.base = panelAt(e, product.getRhs(), *right, product.getRhsOrigin());
  factor.stride = e.c64(columns * right->group);
  factor.group = right->group;
  return factor;
}

/// The accumulator: in storage, or in the view that it is stored to where that
/// is known to hold all of it.
Factor accumulatorOf(KernelEmitter &e, stage::ProductOp product) {
  const TileBuffer &sum = e.storages.at(product.getAcc());
  ValueRange origin = product.getAccOrigin();
  Value acc = origin.empty()
                  ? sum.base
                  : e.elementAt(sum.base, constantsOf(e, sum.strides), origin,
                                sum.elementType);
  Value stride = e.c64(sum.strides[sum.strides.size() - 2]);
  if (auto found = e.directSums.find(product.getAcc());
      found != e.directSums.end()) {
    const DirectSum &direct = found->second;
    Value place = origin.empty()
                      ? direct.base
                      : e.elementAt(direct.base, {direct.stride, e.c64(1)},
                                    origin, sum.elementType);
    acc = e.select(direct.inside, place, acc);
    stride = e.select(direct.inside, direct.stride, stride);
  }
  return {acc, stride, 1, sum.elementType};
}

/// Why micro-kernels cannot compute a product; empty if they can.
std::string whyNoMicroKernel(stage::ProductOp product) {
  if (product.getAsync() || !isa<MemRefType>(product.getAcc().getType()) ||
      !isa<MemRefType>(product.getLhs().getType()) ||
      isa<RankedTensorType>(product.getRhs().getType()))
    return "a product of fragments, or beside the program";
  if (product.getInputPrecision() != tile::InputPrecision::ieee)
    return "a product of storage with precision 'tf32'";
  return {};
}
} // namespace

/// Whether the product's instruction is of a unit that is prepared before.
static bool needsUnit(KernelEmitter &e, stage::ProductOp product) {
  target::MatrixInstructionAttr row = rowOf(product);
  if (!row || !e.description)
    return false;
  return llvm::any_of(e.description.getUnits(),
                      [&](target::ExecutionUnitAttr unit) {
                        return unit.getName() == row.getUnit() &&
                               unit.getKind() == target::UnitKind::Matrix;
                      });
}

/// How many columns of a product's last panel take registers, if that is fewer
/// than all: those of an edge that is known.
static std::optional<int64_t> lastColumns(KernelEmitter &e,
                                          stage::ProductOp product) {
  if (!product.getColumns() || needsUnit(e, product))
    return std::nullopt;
  auto type = cast<MemRefType>(product.getAcc().getType());
  target::MatrixInstructionAttr row = rowOf(product);
  int64_t columns = std::get<1>(product.getSizes());
  int64_t across =
      row ? row.getN().getMin()
          : e.config.lanes(8 * e.storageBytes(type.getElementType()));
  int64_t last =
      llvm::alignTo(type.getDimSize(type.getRank() - 1) % columns, across);
  if (last == 0 || last >= columns || columns % across)
    return std::nullopt;
  return last;
}

stage::ProductOp cpu::microProduct(Operation *op) {
  return dyn_cast<stage::ProductOp>(op);
}

std::optional<int64_t> cpu::lastRows(stage::ProductOp product) {
  auto lhs = dyn_cast<MemRefType>(product.getLhs().getType());
  auto acc = dyn_cast<MemRefType>(product.getAcc().getType());
  target::MatrixInstructionAttr row = rowOf(product);
  if (!product.getRows() || !lhs || !acc || !row)
    return std::nullopt;
  int64_t rows = std::get<0>(product.getSizes());
  auto left = panelPlaceOf(lhs, /*isLeft=*/true, rows);
  // Panels of other forms are read in whole blocks of rows alone.
  if (!left || !left->keepsRows() || left->width != rows ||
      left->group <= row.getK().getMin())
    return std::nullopt;
  int64_t last = acc.getDimSize(acc.getRank() - 2) % rows;
  return last ? std::optional(last) : std::nullopt;
}

/// What an instruction's operand is: an integer says whether it has a sign.
static Type typeFor(target::MatrixInstructionAttr row, Type type,
                    bool isUnsigned) {
  if (!row || !isa<IntegerType>(type))
    return type;
  return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth(),
                          isUnsigned ? IntegerType::Unsigned
                                     : IntegerType::Signed);
}

LogicalResult cpu::lowerProduct(stage::ProductOp product, KernelEmitter &e) {
  auto unsupported = [&](const Twine &what) {
    return target::emitUnsupported(product, what);
  };
  if (std::string why = whyNoMicroKernel(product); !why.empty())
    return unsupported(why);
  if (failed(checkBlocks(e, product)))
    return failure();
  target::MatrixInstructionAttr row = rowOf(product);
  if (product.getRow() && !row)
    return unsupported("the matrix instruction '" + *product.getRow() + "'");
  auto [rows, columns, depth] = product.getSizes();
  auto lhsType = cast<MemRefType>(product.getLhs().getType());
  auto left = panelPlaceOf(lhsType, /*isLeft=*/true, rows);
  if (!left || left->width != rows)
    return unsupported("a left operand that is not in panels of " +
                       Twine(rows) + " rows");
  e.freshLevels();
  Value lhs = panelAt(e, product.getLhs(), *left, product.getLhsOrigin());
  FailureOr<Factor> rhs = rightFactor(e, product);
  if (failed(rhs))
    return failure();
  Factor acc = accumulatorOf(e, product);
  Value steps =
      product.getDepth() ? e.scalar64(product.getDepth()) : e.c64(depth);
  int64_t granule = granuleOf(product);
  Value whole = e.roundDown(e.add(steps, e.c64(granule - 1)), granule);
  Value minus =
      product.getMinus() ? e.storages.at(product.getMinus()).base : Value();
  Value fresh = product.getFresh() ? e.scalar(product.getFresh()) : Value();
  OpBuilder &b = e.b;
  auto name = row ? FlatSymbolRefAttr::get(b.getContext(), *product.getRow())
                  : FlatSymbolRefAttr();
  bool acquires = !e.acquired && needsUnit(e, product);
  if (acquires)
    AcquireOp::create(b, e.loc, name);
  int64_t lhsGroup = left->group;
  if (left->width == 1 && row) // it does not show
    if (auto layout =
            dyn_cast_or_null<target::InterleaveAttr>(row.getLhs().getLayout()))
      lhsGroup = layout.getGroup();
  DenseI64ArrayAttr runs;
  auto multiplyBlock = [&](int64_t rows, int64_t columns) {
    auto made = MicroKernelOp::create(
        b, e.loc, lhs, rhs->base, rhs->stride, acc.base, acc.stride, whole,
        minus, fresh, rows, columns, lhsGroup, rhs->group, name,
        typeFor(row, lhsType.getElementType(), product.getLhsUnsigned()),
        typeFor(row, rhs->element, product.getRhsUnsigned()), acc.element);
    if (runs)
      made->setAttr(kRuns, runs);
  };
  // By fewer registers where that is all that is left of rows or columns.
  auto choose = [&](std::optional<int64_t> last, Value count, int64_t whole,
                    llvm::function_ref<void(int64_t)> multiply) {
    if (!last)
      return multiply(whole);
    Value isLast =
        e.compare(arith::CmpIPredicate::sle, e.scalar64(count), e.c64(*last));
    auto choice = scf::IfOp::create(b, e.loc, isLast, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    multiply(*last);
    b.setInsertionPointToStart(choice.elseBlock());
    multiply(whole);
  };
  int64_t tall = rows, wide = columns;
  auto multiplyAll = [&] {
    choose(lastRows(product), product.getRows(), tall, [&](int64_t rows) {
      choose(lastColumns(e, product), product.getColumns(), wide,
             [&, rows](int64_t columns) { multiplyBlock(rows, columns); });
    });
  };
  auto direct = e.directRows.find(product.getLhs());
  auto multiplyDirect = [&] {
    lhs = directRowsAt(e, direct->second, product);
    lhsGroup = direct->second.rows.back().stride;
    runs = runsOfSteps(direct->second, product);
    multiplyAll();
    runs = {};
  };
  if (direct == e.directRows.end()) {
    multiplyAll();
  } else if (!direct->second.inside) {
    multiplyDirect();
  } else {
    // From the view's memory, or from panels.
    auto choice = scf::IfOp::create(b, e.loc, direct->second.inside,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    multiplyAll();
    b.setInsertionPointToStart(choice.thenBlock());
    multiplyDirect();
  }
  if (acquires)
    ReleaseOp::create(b, e.loc, name);
  return success();
}

FlatSymbolRefAttr cpu::unitOf(KernelEmitter &e, Operation *nest) {
  FlatSymbolRefAttr found;
  WalkResult result = nest->walk([&](Operation *op) -> WalkResult {
    if (auto product = dyn_cast<stage::ProductOp>(op)) {
      if (!needsUnit(e, product) || (found && found != product.getRowAttr()))
        return WalkResult::interrupt();
      found = product.getRowAttr();
      return WalkResult::advance();
    }
    // Nothing may leave the kernel in between.
    return e.isCustom(op) || isa<scf::WhileOp>(op) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
  });
  return result.wasInterrupted() ? FlatSymbolRefAttr() : found;
}

static LogicalResult lowerDot(MatrixProductOpInterface dot, KernelEmitter &e) {
  target::restoreDeclines(dot);
  if (dot.getLhsScaleOperand() || dot.getRhsScaleOperand())
    return e.decline("its operands have scales");
  if (dot.hasEncodedFactors())
    return e.decline("its operands are not numbers of their element types");
  if (!dot.getAccOperand())
    return e.decline("it has no accumulator");
  std::optional<ProductShape> shape = getProductShape(dot);
  if (!shape || !shape->isRowMajor())
    return e.decline("its operands are not m x k and k x n");
  Operation *region = dot->getParentOp();
  Operation *before = region->getPrevNode();
  if (failed(staging::splitProduct(dot))) {
    auto holder = dyn_cast<ProductSplitOpInterface>(dot.getOperation());
    auto how = holder ? dyn_cast_if_present<ProductAttr>(holder.getSplitAttr())
                      : ProductAttr();
    return e.decline(how && !how.getRow().empty()
                         ? "no matrix instruction '" + how.getRow() +
                               "' for its types"
                         : Twine("it has no attribute that states its blocks"));
  }
  // Constants stand at the beginning of the kernel.
  for (Operation &constant : e.kernel.getBody().front()) {
    if (!isa<arith::ConstantOp>(constant))
      break;
    if (!e.mapping.contains(constant.getResult(0)) &&
        failed(e.emitOp(&constant)))
      return failure();
  }
  Operation *op = before ? before->getNextNode() : &region->getBlock()->front();
  for (; op != region; op = op->getNextNode())
    if (failed(e.emitOp(op)))
      return failure();
  for (Operation *user : dot->getUsers())
    if (auto write = dyn_cast<stage::StorageWriteOpInterface>(user))
      e.define(dot->getResult(0), e.storageAt(write.getStorage()));
  return success();
}

void cpu::addProductsLowerings(LoweringTable &table) {
  table.add<MatrixProductOpInterface>("cpu.dot.packed", kMatrixProduct,
                                      lowerDot);
}
