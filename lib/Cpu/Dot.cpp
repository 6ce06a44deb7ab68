//===- Dot.cpp - Products of tiles through packed panels ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The left operand is packed into panels of the micro-kernel's rows, the right
// one into one panel of its columns at a time; whatever computes the operands
// inline runs inside of the packing loops. Panels past the edges are padded, so
// that micro-kernels never see an edge. The attribute `cpu.product` says which
// instruction multiplies, and in which blocks.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "Pack.h"
#include "ProductRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

Padding KernelEmitter::productPadding(MatrixProductOpInterface dot) {
  ProductAttr how = productOf(dot, config);
  return {false, std::max<int64_t>(how.getRows(), 2), how.getColumns()};
}

/// A load (through conversions) that reads zero outside of its view, or null.
static ViewAccessOpInterface zeroPaddedLoad(Value operand) {
  Operation *op = operand.getDefiningOp();
  while (op && isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto load = dyn_cast_or_null<ViewAccessOpInterface>(op);
  if (!load || load.getOutside() != Outside::Zero ||
      indirectAxis(load.getAxes()) >= 0)
    return nullptr;
  return load;
}

/// Whether rows and columns outside of the operands' views end in stores only,
/// through operations that keep elements apart.
static bool onlyStored(Value value, llvm::SmallPtrSetImpl<Operation *> &seen) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    auto access = dyn_cast<ViewAccessOpInterface>(user);
    if (!seen.insert(user).second ||
        (access && access.getWrittenOperand() == &use &&
         indirectAxis(access.getAxes()) < 0))
      continue;
    if (auto yield = dyn_cast<scf::YieldOp>(user)) {
      auto loop = dyn_cast<scf::ForOp>(yield->getParentOp());
      unsigned i = use.getOperandNumber();
      if (!loop || !onlyStored(loop.getResult(i), seen) ||
          !onlyStored(loop.getRegionIterArg(i), seen))
        return false;
      continue;
    }
    if (auto dot = dyn_cast<MatrixProductOpInterface>(user)) {
      if (dot.getLhsOperand().get() == value ||
          dot.getRhsOperand().get() == value || dot.getAccOperand() != &use ||
          !onlyStored(user->getResult(0), seen))
        return false;
      continue;
    }
    if (!isElementwise(user) || !onlyStored(user->getResult(0), seen))
      return false;
  }
  return true;
}

namespace kiln::cpu {
/// Emits one product.
class DotLowering {
public:
  DotLowering(KernelEmitter &e, MatrixProductOpInterface dot)
      : e(e), b(e.b), dot(dot), type(dot.getProductType()),
        lhs(dot.getLhsOperand().get()), rhs(dot.getRhsOperand().get()),
        element(type.getElementType()), how(productOf(dot, e.config)) {
    int64_t rank = type.getRank();
    batched = rank == 3;
    m = type.getDimSize(rank - 2);
    n = type.getDimSize(rank - 1);
    k = cast<ShapedType>(lhs.getType()).getDimSize(rank - 1);
  }

  LogicalResult emit();

private:
  void block(Coord batch, Coord from, Value steps);
  /// Fetches a share of the next right panel while one multiplies.
  void prefetch(Coord batch, Coord column, Coord row, Coord from, Value steps);
  /// Address and row stride of the right panel that starts at `column`.
  std::pair<Value, Value> rightPanel(Coord batch, Coord column, Coord from,
                                     Value steps);
  /// How far rows, columns and depth must go.
  void findExtents();
  /// What panels hold, and memory for them.
  LogicalResult choosePanels();
  /// The products of what is added to the left operand with a right panel.
  void sumOffset(Value steps, Value panel, Value stride);
  void multiply(Value steps, int64_t rows, Value left, Value right,
                Value rightStride, Value out, Value outStride, Value minus);

  KernelEmitter &e;
  RewriterBase &b;
  MatrixProductOpInterface dot;
  RankedTensorType type;
  Value lhs, rhs;
  Type element;
  ProductAttr how;
  RowUse use;
  int64_t m, n, k, columns, depth;
  bool batched, isMatrixUnit = false;
  TileBuffer result;
  Value leftMemory, rightMemory;
  /// Where something is added to the left operand: a panel of that, and the
  /// sums of its products.
  Value offsets, offsetSums;
  int64_t leftPanel; ///< elements from one left panel to the next
  Value endM, endN, endK;
  std::optional<Packer> left, right;
};
} // namespace kiln::cpu

