// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The patterns of the conversion, one function for each family of operations.
#ifndef KILN_CONVERSIONS_TRITONTOTILE_PATTERNS_H
#define KILN_CONVERSIONS_TRITONTOTILE_PATTERNS_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/StringSet.h"

namespace kiln::triton_to_tile {

/// Converts pointers to tile's, block pointers and descriptors to the values
/// they consist of: the base pointer, sizes, strides and (block pointers)
/// element offsets, all as `index`.
class TypeConverter : public mlir::TypeConverter {
public:
  TypeConverter();
};

/// What functions become kernels with.
struct KernelTraits {
  bool isStrict = false;       ///< arithmetic as written
  tile::KernelHintsAttr hints; ///< null without any
  /// Names of functions whose instances wait for each other, so that all must
  /// run at once.
  llvm::StringSet<> concurrent;
};
/// The traits outlive the patterns.
void populateFunctionPatterns(const TypeConverter &, mlir::RewritePatternSet &,
                              const KernelTraits &traits);
void populateShapePatterns(const TypeConverter &, mlir::RewritePatternSet &);
void populatePointerPatterns(const TypeConverter &, mlir::RewritePatternSet &);
void populateBlockPatterns(const TypeConverter &, mlir::RewritePatternSet &);
void populateDescriptorPatterns(const TypeConverter &,
                                mlir::RewritePatternSet &);
void populateComputePatterns(const TypeConverter &, mlir::RewritePatternSet &);
void populateScaledPatterns(const TypeConverter &, mlir::RewritePatternSet &);
void populateMapPatterns(const TypeConverter &, mlir::RewritePatternSet &);
void populateExternPatterns(const TypeConverter &, mlir::RewritePatternSet &);

/// An operation that has another name, with the same operands.
template <typename From, typename To>
struct Rename : mlir::OpConversionPattern<From> {
  using mlir::OpConversionPattern<From>::OpConversionPattern;

  mlir::LogicalResult
  matchAndRewrite(From op, typename From::Adaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    llvm::SmallVector<mlir::Type> types;
    if (failed(this->getTypeConverter()->convertTypes(op->getResultTypes(),
                                                      types)))
      return op.emitOpError("unsupported: result of type ")
             << op->getResult(0).getType();
    rewriter.replaceOpWithNewOp<To>(op, types, adaptor.getOperands());
    return mlir::success();
  }
};

/// The type of a block's elements in memory: descriptors state the signedness
/// of integers, which tile leaves to operations.
mlir::Type getStoredType(mlir::RankedTensorType block);

/// `value` as an index; integers are read as signed.
mlir::Value toIndex(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value value);

} // namespace kiln::triton_to_tile

#endif // KILN_CONVERSIONS_TRITONTOTILE_PATTERNS_H
