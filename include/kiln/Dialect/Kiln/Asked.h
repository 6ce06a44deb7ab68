//===- Asked.h - What a schedule script asks of the compiler ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule script (docs/try-a-lowering.md) records its decisions on the
// operations that they are about. The pass that makes a decision looks here
// first, and obeys or reports an error at the script's line.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_KILN_ASKED_H
#define KILN_DIALECT_KILN_ASKED_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace kiln::target {

/// On a kernel, a loop, a matmul or a group: what a schedule script decided. A
/// dictionary from the name of each decision to its value and the place in the
/// script: `{stages = [4, loc("attention.mlir":7:5)]}`. A kernel also lists, as
/// `inside`, the decisions about operations in it.
inline constexpr llvm::StringLiteral kAskedAttr = "kiln.asked";

/// One decision of a schedule script.
struct Asked {
  mlir::Attribute value;
  mlir::Location at; ///< the operation of the script
};

/// Records a decision about `op`, in place of an earlier one of that name.
void ask(mlir::Operation *op, llvm::StringRef decision, mlir::Attribute value,
         mlir::Location at);

/// Returns what a script asked of `op` under this name.
std::optional<Asked> findAsked(mlir::Operation *op, llvm::StringRef decision);

/// Returns one of the decisions about a kernel or operations in it, if there
/// are any.
std::optional<Asked> findAnyAsked(mlir::Operation *kernel);

/// Reports, at the script's line, that a decision cannot be followed.
mlir::LogicalResult emitUnmet(const Asked &asked, const llvm::Twine &why);

/// Reports decisions of this name about operations in `kernel` that no
/// operation has any more: a pass has replaced what they were about.
mlir::LogicalResult verifyAsked(mlir::Operation *kernel,
                                llvm::StringRef decision);

} // namespace kiln::target

#endif // KILN_DIALECT_KILN_ASKED_H
