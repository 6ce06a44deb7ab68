// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on prim that serve every target.
#ifndef KILN_TRANSFORMS_PRIM_PASSES_TD
#define KILN_TRANSFORMS_PRIM_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrimFoldCoordinates : Pass<"prim-fold-coordinates", "::mlir::func::FuncOp"> {
  let summary = "Computes integers that follow from coordinates at compile time";
  let description = [{
    An integer tensor of known sizes may be an affine function of the coordinates of its elements, whatever the arguments are: ranges,
    their differences, gathers and slices, constant prefix sums, and comparisons that have one result everywhere. The pass replaces such gathers, scans and
    concatenations by `prim.iota`, and constant results by `prim.full`. Models of language compute their
    masks like this, so the mask of causal attention becomes a comparison of two ranges, which schedules recognise.

    Integers that would wrap, and gathers of places outside of their operand, stay as they are.
  }];
}

def PrimRaiseComposites : Pass<"prim-raise-composites", "::mlir::func::FuncOp"> {
  let summary = "Recognises (lifts) composite operations in simpler ones";
  let description = [{
    Finds softmax, rms_norm, layer_norm, gelu, silu, sigmoid, relu and attention in the simpler operations that frontends
    without these composites write. Correctness never depends on this pass.
  }];
}

def PrimWidenFloats : Pass<"prim-widen-floats", "::mlir::func::FuncOp"> {
  let summary = "Computes with floats of at most 8 bits in f32";
  let description = [{
    Operations that move or choose elements, change signs or convert keep such types. All others get their operands
    converted exactly: those of matmuls and convolutions to bf16, the rest to f32. They compute in f32, and a conversion
    rounds the result once. Combiners of reductions still round at each step.
  }];
}

def PrimDecompose : Pass<"prim-decompose", "::mlir::func::FuncOp"> {
  let summary = "Expands composite operations";
  let description = [{ Replaces every composite, or those named in `ops`, by simpler operations of prim. }];
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
