//===- Beginnings.h - What a regular expression can match -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CONFORM_BEGINNINGS_H
#define KILN_LIB_CONFORM_BEGINNINGS_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace kiln::conform {

/// What texts begin with in which a regular expression of ECMAScript is found,
/// so that what no text of interest begins with need not be made.
class Beginnings {
public:
  explicit Beginnings(llvm::StringRef pattern);

  /// False only if the expression is found in no text that begins so.
  bool allow(llvm::StringRef prefix) const;

private:
  std::vector<std::string> texts;
};

} // namespace kiln::conform

#endif // KILN_LIB_CONFORM_BEGINNINGS_H
