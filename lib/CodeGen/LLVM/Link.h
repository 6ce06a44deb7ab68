//===- Link.h - Objects to a shared object ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_LINK_H
#define KILN_LIB_CPU_LINK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace kiln::cpu {

/// Links object files in this process where that is known, else with ld.lld,
/// which `KILN_LINKER` can name. Checks what stays undefined against the list
/// that runtimes supply.
std::optional<std::string>
linkSharedObject(llvm::ArrayRef<llvm::StringRef> objects, std::string &error);

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_LINK_H
