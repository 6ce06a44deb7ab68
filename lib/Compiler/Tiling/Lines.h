// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lines of memory that elementwise kernels read. Private to the models.
#ifndef KILN_LIB_TILING_LINES_H
#define KILN_LIB_TILING_LINES_H

#include "kiln/Target/TilingModel.h"

namespace kiln::tiling {

/// Dimensions other than the last that tiles lie along which extend along the
/// last, too: a kernel that transposes needs blocks that are long in both.
llvm::SmallVector<int> linesAcross(const target::TilingProblem &problem);

} // namespace kiln::tiling

#endif // KILN_LIB_TILING_LINES_H
