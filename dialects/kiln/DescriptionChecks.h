//===- DescriptionChecks.h - Checks shared by descriptions ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECTS_KILN_DESCRIPTIONCHECKS_H
#define KILN_DIALECTS_KILN_DESCRIPTIONCHECKS_H

#include "kiln/Dialect/Kiln/Description.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kiln::target {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Requires a number of at least `least`.
inline llvm::LogicalResult checkAtLeast(EmitError emitError,
                                        llvm::StringRef what, int64_t value,
                                        int64_t least) {
  if (value >= least)
    return llvm::success();
  return emitError() << "expected " << what << " to be at least " << least
                     << ", found " << value;
}

/// Requires a name that a SPEC, or another field, can refer to.
inline llvm::LogicalResult checkName(EmitError emitError, llvm::StringRef what,
                                     llvm::StringRef name) {
  auto legal = [](char c) {
    return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' ||
           c == '.';
  };
  if (!name.empty() && llvm::all_of(name, legal))
    return llvm::success();
  return emitError() << "expected " << what
                     << " of letters, digits, '_', '-' and '.', found '" << name
                     << "'";
}

/// Requires that a list names nothing twice; `what` has the list.
template <typename Element>
llvm::LogicalResult checkOnce(EmitError emitError, const llvm::Twine &what,
                              llvm::ArrayRef<Element> list) {
  for (auto [i, element] : llvm::enumerate(list))
    if (llvm::is_contained(list.take_front(i), element))
      return emitError() << "expected " << what << " to list " << element
                         << " once, found it twice";
  return llvm::success();
}

/// Requires that an instruction agrees with itself, its unit and the memories
/// of its operands.
llvm::LogicalResult checkInstruction(EmitError emitError,
                                     MatrixInstructionAttr inst,
                                     ExecutionUnitAttr unit,
                                     llvm::ArrayRef<MemoryAttr> memories);

/// Requires that the limit of tiles admits the operands of each instruction.
llvm::LogicalResult
checkTilesFit(EmitError emitError, mlir::DictionaryAttr limits,
              llvm::ArrayRef<MatrixInstructionAttr> instructions);

} // namespace kiln::target

#endif // KILN_DIALECTS_KILN_DESCRIPTIONCHECKS_H
