// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the cpu family that decide how products are computed.
#ifndef KILN_CPU_PASSES_TD
#define KILN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def SelectMatrixInstructions : Pass<"cpu-select-matrix-instructions", "::mlir::ModuleOp"> {
  let summary = "Chooses the matrix instruction and the register block of each matmul";
  let description = [{
    Gives every matmul of a kernel that has a place for it (ProductSplitOpInterface) the attribute `split`: the row of the
    description's `matrix_instructions` that computes it in the fewest cycles, the register block that wastes least,
    and as many steps as leave the panel of the right operand in the nearest cache. A product that has the
    attribute keeps it.

    A row can be taken if its code is known (kiln/Cpu/MatrixInstructions.h), its accumulator has the product's type, and
    each operand has a type of the row or converts to one without loss. Signed 8-bit operands are taken for unsigned
    ones with an offset. Rows that read subnormal numbers as zero compute products of bf16, as
    docs/numerics.md says, unless `keep-subnormals` is set.

    Where no row can be taken panels hold elements of the accumulator's type, which are multiplied and added.
  }];
  let options = [Option<"keepSubnormals", "keep-subnormals", "bool", "false",
                        "take no instruction that reads subnormal numbers as zero">];
  let dependentDialects = ["::kiln::cpu::CpuDialect"];
}

def SplitProducts : Pass<"cpu-split-products", "::kiln::tile::KernelOp"> {
  let summary = "Splits the matmuls whose definition has no attribute for how they are split";
  let description = [{
    Chooses the matrix instruction and the register block of matmuls with MatrixProductOpInterface but without
    ProductSplitOpInterface, such as those of a plug-in, as `cpu-select-matrix-instructions` does for others. The pass splits them at once,
    as `stage-split-products` does, because they have no place for the choice. A matmul that a plug-in's lowering may take stays whole.
  }];
  let options = [Option<"keepSubnormals", "keep-subnormals", "bool", "false",
                        "take no instruction that reads subnormal numbers as zero">];
  let dependentDialects = ["::kiln::cpu::CpuDialect", "::kiln::stage::StageDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerMicroKernels : Pass<"cpu-lower-micro-kernels", "::mlir::ModuleOp"> {
  let summary = "Turns micro-kernels into functions, one for each shape and instruction";
  let description = [{
    Each `cpu.micro_kernel` becomes a call of a private function, which holds loops over the instruction that it names;
    `cpu.acquire` and `cpu.release` become the code that turns the instruction's unit on and off. If the unit needs a mode of the
    processor, the code between them becomes a function of its own, which enters and leaves that mode. An instruction without
    registered code is unsupported.
  }];
  let dependentDialects = ["::kiln::cpu::CpuDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def Prefetch : Pass<"cpu-prefetch", "::kiln::tile::KernelOp"> {
  let summary = "Prefetches the memory that the next instance reads and stores to";
  let description = [{
    On kernels of the stage level. `stage.prefetch` before the first region asks for the pages of the row that the next
    instance stores, where its view is larger than the last cache. `stage.prefetch_ahead` beside the last read of a tile
    that several regions read (`#stage.clone`) asks for the next instance's tile: into the nearest cache if three such
    tiles fit there. The sizes of caches come from the description.
  }];
  let dependentDialects = ["::kiln::stage::StageDialect", "::mlir::arith::ArithDialect"];
}

def StreamStores : Pass<"cpu-stream-stores", "::kiln::tile::KernelOp"> {
  let summary = "Makes stores to views larger than the last cache non-temporal";
  let description = [{
    Regions of the stage level that store through a view get `stream` with the size of the last cache, unless the view
    is smaller for sure. Rows are peeled up to the first aligned vector if the view is larger for sure. A region that has
    `stream` keeps it.
  }];
  let dependentDialects = ["::kiln::stage::StageDialect"];
}

#endif
