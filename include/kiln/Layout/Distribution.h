//===- Distribution.h - Layouts from what is shared out ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the layouts that machines and access patterns ask for: the dimensions
// of a tile are shared out to inputs, step by step. Each step gives some bits
// of one dimension, the next in order, to the next bits of one input.
//
// All counts are powers of two. What is not a power of two is an atom that is
// repeated (`RepeatedLayout`).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LAYOUT_DISTRIBUTION_H
#define KILN_LAYOUT_DISTRIBUTION_H

#include "kiln/Layout/LinearLayout.h"

namespace kiln::layout {

/// One step: `count` neighbours of output `out`, from where earlier steps left
/// it, are told apart by input `in`. An empty `out` makes copies.
struct Share {
  llvm::StringRef in;
  llvm::StringRef out;
  int64_t count = 1;
};

/// The layout of all steps, with the outputs in the given order. Inputs come in
/// the order of their first step.
LinearLayout distribute(llvm::ArrayRef<llvm::StringRef> outputs,
                        llvm::ArrayRef<Share> shares);

/// The operand or result of a matrix instruction among the lanes of one unit. A
/// fragment has rows and a depth. Along the depth a lane holds `depthPerLane`
/// neighbours (those of one word, or what one lane sums up), and `depthLanes`
/// lanes follow each other. `rowLanes` lanes have rows of their own. What is
/// left of the rows, and then of the depth, goes to registers.
struct Fragment {
  int64_t rows = 1, depth = 1;
  int64_t depthPerLane = 1;
  int64_t depthLanes = 1;
  int64_t rowLanes = 1;
  bool rowLanesFirst = false; ///< lanes of rows are numbered before others
  int64_t lanes = 1;          ///< in all; lanes that are left hold copies
};

/// What its inputs and outputs are called.
struct FragmentNames {
  llvm::StringRef registers = "register", lanes = "lane";
  llvm::StringRef rows = "dim0", depth = "dim1";
  bool depthIsFirst = false; ///< of the outputs
};

LinearLayout getFragment(const Fragment &fragment,
                         const FragmentNames &names = {});

/// A tile for accesses to memory. Dimension order[0] is the one that is
/// consecutive in memory: `vector` neighbours of it go to a register each, then
/// lanes run through it and the dimensions that follow, then the further
/// levels; what is left goes to registers. Where a tile has fewer elements than
/// there are threads, threads hold copies. Outputs have default names.
/// `threads` are the counts of levels from lanes on.
LinearLayout
getBlockedLayout(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<unsigned> order,
                 int64_t vector, llvm::StringRef registers,
                 llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> threads);

/// An atom with repeats: the tile is covered by copies of the atom side by
/// side, `counts[i]` along output i. Counts are any positive numbers.
///
/// A thread has the registers of every copy: value
///   register + 2^(register bits) * copy
/// where copies are numbered with the last output varying fastest.
struct RepeatedLayout {
  LinearLayout atom;
  llvm::SmallVector<int64_t> counts;

  RepeatedLayout() = default;
  /// All counts 1 if there are none.
  explicit RepeatedLayout(const LinearLayout &atom,
                          llvm::ArrayRef<int64_t> counts = {});

  /// The sizes of the tile: those of the atom times `counts`.
  llvm::SmallVector<int64_t> getSizes() const;
  /// The product of `counts`.
  int64_t getNumCopies() const;
  /// The coordinates of the first element of a copy.
  llvm::SmallVector<int64_t> getOrigin(int64_t copy) const;
  /// The coordinates of value `value` of input `registers` at a place.
  llvm::SmallVector<int64_t> apply(llvm::StringRef registers, int64_t value,
                                   LinearLayout::Place place) const;
  /// The same elements with an atom of other sizes, `atomSizes[i]` dividing the
  /// size of output i by powers of two more than the atom's: copies become
  /// registers. None where that cannot be.
  std::optional<RepeatedLayout> withAtomSizes(llvm::ArrayRef<int64_t> atomSizes,
                                              llvm::StringRef registers) const;
  /// Of every value of this, which value of `old` it was. Both have the same
  /// elements at a place, `old` with the smaller atom.
  llvm::SmallVector<unsigned> getOldValues(const RepeatedLayout &old,
                                           llvm::StringRef registers) const;
  /// As one linear layout, if all counts are powers of two.
  std::optional<LinearLayout> getLinear(llvm::StringRef registers) const;

  bool operator==(const RepeatedLayout &other) const {
    return atom == other.atom && counts == other.counts;
  }
  /// The atom's text, and ` * [1, 22]` where something is repeated.
  std::string str() const;
  static std::optional<RepeatedLayout> parse(llvm::StringRef text,
                                             LinearLayout::TextError &error);
};

/// Both with atoms of equal sizes, so that copy i of one converts into copy i
/// of the other: the larger of both sizes along each output. None where a count
/// does not allow it, or sizes of the tiles differ.
std::optional<std::pair<RepeatedLayout, RepeatedLayout>>
withCommonAtoms(const RepeatedLayout &a, const RepeatedLayout &b,
                llvm::StringRef registers);

} // namespace kiln::layout

#endif // KILN_LAYOUT_DISTRIBUTION_H
