// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program dialect itself and the base class of its operations.
#ifndef KILN_DIALECT_PROGRAM_PROGRAMBASE_TD
#define KILN_DIALECT_PROGRAM_PROGRAMBASE_TD

include "mlir/IR/OpBase.td"

def Program_Dialect : Dialect {
  let name = "program";
  let cppNamespace = "::kiln::program";
  let summary = "The host side: buffers, launches, transfers";
  let description = [{
    A host program is code over buffers (memrefs), sizes (`arith` on `index`,
    `memref.dim`) and launches, with `scf.if`, `scf.while` and `scf.for` as control flow;
    these may have sizes and buffers as results. It ends as data in a package and is
    interpreted by the runtime; only kernels are native code.

    A device is the name of a driver and an ordinal, the number among the devices of that
    driver: 0 unless it is said. Without a device an operation means the first one of the
    program, a launch the one that its kernel was compiled for. Buffers have to be on the
    device of the kernels that use them; `program.transfer` copies them there. `in` names
    one of a device's memories, as its driver calls them.

    Operations take effect in program order. On a device with queues, launches, copies and
    fills may still be in flight when the next operation is executed, which then follows
    them in the queue. `program.read` and the end of the call wait for them.

    An operation that fails at run time (memory is exhausted, an access is out of bounds, a
    kernel faults) ends the call with an error that names it; the results of the call are
    then undefined.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::kiln::tile::TileDialect"];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

class Program_Op<string mnemonic, list<Trait> traits = []>
    : Op<Program_Dialect, mnemonic, traits>;

#endif
