// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on prim that serve every target.
#ifndef KILN_TRANSFORMS_PRIM_PASSES_TD
#define KILN_TRANSFORMS_PRIM_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrimRaiseComposites : Pass<"prim-raise-composites", "::mlir::func::FuncOp"> {
  let summary = "Recognises (lifts) composite operations in simpler ones";
  let description = [{
    softmax, rms_norm, layer_norm, gelu, silu, sigmoid, relu and attention, from what
    frontends without them give. Correctness never depends on it.
  }];
}

def PrimWidenFloats : Pass<"prim-widen-floats", "::mlir::func::FuncOp"> {
  let summary = "Computes with floats of at most 8 bits in f32";
  let description = [{
    What moves or chooses elements, changes signs or converts keeps such types. Everything else gets its operands
    converted to f32, products of matrices and convolutions to bf16, both exactly; results are computed in f32 and
    rounded once by a conversion. Combiners of reductions still round at each step.
  }];
}

def PrimDecompose : Pass<"prim-decompose", "::mlir::func::FuncOp"> {
  let summary = "Expands composite operations";
  let description = [{ Every composite, or those named in `ops`, becomes simpler prims. }];
  let options = [ListOption<"ops", "ops", "std::string", "mnemonics to expand; empty: all">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def PrimSimplify : Pass<"prim-simplify", "::mlir::func::FuncOp"> {
  let summary = "Canonicalises prims for fusion";
  let description = [{
    Folds constants, moves reshapes and transposes towards the inputs and brings dot_general into the
    form [B, M, K] x [B, K, N] (batch optional).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

#endif
