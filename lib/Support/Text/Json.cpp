//===- Json.cpp - JSON that anybody wrote ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Text/Json.h"

size_t kiln::target::nestingOf(llvm::StringRef text) {
  size_t depth = 0, deepest = 0;
  bool isQuoted = false;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '"')
      isQuoted = !isQuoted;
    else if (isQuoted && c == '\\')
      ++at;
    else if (!isQuoted && llvm::StringRef("([{<").contains(c))
      deepest = std::max(deepest, ++depth);
    else if (!isQuoted && llvm::StringRef(")]}>").contains(c) && depth)
      --depth;
  }
  return deepest;
}

llvm::Expected<llvm::json::Value>
kiln::target::parseJson(llvm::StringRef text) {
  if (nestingOf(text) > kMaxNesting)
    return llvm::createStringError("expected JSON of up to " +
                                   llvm::Twine(kMaxNesting) +
                                   " levels of nesting, found more");
  return llvm::json::parse(text);
}
