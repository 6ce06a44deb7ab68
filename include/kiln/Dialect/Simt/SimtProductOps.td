// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products whose instructions read factors from the memory of the block, and go on by themselves.
#ifndef KILN_GPU_SIMTPRODUCTOPS_TD
#define KILN_GPU_SIMTPRODUCTOPS_TD

def Simt_MatrixAttr : AttrDef<Simt_Dialect, "Matrix"> {
  let mnemonic = "matrix";
  let summary = "how a factor lies in the memory of the block";
  let description = [{
    Rows of `row` bytes, permuted as the `#simt.swizzle` of the instruction's operand says. `group` bytes behind the first row
    comes the next one whose chunks are at the same places. Rows that are longer are cut: `panel` bytes behind a piece comes the
    next one of its row.

    - `element`: the type of the factor's elements where the instruction takes several; integers without a sign as `ui8`.
    - `summed`: the elements of a row differ in the dimension that is summed; else the rows do.
    - `steps`: for each instruction along the summed dimension, how far its part begins behind the first one.
    - `bytes`: from the address on, all that is read is within so many bytes.

    ```mlir
    #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [0, 32, 64, 96], bytes = 8192>
    ```
  }];
  let parameters = (ins OptionalParameter<"::mlir::Type">:$element, "int64_t":$row, "int64_t":$group, "int64_t":$panel,
    "bool":$summed, "::mlir::DenseI64ArrayAttr":$steps, "int64_t":$bytes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Simt_PublishOp : Simt_Op<"publish", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "What the thread wrote is there for instructions that read by themselves";
  let description = [{
    What the thread wrote to the memory of the block before, by copies that it has waited for too, `simt.mma_async` of
    threads that wait for this one at a barrier behind it may read.

    Since: 0.2.

    Example:
    ```mlir
    simt.publish
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Simt_MmaAsyncOp : Simt_Op<"mma_async", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Matrix instructions that read one factor, or both, from shared memory";
  let description = [{
    The warps that the row's accumulator is spread over compute `acc + lhs * rhs` together, one instruction for each
    step of the summed dimension. The operation is asynchronous: its results may be read, and its shared-memory operands
    overwritten, only after a `simt.wait_products` that covers it. Another `simt.mma_async` may take the results as its
    `acc` before that.

    - `row`: the name of the instruction.
    - `lhs`, `rhs`: where the parts of the factors are that these warps multiply, multiples of 16 bytes; all their lanes have the same address.
      Or `lhs` is what a lane has of the left factor, for each step as the row's layout says. The results of another
      `simt.mma_async` may be such values only after a `simt.wait_products` that covers it.
    - `lhs_matrix`, `rhs_matrix`: how they lie there.
    - `acc`: what a lane has of what the product is added to, in the order of the row's layout.
    - `results`: what it has of the sum.

    Constraints:
    - (C1) There is one result for each part of the accumulator, of its type.
    - (C2) Both factors have as many steps.
    - (C3) A factor in memory has a matrix, one in registers has none, and as many values in each step.

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
    /// Where the left factor is in memory; null where it is in registers.
    ::mlir::Value getLhsAddress() { return getLhsMatrix() ? getLhs().front() : ::mlir::Value(); }
  }];
  let hasVerifier = 1;
}

def Simt_CommitProductsOp : Simt_Op<"commit_products", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "The products since the last one of these form a group";
  let description = [{
    Since: 0.2.

    Example:
    ```mlir
    simt.commit_products
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Simt_WaitProductsOp : Simt_Op<"wait_products", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for the groups of products but the latest ones";
  let description = [{
    - `but`: so many groups may still be under way.
    - `values`: what they compute, numbers of a thread or tiles with layouts; `results`: the same. With `but 0` they can be used;
      else only another product may add to them.

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
