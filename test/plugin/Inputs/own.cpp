// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect of own.td as a plug-in: interfaces, and nothing else.
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/Synchronization.h"
#include "kiln/Interfaces/ThreadAccess.h"
#include "kiln/Target/Plugin.h"
#include "mlir/IR/Builders.h"

#include "own.dialect.h.inc"
#define GET_OP_CLASSES
#include "own.ops.h.inc"

#include "own.dialect.cpp.inc"
#define GET_OP_CLASSES
#include "own.ops.cpp.inc"

using namespace mlir;
using namespace kiln;

void own::OwnDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "own.ops.cpp.inc"
      >();
}

namespace own {
Synchronization MeetOp::getSynchronization() { return {Synchronization::Kind::BlockBarrier}; }
Synchronization CommitOp::getSynchronization() {
  return {Synchronization::Kind::Commit, Synchronization::Group::Products};
}
Synchronization FinishOp::getSynchronization() {
  return {Synchronization::Kind::WaitForGroups, Synchronization::Group::Products};
}

void PeekOp::getThreadAccesses(SmallVectorImpl<ThreadAccess> &accesses) {
  accesses.push_back({getAddress(), Value(), getAccessedBytes(getResult().getType()), Touch::Read});
}

void MultiplyOp::getThreadAccesses(SmallVectorImpl<ThreadAccess> &accesses) {
  accesses.push_back({getAddress(), Value(), 64, Touch::Read, ThreadAccess::Flight::Products});
}
bool MultiplyOp::isAccumulator(OpOperand &operand) { return operand.getOperandNumber() == 1; }

OperandRead TurnOp::getIndexMap(OpOperand &, unsigned) {
  return {AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0}, getContext()), {}};
}
bool TurnOp::movesElements() { return true; }
} // namespace own

static void addDialect(DialectRegistry &dialects) { dialects.insert<own::OwnDialect>(); }

static void registerAll(target::TargetRegistry &registry) { registry.addDialects(addDialect); }

KILN_TARGET_PLUGIN("own", "1.0", registerAll)
