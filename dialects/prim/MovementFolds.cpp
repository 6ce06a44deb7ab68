// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds and canonical forms of operations that move elements.
#include "kiln/Dialect/Prim/CreationOps.h"
#include "kiln/Dialect/Prim/MovementOps.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Folds.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace kiln::prim;

/// A constant of the same elements in row-major order and another shape.
static Attribute reshapeConstant(Attribute value, RankedTensorType type) {
  if (!type.hasStaticShape())
    return {};
  if (auto dense = dyn_cast_if_present<DenseElementsAttr>(value))
    return dense.reshape(type);
  if (auto blob = dyn_cast_if_present<DenseResourceElementsAttr>(value))
    return DenseResourceElementsAttr::get(type, blob.getRawHandle());
  return {};
}

/// A splat constant of another shape.
static Attribute resizeSplat(Attribute value, RankedTensorType type) {
  auto dense = dyn_cast_if_present<DenseElementsAttr>(value);
  if (!dense || !dense.isSplat() || !type.hasStaticShape())
    return {};
  return dense.resizeSplat(type);
}

/// Whether a reshape changes nothing. With one `?` its size follows from the
/// number of elements.
static bool isIdentity(ReshapeOp op) {
  RankedTensorType type = op.getType();
  if (op.getOperand().getType() != type)
    return false;
  if (type.getNumDynamicDims() < 2 && !llvm::is_contained(type.getShape(), 0))
    return true;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!sameSize(op.getOperand(), dim, op, dim))
      return false;
  return true;
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (isIdentity(*this))
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<ReshapeOp>()) {
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  return reshapeConstant(adaptor.getOperand(), getType());
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (getOperand().getType() == getType() && llvm::is_sorted(permutation))
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> composed;
    for (int64_t dim : permutation)
      composed.push_back(inner.getPermutation()[dim]);
    setPermutation(composed);
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  if (Attribute splat = resizeSplat(adaptor.getOperand(), getType()))
    return splat;
  // Small constants move at compile time.
  auto dense = dyn_cast_if_present<DenseElementsAttr>(adaptor.getOperand());
  if (!dense || !getType().hasStaticShape() ||
      dense.getNumElements() > fold::maxElements)
    return {};
  ArrayRef<int64_t> from = dense.getType().getShape();
  SmallVector<int64_t> strides(from.size(), 1);
  for (int64_t i = from.size() - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * from[i + 1];
  auto source = llvm::to_vector(dense.getValues<Attribute>());
  SmallVector<Attribute> values;
  SmallVector<int64_t> index(from.size(), 0);
  ArrayRef<int64_t> to = getType().getShape();
  for (int64_t n = 0, e = dense.getNumElements(); n < e; ++n) {
    int64_t offset = 0;
    for (auto [i, dim] : llvm::zip_equal(index, permutation))
      offset += i * strides[dim];
    values.push_back(source[offset]);
    for (int64_t d = index.size() - 1; d >= 0 && ++index[d] == to[d]; --d)
      index[d] = 0;
  }
  return DenseElementsAttr::get(getType(), values);
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = getOperand().getType();
  bool whole = type == getType();
  for (int64_t i = 0; whole && i < type.getRank(); ++i)
    whole = getStarts()[i] == 0 && getStrides()[i] == 1 &&
            (getLimits()[i] == -1 || getLimits()[i] == type.getDimSize(i));
  if (whole)
    return getOperand();
  return resizeSplat(adaptor.getOperand(), getType());
}

OpFoldResult BroadcastInDimOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = getOperand().getType();
  if (type == getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<BroadcastInDimOp>()) {
    RankedTensorType source = inner.getOperand().getType();
    SmallVector<int64_t> composed;
    bool good = true;
    for (auto [dim, size] :
         llvm::zip_equal(inner.getDims(), source.getShape())) {
      composed.push_back(getDims()[dim]);
      // A `?` that is 1 on the way cannot be repeated any more once it is not
      // known to be 1.
      good &= !ShapedType::isDynamic(size) || type.getDimSize(dim) != 1;
    }
    if (good) {
      setDims(composed);
      getOperandMutable().assign(inner.getOperand());
      return getResult();
    }
  }
  return resizeSplat(adaptor.getOperand(), getType());
}

