//===- Lanes.h - Constants and types shaped like a register -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_LANES_H
#define KILN_LIB_CPU_LANES_H

#include "kiln/Math/Lanes.h"

namespace kiln::cpu {
using functions::Lanes;
} // namespace kiln::cpu

#endif // KILN_LIB_CPU_LANES_H
