// Passes on host programs.
#ifndef KILN_DIALECT_PROGRAM_PASSES_TD
#define KILN_DIALECT_PROGRAM_PASSES_TD

include "mlir/Pass/PassBase.td"

def ProgramPlanMemory : Pass<"program-plan-memory"> {
  let summary = "Places buffers in one arena by their lifetimes";
  let description = [{
    Buffers of static size whose lifetimes do not overlap share memory. Buffers that
    are returned stay on their own.
    `program.arena_bytes` and `program.tensor_bytes` on the function report the arena's
    size and the sum of its buffers.
  }];
}

#endif