OpFoldResult RevOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = getType();
  if (llvm::all_of(getDims(),
                   [&](int64_t dim) { return type.getDimSize(dim) == 1; }))
    return getOperand();
  return resizeSplat(adaptor.getOperand(), type);
}

OpFoldResult CatOp::fold(FoldAdaptor adaptor) {
  if (getOperands().size() == 1 && getOperands()[0].getType() == getType())
    return getOperands()[0];
  return {};
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  auto zero = [](int64_t amount) { return amount == 0; };
  if (getOperand().getType() == getType() && llvm::all_of(getLow(), zero) &&
      llvm::all_of(getHigh(), zero))
    return getOperand();
  return {};
}

OpFoldResult FullOp::fold(FoldAdaptor adaptor) {
  if (!getType().hasStaticShape())
    return {};
  return DenseElementsAttr::get(getType(), ArrayRef<Attribute>(getValue()));
}

namespace {

/// For each dimension of the longer shape the dimension of the shorter one, or
/// -1 where a 1 was inserted; nothing if the shapes differ otherwise.
std::optional<SmallVector<int64_t>> matchUnitDims(ArrayRef<int64_t> longer,
                                                  ArrayRef<int64_t> shorter) {
  SmallVector<int64_t> map;
  size_t next = 0;
  int64_t dynamic = 0;
  for (size_t i = 0; i < longer.size(); ++i) {
    size_t left = longer.size() - i, needed = shorter.size() - next;
    bool same = next < shorter.size() && longer[i] == shorter[next];
    // Prefer to match; skip a 1 only where the shapes differ.
    if (same && left >= needed) {
      dynamic += ShapedType::isDynamic(longer[i]);
      map.push_back(next++);
    } else if (longer[i] == 1) {
      map.push_back(-1);
    } else {
      return std::nullopt;
    }
  }
  // With two `?` a reshape may redistribute elements between them.
  if (next != shorter.size() || dynamic > 1)
    return std::nullopt;
  return map;
}

/// broadcast(reshape(x)), where the reshape only inserts dimensions of size 1,
/// is one broadcast of x.
struct BroadcastOfReshape : OpRewritePattern<BroadcastInDimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastInDimOp op,
                                PatternRewriter &rewriter) const override {
    auto reshape = op.getOperand().getDefiningOp<ReshapeOp>();
    if (!reshape)
      return failure();
    RankedTensorType from = reshape.getOperand().getType();
    RankedTensorType to = reshape.getType();
    // A removed dimension would need a place of its own in the result.
    if (from.getRank() > to.getRank())
      return failure();
    auto map = matchUnitDims(to.getShape(), from.getShape());
    if (!map)
      return failure();
    SmallVector<int64_t> dims;
    for (auto [dim, source] : llvm::enumerate(*map))
      if (source >= 0)
        dims.push_back(op.getDims()[dim]);
    rewriter.modifyOpInPlace(op, [&] {
      op.setDims(dims);
      op.getOperandMutable().assign(reshape.getOperand());
    });
    return success();
  }
};

/// Repeating one value everywhere is `full`.
struct BroadcastOfFull : OpRewritePattern<BroadcastInDimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastInDimOp op,
                                PatternRewriter &rewriter) const override {
    TypedAttr value;
    DenseElementsAttr dense;
    if (auto full = op.getOperand().getDefiningOp<FullOp>())
      value = full.getValue();
    else if (matchPattern(op.getOperand(), m_Constant(&dense)) &&
             dense.isSplat() && !dense.empty())
      value = cast<TypedAttr>(dense.getSplatValue<Attribute>());
    else
      return failure();
    rewriter.replaceOpWithNewOp<FullOp>(op, op.getType(), op.getSizes(), value);
    return success();
  }
};

