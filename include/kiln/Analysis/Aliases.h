//===- Aliases.h - Which memory addresses reach -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views and pointers of a kernel come from its parameters. What is derived from
// one parameter alone reaches the memory of that parameter; facts about
// parameters say which of them share memory.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_ALIASES_H
#define KILN_ANALYSIS_ALIASES_H

#include "kiln/Dialect/Tile/Facts.h"
#include "mlir/IR/Value.h"

namespace kiln::tile {

/// Whether values of a type are views, pointers or tiles of pointers.
bool isAddress(mlir::Type type);

/// The parameter of the kernel that an address comes from; null if unknown. An
/// operation without effects that has one operand which is an address moves
/// that address; loops may carry it.
mlir::BlockArgument rootOf(mlir::Value address);

/// Whether a parameter of a kernel has a fact, such as kReadonlyFact. Null has
/// none.
bool hasFact(mlir::BlockArgument parameter, llvm::StringRef name);

/// Whether two addresses, of which one is written through, may reach the same
/// memory. Null stands for any address.
bool mayAlias(mlir::Value a, mlir::Value b);

} // namespace kiln::tile

#endif // KILN_ANALYSIS_ALIASES_H
