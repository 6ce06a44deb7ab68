// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The word `async` in the assembly of what may go on by itself. Private to this
// folder.
#ifndef KILN_DIALECTS_STAGE_ASYNC_H
#define KILN_DIALECTS_STAGE_ASYNC_H

#include "mlir/IR/OpImplementation.h"

namespace kiln::stage {

inline mlir::ParseResult parseAsync(mlir::OpAsmParser &parser,
                                    mlir::UnitAttr &async) {
  if (succeeded(parser.parseOptionalKeyword("async")))
    async = parser.getBuilder().getUnitAttr();
  return mlir::success();
}

inline void printAsync(mlir::OpAsmPrinter &p, mlir::Operation *,
                       mlir::UnitAttr async) {
  if (async)
    p << "async";
}

} // namespace kiln::stage

#endif // KILN_DIALECTS_STAGE_ASYNC_H
