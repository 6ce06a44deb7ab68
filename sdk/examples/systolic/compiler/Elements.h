// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of the expressions of a region, up to 64 at a time.
#ifndef SYSTOLIC_ELEMENTS_H
#define SYSTOLIC_ELEMENTS_H

#include "SystolicDialect.h"
#include "kiln/Staging/Scratchpad.h"

namespace systolic {

/// Elements that are computed together: coordinates are affine in `values`,
/// and lane i is where the value of dimension `lane` is greater by i.
struct Point {
  llvm::SmallVector<mlir::Value> values;
  int64_t lane = -1, lanes = 1;
};

class Elements {
protected:
  Elements(kiln::stage::ComputeOp region, kiln::staging::RegionContext &ctx)
      : region(region), ctx(ctx), b(ctx.rewriter), loc(region.getLoc()),
        context(region.getContext()) {}

  mlir::LogicalResult decline(mlir::Operation *op, const llvm::Twine &reason);
  mlir::LogicalResult lack(mlir::Operation *op) {
    return decline(op, "the vector unit has no such instruction");
  }
  mlir::Value index(int64_t number) {
    return ctx.addresses.constant(loc, number);
  }
  mlir::AffineExpr dim(int64_t d) { return getAffineDimExpr(d, context); }

  /// Whether it is one function of arith or math, applied to each element.
  static bool isFunction(mlir::Operation *op);
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

  kiln::stage::ComputeOp region;
  kiln::staging::RegionContext &ctx;
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

} // namespace systolic

#endif
