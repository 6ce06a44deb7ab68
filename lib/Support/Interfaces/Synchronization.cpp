//===- Synchronization.cpp - Barriers, fences and waits -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/Synchronization.h"

using namespace mlir;
using namespace kiln;

#include "kiln/Interfaces/Synchronization.cpp.inc"
