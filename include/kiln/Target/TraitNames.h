//===- TraitNames.h - Traits of plug-ins by other compilers -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR tells traits apart by the text of their C++ names, which compilers write
// in different ways: `mlir::OpTrait::IsTerminator<Empty>` is Clang's,
// `mlir::OpTrait::IsTerminator<mlir::TypeID::get<
// mlir::OpTrait::IsTerminator>()::Empty>` is GCC's. A library of one of them
// would not see the traits of the other's operations. What GCC links with
// Kiln::Kiln therefore hands its names to Kiln (`--wrap` of the linker), which
// registers them as Clang writes them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_TRAITNAMES_H
#define KILN_TARGET_TRAITNAMES_H

#include "mlir/IR/OpDefinition.h"
#include <cstddef>
#include <string>

#ifdef __clang__
#define KILN_PLUGIN_COMPILER "Clang " __clang_version__
#else
#define KILN_PLUGIN_COMPILER "GCC " __VERSION__
#endif

namespace kiln::target {

/// Returns Clang's name of a type, given GCC's; returns other names unchanged.
std::string clangTypeName(llvm::StringRef name);

/// Whether `trait`, the identity of OpTrait::IsTerminator in a plug-in, is that
/// of Kiln. Otherwise writes why not, and what to do, to `error`.
bool checkTraitNames(mlir::TypeID trait, const char *compiler, char *error,
                     size_t size);

} // namespace kiln::target

#endif // KILN_TARGET_TRAITNAMES_H
