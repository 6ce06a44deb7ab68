// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps of the driver between the levels.
#ifndef KILN_DRIVER_PASSES_TD
#define KILN_DRIVER_PASSES_TD

include "mlir/Pass/PassBase.td"

def InferDomains : Pass<"kiln-infer-domains", "::mlir::ModuleOp"> {
  let summary = "Infers which inputs functions and kernels accept";
  let description = [{
    Follows divisors, operands of roots and logarithms, shift amounts and row indices back to the arguments of prim
    functions and tile kernels, and annotates these with their valid values: `domain` and `range` of `kiln.argument`. Tools that
    invent inputs respect the annotations.
  }];
}

def SetNumerics : Pass<"kiln-set-numerics", "::mlir::ModuleOp"> {
  let summary = "Gives kernels the numerics mode of the command line";
  let description = [{
    Kernels that state no mode get that of `modes`, if any is given. If `modes` are given without `reassoc`, the module gets
    the decision `keep_order` in `kiln.asked`, so that scans by a function of floats keep the order of the program. With `allow-tf32` products of f32 operands
    may read them as tf32, where they do not ask for another precision, and so may `prim.dot_general` and
    `prim.conv`.
    `tile-contract` then rewrites what the mode allows.
  }];
  let options = [
    ListOption<"modes", "modes", "std::string", "contract, approx, ftz, reassoc; strict: none of them">,
    Option<"allowTf32", "allow-tf32", "bool", "false", "operands of f32 products may be read as tf32">
  ];
  let dependentDialects = ["::kiln::tile::TileDialect"];
}

def IsolateKernels : Pass<"kiln-isolate-kernels", "::mlir::ModuleOp"> {
  let summary = "Removes everything but the kernels of a module, and makes them public";
  let description = [{
    Afterwards nothing in the module launches the kernels. For a target's pipeline (`for-target`) each kernel keeps the name of the
    function that launched it in `kiln.reported`, and the module keeps its target. Without this option the module keeps no attributes.
  }];
  let options = [Option<"forTarget", "for-target", "bool", "false", "a target's pipeline comes next">];
}

def PlaceKernels : Pass<"kiln-place-kernels", "::mlir::ModuleOp"> {
  let summary = "Assigns each kernel to the first target that can compile it";
  let description = [{
    Offers every kernel to the targets of `targets` in order, A+B as `--target` takes them, then to the host's target. A
    target takes a kernel if the chip's limits allow it, its `accepts` agrees and its pipeline and serialiser succeed; an
    error that begins with "unsupported: " declines the kernel. All variants of one launch stay together. A kernel
    whose target is not the first one that has any gets `device`, the name of its device. The driver makes the same
    decisions and keeps the compiled code. This pass discards the code: it serves to print and test the decisions.
  }];
  let options = [
    Option<"targets", "targets", "std::string", "\"\"", "target specifications, A+B; empty: the module's own target">,
    Option<"noFallback", "no-fallback", "bool", "false", "a kernel that none of them takes is an error, not the host's">
  ];
  let dependentDialects = ["::kiln::tile::TileDialect", "::kiln::program::ProgramDialect"];
}

#endif
