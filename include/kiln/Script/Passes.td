// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass that applies a schedule script.
#ifndef KILN_SCRIPT_PASSES_TD
#define KILN_SCRIPT_PASSES_TD

include "mlir/Pass/PassBase.td"

def ApplySchedule : Pass<"kiln-apply-schedule", "::mlir::ModuleOp"> {
  let summary = "Applies a schedule script to the kernels that it matches";
  let description = [{
    A schedule script is a module of MLIR's transform dialect with the operations `transform.kiln.*`. Its named sequences
    have the names of extension points; this pass runs the one that `point` names on the module, if there is one. Private
    sequences are for `transform.include`. A public one with another name is an error.

    A decision that a script makes is kept on its operation as `kiln.asked`, with the line of the script. Passes that
    cannot follow it report `unsupported: ` there, and the kernel goes to no other target.

    The script is the file of the option `file`, else that of the key `schedule_file` of the module's target
    specification. Pipelines run the pass at each extension point when the specification has this key.
  }];
  let options = [
    Option<"file", "file", "std::string", "\"\"", "the script; empty: that of the target specification">,
    Option<"point", "point", "std::string", "\"core.tile\"", "the sequence to run">
  ];
}

#endif
