// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cpu dialect: how a product is computed, and the micro-kernels that do it.
#ifndef KILN_CPU_CPUOPS_TD
#define KILN_CPU_CPUOPS_TD

include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "kiln/Interfaces/ProductSplit.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Cpu_Dialect : Dialect {
  let name = "cpu";
  let cppNamespace = "::kiln::cpu";
  let summary = "Products of matrices on processors with vector registers and caches";
  let description = [{
    Matrix products are computed in blocks of the accumulator that stay in registers, from panels: some rows
    of the left operand or some columns of the right one, copied so that a micro-kernel reads them from one end to the
    other. `#cpu.product` on a product says which matrix instruction computes it and in which blocks;
    `cpu.micro_kernel` is the computation of one block.

    Instructions are the rows `matrix_instructions` of the target's description (`kiln.target` of the module). How a
    row becomes code is registered by its name (kiln/Cpu/MatrixInstructions.h), by the target that lists it.

    Constraints are numbered (C1, C2, ...) in each description; verifiers and tests use the same numbers.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

class Cpu_Op<string mnemonic, list<Trait> traits = []> : Op<Cpu_Dialect, mnemonic, traits>;

/// Memory of the process.
def Cpu_Pointer : LLVM_PointerInAddressSpace<0>,
    BuildableType<"::mlir::LLVM::LLVMPointerType::get($_builder.getContext())">;

def Cpu_ProductAttr : AttrDef<Cpu_Dialect, "Product",
    [DeclareAttrInterfaceMethods<ProductSplitAttrInterface, ["getNarrowProducts", "verifyProductSplit"]>]> {
  let mnemonic = "product";
  let summary = "how a matrix product is computed";
  let description = [{
    As the attribute `split` of a matmul (ProductSplitOpInterface): blocks of `rows` x `columns`
    elements of the accumulator are summed up in registers, over at most `depth` steps at a time. Panels have
    `depth` steps. `row` names the matrix instruction. Without one, panels hold elements of the
    accumulator's type, and the code multiplies and adds them.

    `panels` panels of the right operand are packed together, along its rows.

    `lhs_offset` is added to the elements of the left operand as they are packed, modulo 2^8, where they are
    signed and the instruction takes unsigned ones; the products of the offset are subtracted from the sum.

    `bounded` states that the values of the operands fit in the types of the row, though their own types have more bits.
    `narrow` lists such versions, for values that a guard checks when the kernel runs
    (`stage-guard-products`): the first that fits is taken.

    `cpu-select-matrix-instructions` makes it; one that is there is kept.

    Constraints:
    - (C1) `rows`, `columns`, `depth` and `panels` are positive, all but `depth` at most 256, and `depth` at most 65536.
    - (C2) `row` is in the description of the module, where that is of this family. It takes the element types of the product, or
      with `bounded` integers of the same sign and, rounded up to a power of two, as many bits.
    - (C3) `rows`, `columns` and `depth` are multiples of the sizes of the row.
    - (C4) `lhs_offset` is 128, for a left operand of signed 8-bit integers and a row that takes unsigned ones.
    - (C5) `narrow` holds #cpu.product with `bounded`, for which (C1) to (C4) hold, and nothing narrower.

    ```mlir
    #cpu.product<row = "dot4", rows = 6, columns = 64, depth = 512, lhs_offset = 128>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"name of the matrix instruction; empty: multiply and add", "\"\"">:$row,
    "int64_t":$rows, "int64_t":$columns, "int64_t":$depth,
    DefaultValuedParameter<"int64_t", "0", "added to the left operand">:$lhs_offset,
    DefaultValuedParameter<"int64_t", "1", "panels that are packed together">:$panels,
    DefaultValuedParameter<"bool", "false", "whether numbers fit in the row's types">:$bounded,
    OptionalParameter<"::mlir::ArrayAttr", "how operands of small values are multiplied">:$narrow);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    /// What `narrow` holds.
    ::llvm::ArrayRef<::mlir::Attribute> getNarrowWays() const;
  }];
  let genVerifyDecl = 1;
}

def Cpu_MicroKernelOp : Cpu_Op<"micro_kernel", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Adds the product of two panels to a block of registers' size";
  let description = [{
    acc[i, j] += sum over k below `depth` of lhs[i, k] * rhs[k, j], for i below `rows` and j below `columns`.

    - `lhs`: the left panel, `rows` rows, as `#kiln.interleave<lhs_group>` says: element (i, k) at
      `(k floordiv g * rows + i) * g + k mod g`. Of a group that is larger than `rhs_group` element
      (i, k) is at `i * g + k`, and rows may overlap. With `cpu.runs` = [n1, s1, n2, s2, ...] step k is the k-th of
      n1 * n2 * ... steps, which lie s1, s2, ... elements apart, the last ones innermost;
    - `rhs`: the right panel or matrix: element (k, j) at `k floordiv g * rhs_stride + j * g + k mod g` with g =
      `rhs_group`;
    - `acc`: rows of it are `acc_stride` apart, columns lie beside each other;
    - `minus`: if given, `columns` elements of the accumulator's type that are subtracted from every row, once;
    - `fresh`: if given and true, acc counts as zero and is not read.

    All distances are in elements of the types that are given for lhs, rhs and acc. Integer types say whether they are
    signed; signless ones may only be those of the accumulator. Addresses need the alignment of an element only.

    `row` names the matrix instruction; without it operands have the type of the accumulator and are multiplied and added.

    Constraints:
    - (C1) `rows`, `columns`, `lhs_group` and `rhs_group` are positive.
    - (C2) `row` is in the description of the module, where that is of this family.
    - (C3) Without a row all three types are equal, but for signs, and the groups are 1.
    - (C4) lhs and rhs are integers where acc is one, else floats.

    Undefined: `depth` is no multiple of the row's k, or of `rhs_group`; it is not the number of steps of `cpu.runs`;
    panels that overlap the accumulator.

    Numerics: those of `tile.dot`; integers wrap.

    Since: 0.1.

    Example:
    ```mlir
    cpu.micro_kernel %a, %b[%ldb], %c[%ldc] depth %k block[6, 16] groups[2, 2] by @pairs : bf16, bf16, f32
    cpu.micro_kernel %a, %b[%ldb], %c[%ldc] depth %k minus %sums block[6, 16] groups[4, 4] by @quads : ui8, si8, i32
    cpu.micro_kernel %a, %b[%ldb], %c[%ldc] depth %k fresh %first block[6, 16] groups[1, 1] : f32, f32, f32
    ```
  }];
  let arguments = (ins
    Cpu_Pointer:$lhs, Cpu_Pointer:$rhs, I64:$rhs_stride, Cpu_Pointer:$acc, I64:$acc_stride, I64:$depth,
    Optional<Cpu_Pointer>:$minus, Optional<I1>:$fresh, I64Attr:$rows, I64Attr:$columns, I64Attr:$lhs_group, I64Attr:$rhs_group,
    OptionalAttr<FlatSymbolRefAttr>:$row, TypeAttr:$lhs_type, TypeAttr:$rhs_type, TypeAttr:$acc_type);
  let assemblyFormat = [{
    $lhs `,` $rhs `[` $rhs_stride `]` `,` $acc `[` $acc_stride `]` `depth` $depth (`minus` $minus^)? (`fresh` $fresh^)?
    `block` `[` $rows `,` $columns `]` `groups` `[` $lhs_group `,` $rhs_group `]` (`by` $row^)? attr-dict
    `:` $lhs_type `,` $rhs_type `,` $acc_type
  }];
  let hasVerifier = 1;
}

def Cpu_AcquireOp : Cpu_Op<"acquire", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Prepares the matrix unit of this thread";
  let description = [{
    Brings the matrix unit of the instruction `row` into the state that its micro-kernels expect, such as a configuration of its tiles. A
    thread executes it before its first micro-kernel of this row, and `cpu.release` after the last one. Pairs are not nested. The contents of
    the unit's registers are undefined afterwards. The operation does not fail: the device driver has asked the system for permission when it
    loaded the kernel.

    Since: 0.1.

    Example:
    ```mlir
    cpu.acquire @pairs
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$row);
  let assemblyFormat = "$row attr-dict";
}

def Cpu_LeaveOp : Cpu_Op<"leave", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Returns from the function of a kernel";
  let description = [{
    Ends the execution of the kernel's function, from any depth of `scf` regions, which have no other exit before their end. Operations that follow in
    its block are never executed. A kernel leaves, for example, after a called function has failed. `convert-cpu-to-llvm` turns the operation
    into a return when all regions have become blocks.

    Since: 0.4.

    Example:
    ```mlir
    cpu.leave
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Cpu_ReleaseOp : Cpu_Op<"release", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Gives up the matrix unit of this thread";
  let description = [{
    Returns the matrix unit of the instruction `row` to its initial state, in which the operating system saves nothing of it when it switches
    threads. The thread has executed `cpu.acquire` with the same row; no micro-kernel of the row may follow without another one. The contents of
    the unit's registers are lost.

    Since: 0.1.

    Example:
    ```mlir
    cpu.release @pairs
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$row);
  let assemblyFormat = "$row attr-dict";
}

#endif
