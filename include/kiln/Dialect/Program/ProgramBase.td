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
    A host program is straight-line code over buffers (memrefs), sizes (`arith` on
    `index`, `memref.dim`) and launches. It ends as data in a package and is interpreted
    by the runtime; only kernels are native code.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::kiln::tile::TileDialect"];
}

class Program_Op<string mnemonic, list<Trait> traits = []>
    : Op<Program_Dialect, mnemonic, traits>;

#endif
