// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simt dialect itself, the base class of its operations, and addresses.
#ifndef KILN_DIALECT_SIMT_SIMTBASE_TD
#define KILN_DIALECT_SIMT_SIMTBASE_TD

include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/IR/OpBase.td"

def Simt_Dialect : Dialect {
  let name = "simt";
  let cppNamespace = "::kiln::simt";
  let summary = "Tiles distributed over the threads of a block, and the code of one thread";
  let description = [{
    One program instance runs on a block of threads (CTA, workgroup): `warps` warps of `lanes` threads that execute in step. A tile that
    is distributed over threads has `#simt.layout` as its encoding; `simt.convert_layout` changes the layout.

    The code of one thread consists of `arith`, `math`, `scf`, upstream's `gpu` (ids, shuffles, barriers) and
    `llvm` (addresses). This dialect adds what these lack: memory accesses with a mask and cache hints, asynchronous copies, barriers of
    single memories, and matrix instructions. A target lowers them to its instructions.

    Constraints are numbered (C1, C2, ...) in each description; verifiers and tests use the same numbers.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::kiln::stage::StageDialect", "::kiln::tile::TileDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

class Simt_Op<string mnemonic, list<Trait> traits = []> : Op<Simt_Dialect, mnemonic, traits>;

/// An address in any memory.
def Simt_Pointer : Type<CPred<"::llvm::isa<::mlir::LLVM::LLVMPointerType>($_self)">, "pointer of llvm">;

#endif
