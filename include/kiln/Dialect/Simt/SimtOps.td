// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simt dialect: layouts of tiles over threads, and the operations of one thread.
#ifndef KILN_GPU_SIMTOPS_TD
#define KILN_GPU_SIMTOPS_TD

include "kiln/Dialect/Simt/SimtEnums.td"
include "kiln/Dialect/Tile/TileAttrs.td"
include "kiln/Interfaces/IndexMap.td"
include "kiln/Interfaces/Layout.td"
include "mlir/Dialect/LLVMIR/LLVMEnums.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Simt_Dialect : Dialect {
  let name = "simt";
  let cppNamespace = "::kiln::simt";
  let summary = "Tiles distributed over the threads of a block, and the code of one thread";
  let description = [{
    One program instance runs on a block of threads (CTA, workgroup): `warps` warps of `lanes` threads that execute in step. A tile that
    is distributed over threads has `#simt.layout` as its encoding; `simt.convert_layout` changes the layout.

    The code of one thread consists of `arith`, `math`, `scf`, upstream's `gpu` (ids, shuffles, barriers) and
    `llvm` (addresses). This dialect adds what these lack: memory accesses with a mask and cache hints, asynchronous copies, barriers of
    single memories, and matrix instructions. A target lowers them to its instructions.

    Constraints are numbered (C1, C2, ...) in each description; verifiers and tests use the same numbers.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

class Simt_Op<string mnemonic, list<Trait> traits = []> : Op<Simt_Dialect, mnemonic, traits>;

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

def Simt_ConvertLayoutOp : Simt_Op<"convert_layout", [Pure,
    DeclareOpInterfaceMethods<IndexMapOpInterface, ["getIndexMap", "movesElements"]>]> {
  let summary = "Converts a tile to another layout";
  let description = [{
    The result has the elements of `source`, distributed over the threads by another layout. The lowering moves elements between registers,
    by shuffles between lanes, or through shared memory; in the last case `simt-insert-barriers` gives it bytes and barriers.

    Constraints:
    - (C1) Source and result have one shape and one element type.

    Since: 0.2.

    Example:
    ```mlir
    %y = simt.convert_layout %x : tensor<32xf32, #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = []>>
      -> tensor<32xf32, #simt.layout<rank = 1, register = [], lane = [[16], [8], [4], [2], [1]], warp = []>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

/// An address in any memory.
def Simt_Pointer : Type<CPred<"::llvm::isa<::mlir::LLVM::LLVMPointerType>($_self)">, "pointer of llvm">;

def Simt_LoadOp : Simt_Op<"load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Loads one element, or a vector of adjacent elements";
  let description = [{
    - `address`: the address of the first element; `result`: the element, or a vector of one dimension.
    - `mask`: if false, the thread reads no memory; the default is true.
    - `other`: the result if the mask is false; without it such a result is unspecified.
    - `base`, `offset`, `extent`: the same address, as `offset` bytes behind `base`. `base` is equal in all threads of the block. If
      the mask is true, the accessed bytes lie within `extent` bytes behind `base`, so a target may emit an access that
      the hardware checks against these bounds. A negative extent is unknown. Emitted if the description's global memory is `bounded`.
    - `alignment`: the address is a multiple of this number of bytes.
    - `is_volatile`, `cache`, `evict`: as for `tile.load`.

    Constraints:
    - (C1) `other` has the type of the result and comes with a mask.
    - (C2) The alignment is a power of two.
    - (C3) `base`, `offset` and `extent` come together, and `base` has the type of the address.

    Since: 0.2.

    Example:
    ```mlir
    %v = simt.load %p mask %m other %zero align 16 : !llvm.ptr<1> -> vector<4xf32>
    %w = simt.load %p in %base[%offset] of %extent : !llvm.ptr<1> mask %m align 4 : !llvm.ptr<1> -> f32
    ```
  }];
  let arguments = (ins Simt_Pointer:$address, Optional<I1>:$mask, Optional<AnyType>:$other, I64Attr:$alignment,
    UnitAttr:$is_volatile,
    DefaultValuedAttr<Tile_CacheHint, "::kiln::tile::CacheHint::none">:$cache,
    DefaultValuedAttr<Tile_EvictHint, "::kiln::tile::EvictHint::normal">:$evict,
    Optional<Simt_Pointer>:$base, Optional<I64>:$offset, Optional<I64>:$extent);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $address (`in` $base^ `[` $offset `]` `of` $extent `:` qualified(type($base)))? (`mask` $mask^)? (`other` $other^ `:` type($other))? `align` $alignment (`volatile` $is_volatile^)? (`cache` $cache^)?
    (`evict` $evict^)? attr-dict `:` qualified(type($address)) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$address, "::mlir::Value":$mask, "::mlir::Value":$other,
    "int64_t":$alignment, "bool":$isVolatile, "::kiln::tile::CacheHint":$cache, "::kiln::tile::EvictHint":$evict), [{
    build($_builder, $_state, result, address, mask, other, alignment, isVolatile, cache, evict, ::mlir::Value(), ::mlir::Value(),
          ::mlir::Value());
  }]>];
  let hasVerifier = 1;
}

def Simt_StoreOp : Simt_Op<"store", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "Stores one element, or a vector of adjacent elements";
  let description = [{
    - `value`: an element, or a vector of one dimension; `address`: the address of its first element.
    - `mask`: if false, the thread writes no memory; the default is true.
    - `base`, `offset`, `extent`, `alignment`, `is_volatile`, `cache`, `evict`: as for `simt.load`.

    Constraints:
    - (C1) The alignment is a power of two.
    - (C2) `base`, `offset` and `extent` come together, and `base` has the type of the address.

    Since: 0.2.

    Example:
    ```mlir
    simt.store %v, %p mask %m align 16 : vector<4xf32>, !llvm.ptr<1>
    ```
  }];
  let arguments = (ins AnyType:$value, Simt_Pointer:$address, Optional<I1>:$mask, I64Attr:$alignment,
    UnitAttr:$is_volatile,
    DefaultValuedAttr<Tile_CacheHint, "::kiln::tile::CacheHint::none">:$cache,
    DefaultValuedAttr<Tile_EvictHint, "::kiln::tile::EvictHint::normal">:$evict,
    Optional<Simt_Pointer>:$base, Optional<I64>:$offset, Optional<I64>:$extent);
  let assemblyFormat = [{
    $value `,` $address (`in` $base^ `[` $offset `]` `of` $extent `:` qualified(type($base)))? (`mask` $mask^)? `align` $alignment (`volatile` $is_volatile^)? (`cache` $cache^)?
    (`evict` $evict^)? attr-dict `:` type($value) `,` qualified(type($address))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$address, "::mlir::Value":$mask, "int64_t":$alignment,
    "bool":$isVolatile, "::kiln::tile::CacheHint":$cache, "::kiln::tile::EvictHint":$evict), [{
    build($_builder, $_state, value, address, mask, alignment, isVolatile, cache, evict, ::mlir::Value(), ::mlir::Value(),
          ::mlir::Value());
  }]>];
  let hasVerifier = 1;
}

/// Atomic operations: other threads, also of other blocks, may access the same address at the same time.
class Simt_AtomicOp<string mnemonic, list<Trait> traits> : Simt_Op<mnemonic, traits # [MemoryEffects<[MemRead, MemWrite]>]>;

def Simt_AtomicRMWOp : Simt_AtomicOp<"atomic_rmw", [TypesMatchWith<"the result has the type of the value", "value", "result", "$_self">]> {
  let summary = "Atomic read-modify-write of one element, or of neighbours";
  let description = [{
    - `kind`, `order`: as for `llvm.atomicrmw`; `scope`: the threads for which the memory order holds, as for `tile.atomic_rmw`. A target
      translates the scope to the name that its code generator has for it (`simt::lowerAtomics` in kiln/Gpu/Lowering.h).
    - `address`: the address of the element; `value`: the operand of `kind`; `result`: the element before the operation.
    - A vector is neighbours from `address` on, at a multiple of its bytes. Each of them is updated atomically, in no particular order.

    Since: 0.2.

    Example:
    ```mlir
    %old = simt.atomic_rmw add monotonic device %p, %x : !llvm.ptr<1>, i32
    %both = simt.atomic_rmw fadd monotonic device %q, %y : !llvm.ptr<1>, vector<2xf16>
    ```
  }];
  let arguments = (ins AtomicBinOp:$kind, AtomicOrdering:$order, Tile_MemoryScope:$scope, Simt_Pointer:$address,
    AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$kind $order $scope $address `,` $value attr-dict `:` qualified(type($address)) `,` type($value)";
}

def Simt_AtomicCASOp : Simt_AtomicOp<"atomic_cas", [AllTypesMatch<["expected", "value", "result"]>]> {
  let summary = "Atomic compare-and-swap of one element";
  let description = [{
    - `order`, `scope`, `address`: as for `simt.atomic_rmw`.
    - If the element equals `expected`, `value` replaces it. `result`: the element before the operation.

    Since: 0.2.

    Example:
    ```mlir
    %old = simt.atomic_cas acquire system %p, %x, %y : !llvm.ptr<1>, i32
    ```
  }];
  let arguments = (ins AtomicOrdering:$order, Tile_MemoryScope:$scope, Simt_Pointer:$address, AnyInteger:$expected,
    AnyInteger:$value);
  let results = (outs AnyInteger:$result);
  let assemblyFormat = [{
    $order $scope $address `,` $expected `,` $value attr-dict `:` qualified(type($address)) `,` type($value)
  }];
}

def Simt_UniformOp : Simt_Op<"uniform", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "States that a value is uniform in a warp";
  let description = [{
    `value` is equal in all lanes of a warp that execute the operation. An analysis of the code of one thread
    cannot see this, for instance of the warp's number. A target may keep the result in a scalar register, which the lanes share; others
    use the operand. Emitted if the description has a unit of kind `scalar`, and for the addresses of asynchronous MMAs.

    Since: 0.2.

    Example:
    ```mlir
    %warp = simt.uniform %n : i32
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyInteger, Index, AnyFloat, Simt_Pointer]>:$value);
  let results = (outs AnyTypeOf<[AnyInteger, Index, AnyFloat, Simt_Pointer]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Simt_MmaOp : Simt_Op<"mma", [Pure, AttrSizedOperandSegments]> {
  let summary = "Executes one matrix instruction (MMA) of a warp";
  let description = [{
    All lanes of a warp together compute `acc + lhs * rhs` by a matrix instruction of the description. Each lane
    holds its elements of the fragments, in the order of their layouts. All lanes of the warp must reach the operation.

    - `row`: the name of the instruction.
    - `lhs`, `rhs`, `acc`: the lane's elements of the operands and of the accumulator.
    - `lhs_unsigned`, `rhs_unsigned`: the integers of this operand are unsigned.
    - `results`: the lane's elements of the new accumulator.

    Constraints:
    - (C1) There is one result for each part of the accumulator, of its type.

    Since: 0.2.

    Example:
    ```mlir
    %d:4 = simt.mma "mma.16x8x8.tf32" (%a, %a, %a, %a) by (%b, %b) plus (%c, %c, %c, %c) : f32, f32, f32
    ```
  }];
  let arguments = (ins StrAttr:$row, Variadic<AnyType>:$lhs, Variadic<AnyType>:$rhs, Variadic<AnyType>:$acc,
    UnitAttr:$lhs_unsigned, UnitAttr:$rhs_unsigned);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Simt_CopyAsyncOp : Simt_Op<"copy_async", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Starts an asynchronous copy from global to shared memory";
  let description = [{
    Until a `simt.wait_copies` covers its group (`simt.commit_copies`), the copy is in flight: no thread may read or write its target, or
    write its source.

    - `source`: an address in global memory; `target`: an address in shared memory; both are multiples of `bytes`.
    - `bytes`: the size of the copy.
    - `mask`: if false, nothing is copied; the default is true.
    - `valid`: the number of bytes that are read; the others are filled with zero. An i1 means all bytes or none. The default is all.

    Constraints:
    - (C1) `bytes` is 4, 8 or 16.

    Since: 0.2.

    Example:
    ```mlir
    simt.copy_async %p to %q bytes 16 mask %m valid %n : i32 : !llvm.ptr<1>, !llvm.ptr<3>
    ```
  }];
  let arguments = (ins Simt_Pointer:$source, Simt_Pointer:$target, I64Attr:$bytes, Optional<I1>:$mask,
    Optional<AnyTypeOf<[I1, I32]>>:$valid);
  let assemblyFormat = [{
    $source `to` $target `bytes` $bytes (`mask` $mask^)? (`valid` $valid^ `:` type($valid))? attr-dict
    `:` qualified(type($source)) `,` qualified(type($target))
  }];
  let hasVerifier = 1;
}

def Simt_CommitCopiesOp : Simt_Op<"commit_copies", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Groups the thread's asynchronous copies since the last group";
  let description = [{
    `simt.wait_copies` counts groups. In a kernel of tiles, the copies are those of `stage.copy`, and of indexed loads that are written to
    storage.

    Since: 0.2.

    Example:
    ```mlir
    simt.commit_copies
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Simt_WaitCopiesOp : Simt_Op<"wait_copies", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for the thread's groups of copies, except the latest ones";
  let description = [{
    After the wait, this thread alone may read the copied bytes; a barrier after the wait makes them visible to the other threads. In a
    kernel of tiles, `simt-insert-barriers` inserts this operation, as it does all waits and barriers.

    - `but`: the number of latest groups that may stay in flight.

    Since: 0.2.

    Example:
    ```mlir
    simt.wait_copies but 2
    ```
  }];
  let arguments = (ins I64Attr:$but);
  let assemblyFormat = "`but` $but attr-dict";
}

def Simt_BarrierOp : Simt_Op<"barrier"> {
  let summary = "Barrier of a block that orders accesses to some memories";
  let description = [{
    All threads of the block must reach the barrier. Accesses to `memories` (shared memory, or all) that a thread executed before the
    barrier are complete for all threads after it. Accesses to other memories are not ordered. `gpu.barrier` orders all memories.

    Since: 0.2.

    Example:
    ```mlir
    simt.barrier shared
    ```
  }];
  let arguments = (ins Simt_Memories:$memories);
  let assemblyFormat = "$memories attr-dict";
}

def Simt_CreateSplitBarrierOp : Simt_Op<"create_split_barrier", [MemoryEffects<[MemWrite]>]> {
  let summary = "Creates a split barrier in shared memory: arrival and wait are two operations";
  let description = [{
    All threads of the block execute it once, before any `simt.arrive` with the same `place`, with a `gpu.barrier` in between.
    A phase of the barrier completes each time that all threads of the block have arrived.

    - `place`: the offset of the barrier in shared memory, in bytes; a multiple of 8. No other operation accesses the 8 bytes there.

    Since: 0.2.

    Example:
    ```mlir
    simt.create_split_barrier {place = 65536 : i64}
    ```
  }];
  let arguments = (ins I64Attr:$place);
  let assemblyFormat = "attr-dict";
}

def Simt_ArriveOp : Simt_Op<"arrive", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Arrives at a split barrier without waiting";
  let description = [{
    Accesses of this thread before the arrival happen before all operations of any thread after the `simt.await` of this phase. All threads
    of the block execute the operation. Between two arrivals of a thread there is a `simt.await`.

    - `place`: the place of the barrier, as in `simt.create_split_barrier`.
    - `phase`: identifies the phase of this arrival, for exactly one `simt.await`. Loops may carry the value; it has no other use.
      `simt-verify-barriers` verifies this.

    Since: 0.2.

    Example:
    ```mlir
    %phase = simt.arrive {place = 65536 : i64}
    ```
  }];
  let arguments = (ins I64Attr:$place);
  let results = (outs I64:$phase);
  let assemblyFormat = "attr-dict";
}

def Simt_AwaitOp : Simt_Op<"await", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits at a split barrier until all threads of the block have arrived";
  let description = [{
    - `phase`: the phase of this thread's latest `simt.arrive`.
    - `place`: the place of the barrier, as in `simt.create_split_barrier`.

    Since: 0.2.

    Example:
    ```mlir
    simt.await %phase {place = 65536 : i64}
    ```
  }];
  let arguments = (ins I64:$phase, I64Attr:$place);
  let assemblyFormat = "$phase attr-dict";
}

def Simt_WarpBarrierOp : Simt_Op<"warp_barrier"> {
  let summary = "Barrier of the lanes of a warp";
  let description = [{
    Writes of a lane to shared memory before the barrier are visible to the other lanes of its warp after it. All lanes of
    the warp must reach it. `gpu.barrier` is the same for all warps.

    Since: 0.2.

    Example:
    ```mlir
    simt.warp_barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Simt_InlineAsmOp : Simt_Op<"inline_asm", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Inline assembly of one thread";
  let description = [{
    - `text`, `isa`, `constraints`, `pure`: as for `tile.inline_asm`.
    - `operands`, `results`: the values of its registers. Narrow elements are packed already.

    Since: 0.2.

    Example:
    ```mlir
    %r = simt.inline_asm "double $0, $1" isa "machine" constraints "=r,r" pure (%x) : (i32) -> i32
    ```
  }];
  let arguments = (ins StrAttr:$text, StrAttr:$isa, StrAttr:$constraints, UnitAttr:$pure, Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $text `isa` $isa `constraints` $constraints (`pure` $pure^)? `(` $operands `)` attr-dict
    `:` functional-type($operands, $results)
  }];
}

def Simt_OutputOp : Simt_Op<"output", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Allocates a record that the launch sends to the host (printing, assertions)";
  let description = [{
    The host reads the records (kiln/Gpu/OutputRecord.h) when the launch has ended.

    - `bytes`: the size of the record, a multiple of 8.
    - `place`: the address of the record; null if the space is used up.

    Since: 0.2.

    Example:
    ```mlir
    %p = simt.output 128 : !llvm.ptr
    ```
  }];
  let arguments = (ins I64Attr:$bytes);
  let results = (outs Simt_Pointer:$place);
  let assemblyFormat = "$bytes attr-dict `:` qualified(type($place))";
}

def Simt_StopOp : Simt_Op<"stop", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Ends the thread";
  let description = [{
    The thread executes no later operation, and no thread waits for it. Either all threads of a block reach the operation, or none.

    Since: 0.2.

    Example:
    ```mlir
    simt.stop
    ```
  }];
  let assemblyFormat = "attr-dict";
}

class Simt_MatrixOp<string mnemonic, list<Trait> traits> : Simt_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

/// One register of a lane.
def Simt_Word : AnyTypeOf<[I32, I64]>;

def Simt_LoadMatrixOp : Simt_MatrixOp<"load_matrix", [MemoryEffects<[MemRead]>]> {
  let summary = "Loads matrices from shared memory by a warp, as one instruction";
  let description = [{
    The tile move (`#kiln.tile_move`) of the description defines which elements a lane gets, and which lane gives the address of which row.

    - `move`: the name of the tile move.
    - `address`: an address in shared memory, a multiple of `bytes`.
    - `lanes`: the addresses of this many first lanes count; `bytes`: the number of bytes that are read at each of them.
    - `words`: a register for each matrix, with the elements of the lane packed from the lowest bits on.

    Constraints:
    - (C1) There are 1, 2 or 4 words of one type.
    - (C2) `lanes` and `bytes` are powers of two.

    Since: 0.2.

    Example:
    ```mlir
    %w:4 = simt.load_matrix "rows" %p by 32 lanes of 16 : !llvm.ptr<3> -> i32, i32, i32, i32
    ```
  }];
  let arguments = (ins Simt_Pointer:$address, StrAttr:$move, I64Attr:$lanes, I64Attr:$bytes);
  let results = (outs Variadic<Simt_Word>:$words);
  let assemblyFormat = [{
    $move $address `by` $lanes `lanes` `of` $bytes attr-dict `:` qualified(type($address)) `->` type($words)
  }];
}

def Simt_StoreMatrixOp : Simt_MatrixOp<"store_matrix", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stores matrices to shared memory by a warp, as one instruction";
  let description = [{
    The inverse of `simt.load_matrix`: a load by a move with the same layouts, from the same addresses, gives each lane its `words` again.

    - `words`: a register for each matrix; `move`, `address`, `lanes`, `bytes`: as for `simt.load_matrix`.

    Constraints:
    - (C1) There are 1, 2 or 4 words of one type.
    - (C2) `lanes` and `bytes` are powers of two.

    Since: 0.2.

    Example:
    ```mlir
    simt.store_matrix "rows" %a, %b to %p by 16 lanes of 16 : !llvm.ptr<3>, i32
    ```
  }];
  let arguments = (ins Variadic<Simt_Word>:$words, Simt_Pointer:$address, StrAttr:$move, I64Attr:$lanes, I64Attr:$bytes);
  let assemblyFormat = [{
    $move $words `to` $address `by` $lanes `lanes` `of` $bytes attr-dict `:` qualified(type($address)) `,` type($words)
  }];
}

include "kiln/Dialect/Simt/SimtProductOps.td"
include "kiln/Dialect/Simt/BulkCopyOps.td"

#endif
