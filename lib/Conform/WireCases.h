//===- WireCases.h - The suite's kernels in the wire form -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CONFORM_WIRECASES_H
#define KILN_LIB_CONFORM_WIRECASES_H

#include "Assemble.h"

namespace kiln::conform {

/// Brings the kernels of the suite to the wire form and back. `answer` gets
/// their texts by the names of their cases, LEVEL/OPERATION/TYPE/FORM, the
/// names of those that came back otherwise, and of those that have no such
/// form, with the reason.
bool answerWireCases(mlir::MLIRContext &context, const SuiteOptions &options,
                     llvm::json::Object &answer, std::string &error);

} // namespace kiln::conform

#endif // KILN_LIB_CONFORM_WIRECASES_H
