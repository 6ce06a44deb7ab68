//===- MatrixKernel.h - Kernels of matrices as tiles ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instance has one matrix of a batch as a tile in registers. A factorisation
// is a loop over columns: each step reads a row and a column by sums over all
// but one masked elements, and updates all elements at once.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_MATRIXKERNEL_H
#define KILN_LIB_SCHEDULE_MATRIXKERNEL_H

#include "kiln/Dialect/Prim/LinearAlgebraOps.h"
#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// Builds the kernel of one operation of linear algebra, and its launch.
class MatrixKernel {
public:
  /// `columns`: those of the last operand that an instance takes.
  MatrixKernel(mlir::Operation *op, ScheduleContext &ctx, int64_t columns);

  void build(prim::CholeskyOp op, llvm::ArrayRef<Buffer> outs);
  void build(prim::LuOp op, llvm::ArrayRef<Buffer> outs);
  void build(prim::TriangularSolveOp op, llvm::ArrayRef<Buffer> outs);

private:
  using Step = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value number, mlir::ValueRange now)>;

  void place(const Buffer &last, int64_t columns);
  mlir::Value load(const Buffer &matrix, llvm::ArrayRef<int64_t> shape,
                   bool isLast = false);
  void store(mlir::Value tile, const Buffer &to, bool isLast = false);
  /// One number for each matrix.
  void storeNumber(mlir::Value number, const Buffer &to);
  llvm::SmallVector<mlir::Value> coordinates(const Buffer &buffer, int64_t rank,
                                             bool isLast);

  /// Runs `step` for 0, 1, ..., `count` - 1, as i32.
  llvm::SmallVector<mlir::Value> repeat(int64_t count, mlir::ValueRange first,
                                        Step step);
  template <typename Op> mlir::Value make(mlir::Value x, mlir::Value y) {
    return Op::create(b, loc, x, y);
  }
  mlir::Value is(mlir::arith::CmpIPredicate predicate, mlir::Value x,
                 mlir::Value y);
  mlir::Value compareToZero(mlir::arith::CmpFPredicate predicate,
                            mlir::Value x);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) {
    return mlir::arith::SelectOp::create(b, loc, condition, x, y);
  }
  mlir::Value both(mlir::Value x, mlir::Value y) {
    return make<mlir::arith::AndIOp>(x, y);
  }
  /// A number of an element type, and one everywhere in a tile like another.
  mlir::Value number(mlir::Type element, double value);
  mlir::Value splat(mlir::Value scalar, mlir::Value like);
  /// The coordinate of each element of a tile like another, as i32.
  mlir::Value along(mlir::Value like, int64_t dim);
  /// Whether that is equal to a scalar.
  mlir::Value isAt(mlir::Value like, int64_t dim, mlir::Value at);
  mlir::Value
  reduce(mlir::Value tile, int64_t axis,
         llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);
  mlir::Value sum(mlir::Value tile, int64_t axis);
  /// The elements of a tile where a dimension has a coordinate, without that
  /// dimension; of a line, the element.
  mlir::Value pick(mlir::Value tile, int64_t dim, mlir::Value at);
  mlir::Value element(mlir::Value line, mlir::Value at);
  /// A line along all dimensions of a tile but `dim`, repeated along that.
  mlir::Value repeated(mlir::Value line, int64_t dim, mlir::Value like);
  /// x - y z.
  mlir::Value minusProduct(mlir::Value x, mlir::Value y, mlir::Value z);

  ScheduleContext &ctx;
  KernelBuilder kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_MATRIXKERNEL_H
