// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers, fences and waits of the threads of a block.
#ifndef KILN_INTERFACES_SYNCHRONIZATION_TD
#define KILN_INTERFACES_SYNCHRONIZATION_TD

include "mlir/IR/OpBase.td"

def SynchronizationOpInterface : OpInterface<"SynchronizationOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    A barrier, a fence, a commit of asynchronous operations, or a wait for them, in the code of one thread of a GPU. The barrier verifier
    and the passes that move copies and split barriers ask what the operation orders; they compare no names. A wait for groups of matmuls
    has its accumulators as operands, and one result for each.
  }];
  let methods = [
    InterfaceMethod<"What the operation orders.", "::kiln::Synchronization", "getSynchronization">
  ];
}

def SlotBarrierOpInterface : OpInterface<"SlotBarrierOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    An operation of a thread at a barrier that counts arrivals and bytes, as a slot of a ring buffer has. It announces bytes, starts a copy
    whose bytes the barrier counts, arrives, or waits for a phase. A copy implements `ThreadAccessOpInterface`, too.
  }];
  let methods = [
    InterfaceMethod<"The address of the barrier in shared memory.", "::mlir::Value", "getBarrier">,
    InterfaceMethod<"An i1: if false, the thread does nothing. Null: all threads execute it.", "::mlir::Value", "getMask">,
    InterfaceMethod<"Replaces the mask; null removes it from a wait.", "void", "replaceMask", (ins "::mlir::Value":$mask)>,
    InterfaceMethod<"The parity of the phase that the thread waits for. Null: it does not wait.",
      "::mlir::Value", "getAwaitedParity", (ins), "", "return ::mlir::Value();">,
    InterfaceMethod<"The bytes that an arrival announces for the current phase.",
      "int64_t", "getAnnouncedBytes", (ins), "", "return 0;">,
    InterfaceMethod<"The bytes of an asynchronous copy that the barrier counts. 0: there is none.",
      "int64_t", "getCopiedBytes", (ins), "", "return 0;">,
    InterfaceMethod<"Whether accesses of the thread before it happen before what follows a wait for the phase.",
      "bool", "releasesAccesses", (ins), "", "return false;">
  ];
}

#endif
