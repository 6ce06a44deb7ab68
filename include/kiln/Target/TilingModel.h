//===- TilingModel.h - Which block sizes suit a machine ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tiling model is the cost model of a target for block sizes, split-K and the
// occupancy that they leave. Schedules emit structure and ask it how large the
// blocks are. A problem describes a kernel: dimensions with their roles, the
// tiles that one instance holds, types. kiln/Tiling has the model that reads a
// description.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_TILINGMODEL_H
#define KILN_TARGET_TILINGMODEL_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace kiln::target {

/// What a dimension is to the result of a kernel.
enum class TilingRole {
  Row,    ///< kept; several of them make a tile
  Column, ///< kept; memory is contiguous along it
  Depth,  ///< summed, or reduced, over
  /// No dimension of the program: its "block" is how many instances share out
  /// what is reduced, whose results come together in a kernel of their own.
  /// Only where `Depth` is cut into blocks; 1 is always right.
  Part,
};

/// A dimension of a tiling problem.
struct TilingDim {
  TilingRole role = TilingRole::Row;
  /// Number of elements; ShapedType::kDynamic where only a launch knows.
  int64_t size = mlir::ShapedType::kDynamic;
  /// The largest block that has a meaning; kDynamic for any.
  int64_t most = mlir::ShapedType::kDynamic;
  /// Smaller blocks are not worth the steps; where the dimension has fewer
  /// elements, or no such block fits, models choose less.
  int64_t least = 1;
  /// The kernel computes a block that is the sum of several powers of two in as
  /// many pieces.
  bool takesPieces = false;
};

/// A tile that an instance holds: the dimensions it extends along, as indices
/// into the problem's, and the width of its elements.
struct TilingTile {
  llvm::SmallVector<unsigned, 3> dims;
  int64_t bits = 32;
  /// The problem's dimension along which its elements lie side by side; -1 if
  /// there is none or it is unknown.
  int along = -1;
};

/// What a tiling model is asked: dimensions, tiles and types of a kernel.
struct TilingProblem {
  enum class Kind { Elementwise, Reduction, Contraction };
  Kind kind = Kind::Elementwise;
  /// Those that blocks are chosen for, outermost first.
  llvm::SmallVector<TilingDim> dims;
  llvm::SmallVector<TilingTile> tiles;
  /// Element types of a contraction.
  mlir::Type lhs, rhs, acc;
  /// How many instances there are for each block, along dimensions that have no
  /// block: batches, windows.
  int64_t instances = 1;
  /// Elementary steps of the whole kernel, for which instances may be made
  /// smaller so that every core has some. 0: they may not.
  double work = 0;

  /// One line that stands for the problem in messages and in caches, such as
  /// `contraction 1024x4096x4096 f32*f32+f32 holds 0.2:32,2.1:32,0.1:32`;
  /// `0.1@0:16` is a tile that does not lie along its last dimension.
  std::string str() const;
};

/// Block sizes, one per dimension of the problem.
struct Tiling {
  llvm::SmallVector<int64_t> blocks;
  /// Estimated, in the model's own unit; smaller is better.
  double cost = 0;
};

/// Knows one machine.
class TilingModel {
public:
  virtual ~TilingModel();

  /// Block sizes for a problem, the best first, at least one. Every block is at
  /// least 1. Further candidates are what `--tune` measures.
  virtual llvm::SmallVector<Tiling>
  candidates(const TilingProblem &problem) const = 0;

  /// Whether the machine can hold these blocks and its units take them. Those
  /// of candidates are, where any are.
  virtual bool allows(const TilingProblem &problem,
                      llvm::ArrayRef<int64_t> blocks) const {
    return true;
  }

  /// Whether the threads of an instance share out its tiles, so that reducing
  /// one takes an exchange: loops then carry tiles and reduce them at the end.
  virtual bool sharesTiles() const { return false; }

  /// Whether the fastest unit for a contraction's types reads operands only
  /// where they lie along the sum: one that lies across may be worth a copy.
  virtual bool readsAlongSum(const TilingProblem &problem) const {
    return false;
  }

  /// What a thread moves at once where it is known that rows in memory begin
  /// and end at multiples of that, in bytes, a power of two: kernels whose
  /// sizes only a launch knows get a variant for sizes of which it holds. 1:
  /// there is nothing to gain.
  virtual int64_t accessBytes() const { return 1; }

  /// Whether kernels that came with block sizes of their own shall get those of
  /// this model.
  virtual bool changesKernels() const { return false; }
};

} // namespace kiln::target

#endif // KILN_TARGET_TILINGMODEL_H
