// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on host programs.
#ifndef KILN_TRANSFORMS_PROGRAM_PASSES_TD
#define KILN_TRANSFORMS_PROGRAM_PASSES_TD

include "mlir/Pass/PassBase.td"

def ProgramPlanMemory : Pass<"program-plan-memory"> {
  let summary = "Places buffers in one arena by their liveness";
  let description = [{
    Buffers whose lifetimes do not overlap share memory. Buffers of static size come
    first in the arena, placed first-fit by decreasing size at multiples of 64 bytes;
    then, for every product of dynamic sizes, the buffers that are multiples of it.
    The arena is reserved by `program.arena`, before the first buffer. Buffers that
    are returned, and those whose size is not known on entry, stay on their own.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def ProgramReuseDonated : Pass<"program-reuse-donated", "::kiln::program::FuncOp"> {
  let summary = "Places results in the memory of donated arguments";
  let description = [{
    An argument that is `donated` (`kiln.argument`) whose last use is a copy to a new buffer, such as the operand of an update, is
    written itself, and the copy is removed: no operation reads the argument after it. Such an argument has
    `donated = "written"`; a result that is an argument has its memory.
  }];
}

def ProgramMergeKernels : Pass<"program-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "Keeps one of several equal kernels";
  let description = [{
    Kernels are equal if they differ at most in their names and locations. Launches
    of one use the first of its equals instead, and it is erased; a kernel that is
    public stays, as others may call it by its name. What an operation says of its
    own place when it runs (a failed assertion) keeps kernels apart, too: an operation
    that affects more than values and views is compared with its location.
  }];
}

def ProgramPlaceLaunches : Pass<"program-place-launches", "::mlir::ModuleOp"> {
  let summary = "Moves launches to the devices of their kernels";
  let description = [{
    `kiln-place-kernels` puts the string attribute `device` on each kernel that does not run on the program's main
    device. A launch of such a kernel gets that device. Each buffer that the launch reads gets a `program.transfer` to the
    device; a `program.copy` brings back each buffer that the launch writes. A buffer that launches on one device alone use is
    allocated there, outside of the arena.
  }];
  let dependentDialects = ["::kiln::program::ProgramDialect", "::mlir::memref::MemRefDialect"];
}

#endif
