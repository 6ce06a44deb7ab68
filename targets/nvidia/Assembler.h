//===- Assembler.h - From PTX to cubins -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_ASSEMBLER_H
#define KILN_TARGETS_NVIDIA_ASSEMBLER_H

#include "kiln/Target/TargetOptions.h"
#include "llvm/ADT/StringMap.h"
#include <optional>
#include <string>
#include <vector>

namespace kiln::nvidia {

/// The program that assembles PTX: what the option `ptxas` names ("none": no
/// program), else ptxas of CUDA_HOME or CUDA_PATH, of the search path, or of
/// the toolkit's usual place. Empty where there is none; `error` says why, if
/// one was named.
std::string findAssembler(const target::TargetOptions &options,
                          std::string &error);

/// The newest version of PTX that it takes, as 88 for 8.8; 0: not known.
unsigned newestPtxOf(const std::string &assembler);

/// What the assembler says of one kernel.
struct KernelFacts {
  int64_t registers = 0, barriers = 0;
  int64_t sharedBytes = 0; ///< of fixed size
  int64_t stackBytes = 0;
  int64_t spillStores = 0, spillLoads = 0; ///< bytes
};

/// What the assembler says beside its result.
struct AssemblerLog {
  llvm::StringMap<KernelFacts> kernels; ///< by entry
  /// What it warns of, with the entry (empty: of none) that it is about.
  std::vector<std::pair<std::string, std::string>> warnings;
  /// Errors, with the line of PTX (0: of none).
  std::vector<std::pair<unsigned, std::string>> errors;
};

/// Reads what `ptxas -v` prints.
AssemblerLog readLog(llvm::StringRef text);

/// Assembles PTX. Nothing where that fails: the log has errors then.
std::optional<std::string> assemble(const std::string &assembler,
                                    llvm::StringRef ptx, llvm::StringRef cpu,
                                    AssemblerLog &log);

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_ASSEMBLER_H
