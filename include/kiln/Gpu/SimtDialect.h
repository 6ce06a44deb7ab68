// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deprecated since 0.1: include kiln/Dialect/Simt/SimtDialect.h. This
// header is kept for one minor version.
#ifndef KILN_GPU_SIMTDIALECT_H_FORWARD
#define KILN_GPU_SIMTDIALECT_H_FORWARD

#include "kiln/Dialect/Simt/SimtDialect.h" // IWYU pragma: export

#endif // KILN_GPU_SIMTDIALECT_H_FORWARD
