//===- StagedLoads.h - Loads that become storage ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A load of a tile becomes a copy to shared memory, and reads of it: which
// loads can, which of a loop do, and the rewrite of one.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_STAGEDLOADS_H
#define KILN_LIB_GPU_STAGEDLOADS_H

#include "LoopMemory.h"
#include "RegisterCandidates.h"
#include "kiln/Analysis/AxisAnalysis.h"
#include "kiln/Gpu/LayoutRule.h"
#include "llvm/Support/MathExtras.h"

namespace kiln::simt {

/// A load that becomes storage: the load, the changes of layout behind it, and
/// the dimension whose elements lie side by side. Each user reads the storage
/// in its own layout; products may read it by themselves.
struct StagedLoad {
  mlir::Operation *load;
  llvm::SmallVector<ConvertLayoutOp> converts;
  int dim;
  int64_t bytes, align;
  SwizzleAttr swizzle; ///< of products that read the storage; else null
  bool isBox; ///< a copy of a box of the view, rather than thread by thread

  bool isRead() const { return static_cast<bool>(swizzle); }
  /// What a product, or else whatever is the first user, takes.
  mlir::Value factor() {
    return converts.empty() ? mlir::Value(load->getResult(0))
                            : mlir::Value(converts.front().getResult());
  }
  /// What it takes of a slot that several loads share.
  int64_t alignedBytes() const { return llvm::alignTo(bytes, align); }
};

/// A load as storage, or why it cannot be. Of a load that is no factor, threads
/// read the storage where `takesNumbers`.
std::optional<StagedLoad> stagedLoad(mlir::Operation *load,
                                     mlir::scf::ForOp loop,
                                     const BlockShape &block,
                                     tile::AxisAnalysis &facts,
                                     bool takesNumbers, std::string &why);

/// A block of a view whose dimensions are those of the tile, in their order.
struct Box {
  mlir::Value view;
  llvm::SmallVector<mlir::OpFoldResult> offsets;
  bool countsBlocks = false; ///< offsets count blocks rather than elements
};

/// What a load reads as one copy of a box; nothing where it is another block.
std::optional<Box> boxOf(mlir::Operation *load);

/// Whether what is read of memory at places without an element is zero, or
/// anything.
bool hasZeros(mlir::Operation *load);

/// Copies a load's block at `place`, and reads it where it is used. The load
/// stays, and has no users.
void copyToStorage(StagedLoad &staged, mlir::Operation *place,
                   const BlockShape &block);

/// Whether a loop is over before copies of what is no factor pay: other blocks
/// of the core, which want its memory, hide more.
bool isShort(mlir::scf::ForOp loop);

/// The loads of one loop that can become a ring: all share its slots.
class LoopLoads {
public:
  LoopLoads(mlir::scf::ForOp loop, const BlockShape &block);

  mlir::scf::ForOp getLoop() const { return loop; }
  bool empty() const { return staged.empty(); }
  /// Whether a load becomes storage.
  bool has(mlir::Operation *load) const;
  /// Bytes of one slot.
  int64_t slotBytes() const;
  /// Whether instructions read a slot by themselves.
  bool isRead() const;
  /// The first load that stays as it is, and why; null where there is none.
  mlir::Operation *getDeclined() const { return declined; }
  llvm::StringRef getReason() const { return reason; }

  /// The slots, at most `slots`, with which loads that are no factors and that
  /// registers would not hold fit into `most` bytes, too: such a load would be
  /// waited for in each iteration, which costs more than slots are worth.
  /// `slots` where two are too many.
  int64_t slotsWithNumbers(const BlockShape &block, int64_t slots,
                           int64_t most);

  /// Adds loads that are no factors while `slots` slots take at most `most`
  /// bytes: copies run as many iterations ahead as those of factors do, which
  /// registers would not hold.
  void addNumbers(const BlockShape &block, int64_t slots, int64_t most);

  /// Copies the blocks of all loads to storage. `stage-schedule` makes slots of
  /// it (`#stage.slots`).
  void copy(int64_t slots, const BlockShape &block);

  /// Requests loads of numbers that products do not take as they are an
  /// iteration early, as far as registers for them are well spent.
  void loadAhead();

private:
  /// The loads that can become storage though they are no factors.
  llvm::SmallVector<StagedLoad> findNumbers(const BlockShape &block);

  mlir::scf::ForOp loop;
  LoopWrites writes;
  llvm::SmallVector<StagedLoad> staged; ///< in the order of the text
  mlir::Operation *declined = nullptr;
  std::string reason;
};

} // namespace kiln::simt

#endif // KILN_LIB_GPU_STAGEDLOADS_H
