// Passes on host programs.
#ifndef KILN_DIALECT_PROGRAM_PASSES_TD
#define KILN_DIALECT_PROGRAM_PASSES_TD

include "mlir/Pass/PassBase.td"

def ProgramPlanMemory : Pass<"program-plan-memory"> {
  let summary = "Places buffers in one arena by their lifetimes";
  let description = [{
    Buffers whose lifetimes do not overlap share memory. Buffers of static size come
    first in the arena, placed first-fit by decreasing size at multiples of 64 bytes;
    then, for every product of dynamic sizes, the buffers that are multiples of it.
    The arena is reserved by `program.arena`, before the first buffer. Buffers that
    are returned, and those whose size is not known on entry, stay on their own.

    `program.arena_bytes` and `program.tensor_bytes` on the function report the size
    of the arena's static part and the sum of the buffers in it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

#endif
