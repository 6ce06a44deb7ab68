// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels, the grid, and what holds a kernel together.
#ifndef KILN_DIALECT_TILE_KERNELOPS_TD
#define KILN_DIALECT_TILE_KERNELOPS_TD

include "kiln/Dialect/Tile/TileAttrs.td"
include "kiln/Dialect/Tile/TileTypes.td"
include "kiln/Index/IndexInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def Tile_KernelOp : Tile_Op<"kernel", [
    IsolatedFromAbove, FunctionOpInterface, AutomaticAllocationScope,
    DeclareOpInterfaceMethods<IndexFactsOpInterface, ["getArgumentFacts"]>]> {
  let summary = "A block program, run once per point of a grid";
  let description = [{
    Parameters are views, pointers and scalars. Facts about a parameter are
    entries of its attribute `tile.facts` and never needed for correctness:

    - `readonly`: nothing writes the memory of the view during the launch.
    - `noalias`: no other parameter reaches the memory of the view.
    - `align = N : i64`: the base address is a multiple of N bytes.
    - `size_div`, `stride_div = array<i64: ...>`: each size or stride is a
      multiple of the number given.
    - `divisibility = N : i64`: the integer is a multiple of N.

    Attributes: `sym_name`, `sym_visibility`, `function_type`, `arg_attrs` and `res_attrs` are those of
    functions; `numerics` is the numerics mode; `progress` says whether instances may wait for each
    other; `hints` maps a target's name to a dictionary of hints, and `tile.hints` (docs/hints.md) holds those
    that several targets know. The `body` is one block.

    Passes record their decisions about a kernel in these attributes:

    - `variants`: kernels that compute the same and have the same parameters, with more facts about the parameters or with a
      `condition`. A launch by this kernel's name runs the first variant whose facts and condition hold, else the kernel itself.
    - `condition`: an affine set without dimensions. Its symbols are the parameters (integers read as signed, all others 0),
      then the three extents of the grid as the caller gives them. The kernel has a meaning only in launches that the set
      holds. The conditions are in order: earlier ones keep an expression of a later one below 2^62.
    - `most_instances`: for a kernel that only known launches run, the most instances along each of the three axes of the grid.
    - `grid_scale`: for a kernel whose blocks changed without a launch in sight, the old and the new block size of each axis of
      the grid. A caller that knows the grid for the old sizes launches ceildiv(grid * old, new) instances along the axis.
    - `tiling`: the problem that the cost model was asked, and the blocks of its answer.
    - `device`: the device that runs the kernel, where this is not the main device of the program.
    - `warps`: warps of an instance of a kernel whose tiles have layouts.
    - `shared_bytes`: size of the shared memory of an instance in bytes, from `simt-insert-barriers` on.

    Constraints:
    - (C1) A kernel has a body and no results.
    - (C2) Parameters are views, pointers or scalars.
    - (C3) Facts are about parameters of the kind that can have them, and hold one number per
      dimension, at least 1; an alignment is a power of two.
    - (C4) Hints of a target are a dictionary.
    - (C5) The body ends in `tile.return`.
    - (C6) `variants` is not empty; `condition` has no dimension, and a symbol for each parameter and for the three extents of the
      grid; `most_instances` has three numbers, `grid_scale` two for each axis, all at least 1.
    - (C7) `warps` is at least 1; `shared_bytes` is not negative.

    Since: 0.1.

    Example:
    ```mlir
    tile.kernel @double(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
      %i = tile.program_id : index
      %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<1024xf32>
      %b = arith.addf %a, %a : tensor<1024xf32>
      tile.store %b, %y[%i] : tensor<1024xf32>, !tile.view<?xf32>
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
    OptionalAttr<Tile_NumericsAttr>:$numerics,
    OptionalAttr<Tile_ProgressAttr>:$progress,
    OptionalAttr<DictionaryAttr>:$hints,
    OptionalAttr<FlatSymbolRefArrayAttr>:$variants,
    OptionalAttr<IntegerSetAttr>:$condition,
    OptionalAttr<DenseI64ArrayAttr>:$most_instances,
    OptionalAttr<DenseI64ArrayAttr>:$grid_scale,
    OptionalAttr<StrAttr>:$tiling,
    OptionalAttr<StrAttr>:$device,
    OptionalAttr<I64Attr>:$warps,
    OptionalAttr<I64Attr>:$shared_bytes);
  let regions = (region SizedRegion<1>:$body);
  // Files of version 0.1 do not have all of them.
  let useCustomPropertiesEncoding = 1;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>];
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "Ends a kernel";
  let description = [{
    Ends the instance. Added when the text leaves it out.

    Since: 0.1.

    Example:
    ```mlir
    tile.return
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_ProgramIdOp : Tile_Op<"program_id", [
    Pure, DeclareOpInterfaceMethods<IndexFactsOpInterface>]> {
  let summary = "Coordinates of this instance in the grid";
  let description = [{
    - `ids`: the coordinate along x, then y, then z, each in [0, number of programs along it).

    Constraints:
    - (C1) There are one to three results.

    Since: 0.1.

    Example:
    ```mlir
    %i, %j = tile.program_id : index, index
    ```
  }];
  let results = (outs Variadic<Index>:$ids);
  let assemblyFormat = "attr-dict `:` type($ids)";
  let hasVerifier = 1;
}

def Tile_NumProgramsOp : Tile_Op<"num_programs", [
    Pure, DeclareOpInterfaceMethods<IndexFactsOpInterface>]> {
  let summary = "Extents of the grid";
  let description = [{
    - `counts`: the number of instances along x, then y, then z.

    Constraints:
    - (C1) There are one to three results.

    Since: 0.1.

    Example:
    ```mlir
    %nx = tile.num_programs : index
    ```
  }];
  let results = (outs Variadic<Index>:$counts);
  let assemblyFormat = "attr-dict `:` type($counts)";
  let hasVerifier = 1;
}

#endif
