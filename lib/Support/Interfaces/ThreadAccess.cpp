//===- ThreadAccess.cpp - Memory accesses of a thread ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/ThreadAccess.h"
#include "kiln/Interfaces/AsyncCopy.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;

#include "kiln/Interfaces/ThreadAccess.cpp.inc"

int64_t kiln::getAccessedBytes(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * getAccessedBytes(vector.getElementType());
  return type.isIntOrFloat()
             ? int64_t(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8))
             : 8;
}

SmallVector<ThreadAccess, 2> kiln::getThreadAccesses(Operation *op) {
  SmallVector<ThreadAccess, 2> accesses;
  if (auto access = dyn_cast<ThreadAccessOpInterface>(op))
    access.getThreadAccesses(accesses);
  else if (auto copy = dyn_cast<AsyncCopyOpInterface>(op))
    accesses.push_back({copy.getTarget(), copy.getMask(), copy.getBytes(),
                        Touch::Write, ThreadAccess::Flight::Copies});
  return accesses;
}
