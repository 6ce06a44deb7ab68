// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor descriptors, as views.
#include "Blocks.h"
#include "Hints.h"
#include "Patterns.h"

#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Triton/Triton.h"

using namespace mlir;

namespace kiln::triton_to_tile {
namespace {

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
    Type element = getStoredType(op.getType().getBlockType());
    if (cast<tt::PointerType>(op.getBase().getType()).getPointeeType() !=
        element)
      return op.emitOpError("expected a pointer to ")
             << element << ", found " << op.getBase().getType();
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

/// The part of a descriptor's tensor that a load or store reaches.
struct Access {
  RankedTensorType blockType; ///< accesses may leave out dimensions of size 1
  Value view;
  SmallVector<Value> offsets;
};

template <typename OpT>
FailureOr<Access> makeAccess(OpT op, ValueRange descriptor,
                             ArrayRef<ValueRange> indices, OpBuilder &builder) {
  auto type = dyn_cast<tt::TensorDescType>(op.getDesc().getType());
  if (!type) {
    op.emitOpError("unsupported: a descriptor of unknown shape, of type ")
        << op.getDesc().getType();
    return failure();
  }
  Access access;
  RankedTensorType block = type.getBlockType();
  access.blockType = block.clone(
      cast<tile::PtrType>(descriptor.front().getType()).getElementType());
  int64_t rank = access.blockType.getRank();
  if (static_cast<int64_t>(indices.size()) != rank) {
    op.emitOpError("expected ") << rank << " indices, found " << indices.size();
    return failure();
  }
  for (ValueRange index : indices)
    access.offsets.push_back(toIndex(builder, op.getLoc(), index.front()));
  access.view =
      makeView(builder, op.getLoc(),
               Block(descriptor, rank, /*hasOffsets=*/false), allChecked);
  return access;
}

template <typename OpT>
struct ConvertDescriptorLoad : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op,
                  typename OpConversionPattern<OpT>::OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<Access> access =
        makeAccess(op, adaptor.getDesc(), adaptor.getIndices(), rewriter);
    if (failed(access))
      return failure();
    Value loaded = tile::LoadOp::create(
        rewriter, op.getLoc(), access->blockType, access->view, access->offsets,
        Value(), /*element_offsets=*/true, getPadding(op.getDesc()),
        DenseI64ArrayAttr(), /*is_volatile=*/false, convertCache(op.getCache()),
        convertEvict(op.getEvict()));
    if (loaded.getType() != op.getType())
      loaded =
          tile::ReshapeOp::create(rewriter, op.getLoc(), op.getType(), loaded);
    rewriter.replaceOp(op, loaded);
    return success();
  }
};

tile::Combine convertKind(tt::DescriptorReduceOp op) {
  bool isUnsigned = op.getDesc()
                        .getType()
                        .getBlockType()
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
    return tile::Combine::inc;
  case tt::DescriptorReduceKind::dec:
    return tile::Combine::dec;
  }
  return tile::Combine::assign;
}

template <typename OpT>
struct ConvertDescriptorStore : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op,
                  typename OpConversionPattern<OpT>::OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<Access> access =
        makeAccess(op, adaptor.getDesc(), adaptor.getIndices(), rewriter);
    if (failed(access))
      return failure();
    tile::Combine combine = tile::Combine::assign;
    if constexpr (std::is_same_v<OpT, tt::DescriptorReduceOp>)
      combine = convertKind(op);
    Value source = adaptor.getSrc().front();
    if (source.getType() != access->blockType)
      source = tile::ReshapeOp::create(rewriter, op.getLoc(), access->blockType,
                                       source);
    rewriter.replaceOpWithNewOp<tile::StoreOp>(
        op, source, access->view, access->offsets, /*element_offsets=*/true,
        combine, DenseI64ArrayAttr());
    return success();
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
    rewriter.replaceOpWithNewOp<tile::LoadGatherOp>(
        op, op.getType(), view, ValueRange{column},
        adaptor.getXOffsets().front(), Value(), 0, getPadding(op.getDesc()));
    return success();
  }
};

struct ConvertDescriptorScatter : OpConversionPattern<tt::DescriptorScatterOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::DescriptorScatterOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getDesc().getType().getBlockType().getRank() != 2)
      return op.emitOpError("unsupported: a scatter of rank other than 2");
    Block block(adaptor.getDesc(), 2, /*hasOffsets=*/false);
    Value view = makeView(rewriter, op.getLoc(), block, allChecked);
    Value column = toIndex(rewriter, op.getLoc(), adaptor.getYOffset().front());
    rewriter.replaceOpWithNewOp<tile::StoreScatterOp>(
        op, adaptor.getSrc().front(), view, ValueRange{column},
        adaptor.getXOffsets().front(), 0);
    return success();
  }
};

} // namespace

void populateDescriptorPatterns(const TypeConverter &converter,
                                RewritePatternSet &patterns) {
  patterns.add<ConvertMakeDescriptor<tt::MakeTensorDescOp>,
               ConvertMakeDescriptor<tt::ExperimentalMakeTensorDescOp>,
               ConvertDescriptorLoad<tt::DescriptorLoadOp>,
               ConvertDescriptorLoad<tt::ExperimentalDescriptorLoadOp>,
               ConvertDescriptorStore<tt::DescriptorStoreOp>,
               ConvertDescriptorStore<tt::DescriptorReduceOp>,
               ConvertDescriptorStore<tt::ExperimentalDescriptorStoreOp>,
               ConvertDescriptorGather, ConvertDescriptorScatter>(
      converter, patterns.getContext());
}

} // namespace kiln::triton_to_tile
