// Block pointers and tensor descriptors, as views.
#include "Patterns.h"

#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Dialect/Triton/Triton.h"

#include <limits>

using namespace mlir;

namespace kiln::triton_to_tile {
namespace {

/// What a converted block pointer or descriptor consists of.
struct Block {
  Value base;
  ValueRange sizes, strides, offsets;

  /// Block pointers have offsets, descriptors have none.
  Block(ValueRange values, int64_t rank, bool hasOffsets)
      : base(values.front()), sizes(values.slice(1, rank)),
        strides(values.slice(1 + rank, rank)),
        offsets(hasOffsets ? values.slice(1 + 2 * rank, rank) : ValueRange()) {}
};

SmallVector<Value> toIndices(OpBuilder &builder, Location loc,
                             ValueRange values) {
  SmallVector<Value> indices;
  for (Value value : values)
    indices.push_back(toIndex(builder, loc, value));
  return indices;
}

/// A size that no offset reaches, for dimensions that are not checked.
constexpr int64_t unbounded = std::numeric_limits<int64_t>::max() / 4;

/// The view of a block; dimensions in `unchecked` have no bounds.
Value makeView(OpBuilder &builder, Location loc, const Block &block,
               function_ref<bool(int64_t)> isChecked) {
  int64_t rank = block.sizes.size();
  SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
  SmallVector<int64_t> strides(rank, ShapedType::kDynamic);
  SmallVector<Value> sizeOperands, strideOperands;
  for (int64_t d = 0; d < rank; ++d) {
    sizeOperands.push_back(
        isChecked(d) ? block.sizes[d]
                     : arith::ConstantIndexOp::create(builder, loc, unbounded));
    if (auto known = getConstantIntValue(block.strides[d]))
      strides[d] = *known;
    else
      strideOperands.push_back(block.strides[d]);
  }
  auto type = tile::ViewType::get(
      builder.getContext(), shape,
      cast<tile::PtrType>(block.base.getType()).getElementType(), strides);
  return tile::MakeViewOp::create(builder, loc, type, block.base, sizeOperands,
                                  strideOperands);
}

/// `true` for the dimensions that an access checks.
auto checkedBy(ArrayRef<int32_t> dimensions) {
  return [dimensions](int64_t d) {
    return llvm::is_contained(dimensions, static_cast<int32_t>(d));
  };
}

struct ConvertMakeTensorPtr : OpConversionPattern<tt::MakeTensorPtrOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::MakeTensorPtrOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> values = {adaptor.getBase()};
    llvm::append_range(values,
                       toIndices(rewriter, op.getLoc(), adaptor.getShape()));
    llvm::append_range(values,
                       toIndices(rewriter, op.getLoc(), adaptor.getStrides()));
    llvm::append_range(values,
                       toIndices(rewriter, op.getLoc(), adaptor.getOffsets()));
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

struct ConvertAdvance : OpConversionPattern<tt::AdvanceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::AdvanceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> values(adaptor.getPtr());
    size_t rank = op.getOffsets().size();
    if (values.size() != 1 + 3 * rank)
      return op.emitOpError("expected an offset for each dimension");
    for (auto [index, offset] : llvm::enumerate(adaptor.getOffsets())) {
      Value &old = values[1 + 2 * rank + index];
      old =
          arith::AddIOp::create(rewriter, op.getLoc(), old,
                                toIndex(rewriter, op.getLoc(), offset.front()));
    }
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

struct ConvertBlockLoad : OpConversionPattern<tt::LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (adaptor.getPtr().size() == 1)
      return failure();
    if (op.getMask() || op.getOther())
      return op.emitOpError("unsupported: a mask on a block pointer");
    auto type = cast<RankedTensorType>(op.getType());
    Block block(adaptor.getPtr(), type.getRank(), /*hasOffsets=*/true);
    Value view = makeView(rewriter, op.getLoc(), block,
                          checkedBy(op.getBoundaryCheck()));
    bool nan = op.getPadding() == tt::PaddingOption::pad_nan;
    rewriter.replaceOpWithNewOp<tile::LoadOp>(
        op, type, view, block.offsets, /*pad=*/Value(),
        /*element_offsets=*/true,
        nan ? tile::Padding::nan : tile::Padding::zero,
        /*step=*/DenseI64ArrayAttr());
    return success();
  }
};

