//===- Specs.h - The targets that a SPEC names ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_SPECS_H
#define KILN_LIB_DRIVER_SPECS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace kiln::driver {

/// The SPECs in "A+B", one for each target. A '+' may also stand in a value,
/// between names of lowerings: "A,without=a.x+a.y+B" is A without two of them,
/// and B. What follows a '+' is another target only if it begins with the name
/// of one, of letters, digits, '-' and '_'.
inline llvm::SmallVector<llvm::StringRef> splitSpecs(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> specs;
  for (llvm::StringRef piece : llvm::split(text, '+')) {
    llvm::StringRef name = piece.take_until(
        [](char c) { return c == ',' || c == ':' || c == '='; });
    bool isName = llvm::all_of(
        name, [](char c) { return llvm::isAlnum(c) || c == '-' || c == '_'; });
    if (specs.empty() || isName)
      specs.push_back(piece);
    else
      specs.back() = llvm::StringRef(specs.back().begin(),
                                     piece.end() - specs.back().begin());
  }
  return specs;
}

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_SPECS_H
