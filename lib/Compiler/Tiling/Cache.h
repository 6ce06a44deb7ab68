//===- Cache.h - Block sizes that were measured -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of lines, one JSON object each, written by `kiln-run --tune`:
//
//   {"target": "cpu:znver4", "problem": "contraction ...", "blocks": [...],
//    "nanoseconds": 1234}
//
// Of several lines for one problem the last counts.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_TILING_CACHE_H
#define KILN_LIB_TILING_CACHE_H

#include "kiln/Tiling/Tiling.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace kiln::tiling {

class Chooser::Cache {
public:
  /// Reads the file's lines for `key`. One that cannot be read is empty;
  /// checkCache says why.
  Cache(llvm::StringRef path, llvm::StringRef key);
  std::optional<target::Tiling>
  find(const target::TilingProblem &problem) const;

private:
  llvm::StringMap<llvm::SmallVector<int64_t>> blocks;
};

} // namespace kiln::tiling

#endif // KILN_LIB_TILING_CACHE_H