void DotLowering::findExtents() {
  endM = e.c64(m);
  endN = e.c64(n);
  endK = e.c64(k);
  // The loads of operands that are evaluated as they are packed, and the end
  // of their views along a dimension of the tile.
  auto loadOf = [&](Value operand) {
    return e.hasBuffer(operand) ? nullptr : zeroPaddedLoad(operand);
  };
  ViewAccessOpInterface left = loadOf(lhs), right = loadOf(rhs);
  auto bound = [&](ViewAccessOpInterface load, int64_t fromBack) -> Value {
    int64_t dim = load.getAccessedType().getRank() - 1 - fromBack;
    for (auto [d, axis] : llvm::enumerate(load.getAxes()))
      if (axis.tileDim == dim)
        return e.maximum(e.validRange(load, d).hi, e.c64(0));
    return e.c64(load.getAccessedType().getDimSize(dim));
  };
  llvm::SmallPtrSet<Operation *, 8> seen;
  if (onlyStored(dot->getResult(0), seen)) {
    if (left)
      endM = e.minimum(endM, bound(left, 1));
    if (right)
      endN = e.minimum(endN, bound(right, 0));
  }
  if (left && right)
    endK = e.minimum(endK, e.maximum(bound(left, 0), bound(right, 1)));
}

LogicalResult DotLowering::choosePanels() {
  if (how.getRow().empty()) {
    use = {1, 1, 1, element, element, 1, 1, 0};
  } else {
    target::MatrixInstructionAttr row =
        e.description ? e.description.getMatrixInstruction(how.getRow())
                      : target::MatrixInstructionAttr();
    std::optional<RowUse> found =
        row ? useOfRow(row, dot) : std::optional<RowUse>();
    if (!found)
      return e.decline("no matrix instruction '" + how.getRow() +
                       "' for its types");
    use = *found;
    for (target::ExecutionUnitAttr unit : e.description.getUnits())
      isMatrixUnit |= unit.getName() == row.getUnit() &&
                      unit.getKind() == target::UnitKind::Matrix;
  }
  columns = how.getColumns();
  int64_t leftBytes = use.lhs.getIntOrFloatBitWidth() / 8,
          rightBytes = use.rhs.getIntOrFloatBitWidth() / 8;
  // Whole vectors of steps are packed.
  int64_t vector = e.config.lanes(8);
  depth = how.getDepth();
  int64_t deepest = llvm::alignTo(depth, vector), rows = how.getRows();
  leftPanel = rows * deepest;
  int64_t panels = llvm::divideCeil(m, rows);
  leftMemory = e.temporary(panels * leftPanel * leftBytes + vector);
  rightMemory = e.temporary(columns * deepest * rightBytes + vector);
  bool isTf32 = dot.getProductPrecision() == ProductPrecision::TF32;
  left.emplace(
      e, lhs,
      PanelFormat{use.lhs, rows, use.lhsGroup, use.k, use.lhsOffset != 0},
      batched, /*panelDimFirst=*/true, dot.isLhsUnsigned(), isTf32);
  right.emplace(e, rhs,
                PanelFormat{use.rhs, columns, use.rhsGroup, use.k, false},
                batched, /*panelDimFirst=*/false, dot.isRhsUnsigned(), isTf32);
  if (use.lhsOffset) {
    offsets = e.temporary(deepest);
    offsetSums =
        e.temporary(columns * KernelEmitter::storageBytes(element) + vector);
    LLVM::MemsetOp::create(
        b, e.loc, offsets,
        e.constantOf(b.getI8Type(), b.getI8IntegerAttr(-128)), e.c64(deepest),
        /*isVolatile=*/false);
  }
  return success();
}

LogicalResult DotLowering::emit() {
  result = e.resultBuffer(dot->getResult(0), e.productPadding(dot));
  Value acc = dot.getAccOperand()->get();
  bool inPlace = e.hasBuffer(acc) && e.bufferOf(acc).base == result.base;
  if (!inPlace)
    e.fill(result, acc);

  e.freshLevels();
  findExtents();
  if (failed(choosePanels()))
    return failure();
  auto row = FlatSymbolRefAttr::get(b.getContext(), how.getRow());
  if (isMatrixUnit)
    AcquireOp::create(b, e.loc, row);
  int64_t batches = batched ? type.getDimSize(0) : 1;
  e.forLoop(
      e.c64(0), e.c64(batches), 1, {}, false, [&](Coord batch, ValueRange) {
        e.forLoop(
            e.c64(0), endK, depth, {}, false, [&](Coord from, ValueRange) {
              Value steps =
                  e.minimum(e.sub(endK, e.coordValue(from)), e.c64(depth));
              block(batch, from, steps);
              return SmallVector<Value>();
            });
        return SmallVector<Value>();
      });
  if (isMatrixUnit)
    ReleaseOp::create(b, e.loc, row);
  e.define(dot->getResult(0), result);
  return success();
}

void DotLowering::multiply(Value steps, int64_t rows, Value left, Value right,
                           Value rightStride, Value out, Value outStride,
                           Value minus) {
  Value whole = e.roundDown(e.add(steps, e.c64(use.k - 1)), use.k);
  auto row = how.getRow().empty()
                 ? FlatSymbolRefAttr()
                 : FlatSymbolRefAttr::get(b.getContext(), how.getRow());
  MicroKernelOp::create(b, e.loc, left, right, rightStride, out, outStride,
                        whole, minus, rows, columns, use.lhsGroup, use.rhsGroup,
                        row, use.lhs, use.rhs, element);
}