struct ConvertBlockStore : OpConversionPattern<tt::StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (adaptor.getPtr().size() == 1)
      return failure();
    if (op.getMask())
      return op.emitOpError("unsupported: a mask on a block pointer");
    auto type = cast<RankedTensorType>(op.getValue().getType());
    Block block(adaptor.getPtr(), type.getRank(), /*hasOffsets=*/true);
    Value view = makeView(rewriter, op.getLoc(), block,
                          checkedBy(op.getBoundaryCheck()));
    rewriter.replaceOpWithNewOp<tile::StoreOp>(
        op, adaptor.getValue().front(), view, block.offsets,
        /*element_offsets=*/true, tile::Combine::assign,
        /*step=*/DenseI64ArrayAttr());
    return success();
  }
};

template <typename OpT>
struct ConvertMakeDescriptor : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    size_t rank = op.getType().getBlockType().getRank();
    if (adaptor.getShape().size() != rank ||
        adaptor.getStrides().size() != rank)
      return op.emitOpError("expected ") << rank << " sizes and strides, found "
                                         << adaptor.getShape().size() << " and "
                                         << adaptor.getStrides().size();
    SmallVector<Value> values = {adaptor.getBase()};
    llvm::append_range(values,
                       toIndices(rewriter, op.getLoc(), adaptor.getShape()));
    llvm::append_range(values,
                       toIndices(rewriter, op.getLoc(), adaptor.getStrides()));
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// The `padding` of the descriptor, where its definition is in sight.
tile::Padding getPadding(Value descriptor) {
  auto make = descriptor.getDefiningOp<tt::MakeTensorDescOp>();
  return make && make.getPadding() == tt::PaddingOption::pad_nan
             ? tile::Padding::nan
             : tile::Padding::zero;
}

bool allChecked(int64_t) { return true; }

/// The tile of a descriptor's block; accesses may leave out leading dimensions
/// of size 1.
RankedTensorType getBlockTile(tt::TensorDescType type) {
  return type.getBlockType();
}

template <typename OpT>
struct ConvertDescriptorLoad : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op,
                  typename OpConversionPattern<OpT>::OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<tt::TensorDescType>(op.getDesc().getType());
    if (!type)
      return op.emitOpError(
                 "unsupported: a descriptor of unknown shape, of type ")
             << op.getDesc().getType();
    RankedTensorType blockType = getBlockTile(type);
    Block block(adaptor.getDesc(), blockType.getRank(), /*hasOffsets=*/false);
    SmallVector<Value> offsets;
    for (ValueRange index : adaptor.getIndices())
      offsets.push_back(toIndex(rewriter, op.getLoc(), index.front()));
    if (static_cast<int64_t>(offsets.size()) != blockType.getRank())
      return op.emitOpError("expected ")
             << blockType.getRank() << " indices, found " << offsets.size();
    Value view = makeView(rewriter, op.getLoc(), block, allChecked);
    Value loaded = tile::LoadOp::create(
        rewriter, op.getLoc(), blockType, view, offsets, Value(),
        /*element_offsets=*/true, getPadding(op.getDesc()),
        DenseI64ArrayAttr());
    if (loaded.getType() != op.getType())
      loaded =
          tile::ReshapeOp::create(rewriter, op.getLoc(), op.getType(), loaded);
    rewriter.replaceOp(op, loaded);
    return success();
  }
};

