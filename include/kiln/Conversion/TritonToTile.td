// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conversion of Triton's block programs to tile.
#ifndef KILN_CONVERSION_TRITONTOTILE_TD
#define KILN_CONVERSION_TRITONTOTILE_TD

include "mlir/Pass/PassBase.td"

def TritonToTile : Pass<"convert-triton-to-tile", "::mlir::ModuleOp"> {
  let summary = "Converts kernels of the tt dialect to tile";
  let description = [{
    Calls are inlined, unstructured control flow is lifted to `scf`, and every public function becomes a
    kernel. Block pointers and tensor descriptors become views; pointer arithmetic becomes tiles of
    pointers. The numerics mode is Triton's: contraction is on, and so are
    approximations of `math` functions, unless `numerics` says otherwise ("strict").
    Loops over unsigned numbers, and those whose constant bounds are further apart than their signed type reaches, become loops over their trips.
    An operation that the pass cannot convert is an error at the operation that begins with "unsupported: ".
  }];
  let dependentDialects = ["::kiln::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::ub::UBDialect"];
  let options = [Option<"numerics", "numerics", "std::string", "\"triton\"",
                        "numerics mode of the kernels: triton or strict">];
}

#endif
