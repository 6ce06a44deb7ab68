// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of host programs.
#ifndef KILN_DIALECT_PROGRAM_PROGRAMOPS_TD
#define KILN_DIALECT_PROGRAM_PROGRAMOPS_TD

include "kiln/Dialect/Program/ProgramBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

/// The number of a device among those of its driver.
def Program_Ordinal : ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<65535>]>;

def Program_FuncOp : Program_Op<"func", [IsolatedFromAbove, FunctionOpInterface, AutomaticAllocationScope]> {
  let summary = "A host program";
  let description = [{
    Parameters and results are memrefs. Parameters are never written, but for those with `kiln.argument = {donated = "written"}`: their
    callers have given them up. One with `tile.facts = {align = N}` begins at a multiple of N bytes. A result that is a parameter has its memory.
    Example:
    ```mlir
    program.func @main(%x: memref<?xf32>) -> memref<?xf32> {
      %c0 = arith.constant 0 : index
      %n = memref.dim %x, %c0 : memref<?xf32>
      %y = program.alloc sizes (%n) : memref<?xf32>
      ...
      program.return %y : memref<?xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>];
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Program_ReturnOp : Program_Op<"return", [Pure, Terminator, ReturnLike, HasParent<"FuncOp">]> {
  let summary = "Ends a host program with its results";
  let description = [{ Example: `program.return %y : memref<4xf32>`. }];
  let arguments = (ins Variadic<AnyMemRef>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let hasVerifier = 1;
}

def Program_AllocOp : Program_Op<"alloc", [AttrSizedOperandSegments]> {
  let summary = "A new buffer";
  let description = [{
    Uninitialised, dense, row-major; `sizes` are the `?` of the type. Lives until its last
    use. `at` (set by `program-plan-memory`) is the byte offset in the arena that all
    planned buffers of the call share, reserved by `program.arena` before the first of
    them; buffers without it are allocated on their own.
    Examples:
    ```mlir
    %b = program.alloc sizes (%n) at %o : memref<?x8xf32>
    %c = program.alloc on "fake" ordinal 1 in "near" : memref<8xf32>
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes, Optional<Index>:$offset,
    OptionalAttr<StrAttr>:$device, OptionalAttr<Program_Ordinal>:$ordinal, OptionalAttr<StrAttr>:$memory);
  let results = (outs Res<AnyMemRef, "", [MemAlloc]>:$result);
  let assemblyFormat = [{
    (`sizes` `(` $sizes^ `)`)? (`at` $offset^)? (`on` $device^)? (`ordinal` $ordinal^)? (`in` $memory^)?
    attr-dict `:` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::ValueRange":$sizes, "::mlir::Value":$offset), [{
    build($_builder, $_state, type, sizes, offset, nullptr, nullptr, nullptr);
  }]>];
  let hasVerifier = 1;
}

def Program_ArenaOp : Program_Op<"arena"> {
  let summary = "Reserves the arena of the call";
  let description = [{
    At most one for each memory of a device, before the first buffer with `at` there: how
    many bytes those buffers share. Set by `program-plan-memory`.
    Example: `program.arena %bytes`.
  }];
  let arguments = (ins Index:$bytes,
    OptionalAttr<StrAttr>:$device, OptionalAttr<Program_Ordinal>:$ordinal, OptionalAttr<StrAttr>:$memory);
  let assemblyFormat = "$bytes (`on` $device^)? (`ordinal` $ordinal^)? (`in` $memory^)? attr-dict";
}

def Program_ConstantOp : Program_Op<"constant", [Pure]> {
  let summary = "A buffer that holds a constant";
  let description = [{
    Read only. Example: `%c = program.constant dense<1.0> : tensor<4xf32> as memref<4xf32>`.
  }];
  let arguments = (ins ElementsAttr:$value, OptionalAttr<StrAttr>:$device, OptionalAttr<Program_Ordinal>:$ordinal);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$value (`on` $device^)? (`ordinal` $ordinal^)? attr-dict `as` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::ElementsAttr":$value), [{
    build($_builder, $_state, type, value, nullptr, nullptr);
  }]>];
  let hasVerifier = 1;
}

