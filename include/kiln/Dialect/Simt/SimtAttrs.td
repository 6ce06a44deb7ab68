// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts of tiles over threads, swizzles of shared memory, and what a launch needs.
#ifndef KILN_DIALECT_SIMT_SIMTATTRS_TD
#define KILN_DIALECT_SIMT_SIMTATTRS_TD

include "kiln/Dialect/Simt/SimtBase.td"
include "kiln/Interfaces/Layout.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"

def Simt_LayoutAttr : AttrDef<Simt_Dialect, "Layout",
    [DeclareAttrInterfaceMethods<LayoutAttrInterface, ["verifyLayoutFor"]>,
     DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "which register of which lane of which warp holds which element of a tile";
  let description = [{
    A linear map over bits. Register r of lane l of warp w holds the element at the coordinates that result from an
    exclusive or (XOR) of bases: one basis for each bit that is set in r, l and w. A basis has a number for each dimension
    of the tile. A bit that is not listed, or whose basis is zero, does not change the coordinates: its registers, lanes or warps hold
    copies. Sizes that are not powers of two are rounded up; a register beyond the tile holds an unspecified value.

    Constraints:
    - (C1) Every basis has as many numbers as the tile has dimensions, none negative.
    - (C2) A basis of a register is not zero.
    - (C3) The last basis of `lane` and of `warp` is not zero.
    - (C4) For a tile of a shape, every element has a place, and coordinates are within the sizes rounded up.

    ```mlir
    // Two elements in a row for each thread, four threads in a row, eight rows; each warp has eight rows.
    #simt.layout<rank = 2, register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
    ```
  }];
  let parameters = (ins "int64_t":$rank, ArrayRefParameter<"int64_t">:$registers,
    ArrayRefParameter<"int64_t">:$lanes, ArrayRefParameter<"int64_t">:$warps);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// One basis: a number for each dimension.
    using Basis = ::llvm::SmallVector<int64_t, 4>;
    /// The layout with these bases; zero bases of registers, and those of lanes and warps that end the list, are left out.
    static LayoutAttr get(::mlir::MLIRContext *context, int64_t rank, ::llvm::ArrayRef<Basis> registers,
                          ::llvm::ArrayRef<Basis> lanes, ::llvm::ArrayRef<Basis> warps);
    unsigned getRegisterBits() const { return getRank() ? getRegisters().size() / getRank() : 0; }
    int64_t getNumRegisters() const { return int64_t(1) << getRegisterBits(); }
    ::llvm::SmallVector<Basis> getRegisterBases() const;
    /// Bases of `bits` bits, zeros for those that are not listed.
    ::llvm::SmallVector<Basis> getLaneBases(unsigned bits) const;
    ::llvm::SmallVector<Basis> getWarpBases(unsigned bits) const;
    /// The part of the coordinates that a register adds.
    Basis getRegisterOffset(int64_t reg) const;
    /// The layout with every basis replaced by what `change` makes of it, for tiles of `rank` dimensions.
    LayoutAttr transform(int64_t rank, ::llvm::function_ref<Basis(::llvm::ArrayRef<int64_t>)> change) const;
    /// The same with another dimension of size 1.
    LayoutAttr insertDim(unsigned axis) const;
    /// Of the tile without a dimension, for threads that hold what is left of their elements.
    LayoutAttr dropDim(unsigned axis) const;
    /// Dimension d of the result is dimension permutation[d].
    LayoutAttr permute(::llvm::ArrayRef<int64_t> permutation) const;
    /// For the same elements with size 1 along a dimension.
    LayoutAttr collapse(unsigned axis) const;
  }];
}

def Simt_SwizzleAttr : AttrDef<Simt_Dialect, "Swizzle"> {
  let mnemonic = "swizzle";
  let summary = "the swizzled layout of an operand of a matrix instruction in shared memory";
  let description = [{
    The `layout` of an operand in a target's description if the `home` of the operand is shared memory. A *row* is a run of contiguous
    elements.

    - Rows are cut into pieces of at most `row` bytes; the first pieces of all rows come first.
    - Within a piece, chunks of `chunk` bytes are permuted by XOR with the number of the row. If pieces have a half or a quarter of
      `row` bytes, the number is divided by two or four, rounded down.
    - The storage begins at a multiple of `align` bytes, so that the permutation depends on the address alone.
    - Rows run along the reduced dimension (k). With `across`, rows of at least `row` bytes may run along the other dimension instead.

    Constraints:
    - (C1) The numbers are powers of two; `chunk` is less than `row`.

    ```mlir
    #simt.swizzle<row = 128, chunk = 16, align = 1024>
    ```
  }];
  let parameters = (ins "int64_t":$row, "int64_t":$chunk, "int64_t":$align,
    DefaultValuedParameter<"bool", "false">:$across);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Simt_ThreadBlockAttr : AttrDef<Simt_Dialect, "ThreadBlock"> {
  let mnemonic = "thread_block";
  let summary = "what a launch of the function of a thread needs";
  let description = [{
    The attribute `simt.block` of the function of one thread of a kernel.

    - `threads`: threads of a block.
    - `lanes`: threads of a warp, where these are others than the description's; otherwise 0.
    - `shared_bytes`: size of the block's shared memory in bytes.
    - `cooperative`: all blocks of a launch must run at once, a cooperative launch.
    - `persistent`: each block loops over points of the grid, so that a launch may start fewer blocks than the grid has points.
    - `numerics`: the kernel's numerics mode, `#tile.numerics`.
    - `parameters`: the types of the kernel's parameters at the level of tiles. A view is its address, sizes and strides in the function;
      then come three extents of the grid.

    Constraints:
    - (C1) `threads` is at least 1; `lanes` and `shared_bytes` are not negative.
    - (C2) `parameters` are types.

    ```mlir
    #simt.thread_block<threads = 128, shared_bytes = 8192, parameters = [!tile.view<?xf32>, i64]>
    ```
  }];
  let parameters = (ins "int64_t":$threads,
    DefaultValuedParameter<"int64_t", "0">:$lanes,
    "int64_t":$shared_bytes,
    DefaultValuedParameter<"bool", "false">:$cooperative,
    DefaultValuedParameter<"bool", "false">:$persistent,
    OptionalParameter<"::mlir::Attribute">:$numerics,
    OptionalParameter<"::mlir::ArrayAttr">:$parameters);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The same for a block of another number of threads.
    ThreadBlockAttr withThreads(int64_t threads) const;
  }];
}

#endif
