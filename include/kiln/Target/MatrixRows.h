// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deprecated since 0.1: include kiln/Dialect/Kiln/MatrixRows.h. This
// header is kept for one minor version.
#ifndef KILN_TARGET_MATRIXROWS_H_FORWARD
#define KILN_TARGET_MATRIXROWS_H_FORWARD

#include "kiln/Dialect/Kiln/MatrixRows.h" // IWYU pragma: export

#endif // KILN_TARGET_MATRIXROWS_H_FORWARD
