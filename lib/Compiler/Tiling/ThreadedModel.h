//===- ThreadedModel.h - Block sizes for cores of many threads --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_TILING_THREADEDMODEL_H
#define KILN_LIB_TILING_THREADEDMODEL_H

#include "DescribedModel.h"
#include "ThreadMachine.h"

namespace kiln::tiling {

/// The problem's first dimension of a role, or -1.
int findRole(const target::TilingProblem &problem, target::TilingRole role);

/// For machines whose cores wait for memory by holding many threads, which
/// share out the tiles of an instance. What only moves and reduces elements
/// takes as long as memory does if enough bytes are under way: so blocks are
/// what a few accesses of every thread cover, as wide as lines of memory along
/// each dimension that a tile lies along, and every core has several instances.
/// Blocks are powers of two: threads have equal shares of them. Those of
/// products are ranked by the cycles that they should take.
class ThreadedModel : public DescribedModel {
public:
  /// Whether a core of the description holds many threads.
  static bool suits(target::TargetAttr description);

  ThreadedModel(target::TargetAttr description,
                const target::TargetOptions &options, target::TileSizes sizes,
                bool packs);

  llvm::SmallVector<target::Tiling>
  candidates(const target::TilingProblem &problem) const override;
  bool sharesTiles() const override { return true; }
  bool readsAlongSum(const target::TilingProblem &problem) const override;
  int64_t accessBytes() const override { return access; }
  /// Kernels for threads came with blocks for threads.
  bool changesKernels() const override { return false; }

private:
  /// ThreadedProducts.cpp: the fastest first; none where cores have no memory
  /// for factors.
  llvm::SmallVector<target::Tiling> products(const Problem &p) const;
  /// Whether a row that reads factors from memory multiplies these blocks.
  bool readsMemory(const Problem &p, ArrayRef<int64_t> blocks) const;
  /// Whether blocks of several pieces of columns suit how warps share them out.
  bool suitsPieces(const Problem &p, ArrayRef<int64_t> blocks) const;
  target::Tiling elementwise(const Problem &p, int64_t budget) const;
  target::Tiling reduction(const Problem &p, int64_t budget) const;
  /// Elements of the narrowest tile along `dim` that fill `lines` lines.
  int64_t widthOf(const Problem &p, int dim, int64_t lines) const;
  int64_t countInstances(const Problem &p, ArrayRef<int64_t> blocks) const;
  /// Halves the blocks of `order`, the longest first, while they hold more than
  /// `least` elements and cores would have no instance.
  void fillCores(const Problem &p, Blocks &blocks, ArrayRef<int> order,
                 int64_t least) const;
  /// What all instances take, in bytes that memory could move meanwhile.
  double trafficOf(const Problem &p, ArrayRef<int64_t> blocks) const;

  std::optional<ThreadMachine> machine; ///< null without memory for factors
  int64_t stages = 0;                   ///< the option `stages`, 0: as usual
  int64_t threads = 1;                  ///< of a core
  int64_t usualThreads = 128;           ///< of an instance
  int64_t longestRow = 32768;           ///< elements of 32 bits in registers
  int64_t line = 128;                   ///< bytes that memory moves together
  int64_t access = 1;                   ///< bytes that an access moves at most
};

} // namespace kiln::tiling

#endif // KILN_LIB_TILING_THREADEDMODEL_H
