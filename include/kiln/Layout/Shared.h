//===- Shared.h - Tiles in memory with banks --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile in memory has a layout too: a bijective one with the one input
// "offset", counted in elements. This header says how a thread's registers meet
// such a memory (width, order, instructions, conflicts), and finds the memory
// layout that suits a writer and a reader best.
//
// Memory is read a word of every bank at a time: word w lies in bank
// w mod count. Lanes that are served together and want different words of one
// bank wait for each other. The number of times that the banks are accessed is
// counted in *wavefronts*.
//
// The swizzle. Offsets consist, from the lowest bit, of the place in a
// *vector*, the *bank*, and the *segment* (which word of the bank). Two lanes
// conflict if their elements differ by a sum of segment bases (and vector
// bases). So segment bases are chosen out of what neither writer's nor reader's
// lanes span; then as sums a + b of an a that only the writer's lanes span and
// a b that only the reader's do, which are in neither span; and only then out
// of the spans.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LAYOUT_SHARED_H
#define KILN_LAYOUT_SHARED_H

#include "kiln/Layout/Conversion.h"

namespace kiln::layout {

/// The input of memory layouts.
inline constexpr llvm::StringLiteral kOffset = "offset";

/// Memory and how lanes get at it. Counts are powers of two.
struct Banks {
  unsigned count = 1;
  unsigned bytes = 4;           ///< of a bank's word
  unsigned maxVectorBytes = 16; ///< that a lane moves at once
  /// The bits of the lane that tell apart lanes that are served together, by
  /// the bytes that each accesses. What is not listed follows from the banks:
  /// as many low bits as all words together have room for.
  llvm::SmallVector<std::pair<unsigned, uint64_t>> activeLanes;
  uint64_t getActiveLanes(unsigned accessBytes, unsigned laneBits) const;
};

/// An instruction by which lanes move matrices whose rows are consecutive in
/// memory, each row at an address of its own. A row is shared out to lanes:
/// slots say, from the lowest bit, whether the element in a row (or the row) is
/// told by a bit of the lane, or by some bit of the register.
struct InstructionTile {
  static constexpr int kRegister = -1;
  std::string name;
  llvm::SmallVector<int> row;  ///< elements of a row: lane bits or kRegister
  llvm::SmallVector<int> rows; ///< rows that are served together
  unsigned maxMatrixBits = 0;  ///< log2 of the matrices that one moves
  /// A bit of the number of a row, or of the element in it.
  struct AddressBit {
    bool isRow = true;
    unsigned bit = 0;
  };
  /// What the address of a lane tells, by bits of the lane; empty: the row.
  /// Bits that follow tell the matrix.
  llvm::SmallVector<AddressBit> address = {};
  /// Bits of the lane that tell neither row nor element: such lanes move
  /// matrices of their own.
  uint64_t ownLanes = 0;
};

/// Rows of `columns` elements one after the other, in which vectors of `vector`
/// elements change places: vector v of row r stands where vector
/// v ^ (r / rowsPerPhase % phases) would. What engines that copy tiles write.
/// Outputs dim0 (rows) and dim1; all counts are powers of two.
LinearLayout getSwizzledRows(int64_t rows, int64_t columns, int64_t vector,
                             int64_t rowsPerPhase, int64_t phases);

/// How the registers of a layout meet memory.
struct SharedAccess {
  /// Bits of the register in the order in which they are used: first those of
  /// the vector (for a tile: of a row, then of the rows), last those that only
  /// hold copies.
  llvm::SmallVector<unsigned> order;
  /// log2 of the elements that a lane moves by one instruction; for a tile, by
  /// one matrix of it.
  unsigned vectorBits = 0;
  unsigned copyBits = 0; ///< the last bits of `order` that hold copies
  bool usesTile = false;
  /// From places (registers in `order`) to offsets in elements.
  LinearLayout offsets;
  unsigned instructions = 0; ///< of one warp, for all its registers
  unsigned wavefronts = 0;   ///< of all of these

  /// For a tile: (registers that are left, lane that gives the address, further
  /// levels) -> offset, if one instruction moves 2^matrixBits matrices. Lane
  /// bits are those of the address and then those of the matrices.
  LinearLayout getRowAddresses(const InstructionTile &tile, Levels levels,
                               unsigned matrixBits) const;
};

/// How `layout` accesses `memory`: by vectors as wide as both allow, or by
/// the tile. None if the tile does not fit. Both have the same outputs, and
/// `memory` is bijective.
std::optional<SharedAccess>
getSharedAccess(const LinearLayout &layout, const LinearLayout &memory,
                Levels levels, unsigned elementBits, const Banks &banks,
                const InstructionTile *tile = nullptr);

/// The most consecutive offsets, as log2, that bits of the register run through
/// in aligned vectors, up to `maxBits`, and the order of bits by which they do:
/// how wide a tile in any memory can be accessed.
struct VectorWidth {
  unsigned bits = 0;
  llvm::SmallVector<unsigned> order;
};
VectorWidth getVectorWidth(const LinearLayout &layout,
                           const LinearLayout &memory,
                           llvm::StringRef registers, unsigned maxBits);

/// A memory layout for a writer and a reader, with how they use it.
struct SharedPlan {
  LinearLayout memory;
  /// The last bits of the offset that registers of both tell: elements that
  /// differ in them can go one after the other through the same
  /// size >> roundBits elements of memory.
  unsigned roundBits = 0;
  SharedAccess store, load;
  /// Which tile each uses, -1 for none.
  int storeTile = -1, loadTile = -1;
  unsigned getWavefronts() const { return store.wavefronts + load.wavefronts; }
};

/// The best memory for the conversion of `from` into `to`: fewest wavefronts,
/// then fewest instructions. Plans of fewer than `roundBits` bits of rounds are
/// taken only where there are no others. `from` has every element.
SharedPlan getSharedPlan(const LinearLayout &from, const LinearLayout &to,
                         Levels levels, unsigned elementBits,
                         const Banks &banks,
                         llvm::ArrayRef<InstructionTile> storeTiles = {},
                         llvm::ArrayRef<InstructionTile> loadTiles = {},
                         unsigned roundBits = 0);

/// Unused elements after every `interval` ones, instead of a swizzle: addresses
/// stay sums, at the price of memory.
struct Padding {
  int64_t interval = 0; ///< 0: none
  int64_t amount = 0;
  int64_t apply(int64_t offset) const {
    return interval == 0 ? offset : offset + offset / interval * amount;
  }
};

/// The padding by which accesses of layouts to `memory` take the fewest
/// wavefronts, and among those the one that takes least memory.
Padding choosePadding(llvm::ArrayRef<LinearLayout> layouts,
                      const LinearLayout &memory, Levels levels,
                      unsigned elementBits, const Banks &banks);

} // namespace kiln::layout

#endif // KILN_LAYOUT_SHARED_H
