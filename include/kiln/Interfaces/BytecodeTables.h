// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KILN_INTERFACES_BYTECODETABLES_H
#define KILN_INTERFACES_BYTECODETABLES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace kiln {

/// Returns what is wrong with the tables in a file of MLIR's bytecode, or
/// nothing. MLIR's reader trusts the lengths of groups of attributes and types,
/// and writes beyond its memory where they exceed those of the tables. It also
/// asks for the memory of as many strings, dialects, attributes, types and
/// properties as a section announces.
std::string findTableDamage(llvm::StringRef bytecode);

} // namespace kiln

#endif // KILN_INTERFACES_BYTECODETABLES_H
