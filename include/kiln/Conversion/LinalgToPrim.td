// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conversion of linalg, and of what stands among it, to prim.
#ifndef KILN_CONVERSION_LINALGTOPRIM_TD
#define KILN_CONVERSION_LINALGTOPRIM_TD

include "mlir/Pass/PassBase.td"

def LinalgToPrim : Pass<"convert-linalg-to-prim", "::mlir::ModuleOp"> {
  let summary = "Converts functions of linalg to prim";
  let description = [{
    Every public function with a body (or those named by `entry`) becomes a function of prim, as
    `convert-tosa-to-prim` says. Structured operations are read by their indexing maps and bodies: sums of
    products become `prim.dot_general` or `prim.conv`, windows poolings. TOSA that a lowering has left
    among them is read, too. An operation that the pass cannot convert is an error at
    the operation that begins with "unsupported: ".
  }];
  let dependentDialects = ["::kiln::prim::PrimDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let options = [ListOption<"entries", "entry", "std::string",
                            "functions to convert; empty: every public one">,
                 Option<"elided", "elided", "std::string", "",
                        "zeros or random: stands for elements that the file leaves out">];
}

#endif
