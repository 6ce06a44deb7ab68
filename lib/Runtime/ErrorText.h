// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The texts of errors that go through tables of C functions.
#ifndef KILN_LIB_RUNTIME_ERRORTEXT_H
#define KILN_LIB_RUNTIME_ERRORTEXT_H

#include <string>

namespace kiln::runtime {

/// Writes a text and a zero to `to`, which has room for `size` bytes: of a text
/// that is too long its beginning and its end, where traces name the cause.
inline void copyErrorText(const std::string &text, char *to, size_t size) {
  const std::string leftOut = " ... ";
  std::string fitting = text;
  if (fitting.size() >= size)
    fitting.replace(size / 2, fitting.size() - size + leftOut.size() + 1,
                    leftOut);
  to[fitting.copy(to, size - 1)] = 0;
}

} // namespace kiln::runtime

#endif // KILN_LIB_RUNTIME_ERRORTEXT_H
