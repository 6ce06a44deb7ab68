// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tt dialect: the text that Triton frontends print, as Kiln reads it.
#ifndef KILN_DIALECT_TRITON_TRITONBASE_TD
#define KILN_DIALECT_TRITON_TRITONBASE_TD

include "mlir/IR/OpBase.td"

def Triton_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::kiln::tt";
  let summary = "Triton's block programs, as an input";
  let description = [{
    Operations and types of Triton's IR in the spellings of versions 3.1 to 3.7. The
    dialect exists to be read, checked and converted to `tile`; nothing in Kiln
    produces it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::cf::ControlFlowDialect"];
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerFunctionOps();
    void registerPointerOps();
    void registerTensorOps();
    void registerComputeOps();
    void registerRegionOps();
    void registerDescriptorOps();
    void registerDebugOps();
  }];
}

class TT_Op<string mnemonic, list<Trait> traits = []> : Op<Triton_Dialect, mnemonic, traits>;

#endif
