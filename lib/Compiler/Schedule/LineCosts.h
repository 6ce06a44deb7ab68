//===- LineCosts.h - What rows that begin within lines cost -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_LINECOSTS_H
#define KILN_LIB_SCHEDULE_LINECOSTS_H

#include "kiln/Schedule/Schedules.h"
#include <array>

namespace kiln::schedule {

/// Tells which operands of a matmul take less time if a kernel before it copies
/// them to rows that begin at lines of memory. The cache moves a row of a tile
/// by lines, and one more where the row begins within a line.
class LineCosts {
public:
  LineCosts(const Group &group, prim::DotGeneralOp dot);

  /// Notes that the rows of the lhs (0) or rhs (1) begin at multiples of so
  /// many bytes. Without it they begin at lines.
  void note(unsigned side, int64_t alignment);

  /// Returns whether to copy the lhs (0) or rhs (1), whose rows become `growth`
  /// times as long. It is then taken to be copied.
  bool isWorthCopying(unsigned side, double growth);

private:
  /// Returns the longer of two times: of all multiply-adds, and in which the
  /// cache moves all that blocks read.
  double seconds() const;

  double line = 0;                      ///< bytes; 0: nothing is known
  double multiply = 0;                  ///< seconds of all multiply-adds
  double fromMemory = 0, fromCache = 0; ///< bytes a second
  double launch = 0;                    ///< seconds
  double seen = 1; ///< share of the lines that only the end of a row reaches
  std::array<double, 2> bytes = {}, traffic = {}, lost = {};
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_LINECOSTS_H
