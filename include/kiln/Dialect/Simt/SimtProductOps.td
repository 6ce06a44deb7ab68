// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous MMAs with shared-memory operands, their waits and the proxy fence.
#ifndef KILN_GPU_SIMTPRODUCTOPS_TD
#define KILN_GPU_SIMTPRODUCTOPS_TD

include "kiln/Dialect/Stage/StageTypes.td"
include "kiln/Interfaces/Synchronization.td"
include "kiln/Interfaces/ThreadAccess.td"

def Simt_MatrixAttr : AttrDef<Simt_Dialect, "Matrix"> {
  let mnemonic = "matrix";
  let summary = "the layout of an operand of an MMA in shared memory";
  let description = [{
    The operand has rows of `row` bytes, swizzled by the `#simt.swizzle` of the instruction's operand. The swizzle repeats every `group`
    bytes. Longer rows are cut into pieces; the next piece of a row begins `panel` bytes after the one before.

    - `element`: the element type of the operand, if the instruction takes several types; unsigned integers as `ui8`.
    - `summed`: if true, a row runs along the reduced dimension (k); else along the other one.
    - `steps`: for each instruction along the reduced dimension, the offset of its part from the first one, in bytes.
    - `bytes`: the instructions read at most this many bytes from the address on.

    ```mlir
    #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [0, 32, 64, 96], bytes = 8192>
    ```
  }];
  let parameters = (ins OptionalParameter<"::mlir::Type">:$element, "int64_t":$row, "int64_t":$group, "int64_t":$panel,
    "bool":$summed, "::mlir::DenseI64ArrayAttr":$steps, "int64_t":$bytes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Simt_PublishOp : Simt_Op<"publish", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SynchronizationOpInterface>]> {
  let summary = "Proxy fence: makes writes of the thread visible to asynchronous MMAs";
  let description = [{
    Orders earlier writes of this thread to shared memory, and its asynchronous copies that it has waited for, before later reads by
    `simt.mma_async`. A barrier must follow before an MMA of other threads may read the bytes. Without the fence, the
    reads of the MMA and these writes race.

    Since: 0.2.

    Example:
    ```mlir
    simt.publish
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Simt_MmaAsyncOp : Simt_Op<"mma_async", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<ThreadAccessOpInterface>, DeclareOpInterfaceMethods<AsyncProductOpInterface>]> {
  let summary = "Starts an asynchronous MMA that reads one operand, or both, from shared memory";
  let description = [{
    The warps that share the instruction's accumulator compute `acc + lhs * rhs` together, one instruction for each
    step of the reduced dimension. The operation is asynchronous: its results may be read, and its shared-memory operands
    overwritten, only after a `simt.wait_products` that covers it. Another `simt.mma_async` may take the results as its
    `acc` before that.

    - `row`: the name of the instruction.
    - `lhs`, `rhs`: the addresses of the operands of these warps in shared memory, multiples of 16 bytes, equal in all of their lanes.
      `lhs` may instead be the lane's elements in registers, for each step in the order of the instruction's layout. Results of another
      `simt.mma_async` may be such elements only after a `simt.wait_products` that covers it.
    - `lhs_matrix`, `rhs_matrix`: the layout of these operands in shared memory.
    - `acc`: the lane's elements of the accumulator, in the order of the instruction's layout.
    - `results`: the lane's elements of the new accumulator.

    Constraints:
    - (C1) There is one result for each part of the accumulator, of its type.
    - (C2) Both operands have the same number of steps.
    - (C3) An operand in memory has a matrix. An operand in registers has none, and the same number of values in each step.

    Since: 0.2.

    Example:
    ```mlir
    %d:4 = simt.mma_async "mma.64x8x16" %a : !llvm.ptr<3> as #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [0, 32], bytes = 8192>
      by %b as #simt.matrix<row = 128, group = 1024, panel = 1024, summed = true, steps = [0, 32], bytes = 1024>
      plus (%c, %c, %c, %c) : f32 at !llvm.ptr<3>
    %e:4 = simt.mma_async "mma.64x8x16.registers" (%x, %y) : f16
      by %b as #simt.matrix<row = 128, group = 1024, panel = 1024, summed = true, steps = [0, 32], bytes = 1024>
      plus (%c, %c, %c, %c) : f32 at !llvm.ptr<3>
    ```
  }];
  let arguments = (ins StrAttr:$row, Variadic<AnyType>:$lhs, OptionalAttr<Simt_MatrixAttr>:$lhs_matrix, Simt_Pointer:$rhs,
    Simt_MatrixAttr:$rhs_matrix, Variadic<AnyType>:$acc);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $row custom<Left>($lhs, type($lhs), $lhs_matrix) `by` $rhs `as` qualified($rhs_matrix) attr-dict
    `plus` custom<Sums>($acc, type($acc), type($results)) `at` qualified(type($rhs))
  }];
  let extraClassDeclaration = [{
    /// Returns the address of the lhs in shared memory; null where it is in registers.
    ::mlir::Value getLhsAddress() { return getLhsMatrix() ? getLhs().front() : ::mlir::Value(); }
  }];
  let hasVerifier = 1;
}

def Simt_CommitProductsOp : Simt_Op<"commit_products", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SynchronizationOpInterface>]> {
  let summary = "Groups the asynchronous MMAs since the last group";
  let description = [{
    The MMAs (`simt.mma_async`) that this warp has started since its previous `simt.commit_products` become one group. Groups complete in
    program order. `simt.wait_products` counts groups, so an MMA that no group contains is never waited for. All lanes of the warp execute
    the operation, which does not wait. A group may be empty.

    Since: 0.2.

    Example:
    ```mlir
    simt.commit_products
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Simt_FutureOp : Simt_Op<"future", [Pure, TypesMatchWith<"the future of the fragment", "source", "future",
    "::kiln::stage::FutureType::get($_ctxt, ::llvm::cast<::mlir::RankedTensorType>($_self))">]> {
  let summary = "Makes a future of a fragment that is complete already";
  let description = [{
    The first accumulator of a loop that carries the future of an asynchronous matmul from one iteration to the next.
    The future is waited for like any other.

    Since: 0.3.

    Example:
    ```mlir
    %z = arith.constant dense<0.0> : tensor<32xf32, #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = []>>
    %f = simt.future %z : tensor<32xf32, #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = []>>
    ```
  }];
  let arguments = (ins Stage_Fragment:$source);
  let results = (outs Stage_FutureType:$future);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

def Simt_WaitProductsOp : Simt_Op<"wait_products", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SynchronizationOpInterface>]> {
  let summary = "Waits for all groups of asynchronous MMAs, except the latest ones";
  let description = [{
    - `but`: the number of latest groups that may stay in flight.
    - `values`: the accumulators of the MMAs, scalars of a thread; `results`: the same values. With `but 0`
      any operation may read the results; else only another MMA may accumulate into them.

    In a kernel of tiles, accumulators are futures, and `stage.wait` with `but` stands for this operation.

    Constraints:
    - (C1) There is one result for each value, of its type.

    Since: 0.2.

    Example:
    ```mlir
    %r:2 = simt.wait_products but 0 (%x, %x) : f32
    ```
  }];
  let arguments = (ins I64Attr:$but, Variadic<AnyType>:$values);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "`but` $but attr-dict custom<Sums>($values, type($values), type($results))";
  let hasVerifier = 1;
}

#endif
