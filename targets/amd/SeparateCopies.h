//===- SeparateCopies.h - Copies into LDS alias nothing ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_SEPARATECOPIES_H
#define KILN_TARGETS_AMD_SEPARATECOPIES_H

namespace llvm {
class Module;
} // namespace llvm

namespace kiln::amd {

/// Tells the back end, by scopes of aliases, that no other access reads or
/// writes LDS that a copy in flight writes. Kernels wait for their copies
/// before a barrier, and read them behind it (`simt-verify-barriers`); without
/// scopes the back end waits for all copies before each access to LDS.
void separateCopies(llvm::Module &module);

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_SEPARATECOPIES_H
