//===- SharedPlaces.cpp - Accesses to a block's memory --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedPlaces.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

bool simt::isShared(Value pointer) {
  auto type = dyn_cast<LLVM::LLVMPointerType>(pointer.getType());
  return type && type.getAddressSpace() == 3;
}

Value simt::sharedPlace(Operation *op) {
  Value place =
      TypeSwitch<Operation *, Value>(op)
          .Case<LLVM::LoadOp, LLVM::StoreOp>(
              [](auto op) { return op.getAddr(); })
          .Case<LoadOp, StoreOp, LoadMatrixOp, StoreMatrixOp, AtomicRMWOp,
                AtomicCASOp>([](auto op) { return op.getAddress(); })
          .Case<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(
              [](auto op) { return op.getPtr(); })
          .Case([](CopyBulkOp op) { return op.getTarget(); })
          .Case([](AsyncCopyOpInterface op) { return op.getTarget(); })
          .Case<ExpectBytesOp, ArriveAtOp, AwaitParityOp>(
              [](auto op) { return op.getBarrier(); })
          .Case([](MmaAsyncOp op) { return op.getRhs(); })
          .Default([](Operation *) { return Value(); });
  return place && isShared(place) ? place : Value();
}

Value simt::maskOf(Operation *op) {
  return TypeSwitch<Operation *, Value>(op)
      .Case<LoadOp, StoreOp, CopyBulkOp, ExpectBytesOp, ArriveAtOp,
            AwaitParityOp, AsyncCopyOpInterface>(
          [](auto op) -> Value { return op.getMask(); })
      .Default([](Operation *) { return Value(); });
}

int64_t simt::bytesOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * bytesOf(vector.getElementType());
  return type.isIntOrFloat()
             ? int64_t(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8))
             : 8;
}
