// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deprecated since 0.1: include kiln/System/Error.h. This
// header is kept for one minor version.
#ifndef KILN_RUNTIME_ERROR_H_FORWARD
#define KILN_RUNTIME_ERROR_H_FORWARD

#include "kiln/System/Error.h" // IWYU pragma: export

#endif // KILN_RUNTIME_ERROR_H_FORWARD
