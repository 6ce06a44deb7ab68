//===- Exchange.h - Tiles from one spread to another ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes the plans of lib/Support/Layout. The way that costs least is taken:
// renaming of registers, exchange between the lanes of a warp, memory of the
// warp or of the block.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_EXCHANGE_H
#define KILN_LIB_GPU_EXCHANGE_H

#include "KernelWalk.h"
#include "kiln/Layout/Address.h"

namespace kiln::simt {

/// Numbers of one type side by side in a word, the first one lowest; `count`
/// fill it.
mlir::Value packWord(KernelWalk &w, llvm::ArrayRef<mlir::Value> parts,
                     unsigned count);
/// The first parts of such a word become `values[places[i]]`.
void unpackWord(KernelWalk &w, mlir::Value word, mlir::Type element,
                unsigned count, llvm::ArrayRef<unsigned> places,
                llvm::MutableArrayRef<mlir::Value> values);

/// The registers of one side of a way through memory, and where they go.
class SharedSide {
public:
  /// Offsets in elements of 2^scaleBits bytes; by matrices if there is a tile,
  /// which is that of `move`. The last `roundBits` bits of an
  /// offset tell the round; where threads tell some of them, each sits out the
  /// others. Every warp has 2^warpShift bytes of its own, unless that is -1.
  SharedSide(KernelWalk &w, const layout::SharedAccess &access,
             const layout::InstructionTile *tile, target::TileMoveAttr move,
             unsigned scaleBits, unsigned roundBits, int warpShift);

  /// Writes what belongs to a round to memory that begins at `start`, a pointer
  /// to 16 bytes at least; copies are written once.
  void store(llvm::ArrayRef<mlir::Value> regs, mlir::Value start,
             unsigned round);
  /// Reads what belongs to a round.
  void load(llvm::MutableArrayRef<mlir::Value> regs, mlir::Type stored,
            mlir::Value start, unsigned round);

private:
  void storeMatrices(llvm::ArrayRef<mlir::Value> regs, mlir::Value start);
  void loadMatrices(llvm::MutableArrayRef<mlir::Value> regs, mlir::Type stored,
                    mlir::Value start);
  /// Where what begins at a place is.
  mlir::Value pointer(mlir::Value start, unsigned place);
  int64_t offsetOf(unsigned place) const;
  /// Whether what belongs to a place is in the round: the thread's share if
  /// threads differ in that, else null.
  std::optional<mlir::Value> isIn(unsigned place, unsigned round);

  KernelWalk &w;
  const layout::SharedAccess &access;
  bool usesTile;
  target::TileMoveAttr move; ///< of the tile
  bool isOfWarp;
  unsigned scaleBits, roundShift;
  unsigned accessBits;                 ///< places that one instruction serves
  llvm::SmallVector<unsigned> ordered; ///< which register stands at a place
  layout::AddressPlan plan;
  mlir::Value variable;     ///< the thread's part of the address
  int64_t threadRounds = 0; ///< bits of the round that threads tell
  mlir::Value ownRound;     ///< these, of this thread
  llvm::DenseMap<int64_t, mlir::Value> taking; ///< by the round that it is
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> bases;
};

/// One change of layout.
class Exchange {
public:
  /// Inputs of both layouts are `kLevels`; both describe one tile.
  Exchange(KernelWalk &w, const layout::LinearLayout &from,
           const layout::LinearLayout &to, mlir::Type type);

  /// What registers of `to` hold, if these are those of `from`; none if an
  /// element or a type has no way.
  std::optional<Regs> run(llvm::ArrayRef<mlir::Value> regs);

  static constexpr llvm::StringRef kLevels[] = {"register", "lane", "warp"};

private:
  Regs rename(llvm::ArrayRef<mlir::Value> regs);
  Regs throughLanes(llvm::ArrayRef<mlir::Value> regs,
                    const layout::ShufflePlan &plan);
  /// Each warp has memory of its own if the plan is for one.
  Regs throughMemory(llvm::ArrayRef<mlir::Value> regs,
                     const layout::SharedPlan &plan, unsigned roundBits,
                     bool isOfWarp);
  std::optional<layout::SharedPlan> planForWarp() const;
  unsigned getRoundBits(const layout::SharedPlan &plan) const;
  bool isInEveryRound(const layout::SharedPlan &plan, unsigned rounds) const;
  void swap(llvm::ArrayRef<layout::ShufflePlan::Swap> swaps, Regs &values,
            llvm::ArrayRef<llvm::SmallVector<bool>> used);
  mlir::Value holds(const layout::ShufflePlan::Condition &condition);
  Regs send(llvm::ArrayRef<mlir::Value> values, const layout::ShufflePlan &plan,
            llvm::ArrayRef<bool> used);

  KernelWalk &w;
  const ExchangeMachine &machine;
  const layout::LinearLayout &from, &to;
  mlir::Type type;
  unsigned bits; ///< of an element in memory
  TileMoves stores, loads;
  std::optional<layout::Conversion> conversion;
};

} // namespace kiln::simt

#endif // KILN_LIB_GPU_EXCHANGE_H
