//===- Machine.h - What descriptions say of a processor ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_MACHINE_H
#define KILN_LIB_CPU_MACHINE_H

#include "kiln/Dialect/Kiln/Description.h"

namespace kiln::cpu {

/// Entry: the only length of vectors, in bits, that the machine loads and
/// stores under masks; 0: of none.
inline constexpr llvm::StringLiteral kMaskedBits = "masked_bits";

/// Returns an entry of `extra` in the description that the module of `op` is
/// compiled for (docs/cpu.md lists them); null where it has none.
inline mlir::Attribute extraOf(mlir::Operation *op, llvm::StringRef name) {
  target::TargetAttr description = target::getDescription(op);
  mlir::DictionaryAttr extra = description ? description.getExtra() : nullptr;
  return extra ? extra.get(name) : nullptr;
}

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_MACHINE_H
