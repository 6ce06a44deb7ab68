// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conversion of StableHLO and CHLO to prim.
#ifndef KILN_CONVERSION_STABLEHLOTOPRIM_TD
#define KILN_CONVERSION_STABLEHLOTOPRIM_TD

include "mlir/Pass/PassBase.td"

def StablehloToPrim : Pass<"convert-stablehlo-to-prim", "::mlir::ModuleOp"> {
  let summary = "Converts functions of StableHLO to prim";
  let description = [{
    Every public function with a body (or those named by `entry`) becomes a function of prim; calls are
    inlined and private functions disappear. Besides StableHLO and CHLO it reads the upstream
    dialects that `convert-tosa-to-prim` reads, and portable artifacts, whose versioned operations become
    those of StableHLO first. An operation that the pass cannot convert is an error at the operation
    that begins with "unsupported: ".

    Unsigned integers become signless ones. A complex tensor among arguments or results is a real
    one with a last dimension of 2: real part, imaginary part. Tuples are their members in order;
    tokens disappear. A program is that of one process: exchanges in which each process
    keeps to itself are nothing, others are not supported.
  }];
  let dependentDialects = ["::kiln::prim::PrimDialect", "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
                           "::kiln::stablehlo::StablehloDialect"];
  let options = [ListOption<"entries", "entry", "std::string",
                            "functions to convert; empty: every public one">,
                 Option<"elided", "elided", "std::string", "",
                        "zeros or random: stands for elements that the file leaves out">,
                 Option<"windows", "windows", "std::string", "",
                        "whole: a scattered window that is partly outside of its operand is dropped, as XLA does">];
}

#endif
