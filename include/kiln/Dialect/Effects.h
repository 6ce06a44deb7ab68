// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Effects of operations on memory at large.
#ifndef KILN_DIALECT_EFFECTS_H
#define KILN_DIALECT_EFFECTS_H

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kiln {

/// What a launch gives besides what it writes to memory: messages, and whether
/// it failed.
struct LaunchOutput : mlir::SideEffects::Resource::Base<LaunchOutput> {
  llvm::StringRef getName() final { return "LaunchOutput"; }
};

using Effects = llvm::SmallVectorImpl<
    mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>;

inline void addRead(Effects &effects) {
  effects.emplace_back(mlir::MemoryEffects::Read::get());
}
inline void addWrite(Effects &effects) {
  effects.emplace_back(mlir::MemoryEffects::Write::get());
}
inline void addReadWrite(Effects &effects) {
  addRead(effects);
  addWrite(effects);
}
/// A call that is not pure may do anything to memory.
inline void addCallEffects(bool pure, Effects &effects) {
  if (!pure)
    addReadWrite(effects);
}

} // namespace kiln

#endif // KILN_DIALECT_EFFECTS_H
