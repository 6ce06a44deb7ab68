//===- StageDialect.h - The stage dialect, types, attributes ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_STAGE_STAGEDIALECT_H
#define KILN_DIALECT_STAGE_STAGEDIALECT_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include <array>

#include "kiln/Dialect/Stage/StageBase.h.inc"

#include "kiln/Dialect/Stage/StageAttrsEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Stage/StageAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "kiln/Dialect/Stage/StageTypes.h.inc"

namespace kiln::stage {

/// Returns the type of a value after its wait: for a future the type of its
/// fragment, for all others the type itself.
inline mlir::Type getAwaitedType(mlir::Type type) {
  auto future = llvm::dyn_cast<FutureType>(type);
  return future ? mlir::Type(future.getPayload()) : type;
}
/// Returns true if a type is that of a tile, or of a future of one.
inline bool isTileOrFuture(mlir::Type type) {
  return llvm::isa<mlir::RankedTensorType>(getAwaitedType(type));
}

/// The attribute of an operation's place in the schedule of its loop.
inline constexpr llvm::StringLiteral kAtAttr = "at";
/// The step of a load that is issued one iteration before its users; its result
/// stays in registers until then.
inline constexpr int64_t kBeforeUsers = -2;
/// A decision of the staging passes about an operation: the home of its result
/// (HomeAttr); for a loop, the slots of its rings (SlotsAttr); for an access
/// that was cloned, its number (CloneAttr). An operation has at most one of
/// these: a cloned access has no home.
inline constexpr llvm::StringLiteral kDecidedAttr = "stage.decided";

} // namespace kiln::stage

#endif // KILN_DIALECT_STAGE_STAGEDIALECT_H
