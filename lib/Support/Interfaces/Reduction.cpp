//===- Reduction.cpp - Operations on whole tiles --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/Reduction.h"

#include "kiln/Interfaces/Reduction.cpp.inc"
