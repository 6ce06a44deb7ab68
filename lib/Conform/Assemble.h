//===- Assemble.h - The suite from recipes and definitions ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CONFORM_ASSEMBLE_H
#define KILN_LIB_CONFORM_ASSEMBLE_H

#include "Random.h"
#include "llvm/Support/JSON.h"

namespace kiln::conform {

struct SuiteOptions {
  std::string level;  ///< "prim", "tile"; empty: both
  std::string filter; ///< a regular expression for names of cases
  /// Random programs in place of the others, from number to number, and in what
  /// they are simpler.
  uint64_t seed = 1;
  unsigned firstRandom = 0, lastRandom = 0;
  Simpler simpler;
};

/// The whole suite as JSON. False after messages to `error`.
bool assembleSuite(mlir::MLIRContext &context, const SuiteOptions &options,
                   llvm::json::Object &suite, std::string &error);

/// One program, and the text that it has in a module under `symbol`.
llvm::json::Object programJson(const Entry &entry, llvm::StringRef level,
                               llvm::StringRef symbol);
std::string textAs(const Entry &entry, llvm::StringRef symbol);

/// Whether the text of an entry parses and verifies; else why not.
bool isValid(const Entry &entry, mlir::MLIRContext &context, std::string &why);

} // namespace kiln::conform

#endif // KILN_LIB_CONFORM_ASSEMBLE_H
