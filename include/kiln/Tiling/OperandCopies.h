//===- OperandCopies.h - What a description says of copies ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TILING_OPERANDCOPIES_H
#define KILN_TILING_OPERANDCOPIES_H

#include "kiln/Dialect/Kiln/Description.h"
#include <initializer_list>
#include <utility>

namespace kiln::tiling {

/// Takes the numbers, integers or floats, that a dictionary in `extra` states.
/// The description's verifier has checked them.
void takeNumbers(
    mlir::DictionaryAttr given,
    std::initializer_list<std::pair<llvm::StringRef, double *>> numbers);

/// What copies of a product's operands cost on a machine: `operand_copies` in
/// `extra` of its description. What that does not state follows from the
/// bandwidth of memory. Rates are bytes that a core gets in a cycle.
struct OperandCopies {
  /// Rates of copies that a unit does beside the threads. Rows of a step that
  /// are shorter than `line` bytes reach (row / line)^loss of them.
  struct Rates {
    double whole = 0;    ///< from the cache, one core alone
    double together = 0; ///< from the cache, while all cores copy
    double memory = 0;   ///< from memory, while all cores copy
    double line = 0, loss = 1;
  };

  double threads = 0; ///< rate of copies by threads, or for fragments
  double step = 0;    ///< rate where a step has all of the depth
  Rates many;         ///< for MMAs that read shared memory
  Rates few;          ///< for skinny matmuls, which wait for memory
  double rows = 0;    ///< columns that take as long as an MMA's left operand
  double ends = 1;   ///< share that is seen of ends between rounds of one block
  double rest = 0;   ///< share of a last round that blocks beside it hide
  double lines = 0;  ///< rate of lines from the cache, while all cores copy
  double within = 1; ///< share that is seen of lines more that rows reach into

  static OperandCopies of(target::TargetAttr description);
};

} // namespace kiln::tiling

#endif // KILN_TILING_OPERANDCOPIES_H
