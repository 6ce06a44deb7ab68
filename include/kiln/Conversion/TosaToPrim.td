// The conversion of TOSA, and of what stands among it, to prim.
#ifndef KILN_CONVERSION_TOSATOPRIM_TD
#define KILN_CONVERSION_TOSATOPRIM_TD

include "mlir/Pass/PassBase.td"

def TosaToPrim : Pass<"tosa-to-prim", "::mlir::ModuleOp"> {
  let summary = "Converts functions of TOSA and linalg to prim";
  let description = [{
    Every public function with a body (or those named by `entry`) becomes a function of prim; calls
    are inlined and private functions disappear. Besides TOSA it reads `linalg` on tensors, and `tensor`,
    `arith`, `math` and `func` as they appear between them. A load of a global of `ml_program` is a constant, if the
    global is not mutable. What it cannot convert is an error that
    begins with "unsupported: " and stands at the operation.

    Calls of functions without a body are ignored, with a remark, where none of their results reaches a
    result of the function. If a function returns nothing, then the tensors that it hands to such calls
    (or, if there are none, casts to unranked types) are its results, in order.

    i4 becomes i8 and i48 becomes i64; unsigned integers become signless ones.
  }];
  let dependentDialects = ["::kiln::prim::PrimDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect", "::mlir::tensor::TensorDialect"];
  let options = [ListOption<"entries", "entry", "std::string",
                            "functions to convert; empty: every public one">];
}

#endif