/// A reshape that only inserts dimensions of size 1 into a broadcast extends
/// the broadcast.
struct ReshapeOfBroadcast : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto broadcast = op.getOperand().getDefiningOp<BroadcastInDimOp>();
    if (!broadcast || op.getType().getRank() < broadcast.getType().getRank())
      return failure();
    auto map =
        matchUnitDims(op.getType().getShape(), broadcast.getType().getShape());
    if (!map)
      return failure();
    SmallVector<int64_t> dims;
    for (auto [dim, source] : llvm::enumerate(*map))
      if (llvm::is_contained(broadcast.getDims(), source))
        dims.push_back(dim);
    rewriter.replaceOpWithNewOp<BroadcastInDimOp>(
        op, op.getType(), broadcast.getOperand(), broadcast.getSizes(), dims);
    return success();
  }
};

/// A transpose that only moves dimensions of size 1 is a reshape.
struct TransposeOfUnitDims : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType from = op.getOperand().getType();
    SmallVector<int64_t> kept;
    for (int64_t dim : op.getPermutation())
      if (from.getDimSize(dim) != 1)
        kept.push_back(dim);
    if (!llvm::is_sorted(kept))
      return failure();
    SmallVector<OpFoldResult> sizes = reifyResultShape(rewriter, op);
    rewriter.replaceOpWithNewOp<ReshapeOp>(
        op, op.getType(), op.getOperand(),
        dynamicSizes(rewriter, op.getLoc(), op.getType(), sizes));
    return success();
  }
};

/// Operands of size 0 add nothing to a `cat`.
struct CatWithoutEmpty : OpRewritePattern<CatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> kept;
    for (Value operand : op.getOperands())
      if (cast<RankedTensorType>(operand.getType()).getDimSize(op.getDim()) !=
          0)
        kept.push_back(operand);
    if (kept.empty() || kept.size() == op.getOperands().size())
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op->setOperands(kept); });
    return success();
  }
};

/// slice(slice(x)) is one slice where all sizes are known.
struct SliceOfSlice : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<SliceOp>();
    if (!inner || !op.getType().hasStaticShape() ||
        !inner.getType().hasStaticShape())
      return failure();
    SmallVector<int64_t> starts, limits, strides;
    for (int64_t i = 0; i < op.getType().getRank(); ++i) {
      int64_t step = inner.getStrides()[i];
      int64_t start = inner.getStarts()[i] + op.getStarts()[i] * step;
      int64_t size = op.getType().getDimSize(i);
      // An empty part of the part may begin behind the end of the operand.
      if (size == 0)
        start = 0;
      // The last element that is read lies inside, so nothing overflows.
      int64_t stride = size > 1 ? op.getStrides()[i] * step : 1;
      starts.push_back(start);
      strides.push_back(stride);
      limits.push_back(size == 0 ? start : start + (size - 1) * stride + 1);
    }
    rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), inner.getOperand(),
                                         starts, limits, strides);
    return success();
  }
};

/// A slice that lies in one operand of a concatenation is one of that operand.
struct SliceOfCat : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto cat = op.getOperand().getDefiningOp<CatOp>();
    if (!cat || !op.getType().hasStaticShape() ||
        op.getType().getNumElements() == 0)
      return failure();
    uint64_t dim = cat.getDim();
    int64_t first = op.getStarts()[dim],
            last = first +
                   (op.getType().getDimSize(dim) - 1) * op.getStrides()[dim];
    for (Value operand : cat.getOperands()) {
      auto type = cast<RankedTensorType>(operand.getType());
      int64_t size = type.getDimSize(dim);
      if (ShapedType::isDynamic(size))
        return failure();
      if (first < size) {
        // The concatenation checks sizes that only a call knows.
        if (last >= size || !type.hasStaticShape())
          return failure();
        SmallVector<int64_t> starts(op.getStarts()), limits(op.getLimits());
        starts[dim] = first;
        limits[dim] = last + 1;
        rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), operand, starts,
                                             limits, op.getStrides());
        return success();
      }
      first -= size;
      last -= size;
    }
    return failure();
  }
};

} // namespace

void BroadcastInDimOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                   MLIRContext *context) {
  patterns.add<BroadcastOfReshape, BroadcastOfFull>(context);
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<ReshapeOfBroadcast>(context);
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<TransposeOfUnitDims>(context);
}

void CatOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<CatWithoutEmpty>(context);
}

void SliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<SliceOfSlice, SliceOfCat>(context);
}
