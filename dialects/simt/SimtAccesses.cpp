//===- SimtAccesses.cpp - Accesses and synchronisation of operations ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Simt/SimtDialect.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using Accesses = SmallVectorImpl<ThreadAccess>;
using Kind = Synchronization::Kind;
using Group = Synchronization::Group;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void LoadOp::getThreadAccesses(Accesses &accesses) {
  accesses.push_back(
      {getAddress(), getMask(), getAccessedBytes(getType()), Touch::Read});
}

void StoreOp::getThreadAccesses(Accesses &accesses) {
  accesses.push_back({getAddress(), getMask(),
                      getAccessedBytes(getValue().getType()), Touch::Write});
}

void AtomicRMWOp::getThreadAccesses(Accesses &accesses) {
  accesses.push_back(
      {getAddress(), Value(), getAccessedBytes(getType()), Touch::Update});
}

void AtomicCASOp::getThreadAccesses(Accesses &accesses) {
  accesses.push_back(
      {getAddress(), Value(), getAccessedBytes(getType()), Touch::Update});
}

void LoadMatrixOp::getThreadAccesses(Accesses &accesses) {
  accesses.push_back({getAddress(), Value(), int64_t(getBytes()), Touch::Read,
                      ThreadAccess::Flight::None, int64_t(getLanes())});
}

void StoreMatrixOp::getThreadAccesses(Accesses &accesses) {
  accesses.push_back({getAddress(), Value(), int64_t(getBytes()), Touch::Write,
                      ThreadAccess::Flight::None, int64_t(getLanes())});
}

void CopyBulkOp::getThreadAccesses(Accesses &accesses) {
  accesses.push_back({getTarget(), getMask(), getBytes(), Touch::Write,
                      ThreadAccess::Flight::Barrier});
}

void MmaAsyncOp::getThreadAccesses(Accesses &accesses) {
  if (Value lhs = getLhsAddress())
    accesses.push_back({lhs, Value(), getLhsMatrixAttr().getBytes(),
                        Touch::Read, ThreadAccess::Flight::Products});
  accesses.push_back({getRhs(), Value(), getRhsMatrix().getBytes(), Touch::Read,
                      ThreadAccess::Flight::Products});
}

bool MmaAsyncOp::isAccumulator(OpOperand &operand) {
  auto [begin, size] = getODSOperandIndexAndLength(2);
  return operand.getOperandNumber() >= begin &&
         operand.getOperandNumber() < begin + size;
}

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

Synchronization BarrierOp::getSynchronization() { return {Kind::BlockBarrier}; }

Synchronization WarpBarrierOp::getSynchronization() {
  return {Kind::WarpBarrier};
}

Synchronization NamedBarrierOp::getSynchronization() {
  return {Kind::PartBarrier};
}

Synchronization PublishOp::getSynchronization() { return {Kind::ProxyFence}; }

Synchronization CommitCopiesOp::getSynchronization() {
  return {Kind::Commit, Group::Copies};
}

Synchronization CommitProductsOp::getSynchronization() {
  return {Kind::Commit, Group::Products};
}

Synchronization WaitCopiesOp::getSynchronization() {
  return {Kind::WaitForGroups, Group::Copies, int64_t(getBut())};
}

Synchronization WaitProductsOp::getSynchronization() {
  return {Kind::WaitForGroups, Group::Products, int64_t(getBut())};
}

Synchronization CreateBarriersOp::getSynchronization() {
  Synchronization sync{Kind::CreateBarriers};
  sync.place = getPlace();
  sync.count = getCount();
  sync.arrivals = getArrivals();
  return sync;
}

/// Describes an operation at a split barrier.
static Synchronization ofSplitBarrier(Kind kind, int64_t place, Value phase) {
  Synchronization sync{kind};
  sync.place = place;
  sync.phase = phase;
  return sync;
}

Synchronization CreateSplitBarrierOp::getSynchronization() {
  return ofSplitBarrier(Kind::CreateSplit, getPlace(), Value());
}

Synchronization ArriveOp::getSynchronization() {
  return ofSplitBarrier(Kind::ArriveAtSplit, getPlace(), getPhase());
}

Synchronization AwaitOp::getSynchronization() {
  return ofSplitBarrier(Kind::AwaitSplit, getPlace(), getPhase());
}

//===----------------------------------------------------------------------===//
// Slot barriers
//===----------------------------------------------------------------------===//

void ExpectBytesOp::replaceMask(Value mask) { getMaskMutable().set(mask); }

int64_t ExpectBytesOp::getAnnouncedBytes() { return getBytes(); }

void CopyBulkOp::replaceMask(Value mask) { getMaskMutable().set(mask); }

int64_t CopyBulkOp::getCopiedBytes() { return getBytes(); }

void ArriveAtOp::replaceMask(Value mask) { getMaskMutable().set(mask); }

bool ArriveAtOp::releasesAccesses() { return true; }

void AwaitParityOp::replaceMask(Value mask) {
  getMaskMutable().assign(mask ? ValueRange(mask) : ValueRange());
}

Value AwaitParityOp::getAwaitedParity() { return getParity(); }
