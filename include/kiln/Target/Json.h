// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deprecated since 0.1: include kiln/Text/Json.h. This
// header is kept for one minor version.
#ifndef KILN_TARGET_JSON_H_FORWARD
#define KILN_TARGET_JSON_H_FORWARD

#include "kiln/Text/Json.h" // IWYU pragma: export

#endif // KILN_TARGET_JSON_H_FORWARD
