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
    Runs on the host: allocates buffers, launches kernels and copies. The runtime interprets it.

    - Parameters and results are memrefs. A size that is `?` is that of the argument of the call.
    - Parameters are read only, except those with `kiln.argument = {donated = "written"}`: the program may write these, because the caller has
      given up their contents.
    - A parameter with `tile.facts = {align = N}` begins at a multiple of N bytes; the runtime copies
      other arguments, unless the program writes them: then the call is an error.
    - A result that is a parameter has the memory of that parameter. All other results are buffers of the program.

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
  let description = [{
    `values` are the results of the call: buffers of the function's result types, one for each, in order. Other buffers of the program are
    released. Work on the results may still be in flight on a device; the runtime waits for it before the call ends, unless the caller has
    asked not to wait.

    Example: `program.return %y : memref<4xf32>`.
  }];
  let arguments = (ins Variadic<AnyMemRef>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let hasVerifier = 1;
}

def Program_AllocOp : Program_Op<"alloc", [AttrSizedOperandSegments]> {
  let summary = "A new buffer";
  let description = [{
    The buffer is dense and row-major, and its elements are undefined until they are written.
    It lives until its last use.

    - `sizes`: one for each `?` of the type, in elements, not negative.
    - `at` (`offset`): the offset of the buffer in the arena of its memory, in bytes.
      `program-plan-memory` computes it; buffers that are live at the same time do not overlap.
      A `program.arena` comes before. Without `at` the buffer has an allocation of its own.
    - `on`, `ordinal`, `in`: the device and its memory.

    If the device has too little memory, the call ends with an error.

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
    Reserves `bytes` bytes, which all buffers with `at` in this memory share. There is at
    most one for each memory of a device, before the first such buffer. The memory is released
    when the call ends. `program-plan-memory` inserts the operation.

    Example: `program.arena %bytes`.
  }];
  let arguments = (ins Index:$bytes,
    OptionalAttr<StrAttr>:$device, OptionalAttr<Program_Ordinal>:$ordinal, OptionalAttr<StrAttr>:$memory);
  let assemblyFormat = "$bytes (`on` $device^)? (`ordinal` $ordinal^)? (`in` $memory^)? attr-dict";
}

def Program_ConstantOp : Program_Op<"constant", [Pure]> {
  let summary = "A buffer that holds a constant";
  let description = [{
    A dense, row-major buffer with the shape and the element type of `value`. It is read only:
    a launch may not list it in `writes`. A session copies the elements to the device once, and
    all calls share them.

    Example: `%c = program.constant dense<1.0> : tensor<4xf32> as memref<4xf32>`.
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
    The result is the same memory as `source`, of the same element type; nothing is copied. Its
    element (i, j, ...) is the element of the memory at
    offset + i * strides[0] + j * strides[1] + ..., counted from element 0 of `source`.

    - `offset`, `strides`: in elements; strides may be zero or negative.
    - `sizes`: in elements, not negative; they are those of the result's type.
    - Static values are in the attributes; a `?` there takes the next operand of its list.

    If an element of the result lies outside of the buffer, the call ends with an error.

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
    Executes one kernel once for each point of the grid. Instances have no order, and may run
    at the same time.

    - `kernels`: the variants (multi-versioning) of one kernel. All have the same parameters.
    - `guards`: an i1 for each variant but the last. The first variant whose guard is true
      runs; if none is true, the last one.
    - `grid`: three extents for all variants, or three for each of them, one after the other.
      If one is 0, no instance runs.
    - `args`: a memref for each view parameter, whose sizes and strides become the view's, and
      a scalar for each scalar.
    - `writes`: the positions of the arguments that the kernel writes. It only reads the others.
    - `flops` (floating-point operations), `schedule`: for reports; no effect.
    - `contract`: launch attributes that replace those of the kernel, such as `threads` or
      `cluster`: integers, or arrays of up to three, under the names in docs/package.md.

    The launch is in flight when the operation ends. Later operations see the written elements;
    the dialect's description says what waits. A failed assertion or a fault of the kernel ends
    the call with an error.

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
    Sets each element of `target` to the element of `source` with the same coordinates. Both have
    the same element type and the same sizes at run time, with any strides. They may be on
    different devices. If they overlap, the contents of `target` are undefined.

    Example: `program.copy %a to %b : memref<4xf32>, memref<4xf32, strided<[2]>>`.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source, Arg<AnyMemRef, "", [MemWrite]>:$target);
  let assemblyFormat = "$source `to` $target attr-dict `:` type($source) `,` type($target)";
  let hasVerifier = 1;
}

def Program_TransferOp : Program_Op<"transfer"> {
  let summary = "A copy of a buffer on another device";
  let description = [{
    The result is a new buffer on `device`, in its memory `in`, with the shape, the element type
    and the elements of `source`. Later writes to either do not change the other. The runtime
    may copy through the host.

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
  let description = [{
    Sets every byte of `target`, not every element, to `byte` (0 to 255). The buffer has to be
    dense and row-major; the call ends with an error if it is not.

    Example: `program.fill %a with 0 : memref<4xf32>`.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemWrite]>:$target,
    ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<255>]>:$byte);
  let assemblyFormat = "$target `with` $byte attr-dict `:` type($target)";
}

def Program_ReadOp : Program_Op<"read"> {
  let summary = "An element of a buffer of integers";
  let description = [{
    The result is element `index` of `source`, counted row-major from 0, as an index value. Narrow
    integers are sign-extended, i1 is zero-extended. Loops and sizes that depend on computed data
    use it.

    The operation blocks the host until all operations that write `source` are complete. The
    buffer is dense. An `index` that is negative or not below the number of elements ends the
    call with an error.

    Example: `%n = program.read %counts[%i] : memref<?xi32>`.
  }];
  let arguments = (ins Arg<MemRefOf<[AnySignlessInteger, Index]>, "", [MemRead]>:$source, Index:$index);
  let results = (outs Index:$result);
  let assemblyFormat = "$source `[` $index `]` attr-dict `:` type($source)";
}

def Program_AlignedOp : Program_Op<"aligned", [Pure]> {
  let summary = "Tests whether the address of a buffer's first element is a multiple of `bytes`";
  let description = [{
    Guards of `program.launch` use it, for variants that need aligned accesses. The offset of the
    memref is part of the address. The operation does not wait for the device.

    Example: `%ok = program.aligned %a to 64 : memref<?xf32>`.
  }];
  let arguments = (ins AnyMemRef:$source, ConfinedAttr<I64Attr, [IntPowerOf2]>:$bytes);
  let results = (outs I1:$result);
  let assemblyFormat = "$source `to` $bytes attr-dict `:` type($source)";
}

def Program_CheckOp : Program_Op<"check"> {
  let summary = "Stops the program with a message unless a condition holds";
  let description = [{
    If `condition` is false, the call ends with an error whose text is `message`, and no later
    operation runs. Checks of argument sizes are of this form.

    Example: `program.check %ok, "size of argument 1 does not match argument 0"`.
  }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

#endif
