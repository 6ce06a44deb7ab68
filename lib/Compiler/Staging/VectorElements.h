//===- VectorElements.h - Elements of a region's expressions ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of the expressions of a region, as many at a time as there are
// lanes.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_STAGING_VECTORELEMENTS_H
#define KILN_LIB_STAGING_VECTORELEMENTS_H

#include "kiln/Staging/VectorRegions.h"

namespace kiln::staging {

/// Elements that are computed together: coordinates are affine in `values`,
/// and lane i is where the value of dimension `lane` is greater by i.
struct Point {
  llvm::SmallVector<mlir::Value> values;
  int64_t lane = -1, lanes = 1;
};

class VectorElements {
protected:
  VectorElements(stage::ComputeOp region, RegionContext &ctx, VectorUnit &unit)
      : region(region), ctx(ctx), unit(unit), b(ctx.rewriter),
        loc(region.getLoc()), context(region.getContext()) {
    unit.builder = &b;
    unit.location = &loc;
  }

  mlir::LogicalResult decline(mlir::Operation *op, const llvm::Twine &reason);
  mlir::LogicalResult lack(mlir::Operation *op) {
    return decline(op, "the vector unit has no such instruction");
  }
  mlir::Value index(int64_t number) {
    return ctx.addresses.constant(loc, number);
  }
  mlir::AffineExpr dim(int64_t d) { return getAffineDimExpr(d, context); }

  /// Whether it is one function of arith or math, applied to each element.
  bool isFunction(mlir::Operation *op);
  static mlir::VectorType lanesOf(mlir::Value value, int64_t lanes);
  mlir::Value numbers(mlir::Attribute number, int64_t lanes);

  mlir::LogicalResult store(mlir::Value value, mlir::Value storage,
                            mlir::ValueRange origin,
                            llvm::ArrayRef<mlir::AffineExpr> coords,
                            Point &point);
  mlir::FailureOr<mlir::Value> evaluate(mlir::Value tile,
                                        llvm::ArrayRef<mlir::AffineExpr> coords,
                                        Point &point);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  evaluateAll(mlir::ValueRange tiles, llvm::ArrayRef<mlir::AffineExpr> coords,
              Point &point);

  stage::ComputeOp region;
  RegionContext &ctx;
  VectorUnit &unit;
  mlir::RewriterBase &b;
  mlir::Location loc;
  mlir::MLIRContext *context;

private:
  using Known =
      llvm::DenseMap<std::pair<mlir::Value, mlir::AffineMap>, mlir::Value>;

  /// The value of an expression at lane 0, and what one lane adds to it.
  mlir::LogicalResult split(mlir::AffineExpr expr, Point &point,
                            mlir::Value &first, int64_t &step);
  /// Where lane 0 of storage lies, and how far the lanes are apart.
  mlir::LogicalResult locate(mlir::Value storage, mlir::ValueRange origin,
                             llvm::ArrayRef<mlir::AffineExpr> coords,
                             Point &point, mlir::Value &first, int64_t &stride);
  /// What has been computed for the same elements is `known`.
  mlir::FailureOr<mlir::Value> evaluate(mlir::Value tile,
                                        llvm::ArrayRef<mlir::AffineExpr> coords,
                                        Point &point, Known &known);
  mlir::FailureOr<mlir::Value> compute(mlir::Value tile,
                                       llvm::ArrayRef<mlir::AffineExpr> coords,
                                       Point &point, Known &known);
  /// Elements of another tile.
  mlir::FailureOr<mlir::Value> move(mlir::Operation *op, unsigned result,
                                    llvm::ArrayRef<mlir::AffineExpr> coords,
                                    Point &point, Known &known);
};

} // namespace kiln::staging

#endif // KILN_LIB_STAGING_VECTORELEMENTS_H
