//===- AttentionGradients.h - A kernel of attention's gradients -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_ATTENTIONGRADIENTS_H
#define KILN_LIB_SCHEDULE_ATTENTIONGRADIENTS_H

#include "AttentionPlan.h"
#include "kiln/Dialect/Tile/ShapeOps.h"

namespace kiln::schedule {

/// Sums of a row that leave a thread registers for a step of 64 others, and for
/// any step.
inline constexpr int64_t kManySums = 192, kMostSums = 256;

/// What the kernels of the gradients of one attention share.
struct AttentionGradients {
  /// The operands of `prim.attention_backward`.
  enum Operand { Query, Key, Value, Output, Gradient, LogSumExp, Mask };

  AttentionGradients(ScheduleContext &ctx, GroupPlan &plan, AttentionDims dims,
                     GroupPlan::InGroupFn inGroup);

  /// Whether threads cannot hold the gradients by keys and by values at once.
  bool splitsSums() const;
  /// The elements of a row's sums beyond which a step has few others. Threads
  /// that hold left factors, too, have fewer registers.
  int64_t manySums() const { return readsLeftFactors ? kMostSums : kManySums; }

  ScheduleContext &ctx;
  GroupPlan &plan;
  AttentionDims dims;
  GroupPlan::InGroupFn inGroup;
  const AnchorVisit &anchor;
  prim::AttentionBackwardOp op;
  mlir::Type element, wide;
  /// Threads share tiles, and a matrix unit multiplies them.
  bool isThreaded;
  mlir::Type narrow; ///< of weights and of gradients of scores as they multiply
  /// Its instructions read left factors from the memory that threads share.
  bool readsLeftFactors;
  /// Weights are powers of two that chips compute at once.
  bool isPowerOfTwo;
  MaskBound bound;
  /// For each query: what is added to the exponents of its weights, and the sum
  /// of its output times the gradient by it.
  Buffer shift, weighted;
  AccessMap rowMap; ///< of both
};

/// Builds one of the kernels, without its launch.
class GradientKernel {
public:
  GradientKernel(AttentionGradients &all, llvm::StringRef name);

  /// Writes `shift` and `weighted`. Each instance has a block of queries.
  void sumRows();
  /// Each instance has a block of queries, and goes through blocks of keys.
  void buildOfQuery(const Buffer &out);
  /// Each instance has a block of keys, and goes through blocks of queries.
  /// Null buffers are not written.
  void buildOfKey(const Buffer *ofKey, const Buffer *ofValue);

  /// Ends the kernel and launches it.
  void finish() { kernel.finish("generic.attention_backward", flops); }
  void abandon() { kernel.abandon(); }
  std::string reason;

private:
  /// The blocks of queries that keys of an instance are seen by: up to `full`
  /// ones that a mask cuts, from there on others. Null: the same mask holds for
  /// all.
  struct QueryLoop {
    mlir::Value first, full, end;
  };
  QueryLoop findQueryLoop();

  /// Chooses the blocks of `rows`, which an instance has, and of `along`, which
  /// it goes through; places the grid. `sums`: elements of each row that are
  /// carried.
  void placeBlocks(int rows, int along, int64_t sums);
  /// Takes the blocks of a script: of the kernel's rows, and of what it goes
  /// through, as depth.
  void takeAsked(int rows, int along);
  /// The tile of an operand, in type `type`.
  mlir::Value operand(unsigned number, int rows, int columns, mlir::Type type);
  /// The tile of an operand as it multiplies weights, and transposed as it
  /// gives scores.
  std::pair<mlir::Value, mlir::Value> bothWays(unsigned number, int rows,
                                               int columns);
  /// The tiles of `shift` and `weighted`, of one row or column.
  struct Rows {
    mlir::Value shift, weighted;
  };
  Rows rowsOf(int rows, int columns);
  /// Those of block `coord` of the columns.
  Rows rowsAt(mlir::Value coord, int rows, int columns);
  /// The sums for a block of keys with those of a block of queries: the
  /// gradients by values, if wanted, and by keys, if `value` is given.
  llvm::SmallVector<mlir::Value> addOfKey(mlir::Value key, mlir::Value value,
                                          Rows given, mlir::ValueRange sums,
                                          bool isCut);
  /// Of a buffer with one element for each query; behind the last one, where
  /// queries are columns, `outside`.
  mlir::Value ofQueries(const Buffer &buffer, int rows, int columns,
                        double outside);
  /// The weights of a tile of scores without their scale.
  mlir::Value weigh(mlir::Value scores, mlir::Value shift, int rows,
                    int columns, bool isCut);
  /// The gradients of these scores, without their scale.
  mlir::Value change(mlir::Value weights, mlir::Value ofWeights,
                     mlir::Value weighted);
  mlir::Value narrowed(mlir::Value tile);
  /// sum + lhs * rhs; a null sum is zero.
  mlir::Value dot(mlir::Value lhs, mlir::Value rhs, mlir::Value sum = {});
  void store(mlir::Value tile, double scale, const Buffer &out, int rows,
             int columns, unsigned operand);

  TileBuilder tiles(int rows, int columns) {
    return TileBuilder(kernel, all.plan, all.inGroup, Space{{rows, columns}});
  }
  int64_t block(int dim) const { return kernel.dims[dim].block; }
  mlir::Value splat(double value, int64_t rows, int64_t columns) {
    auto type = mlir::RankedTensorType::get({rows, columns}, all.wide);
    return mlir::arith::ConstantOp::create(
        b, loc,
        mlir::DenseElementsAttr::get(
            type, mlir::Attribute(mlir::FloatAttr::get(all.wide, value))));
  }
  template <typename Op> mlir::Value make(mlir::Value x, mlir::Value y) {
    return Op::create(b, loc, x, y);
  }

  AttentionGradients &all;
  AttentionDims dims;
  KernelBuilder kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;
  Extent flops = 0;
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_ATTENTIONGRADIENTS_H
