//===- Questions.h - Asking a target's program ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_ISOLATED_QUESTIONS_H
#define KILN_LIB_ISOLATED_QUESTIONS_H

#include "kiln/Isolated/IsolatedTarget.h"

namespace kiln::isolated {

/// A SPEC as the program gets it.
llvm::json::Object specOf(const target::TargetOptions &options);

/// "target 'mine' of plug-in 'mine' hangs on kernel 'k': WHY", of "hangs: WHY".
std::string sentence(const target::Target &target, llvm::StringRef what,
                     const llvm::Twine &subject);

} // namespace kiln::isolated

#endif // KILN_LIB_ISOLATED_QUESTIONS_H
