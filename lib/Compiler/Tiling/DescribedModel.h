//===- DescribedModel.h - Block sizes from a description --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_TILING_DESCRIBEDMODEL_H
#define KILN_LIB_TILING_DESCRIBEDMODEL_H

#include "kiln/Tiling/Tiling.h"

namespace kiln::tiling {

/// What createDescribedModel (Tiling.h) promises.
class DescribedModel : public target::TilingModel {
public:
  DescribedModel(target::TargetAttr description,
                 const target::TargetOptions &options, target::TileSizes sizes,
                 bool packs);

  llvm::SmallVector<target::Tiling>
  candidates(const target::TilingProblem &problem) const override;
  bool allows(const target::TilingProblem &problem,
              llvm::ArrayRef<int64_t> blocks) const override;
  bool changesKernels() const override;

protected:
  using Problem = target::TilingProblem;
  using Blocks = llvm::SmallVectorImpl<int64_t>;
  template <typename T> using ArrayRef = llvm::ArrayRef<T>;

  target::Tiling elementwise(const Problem &p) const;
  target::Tiling reduction(const Problem &p) const;
  /// Contraction.cpp: the preferred or cheapest first, then its neighbours.
  llvm::SmallVector<target::Tiling> contractions(const Problem &p) const;
  target::ContractionTile sizesFor(const Problem &p,
                                   target::ContractionTile wanted) const;
  target::Tiling contraction(const Problem &p, target::ContractionTile wanted,
                             bool spreads) const;
  /// Bytes that the whole kernel moves, and what its instances and steps cost.
  double costOf(const Problem &p, ArrayRef<int64_t> blocks) const;

  /// The row of the table that multiplies these types in a matrix unit. Where
  /// tiles are in registers, rows that read factors from memory are for large
  /// ones, and asked for by `fromMemory`.
  target::MatrixInstructionAttr instructionFor(const Problem &p,
                                               bool fromMemory = false) const;
  /// What each block must be a multiple of.
  llvm::SmallVector<int64_t> granules(const Problem &p) const;
  /// Bytes of all tiles of an instance.
  int64_t bytesOf(const Problem &p, ArrayRef<int64_t> blocks) const;
  /// A tile beyond `max_tile_elements`, or in panels of too many boxes; or
  /// null.
  const target::TilingTile *tooLarge(const Problem &p,
                                     ArrayRef<int64_t> blocks) const;
  bool fits(const Problem &p, ArrayRef<int64_t> blocks) const;
  /// Halves blocks until they fit, or are granules.
  void shrink(const Problem &p, Blocks &blocks) const;
  /// Makes the blocks of `order`, the one to split first in front, smaller
  /// where there are too few instances for the cores: `instances` times one per
  /// block. Blocks stay multiples of `grain`.
  void spread(const Problem &p, Blocks &blocks, ArrayRef<int> order,
              ArrayRef<int64_t> grain, int64_t instances) const;

  target::TargetAttr description;
  target::TileSizes sizes;
  bool packs;
  int64_t cores = 1;
  int64_t mostElements = 0; ///< 0: no limit
  int64_t capacity = 0;     ///< bytes for the tiles of an instance, 0: any
  bool retiles = true;      ///< the option `retile`
  bool inRegisters = false; ///< all but the factors of products is there
  bool copiesAhead = false; ///< the next step's tiles come during a step
};

} // namespace kiln::tiling

#endif // KILN_LIB_TILING_DESCRIBEDMODEL_H
