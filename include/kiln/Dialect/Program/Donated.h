//===- Donated.h - Arguments whose memory is given up -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_PROGRAM_DONATED_H
#define KILN_DIALECT_PROGRAM_DONATED_H

#include "mlir/IR/BuiltinAttributes.h"

namespace kiln::program {

/// Argument attribute of functions, in prim as in host programs: the caller
/// gives up the memory, so that a result may have it. A unit until
/// program-reuse-donated has the program write the argument: then `"written"`.
inline constexpr llvm::StringLiteral kDonatedAttr = "kiln.donated";
inline constexpr llvm::StringLiteral kWritten = "written";

/// Whether an argument's attribute says that the program writes its memory.
inline bool isWritten(mlir::Attribute donated) {
  auto state = llvm::dyn_cast_or_null<mlir::StringAttr>(donated);
  return state && state.getValue() == kWritten;
}

} // namespace kiln::program

#endif // KILN_DIALECT_PROGRAM_DONATED_H
