//===- Asserted.cpp - What builds with assertions ask of MLIR -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With assertions, a header of MLIR calls a function that checks each operation
// of the transform dialect as it is registered. An MLIR that was built without
// assertions, as that of distributions, does not have the function: without a
// definition here a build of Kiln with assertions does not link with it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#ifndef NDEBUG
namespace mlir::transform::detail {

/// Weak: MLIR's own is taken where it is linked into the same library.
[[gnu::weak]] void checkImplementsTransformOpInterface(StringRef name,
                                                       MLIRContext *context) {
  auto info = RegisteredOperationName::lookup(name, context);
  assert(info && "expected a registered operation");
  assert((info->hasInterface<TransformOpInterface>() ||
          info->hasTrait<OpTrait::IsTerminator>()) &&
         "expected TransformOpInterface, or a terminator");
  assert((info->hasInterface<MemoryEffectOpInterface>() ||
          info->hasTrait<OpTrait::HasRecursiveMemoryEffects>()) &&
         "expected effects on memory");
}

} // namespace mlir::transform::detail
#endif
