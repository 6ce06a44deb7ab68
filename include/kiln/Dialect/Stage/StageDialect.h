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

/// The type of a value behind its wait: of a future that of its fragment, any
/// other type as it is.
inline mlir::Type getAwaitedType(mlir::Type type) {
  auto future = llvm::dyn_cast<FutureType>(type);
  return future ? mlir::Type(future.getPayload()) : type;
}
/// Whether a value is a tile, or a future of one.
inline bool isTileOrFuture(mlir::Type type) {
  return llvm::isa<mlir::RankedTensorType>(getAwaitedType(type));
}

/// The attribute of an operation's place in the schedule of its loop.
inline constexpr llvm::StringLiteral kAtAttr = "at";
/// The step that requests the iteration before that of the users of a load,
/// whose results then wait in registers.
inline constexpr int64_t kBeforeUsers = -2;
/// What staging decided about an operation: the home of its result (HomeAttr),
/// of a loop the slots that its rings have (SlotsAttr), of an access with
/// clones which it is (CloneAttr). No operation has two of them: what is cloned
/// has no home any more.
inline constexpr llvm::StringLiteral kDecidedAttr = "stage.decided";

} // namespace kiln::stage

#endif // KILN_DIALECT_STAGE_STAGEDIALECT_H
