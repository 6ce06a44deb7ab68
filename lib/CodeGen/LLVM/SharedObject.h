//===- SharedObject.h - One object to a shared object -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM writes for kernels needs few of a linker's abilities: one file, no
// libraries, a handful of kinds of relocations. To start a linker takes longer
// than to compile a small kernel, so these files are linked here, in 3 to 6 us
// for objects of 10 to 34 KB.
//
// LLVM's own libraries do not fit, as of LLVM 22:
// - JITLink resolves a graph to addresses of this process. It writes no file,
//   but a package is loaded by other processes, which have no LLVM.
// - lld as a library takes 0.4 to 0.5 ms for these objects, which would do. But
//   it holds its state in a variable of the process, so that two links at once
//   corrupt memory, and each link puts LLVM's command line options back to
//   their defaults, while other threads generate code that depends on them.
//   A lock around links does not help against the latter.
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
