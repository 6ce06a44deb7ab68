// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the conversions of functions on tensors share: tensor, memref, affine,
// scf, arith, math, vector, ml_program and func. Private to conversions.
#ifndef KILN_CONVERSIONS_TENSORTOPRIM_FUNCTIONS_H
#define KILN_CONVERSIONS_TENSORTOPRIM_FUNCTIONS_H

#include "Translator.h"

#include "kiln/Frontend/Frontend.h"

namespace kiln::tensor_to_prim {

/// The rules of the dialects that they share.
void addSharedRules(Rules &rules);

/// Turns functions into functions of prim: those that `entries` names, or all
/// public ones. `elided` (zeros, random or empty) stands for elements that the
/// file leaves out. What cannot be converted is reported at its operation.
llvm::LogicalResult convertFunctions(mlir::ModuleOp module, const Rules &rules,
                                     llvm::ArrayRef<std::string> entries,
                                     llvm::StringRef elided);

/// The passes of such a frontend, of which `pass` converts. The values of the
/// keys `lists` have `+` between their parts.
std::string pipelineOf(llvm::StringRef pass, const frontend::Options &options,
                       llvm::ArrayRef<llvm::StringRef> lists = {});

/// The parts of a frontend that are the same for all of them; `pass` converts.
frontend::Frontend sharedFrontend(llvm::StringRef pass);

} // namespace kiln::tensor_to_prim

#endif // KILN_CONVERSIONS_TENSORTOPRIM_FUNCTIONS_H
