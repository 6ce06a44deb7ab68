// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that read programs: what of a file is wanted, and whose it is.
#ifndef KILN_FRONTEND_PASSES_TD
#define KILN_FRONTEND_PASSES_TD

include "mlir/Pass/PassBase.td"

def RunFrontend : Pass<"kiln-frontend", "::mlir::ModuleOp"> {
  let summary = "Converts the input of any frontend to prim or tile";
  let description = [{
    Recognises the frontends of the module's operations, as `kiln-compile` does, and runs their pipelines one after the
    other. `kiln-compile --print-pipeline` prints the passes of these pipelines. An input that no frontend takes, or several, is an
    error.
  }];
  let options = [
    Option<"frontend", "frontend", "std::string", "", "the frontend that reads it; empty: told by its contents">,
    ListOption<"entries", "entry", "std::string", "functions that stay public; none: all that are public">,
    ListOption<"values", "set", "std::string", "KEY=VALUE for frontends that have the key">
  ];
}

def KeepEntries : Pass<"kiln-keep-entries", "::mlir::ModuleOp"> {
  let summary = "Removes functions and kernels that no entry needs";
  let description = [{
    Makes the functions or kernels that `entry` names public, and all others private; without names the public ones stay as they are. Erases
    every function and kernel that no public one needs, so that parts of a file that are meant for other tools do not reach later passes, and
    module attributes of dialects that come with MLIR. If the file holds several modules, the one with functions replaces the
    whole. An unknown name, and an entry in a form of function that Kiln does not compile, are errors.
  }];
  let options = [ListOption<"entries", "entry", "std::string", "names of the entries; none: all public functions and kernels">];
}

def VerifySizes : Pass<"kiln-verify-sizes", "::mlir::ModuleOp"> {
  let summary = "Reports values that are too large, or have too many dimensions";
  let description = [{
    An error for each value or argument with more than 2^46 elements, or with a rank that the runtime does not take.
  }];
}

#endif
