// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deprecated since 0.1: include kiln/Dialect/Cpu/CpuDialect.h. This
// header is kept for one minor version.
#ifndef KILN_CPU_CPUDIALECT_H_FORWARD
#define KILN_CPU_CPUDIALECT_H_FORWARD

#include "kiln/Dialect/Cpu/CpuDialect.h" // IWYU pragma: export

#endif // KILN_CPU_CPUDIALECT_H_FORWARD
