//===- ScalarBuilder.h - Index arithmetic that folds ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// Makes `arith` operations on one integer type, `index` unless told otherwise,
// and folds what is known. What would not fit when folded stays an operation
// (see Integer.h). Upstream's affine.apply would say the same for the affine
// part, but what it lowers to has selects for every division; sizes and
// coordinates here divide by positive numbers, which one operation does.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INDEX_SCALARBUILDER_H
#define KILN_INDEX_SCALARBUILDER_H

#include "kiln/Index/Integer.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace kiln::index {

/// The number that a scalar is known to be.
Integer getNumber(mlir::OpFoldResult scalar);

/// Builds scalar arithmetic at the insertion point of an OpBuilder. Scalars are
/// attributes of the builder's type where they are known, else its values.
class ScalarBuilder {
public:
  using Scalar = mlir::OpFoldResult;

  /// `type` is `index` or an integer; null stands for `index`.
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::Type type = {});
  virtual ~ScalarBuilder() = default;

  Scalar constant(int64_t value);
  Scalar add(Scalar a, Scalar b);
  Scalar sub(Scalar a, Scalar b);
  Scalar mul(Scalar a, Scalar b);
  /// Signed quotients, rounded down and up.
  Scalar floorDiv(Scalar a, Scalar b);
  Scalar ceilDiv(Scalar a, Scalar b);
  /// The remainder of the quotient rounded towards 0.
  Scalar truncRem(Scalar a, Scalar b);
  /// Quotient and remainder of what is not negative, by what is positive.
  Scalar divPositive(Scalar a, Scalar b);
  Scalar remPositive(Scalar a, Scalar b);
  Scalar min(Scalar a, Scalar b);
  Scalar max(Scalar a, Scalar b);
  /// The product of all, the numbers among them first.
  Scalar product(llvm::ArrayRef<Scalar> factors);
  Scalar select(mlir::Value condition, Scalar a, Scalar b);
  /// An integer or index of any width as the builder's type, read as signed.
  Scalar cast(mlir::Value integer);

  /// The scalar as a value; constants by `makeConstant`.
  mlir::Value materialize(Scalar scalar);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  /// Set where two numbers made an operation since their result does not fit.
  bool overflowed = false;

protected:
  /// A constant at the insertion point, unless a subclass keeps them together.
  virtual mlir::Value makeConstant(int64_t value);

private:
  template <typename Op, typename FoldT>
  Scalar emit(Scalar a, Scalar b, FoldT fold);

  bool fits(int64_t value) const;

  mlir::Type type;
};

} // namespace kiln::index

#endif // KILN_INDEX_SCALARBUILDER_H
