//===- Movement.cpp - Operations that move elements -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/Movement.h"

#include "kiln/Interfaces/Movement.cpp.inc"
