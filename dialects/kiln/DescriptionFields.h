//===- DescriptionFields.h - Names of fields of descriptions ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_TARGET_DESCRIPTIONFIELDS_H
#define KILN_LIB_TARGET_DESCRIPTIONFIELDS_H

#include "mlir/IR/OpImplementation.h"

namespace kiln::target {

/// Checks the names of the fields that stand where the parser is, up to the
/// bracket that closes them: `fields` lists those that `#kiln.ATTRIBUTE` has,
/// separated by ", ". Reports the first that it does not have, that is given
/// twice, or that had another name in an older version. Reads nothing.
mlir::ParseResult parseFields(mlir::AsmParser &parser,
                              llvm::StringRef attribute,
                              llvm::StringRef fields);

} // namespace kiln::target

#endif // KILN_LIB_TARGET_DESCRIPTIONFIELDS_H
