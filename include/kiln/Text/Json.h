//===- Json.h - JSON of any origin -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TEXT_JSON_H
#define KILN_TEXT_JSON_H

#include "llvm/Support/JSON.h"

namespace kiln::target {

/// How deep brackets nest outside of strings, and how deep they may in files of
/// a few lines.
size_t nestingOf(llvm::StringRef text);
constexpr size_t kMaxNesting = 64;

/// Parses JSON. Text that nests deeper than any file of Kiln does is an error:
/// LLVM's parser recurses.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace kiln::target

#endif // KILN_TEXT_JSON_H
