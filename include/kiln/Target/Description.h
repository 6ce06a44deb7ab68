// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deprecated since 0.1: include kiln/Dialect/Kiln/Description.h. This
// header is kept for one minor version.
#ifndef KILN_TARGET_DESCRIPTION_H_FORWARD
#define KILN_TARGET_DESCRIPTION_H_FORWARD

#include "kiln/Dialect/Kiln/Description.h" // IWYU pragma: export

#endif // KILN_TARGET_DESCRIPTION_H_FORWARD
