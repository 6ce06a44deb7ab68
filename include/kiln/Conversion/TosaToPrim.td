// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conversion of TOSA, and of what stands among it, to prim.
#ifndef KILN_CONVERSION_TOSATOPRIM_TD
#define KILN_CONVERSION_TOSATOPRIM_TD

include "mlir/Pass/PassBase.td"

def TosaToPrim : Pass<"convert-tosa-to-prim", "::mlir::ModuleOp"> {
  let summary = "Converts functions of TOSA to prim";
  let description = [{
    Every public function with a body (or those named by `entry`) becomes a function of prim; calls
    are inlined and private functions disappear. Besides TOSA it reads `tensor`, `memref`,
    `affine`, `scf`, `arith`, `math` and `func` as they appear between them. A load of a
    global of `ml_program` is a constant, if the global is not mutable. An operation that the pass cannot convert is an error at the operation that begins with "unsupported: ".

    Scalars, indices and buffers among the arguments are tensors (an index is an i64). A read of
    a buffer gives the elements that were written last; distinct arguments are taken for distinct buffers. The results of the function of prim are those of the function,
    then the final contents of each argument that it writes, in the order of the arguments. The pass executes
    loops and conditions that do not depend on data. For a condition that depends on data, the function of
    prim computes both sides.

    Calls of functions without a body are ignored, with a remark, where none of their results reaches a
    result of the function. If a function returns nothing, then the tensors that it hands to such calls
    (or, if there are none, casts to unranked types) are its results, in order.

    i4 becomes i8 and i48 becomes i64; unsigned integers become signless ones.
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
