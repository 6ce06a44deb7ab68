//===- AsyncCopy.cpp - Copies in flight as an interface -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/AsyncCopy.h"

#include "kiln/Interfaces/AsyncCopy.cpp.inc"
