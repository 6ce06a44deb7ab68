// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel without results has written.
#ifndef KILN_TOOLS_KILN_RUN_WRITTEN_H
#define KILN_TOOLS_KILN_RUN_WRITTEN_H

#include "Inputs.h"

namespace kiln::run {

/// Finds out which arguments a call changes. References must outlive it.
class WrittenArguments {
public:
  /// Before the call. Nothing is done when it is not wanted, or when the
  /// function has results to tell of.
  WrittenArguments(const runtime::Function &function,
                   const std::vector<Input> &inputs, bool isWanted);
  /// After the call: prints a line about each that has changed.
  void summarize() const;

private:
  struct Memory {
    size_t argument; ///< the first that has this storage
    uint64_t hash;
  };
  const runtime::Function &function;
  const std::vector<Input> &inputs;
  std::vector<Memory> memories;
};

} // namespace kiln::run

#endif