template <typename OpT>
struct ConvertDescriptorStore : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op,
                  typename OpConversionPattern<OpT>::OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<tt::TensorDescType>(op.getDesc().getType());
    if (!type)
      return op.emitOpError(
                 "unsupported: a descriptor of unknown shape, of type ")
             << op.getDesc().getType();
    RankedTensorType blockType = getBlockTile(type);
    Block block(adaptor.getDesc(), blockType.getRank(), /*hasOffsets=*/false);
    SmallVector<Value> offsets;
    for (ValueRange index : adaptor.getIndices())
      offsets.push_back(toIndex(rewriter, op.getLoc(), index.front()));
    if (static_cast<int64_t>(offsets.size()) != blockType.getRank())
      return op.emitOpError("expected ")
             << blockType.getRank() << " indices, found " << offsets.size();
    tile::Combine combine = tile::Combine::assign;
    if constexpr (std::is_same_v<OpT, tt::DescriptorReduceOp>) {
      FailureOr<tile::Combine> known = convertKind(op);
      if (failed(known))
        return failure();
      combine = *known;
    }
    Value view = makeView(rewriter, op.getLoc(), block, allChecked);
    Value source = adaptor.getSrc().front();
    if (source.getType() != blockType)
      source =
          tile::ReshapeOp::create(rewriter, op.getLoc(), blockType, source);
    rewriter.replaceOpWithNewOp<tile::StoreOp>(op, source, view, offsets,
                                               /*element_offsets=*/true,
                                               combine, DenseI64ArrayAttr());
    return success();
  }

  static FailureOr<tile::Combine> convertKind(tt::DescriptorReduceOp op) {
    bool isUnsigned = cast<RankedTensorType>(op.getSrc().getType())
                          .getElementType()
                          .isUnsignedInteger();
    switch (op.getKind()) {
    case tt::DescriptorReduceKind::add:
      return tile::Combine::add;
    case tt::DescriptorReduceKind::min:
      return isUnsigned ? tile::Combine::umin : tile::Combine::min;
    case tt::DescriptorReduceKind::max:
      return isUnsigned ? tile::Combine::umax : tile::Combine::max;
    case tt::DescriptorReduceKind::and_:
      return tile::Combine::and_;
    case tt::DescriptorReduceKind::or_:
      return tile::Combine::or_;
    case tt::DescriptorReduceKind::xor_:
      return tile::Combine::xor_;
    case tt::DescriptorReduceKind::inc:
    case tt::DescriptorReduceKind::dec:
      break;
    }
    return op.emitOpError("unsupported: reduction '")
           << tt::stringifyDescriptorReduceKind(op.getKind()) << "'";
  }
};

/// Rows by index: one indirect dimension.
struct ConvertDescriptorGather : OpConversionPattern<tt::DescriptorGatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::DescriptorGatherOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getDesc().getType().getBlockType().getRank() != 2)
      return op.emitOpError("unsupported: a gather of rank other than 2");
    Block block(adaptor.getDesc(), 2, /*hasOffsets=*/false);
    Value view = makeView(rewriter, op.getLoc(), block, allChecked);
    Value column = toIndex(rewriter, op.getLoc(), adaptor.getYOffset().front());
    rewriter.replaceOpWithNewOp<tile::GatherOp>(
        op, op.getType(), view, ValueRange{column},
        adaptor.getXOffsets().front(), Value(), 0, getPadding(op.getDesc()));
    return success();
  }
};

} // namespace

void populateBlockPatterns(const TypeConverter &converter,
                           RewritePatternSet &patterns) {
  patterns.add<ConvertMakeTensorPtr, ConvertAdvance, ConvertBlockLoad,
               ConvertBlockStore>(converter, patterns.getContext());
}

void populateDescriptorPatterns(const TypeConverter &converter,
                                RewritePatternSet &patterns) {
  patterns.add<ConvertMakeDescriptor<tt::MakeTensorDescOp>,
               ConvertMakeDescriptor<tt::ExperimentalMakeTensorDescOp>,
               ConvertDescriptorLoad<tt::DescriptorLoadOp>,
               ConvertDescriptorLoad<tt::ExperimentalDescriptorLoadOp>,
               ConvertDescriptorStore<tt::DescriptorStoreOp>,
               ConvertDescriptorStore<tt::DescriptorReduceOp>,
               ConvertDescriptorStore<tt::ExperimentalDescriptorStoreOp>,
               ConvertDescriptorGather>(converter, patterns.getContext());
}

} // namespace kiln::triton_to_tile
