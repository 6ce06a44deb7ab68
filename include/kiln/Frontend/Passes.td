// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that read programs: what of a file is wanted, and whose it is.
#ifndef KILN_FRONTEND_PASSES_TD
#define KILN_FRONTEND_PASSES_TD

include "mlir/Pass/PassBase.td"

def RunFrontend : Pass<"kiln-frontend", "::mlir::ModuleOp"> {
  let summary = "Brings the input of any frontend to prim or tile";
  let description = [{
    Recognises what the module holds as `kiln-compile` does, and runs the pipelines of the frontends that read
    it, one after the other. `kiln-compile --print-pipeline` prints the passes that this one stands for. An input
    that no frontend takes, or several, is an error.
  }];
  let options = [
    Option<"frontend", "frontend", "std::string", "", "the frontend that reads it; empty: told by its contents">,
    ListOption<"entries", "entry", "std::string", "functions that are compiled for their own sake; none: all public ones">,
    ListOption<"values", "set", "std::string", "KEY=VALUE for frontends that have the key">
  ];
}

def KeepEntries : Pass<"kiln-keep-entries", "::mlir::ModuleOp"> {
  let summary = "Removes what no wanted function or kernel needs";
  let description = [{
    The functions or kernels that `entry` names become the public ones; without names those that are public stay so.
    What none of them needs is erased, so that whatever else a file holds, for whichever tool, does not reach the
    passes behind, and so are module attributes of dialects that come with MLIR. Of several modules in a file the one
    with functions takes the place of the whole. A name that is not there, and an entry in a form of function that
    Kiln does not compile, are errors.
  }];
  let options = [ListOption<"entries", "entry", "std::string", "names that are wanted; none: all public ones">];
}

def VerifySizes : Pass<"kiln-verify-sizes", "::mlir::ModuleOp"> {
  let summary = "Reports values that no memory holds";
  let description = [{
    An error for each value or argument with more than 2^46 elements, or with a rank that the runtime does not take.
  }];
}

#endif