void DotLowering::sumOffset(Value steps, Value panel, Value stride) {
  LLVM::MemsetOp::create(b, e.loc, offsetSums,
                         e.constantOf(b.getI8Type(), b.getI8IntegerAttr(0)),
                         e.c64(columns * KernelEmitter::storageBytes(element)),
                         /*isVolatile=*/false);
  multiply(steps, 1, offsets, panel, stride, offsetSums, e.c64(columns),
           nullptr);
}

std::pair<Value, Value> DotLowering::rightPanel(Coord batch, Coord column,
                                                Coord from, Value steps) {
  Value width = e.c64(columns * use.rhsGroup);
  // Few rows would not pay for packing what they read only once or twice.
  if (!right->canBeDirect() || m > 2 * how.getRows()) {
    right->pack(batch, column, from, steps, rightMemory);
    return {rightMemory, width};
  }
  Value inside = right->isInside(batch, column, from, steps);
  if (!inside)
    return {right->directAddress(batch, column, from), right->directStride()};
  auto choice = scf::IfOp::create(
      b, e.loc, TypeRange{rightMemory.getType(), width.getType()}, inside, true,
      true);
  e.inRegion(choice, choice.thenBlock(), [&] {
    Value address = right->directAddress(batch, column, from);
    scf::YieldOp::create(b, e.loc, ValueRange{address, right->directStride()});
  });
  e.inRegion(choice, choice.elseBlock(), [&] {
    right->pack(batch, column, from, steps, rightMemory);
    scf::YieldOp::create(b, e.loc, ValueRange{rightMemory, width});
  });
  return {choice.getResult(0), choice.getResult(1)};
}

void DotLowering::prefetch(Coord batch, Coord column, Coord row, Coord from,
                           Value steps) {
  // Memory is idle meanwhile, and the rows of a panel lie far apart.
  int64_t calls = llvm::divideCeil(m, how.getRows());
  if (!right->canPrefetch() || calls < 4 || n <= columns)
    return;
  int64_t share = llvm::divideCeil(depth, calls);
  Value call =
      arith::DivUIOp::create(b, e.loc, e.coordValue(row), e.c64(how.getRows()));
  Value first = e.mul(call, e.c64(share));
  Value last = e.minimum(e.add(first, e.c64(share)), steps);
  Coord next = column;
  next.constant += columns;
  e.forLoop(first, last, 1, {}, false, [&](Coord step, ValueRange) {
    right->prefetch(batch, next, e.sum(from, step));
    return SmallVector<Value>();
  });
}

void DotLowering::block(Coord batch, Coord from, Value steps) {
  int64_t rows = how.getRows();
  auto leftAddress = [&](Value row) {
    // Rows count in whole panels.
    Value elements = e.mul(row, e.c64(leftPanel / rows));
    return e.gep(leftMemory, elements, left->memoryType());
  };
  e.forLoop(e.c64(0), endM, rows, {}, false, [&](Coord row, ValueRange) {
    left->pack(batch, row, from, steps, leftAddress(e.coordValue(row)));
    return SmallVector<Value>();
  });
  int64_t rank = type.getRank();
  Value rowStride = e.c64(result.strides[rank - 2]);
  e.forLoop(e.c64(0), endN, columns, {}, false, [&](Coord column, ValueRange) {
    Value panel, stride;
    std::tie(panel, stride) = rightPanel(batch, column, from, steps);
    if (use.lhsOffset)
      sumOffset(steps, panel, stride);
    Value out = result.base;
    if (batched)
      out = e.gep(out, e.mul(e.coordValue(batch), e.c64(result.strides[0])),
                  element);
    out = e.gep(out, e.coordValue(column), element);
    e.forLoop(e.c64(0), endM, rows, {}, false, [&](Coord row, ValueRange) {
      Value index = e.coordValue(row);
      prefetch(batch, column, row, from, steps);
      multiply(steps, rows, leftAddress(index), panel, stride,
               e.gep(out, e.mul(index, rowStride), element), rowStride,
               offsetSums);
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}

LogicalResult KernelEmitter::emitDot(MatrixProductOpInterface dot) {
  if (dot.getLhsScaleOperand() || dot.getRhsScaleOperand())
    return decline("its operands have scales");
  if (dot.hasEncodedFactors())
    return decline("its operands are not numbers of their element types");
  if (!dot.getAccOperand())
    return decline("it has no accumulator");
  std::optional<ProductShape> shape = getProductShape(dot);
  if (!shape || !shape->isRowMajor())
    return decline("its operands are not m x k and k x n");
  return DotLowering(*this, dot).emit();
}
