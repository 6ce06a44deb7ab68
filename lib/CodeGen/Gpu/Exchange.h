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

#include "ScratchNeeds.h"
#include "ThreadWriter.h"
#include "kiln/Layout/Address.h"

namespace kiln::simt {

/// Numbers of one type side by side in a word, the first one lowest; `count`
/// fill it.
mlir::Value packWord(ThreadWriter &w, llvm::ArrayRef<mlir::Value> parts,
                     unsigned count);
/// The first parts of such a word become `values[places[i]]`.
void unpackWord(ThreadWriter &w, mlir::Value word, mlir::Type element,
                unsigned count, llvm::ArrayRef<unsigned> places,
                llvm::MutableArrayRef<mlir::Value> values);

/// The registers of one side of a way through memory, and where they go.
class SharedSide {
public:
  /// Offsets in elements of 2^scaleBits bytes; by matrices if there is a tile,
  /// which is that of `move`. The last `roundBits` bits of an
  /// offset tell the round; where threads tell some of them, each sits out the
  /// others. Every warp has 2^warpShift bytes of its own, unless that is -1.
  SharedSide(ThreadWriter &w, const layout::SharedAccess &access,
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
  /// Loads what stands at places that a thread takes part in at once: where it
  /// does not, it keeps what other rounds brought. A value for each place.
  llvm::SmallVector<mlir::Value> loadGroup(llvm::ArrayRef<unsigned> places,
                                           mlir::Type type, mlir::Value start,
                                           mlir::Value isTaken);
  /// Whether what belongs to a place is in the round: the thread's share if
  /// threads differ in that, else null.
  std::optional<mlir::Value> isIn(unsigned place, unsigned round);

  ThreadWriter &w;
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
  llvm::DenseMap<int64_t, mlir::Value> held;   ///< what rounds have loaded
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> bases;
};

/// Levels of places, the inputs of layouts that are exchanged.
inline constexpr llvm::StringRef kExchangeLevels[] = {"register", "lane",
                                                      "warp"};

/// How a tile changes its layout: one of three ways.
struct ExchangeWay {
  layout::Conversion conversion;
  unsigned bits; ///< of an element in memory
  /// Through lanes; with neither of these two, registers get other names.
  std::optional<layout::ShufflePlan> shuffles = std::nullopt;
  /// Through shared memory, in 2^roundBits rounds.
  std::optional<layout::SharedPlan> memory = std::nullopt;
  unsigned roundBits = 0;
  bool isOfWarp = false; ///< each warp has memory of its own

  /// Bytes of one round, of one warp if each has its own.
  int64_t roundBytes() const {
    return (memory->memory.getInputSize(layout::kOffset) >> roundBits) *
           (bits / 8);
  }
  ScratchNeeds needs(const BlockShape &block) const;
};

/// The way that costs least for elements of so many bits; none if an element
/// or a type has none. Inputs of both layouts are `kExchangeLevels`; both
/// describe one tile.
std::optional<ExchangeWay> chooseExchange(const layout::LinearLayout &from,
                                          const layout::LinearLayout &to,
                                          unsigned bits,
                                          const BlockShape &block,
                                          const ExchangeMachine &machine);

/// One change of layout.
class Exchange {
public:
  Exchange(ThreadWriter &w, const ExchangeWay &way, mlir::Type type)
      : w(w), machine(w.shape.machine), way(way), type(type), bits(way.bits) {}

  /// What registers hold afterwards, if they hold these before.
  Regs run(llvm::ArrayRef<mlir::Value> regs, int64_t count);

private:
  Regs rename(llvm::ArrayRef<mlir::Value> regs, int64_t count);
  Regs throughLanes(llvm::ArrayRef<mlir::Value> regs);
  Regs throughMemory(llvm::ArrayRef<mlir::Value> regs, int64_t count);
  void swap(llvm::ArrayRef<layout::ShufflePlan::Swap> swaps, Regs &values,
            llvm::ArrayRef<llvm::SmallVector<bool>> used);
  mlir::Value holds(const layout::ShufflePlan::Condition &condition);
  Regs send(llvm::ArrayRef<mlir::Value> values, llvm::ArrayRef<bool> used);

  ThreadWriter &w;
  const ExchangeMachine &machine;
  const ExchangeWay &way;
  mlir::Type type;
  unsigned bits; ///< of an element in memory
};

} // namespace kiln::simt

#endif // KILN_LIB_GPU_EXCHANGE_H
