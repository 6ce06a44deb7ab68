//===- Names.h - What the source calls arguments and results ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_NAMES_H
#define KILN_LIB_DRIVER_NAMES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <map>
#include <string>
#include <vector>

namespace kiln::driver {

/// Names of one entry; the empty text is none. They differ within a list.
struct EntryNames {
  std::vector<std::string> arguments;
  std::vector<std::string> results;
  std::vector<std::vector<std::string>> dims; ///< of each argument
  std::vector<std::vector<std::string>> resultDims;
  /// Whose elements are unsigned integers, which frontends take the sign from.
  std::vector<bool> areUnsigned;
  std::vector<bool> resultsAreUnsigned;
  /// How many bits their integers have where prim has no such type; else 0.
  std::vector<int32_t> bits;
  std::vector<int32_t> resultBits;
};

/// Per function or kernel.
using Names = std::map<std::string, EntryNames>;

/// Adds the names of every function and kernel that `names` lacks, or has with
/// another number of arguments. They come from attributes (`kiln.name`,
/// `ml_program.identifier` and what importers write), from named locations, or
/// from the identifiers in `text`, which the module was read from. Locations of
/// arguments get them, too.
void collectNames(mlir::ModuleOp module, llvm::MemoryBufferRef text,
                  Names &names);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_NAMES_H
