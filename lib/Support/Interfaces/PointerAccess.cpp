//===- PointerAccess.cpp - Access to memory through pointers --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/PointerAccess.h"

#include "kiln/Interfaces/PointerAccess.cpp.inc"
