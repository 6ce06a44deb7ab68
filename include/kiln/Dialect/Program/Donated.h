//===- Donated.h - Arguments whose memory is given up -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_PROGRAM_DONATED_H
#define KILN_DIALECT_PROGRAM_DONATED_H

#include "llvm/ADT/StringRef.h"

namespace kiln::program {

/// Argument attribute of functions, in prim as in host programs: the caller
/// gives up the memory, so that a result may have it.
inline constexpr llvm::StringLiteral kDonatedAttr = "kiln.donated";
/// Argument attribute that program-reuse-donated sets: the program writes it.
inline constexpr llvm::StringLiteral kWrittenAttr = "program.written";

} // namespace kiln::program

#endif // KILN_DIALECT_PROGRAM_DONATED_H
