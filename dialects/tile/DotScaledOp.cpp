//===- DotScaledOp.cpp - Products of factors with scales ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Dialect/Tile/ScaledProducts.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

namespace {
/// A factor, whichever side it is on: its row is m or n.
struct Factor {
  StringRef name;
  RankedTensorType type, scale;
  ScaledFormat format;
  bool isPackedAlongK;
  int rowDim, kDim; ///< from the back: 1 is the last one

  int64_t size(int dim) const {
    int64_t size = type.getDimSize(type.getRank() - dim);
    bool isPacked = dim == (isPackedAlongK ? kDim : rowDim);
    return isPacked ? size * DotScaledOp::getPacked(format) : size;
  }
  int64_t rows() const { return size(rowDim); }
  int64_t depth() const { return size(kDim); }
};
} // namespace

static RankedTensorType tileType(Value value) {
  return value ? cast<RankedTensorType>(value.getType()) : RankedTensorType();
}

static Factor lhsOf(DotScaledOp op) {
  return {"lhs",
          tileType(op.getLhs()),
          tileType(op.getLhsScale()),
          op.getLhsFormat(),
          op.getLhsKPack(),
          /*rowDim=*/2,
          /*kDim=*/1};
}

static Factor rhsOf(DotScaledOp op) {
  return {"rhs",
          tileType(op.getRhs()),
          tileType(op.getRhsScale()),
          op.getRhsFormat(),
          op.getRhsKPack(),
          /*rowDim=*/1,
          /*kDim=*/2};
}

int64_t DotScaledOp::getDepth() { return lhsOf(*this).depth(); }

/// Whether a factor of a format may hold elements of a type.
static bool holds(ScaledFormat format, Type element) {
  switch (format) {
  case ScaledFormat::e2m1:
  case ScaledFormat::e2m3:
  case ScaledFormat::e3m2:
    return element.isSignlessInteger(8);
  case ScaledFormat::e4m3:
    return element.isSignlessInteger(8) || isa<Float8E4M3FNType>(element);
  case ScaledFormat::e5m2:
    return element.isSignlessInteger(8) || isa<Float8E5M2Type>(element);
  case ScaledFormat::bf16:
    return element.isBF16();
  case ScaledFormat::fp16:
    return element.isF16();
  }
  return false;
}

static LogicalResult verifyFactor(DotScaledOp op, const Factor &factor) {
  Type element = factor.type.getElementType();
  // (C4) Factors hold bytes, or floats of their format.
  if (!holds(factor.format, element))
    return op.emitOpError() << "expected " << factor.name << " of format '"
                            << stringifyScaledFormat(factor.format)
                            << "' to hold its elements, found " << element;
  // (C8) Only two elements in a byte are packed.
  if (!factor.isPackedAlongK && DotScaledOp::getPacked(factor.format) == 1)
    return op.emitOpError() << "expected format 'e2m1' with '" << factor.name
                            << "_k_pack = false', found '"
                            << stringifyScaledFormat(factor.format) << "'";
  if (!factor.scale)
    return success();
  // (C6) Powers of two, or factors.
  Type scale = factor.scale.getElementType();
  if (!scale.isSignlessInteger(8) &&
      !isa<Float8E8M0FNUType, Float8E4M3FNType>(scale))
    return op.emitOpError() << "expected scales of i8, f8E8M0FNU or f8E4M3FN, "
                               "found "
                            << scale;
  // (C5) A scale for each row and block.
  int64_t rank = factor.type.getRank();
  int64_t blocks = factor.scale.getDimSize(rank - 1);
  if (factor.scale.getDimSize(rank - 2) != factor.rows() || blocks < 1 ||
      factor.depth() % blocks != 0)
    return op.emitOpError()
           << "expected scales of " << factor.name << " for " << factor.rows()
           << " rows and blocks of " << factor.depth() << " elements, found "
           << factor.scale;
  return success();
}

