//===- StorageInterfaces.h - What operations do to storage ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes on staged kernels know of an operation: which storage it
// allocates, reads, writes, copies or fills, and for what it waits. The
// operations of `stage` implement these interfaces, and so can those of a
// plug-in.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_STAGE_STORAGEINTERFACES_H
#define KILN_DIALECT_STAGE_STORAGEINTERFACES_H

#include "kiln/Dialect/Stage/StageDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include <array>
#include <cstdint>
#include <optional>

namespace kiln::stage {

/// What an operation does to the next slot of a ring buffer.
enum class SlotUse : uint8_t { Fill, Take, Free };

} // namespace kiln::stage

#include "kiln/Dialect/Stage/StorageInterfaces.h.inc"

#endif // KILN_DIALECT_STAGE_STORAGEINTERFACES_H
