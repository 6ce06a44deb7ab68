// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels print.
#ifndef KILN_RUNTIME_PRINT_H
#define KILN_RUNTIME_PRINT_H

#include "kiln-c/Kernel.h"
#include <string>

namespace kiln::runtime {

/// The lines for a value, one for each element: program id, indices, prefix and
/// element. `poison`, where given, marks elements without a value.
std::string formatPrinted(const KilnPrintedValue &value,
                          const uint8_t *poison = nullptr);

/// Writes them to the standard output at once.
void printValue(const KilnPrintedValue *value);

} // namespace kiln::runtime

#endif
