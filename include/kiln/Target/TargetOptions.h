//===- TargetOptions.h - Parsed SPEC strings --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A SPEC is `name[:chip][,key=value...]`, such as `cpu,threads=1`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_TARGETOPTIONS_H
#define KILN_TARGET_TARGETOPTIONS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kiln::target {

/// A parsed SPEC.
struct TargetOptions {
  std::string name;
  std::string chip; ///< empty: the target's default
  std::vector<std::pair<std::string, std::string>> values;

  /// Parses `text`. On failure `error` says what was expected and found.
  static std::optional<TargetOptions> parse(llvm::StringRef text,
                                            std::string &error);

  /// The SPEC as text again.
  std::string str() const;

  /// The value of `key`, or nothing. The last of several counts.
  std::optional<llvm::StringRef> get(llvm::StringRef key) const;
  llvm::StringRef get(llvm::StringRef key, llvm::StringRef otherwise) const;
  int64_t getInt(llvm::StringRef key, int64_t otherwise) const;
  /// True for "1", "true", "on", "yes", and for a key without a value.
  bool getBool(llvm::StringRef key, bool otherwise) const;
};

} // namespace kiln::target

#endif // KILN_TARGET_TARGETOPTIONS_H