LogicalResult DotScaledOp::verify() {
  Factor lhs = lhsOf(*this), rhs = rhsOf(*this);
  RankedTensorType acc = tileType(getAcc());
  // (C1) All have rank 2, or all rank 3.
  int64_t rank = acc.getRank();
  for (RankedTensorType type : {acc, lhs.type, rhs.type, lhs.scale, rhs.scale})
    if (type && (type.getRank() != rank || (rank != 2 && rank != 3)))
      return emitOpError() << "expected operands of rank 2, or all of rank 3, "
                              "found "
                           << type << " with an accumulator of rank " << rank;
  // (C2) Batch sizes agree.
  if (rank == 3)
    for (RankedTensorType type : {lhs.type, rhs.type, lhs.scale, rhs.scale})
      if (type && type.getDimSize(0) != acc.getDimSize(0))
        return emitOpError() << "expected batches of " << acc.getDimSize(0)
                             << ", found " << type;
  // (C3) Shapes are m x k, k x n and m x n.
  if (lhs.depth() != rhs.depth())
    return emitOpError() << "expected rhs to have " << lhs.depth()
                         << " rows, found " << rhs.depth();
  if (acc.getDimSize(rank - 2) != lhs.rows() ||
      acc.getDimSize(rank - 1) != rhs.rows())
    return emitOpError() << "expected an accumulator of " << lhs.rows() << "x"
                         << rhs.rows() << ", found " << acc;
  for (const Factor &factor : {lhs, rhs})
    if (failed(verifyFactor(*this, factor)))
      return failure();
  // (C7) The accumulator is f32.
  if (!acc.getElementType().isF32())
    return emitOpError() << "expected an accumulator of f32, found "
                         << acc.getElementType();
  return success();
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

OpOperand &DotScaledOp::getLhsOperand() { return getLhsMutable(); }
OpOperand &DotScaledOp::getRhsOperand() { return getRhsMutable(); }
OpOperand *DotScaledOp::getAccOperand() { return &getAccMutable(); }

static OpOperand *onlyOperand(MutableOperandRange range) {
  return range.size() == 1 ? &range[0] : nullptr;
}
OpOperand *DotScaledOp::getLhsScaleOperand() {
  return onlyOperand(getLhsScaleMutable());
}
OpOperand *DotScaledOp::getRhsScaleOperand() {
  return onlyOperand(getRhsScaleMutable());
}

bool DotScaledOp::hasEncodedFactors() {
  return tileType(getLhs()).getElementType().isInteger() ||
         tileType(getRhs()).getElementType().isInteger();
}

unsigned DotScaledOp::getNumSummedDims() { return 1; }

kiln::OperandRead DotScaledOp::getIndexMap(OpOperand &operand, unsigned) {
  // (batch?, row, column, summed)
  unsigned rank = tileType(getAcc()).getRank();
  MLIRContext *context = getContext();
  AffineExpr row = getAffineDimExpr(rank - 2, context);
  AffineExpr column = getAffineDimExpr(rank - 1, context);
  AffineExpr summed = getAffineDimExpr(rank, context);
  SmallVector<AffineExpr> exprs;
  if (rank == 3)
    exprs.push_back(getAffineDimExpr(0, context));
  auto factor = [&](const Factor &factor, AffineExpr line) {
    AffineExpr &packed = factor.isPackedAlongK ? summed : line;
    if (int64_t count = getPacked(factor.format); count > 1)
      packed = packed.floorDiv(count);
    SmallVector<AffineExpr, 2> last = {line, summed};
    if (factor.kDim == 2)
      std::swap(last[0], last[1]);
    llvm::append_range(exprs, last);
  };
  auto scale = [&](const Factor &factor, AffineExpr line) {
    int64_t blocks = factor.scale.getShape().back();
    llvm::append_range(exprs,
                       SmallVector<AffineExpr, 2>{
                           line, summed.floorDiv(factor.depth() / blocks)});
  };
  if (&operand == &getLhsMutable())
    factor(lhsOf(*this), row);
  else if (&operand == &getRhsMutable())
    factor(rhsOf(*this), column);
  else if (&operand == getLhsScaleOperand())
    scale(lhsOf(*this), row);
  else if (&operand == getRhsScaleOperand())
    scale(rhsOf(*this), column);
  else
    llvm::append_range(exprs, SmallVector<AffineExpr, 2>{row, column});
  return {AffineMap::get(rank + 1, 0, exprs, context), IntegerSet()};
}

kiln::Accumulation DotScaledOp::getAccumulation() {
  return Accumulation::sumOver({getDepth()});
}

bool DotScaledOp::areZerosNeutral() { return true; }

double DotScaledOp::getElementOperations() { return 2.0 * getDepth(); }

//===----------------------------------------------------------------------===//
// Instructions with scales
//===----------------------------------------------------------------------===//

/// The type of the elements of a format.
static Type elementOf(ScaledFormat format, MLIRContext *context) {
  switch (format) {
  case ScaledFormat::e2m1:
    return Float4E2M1FNType::get(context);
  case ScaledFormat::e2m3:
    return Float6E2M3FNType::get(context);
  case ScaledFormat::e3m2:
    return Float6E3M2FNType::get(context);
  case ScaledFormat::e4m3:
    return Float8E4M3FNType::get(context);
  case ScaledFormat::e5m2:
    return Float8E5M2Type::get(context);
  case ScaledFormat::bf16:
    return BFloat16Type::get(context);
  case ScaledFormat::fp16:
    return Float16Type::get(context);
  }
  llvm_unreachable("unknown format");
}

int64_t tile::scaledBlockOf(target::MatrixInstructionAttr row,
                            target::TargetAttr description) {
  DictionaryAttr extra = description ? description.getExtra() : nullptr;
  auto rows = extra ? extra.getAs<DictionaryAttr>(kScaledEntry) : nullptr;
  auto block = rows ? rows.getAs<IntegerAttr>(row.getName()) : nullptr;
  return block ? block.getInt() : 0;
}

DotScaledOp tile::findFormats(MatrixProductOpInterface op) {
  return dyn_cast<DotScaledOp>(op.getOperation());
}

bool tile::hasFormats(MatrixProductOpInterface op) {
  return bool(findFormats(op));
}

int64_t tile::packedOf(MatrixProductOpInterface op, int operand) {
  DotScaledOp scaled = findFormats(op);
  if (!scaled)
    return 1;
  return DotScaledOp::getPacked(operand == 0 ? scaled.getLhsFormat()
                                             : scaled.getRhsFormat());
}

int64_t tile::depthOf(MatrixProductOpInterface op) {
  auto lhs = cast<RankedTensorType>(op.getLhsOperand().get().getType());
  DotScaledOp scaled = findFormats(op);
  return scaled ? scaled.getDepth() : lhs.getShape().back();
}

bool tile::takesScales(target::MatrixInstructionAttr row,
                       MatrixProductOpInterface product,
                       target::TargetAttr description) {
  DotScaledOp op = findFormats(product);
  int64_t block = scaledBlockOf(row, description);
  if (!op || !block)
    return false;
  int64_t depth = op.getDepth();
  auto takes = [&](target::OperandAttr operand, ScaledFormat format) {
    return llvm::is_contained(operand.getTypes(),
                              elementOf(format, op.getContext()));
  };
  if (!op.getLhsKPack() || !op.getRhsKPack() ||
      !takes(row.getLhs(), op.getLhsFormat()) ||
      !takes(row.getRhs(), op.getRhsFormat()))
    return false;
  for (OpOperand *scale : {op.getLhsScaleOperand(), op.getRhsScaleOperand()}) {
    if (!scale)
      continue;
    auto type = cast<RankedTensorType>(scale->get().getType());
    if (isa<Float8E4M3FNType>(type.getElementType()) ||
        type.getShape().back() * block != depth)
      return false;
  }
  RankedTensorType sums = op.getProductType();
  int64_t rank = sums.getRank();
  return llvm::all_of(sums.getShape(),
                      [](int64_t size) {
                        return llvm::isPowerOf2_64(uint64_t(size));
                      }) &&
         llvm::isPowerOf2_64(uint64_t(depth)) && depth >= row.getK().getMin() &&
         sums.getDimSize(rank - 2) >= row.getM().getMin() &&
         sums.getDimSize(rank - 1) >= row.getN().getMin();
}
