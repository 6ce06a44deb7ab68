// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that the blocks of a cluster make for each other, and the arrivals by which they know of each other's slots.
#ifndef KILN_DIALECT_SIMT_CLUSTEROPS_TD
#define KILN_DIALECT_SIMT_CLUSTEROPS_TD

include "kiln/Dialect/Simt/SimtAttrs.td"
include "kiln/Dialect/Simt/SimtBase.td"
include "kiln/Interfaces/Synchronization.td"
include "kiln/Interfaces/ThreadAccess.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Simt_CopyInClusterOp : Simt_Op<"copy_in_cluster", [AttrSizedOperandSegments, AllTypesMatch<["target", "barrier"]>,
    MemoryEffects<[MemRead, MemWrite]>, DeclareOpInterfaceMethods<ThreadAccessOpInterface>,
    DeclareOpInterfaceMethods<SlotBarrierOpInterface, ["replaceMask", "getCopiedBytes"]>]> {
  let summary = "Copies a box to the shared memory of all blocks of a cluster, which share out the work";
  let description = [{
    As the bulk copy of one block, but the box is one that all blocks of the cluster read. The bytes at `target` are cut into `blocks` equal parts,
    one behind the other. Block r of the cluster reads part r, and the copy unit writes it to the same place in the shared memory of each block
    (multicast). The barrier at the same place in each block counts the bytes that arrive there.

    So all blocks of the cluster execute the operation as often, with the same box, target and barrier. A block has the whole box when
    the copies of all of them are complete. A slot that is filled so must be empty in all blocks: `simt.arrive_in_cluster`.

    Bytes may arrive at a block before its own thread has announced them (`simt.expect_bytes`). A `tile.cluster_barrier` stands
    between `simt.create_barriers` and the first such operation, and another one behind the last: before it, no block ends.

    - `blocks`: the number of blocks of the cluster. The others are those of the bulk copy of one block.

    Constraints:
    - (C1) Sizes, strides, coordinates and the box have as many numbers as the view has dimensions, at least one; `along` is one of these.
    - (C2) Rows are a power of two of bytes, of at least one chunk of the swizzle.
    - (C3) `blocks` is at least 2, and parts are whole rows of whole pieces.

    Since: 0.4.

    Example:
    ```mlir
    simt.copy_in_cluster 2 %base[%i, %j] sizes (%m, %n) strides (%n, %one) box [64, 64] of bf16 along 1
      by #simt.swizzle<row = 128, chunk = 16, align = 1024> to %target barrier %p mask %first : !llvm.ptr<1>, !llvm.ptr<3>
    ```
  }];
  let arguments = (ins I64Attr:$blocks, Simt_Pointer:$base, Variadic<I64>:$at, Variadic<I64>:$sizes, Variadic<I64>:$strides,
    Simt_Pointer:$target, Simt_Pointer:$barrier, I1:$mask, DenseI64ArrayAttr:$box, TypeAttr:$element, I64Attr:$along,
    OptionalAttr<Simt_SwizzleAttr>:$swizzle);
  let assemblyFormat = [{
    $blocks $base `[` $at `]` `sizes` `(` $sizes `)` `strides` `(` $strides `)` `box` $box `of` $element `along` $along
    (`by` qualified($swizzle)^)? `to` $target `barrier` $barrier `mask` $mask attr-dict `:` qualified(type($base)) `,` qualified(type($target))
  }];
  let hasVerifier = 1;
  // Others would only be code that nothing calls.
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "int64_t":$blocks, "::mlir::Value":$base, "::mlir::ValueRange":$at, "::mlir::ValueRange":$sizes,
    "::mlir::ValueRange":$strides, "::mlir::Value":$target, "::mlir::Value":$barrier, "::mlir::Value":$mask,
    "::llvm::ArrayRef<int64_t>":$box, "::mlir::Type":$element, "int64_t":$along, "::kiln::simt::SwizzleAttr":$swizzle)>];
  let extraClassDeclaration = [{
    /// Bytes of an element, of a row of the box, and of a piece of one; rows of the box, and all bytes.
    int64_t getElementBytes();
    int64_t getRowBytes();
    int64_t getPieceBytes();
    int64_t getRows();
    int64_t getBytes();
  }];
}

def Simt_ArriveInClusterOp : Simt_Op<"arrive_in_cluster", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SlotBarrierOpInterface, ["replaceMask", "releasesAccesses"]>]> {
  let summary = "Arrives at the barriers of all blocks of a cluster";
  let description = [{
    As `simt.arrive_at`, but at the barrier at the same place in the shared memory of each block of the cluster. A phase of such a barrier
    has the arrivals of all of them.

    - `barrier`: the address of the block's own barrier.
    - `blocks`: the number of blocks of the cluster, at least 2.
    - `mask`: whether the thread arrives.

    Since: 0.4.

    Example:
    ```mlir
    simt.arrive_in_cluster 2 %p mask %first : !llvm.ptr<3>
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntMinValue<2>]>:$blocks, Simt_Pointer:$barrier, I1:$mask);
  let assemblyFormat = "$blocks $barrier `mask` $mask attr-dict `:` qualified(type($barrier))";
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "int64_t":$blocks, "::mlir::Value":$barrier, "::mlir::Value":$mask)>];
}

#endif