def Program_ViewOp : Program_Op<"view", [Pure, AttrSizedOperandSegments]> {
  let summary = "Another way to look at a buffer";
  let description = [{
    The same memory with its own element offset (relative to element 0 of the source),
    sizes and strides (in elements, zero and negative allowed). The
    static values are in the attributes, `?` in them take the operands in order.
    Example:
    ```mlir
    %v = program.view %b offset [0] sizes [?, 8] strides [8, 1] (), (%n), ()
      : memref<?xf32> -> memref<?x8xf32, strided<[8, 1], offset: ?>>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$offsets, Variadic<Index>:$sizes, Variadic<Index>:$strides,
    DenseI64ArrayAttr:$static_offset, DenseI64ArrayAttr:$static_sizes, DenseI64ArrayAttr:$static_strides);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $source `offset` custom<StaticList>($static_offset) `sizes` custom<StaticList>($static_sizes)
    `strides` custom<StaticList>($static_strides) `(` $offsets `)` `,` `(` $sizes `)` `,` `(` $strides `)`
    attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Program_LaunchOp : Program_Op<"launch", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a kernel over a grid";
  let description = [{
    `kernels` are the variants, tried in order; `guards` has one i1 for each variant but
    the last, which is unguarded. All take the same arguments: a memref for a view
    parameter (its sizes and strides are the view's), scalars for scalars. `grid` has three
    extents, for all variants or for each of them, one after the other. `writes` lists the
    positions of arguments that the kernel writes. `schedule` and `flops` (floating-point
    operations) are for reports.

    `contract` is what the launch has beyond its grid, in place of what the target says of
    the kernel: integers, or arrays of up to three, under the names that docs/package.md
    lists.
    Examples:
    ```mlir
    program.launch [@k] grid (%x, %c1, %c1) args (%a, %b) writes [1] : memref<?xf32>, memref<?xf32>
    program.launch [@wide, @any] guards (%fits) grid (%x, %c1, %c1, %y, %c1, %c1) args (%a) writes [0]
      {contract = {cluster = array<i64: 2, 1, 1>, priority = 1 : i64}} : memref<?xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefArrayAttr:$kernels, Variadic<I1>:$guards, Variadic<Index>:$grid,
    Variadic<AnyType>:$args, DenseI64ArrayAttr:$writes, Optional<Index>:$flops, OptionalAttr<StrAttr>:$schedule,
    OptionalAttr<StrAttr>:$device, OptionalAttr<Program_Ordinal>:$ordinal, OptionalAttr<DictionaryAttr>:$contract);
  let assemblyFormat = [{
    $kernels (`guards` `(` $guards^ `)`)? `grid` `(` $grid `)` `args` `(` $args `)` `writes` $writes
    (`flops` $flops^)? attr-dict (`:` type($args)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The three extents of a variant.
    ::mlir::OperandRange getGridOf(unsigned variant) {
      return getGrid().size() > 3 ? getGrid().slice(3 * variant, 3) : getGrid();
    }
  }];
}

def Program_CopyOp : Program_Op<"copy"> {
  let summary = "Copies elements between buffers of the same shape";
  let description = [{
    Example: `program.copy %a to %b : memref<4xf32>, memref<4xf32, strided<[2]>>`.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source, Arg<AnyMemRef, "", [MemWrite]>:$target);
  let assemblyFormat = "$source `to` $target attr-dict `:` type($source) `,` type($target)";
  let hasVerifier = 1;
}

def Program_TransferOp : Program_Op<"transfer"> {
  let summary = "A copy of a buffer on another device";
  let description = [{
    Example: `%d = program.transfer %h to "cpu" ordinal 1 : memref<4xf32> -> memref<4xf32>`.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source, StrAttr:$device,
    OptionalAttr<Program_Ordinal>:$ordinal, OptionalAttr<StrAttr>:$memory);
  let results = (outs Res<AnyMemRef, "", [MemAlloc]>:$result);
  let assemblyFormat = [{
    $source `to` $device (`ordinal` $ordinal^)? (`in` $memory^)? attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Program_FillOp : Program_Op<"fill"> {
  let summary = "Sets every byte of a buffer";
  let description = [{ Of a dense one. Example: `program.fill %a with 0 : memref<4xf32>`. }];
  let arguments = (ins Arg<AnyMemRef, "", [MemWrite]>:$target,
    ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<255>]>:$byte);
  let assemblyFormat = "$target `with` $byte attr-dict `:` type($target)";
}

def Program_ReadOp : Program_Op<"read"> {
  let summary = "An element of a buffer of integers";
  let description = [{
    Element `index`, row-major, of a dense buffer; the program waits for it. For loops and
    sizes that depend on what kernels have computed.
    Example: `%n = program.read %counts[%i] : memref<?xi32>`.
  }];
  let arguments = (ins Arg<MemRefOf<[AnySignlessInteger, Index]>, "", [MemRead]>:$source, Index:$index);
  let results = (outs Index:$result);
  let assemblyFormat = "$source `[` $index `]` attr-dict `:` type($source)";
}

def Program_AlignedOp : Program_Op<"aligned", [Pure]> {
  let summary = "Tests whether the address of a buffer's first element is a multiple of `bytes`";
  let description = [{ For guards. Example: `%ok = program.aligned %a to 64 : memref<?xf32>`. }];
  let arguments = (ins AnyMemRef:$source, ConfinedAttr<I64Attr, [IntPowerOf2]>:$bytes);
  let results = (outs I1:$result);
  let assemblyFormat = "$source `to` $bytes attr-dict `:` type($source)";
}

def Program_CheckOp : Program_Op<"check"> {
  let summary = "Stops the program with a message unless a condition holds";
  let description = [{ Example: `program.check %ok, "size of argument 1 does not match argument 0"`. }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

#endif
