// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROWS_H
#define ROWS_H

#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Gpu/LayoutRule.h"
#include "kiln/Interfaces/AsyncCopy.h"
#include "kiln/Interfaces/Reduction.h"
#include "kiln/Interfaces/WholeTiles.h"

#include "RowsDialect.h.inc"
#define GET_OP_CLASSES
#include "Rows.h.inc"

namespace rows {
void addEvaluation(mlir::DialectRegistry &dialects);
void addLowerings(kiln::target::TargetRegistry &registry);
} // namespace rows

#endif // ROWS_H
