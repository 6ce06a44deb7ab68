//===- Cache.h - Answers that are kept --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder of answers of targets' programs, by what was asked. It never fails
// those who use it: what cannot be read, written or trusted is as if it were
// not there.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISOLATED_CACHE_H
#define KILN_ISOLATED_CACHE_H

#include "kiln/Isolated/Program.h"
#include <optional>

namespace kiln::isolated {

/// The name of an answer: a hash of the parts of the question.
std::string cacheKey(llvm::ArrayRef<llvm::StringRef> parts);

/// An answer that was kept, or nothing.
std::optional<Answer> findCached(const std::string &key);

/// Keeps an answer. Removes the oldest ones beyond KILN_CACHE_SIZE.
void keepCached(const std::string &key, const Answer &answer);

/// What tells one state of a file from another without reading it; empty where
/// there is no such file.
std::string fileState(const std::string &path);

} // namespace kiln::isolated

#endif // KILN_ISOLATED_CACHE_H
