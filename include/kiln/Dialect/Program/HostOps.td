// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host computes itself.
#ifndef KILN_DIALECT_PROGRAM_HOSTOPS_TD
#define KILN_DIALECT_PROGRAM_HOSTOPS_TD

include "kiln/Dialect/Program/ProgramBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// What the process that runs a program holds outside of the program's buffers.
def Program_Process : Resource<"::kiln::program::Process">;

def Program_HostOp : Program_Op<"host", [AttrSizedOperandSegments, MemoryEffects<[MemWrite<Program_Process>]>]> {
  let summary = "Runs a function of the host";
  let description = [{
    The runtime's function of that name, which the operation of prim of that name specifies (`prim.cholesky`, ...), with its
    unit attributes as `flags`; of `callback` the one flag is the name of the function that the process has registered. It reads the `sources` and writes the `targets`, all of them dense, after all work that
    writes and reads them has ended; where the host does not see the device's memory they are copied.
    A function may change what the process holds, so that none is left out.

    Example:
    ```mlir
    program.host "triangular_solve" flags ["lower"] (%a, %b) to(%x)
      : memref<8x8xf32>, memref<8x3xf32> to memref<8x3xf32>
    ```
  }];
  let arguments = (ins StrAttr:$function, OptionalAttr<StrArrayAttr>:$flags,
    Arg<Variadic<AnyMemRef>, "", [MemRead]>:$sources, Arg<Variadic<AnyMemRef>, "", [MemWrite]>:$targets);
  let assemblyFormat = [{
    $function (`flags` $flags^)? `(` $sources `)` `to` `(` $targets `)` attr-dict
    `:` type($sources) `to` type($targets)
  }];
}

#endif
