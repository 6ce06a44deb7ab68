//===- PointerAccess.h - Access to memory through pointers ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INTERFACES_POINTERACCESS_H
#define KILN_INTERFACES_POINTERACCESS_H

#include "kiln/Interfaces/ViewAccess.h"

#include "kiln/Interfaces/PointerAccess.h.inc"

#endif // KILN_INTERFACES_POINTERACCESS_H
