// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What surrounds the bytes of a module on their way to the device.
#ifndef KILN_TARGETS_REFERENCE_SEAL_H
#define KILN_TARGETS_REFERENCE_SEAL_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace kiln::reference {

/// A module as the device gets it: the bytes, then their SHA-256 and a mark,
/// so that what was damaged on its way never reaches upstream's reader.
void seal(std::string &bytes);
/// The bytes of a sealed module, or nothing when the seal is missing or broken.
std::optional<llvm::StringRef> unseal(llvm::StringRef bytes);

} // namespace kiln::reference

#endif
