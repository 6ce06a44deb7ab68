//===- SharedObject.h - One object to a shared object -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM writes for kernels needs few of a linker's abilities: one file, no
// libraries, a handful of kinds of relocations. To start a linker takes longer
// than to compile a small kernel, so these files are linked here.
//
//===----------------------------------------------------------------------===//
#ifndef KILN_LIB_CPU_SHAREDOBJECT_H
#define KILN_LIB_CPU_SHAREDOBJECT_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace kiln::cpu {

/// The shared object of a relocatable file, in the shape that the device `cpu`
/// accepts. Nothing where the file is of another machine than x86-64 or holds
/// what this does not know: a linker has to see to those.
std::optional<std::string> writeSharedObject(llvm::StringRef object);

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_SHAREDOBJECT_H
