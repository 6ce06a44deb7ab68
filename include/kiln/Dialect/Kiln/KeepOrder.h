//===- KeepOrder.h - Whether floats may be regrouped ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_KILN_KEEPORDER_H
#define KILN_DIALECT_KILN_KEEPORDER_H

#include "llvm/ADT/StringRef.h"

namespace kiln::target {

/// On a module, without a value: the numerics modes of the command line do not
/// include `reassoc`. `kiln-set-numerics` sets it. Passes on `prim` then
/// combine floats as the program does, except within operations whose
/// definition leaves the order open.
inline constexpr llvm::StringLiteral kKeepOrderAttr = "kiln.keep_order";

} // namespace kiln::target

#endif // KILN_DIALECT_KILN_KEEPORDER_H
