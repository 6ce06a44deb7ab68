// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conversion of models of ONNX to prim.
#ifndef KILN_CONVERSION_ONNXTOPRIM_TD
#define KILN_CONVERSION_ONNXTOPRIM_TD

include "mlir/Pass/PassBase.td"

def OnnxToPrim : Pass<"convert-onnx-to-prim", "::mlir::ModuleOp"> {
  let summary = "Converts models of ONNX to prim";
  let description = [{
    Reads functions of `torch.operator` as torch-mlir's importer writes them. Every public function with a body (or those
    named by `entry`) becomes a function of prim. Sizes follow from operands. Operands that an operator takes as numbers (axes, shapes) have to be known
    here, as constants or as results computed from constants and sizes, unless the type of the result states them, too. A sequence among the results is returned as its elements. An operator that the pass cannot convert is an error at the operator that begins with "unsupported: ".
  }];
  let dependentDialects = ["::kiln::prim::PrimDialect", "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let options = [ListOption<"entries", "entry", "std::string",
                            "functions to convert; empty: every public one">,
                 ListOption<"lengths", "lengths", "std::string",
                            "NAME:LENGTH of each sequence among the arguments, whose elements are passed one behind the "
                            "other; LENGTHxRANK where the model gives their elements no rank; of an optional, 0 or 1">,
                 ListOption<"fixed", "fixed", "std::string",
                            "NAME:NUMBERS, with x between them, of arguments that become constants">,
                 Option<"elided", "elided", "std::string", "",
                        "zeros or random: stands for elements that the file leaves out">];
}

#endif
