// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reaches outside of the tile program: conversions with a rounding mode, calls, output.
#ifndef KILN_DIALECT_TILE_EXTERNOPS_TD
#define KILN_DIALECT_TILE_EXTERNOPS_TD

include "kiln/Dialect/Tile/TileAttrs.td"
include "kiln/Dialect/Tile/TileTypes.td"
include "kiln/Index/IndexInterfaces.td"
include "kiln/Interfaces/Cost.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

/// What the launch gives besides what it writes to memory: messages, and that it failed.
def Tile_LaunchOutput : Resource<"::kiln::LaunchOutput">;

def Tile_ConvertFloatOp : Tile_Op<"convert_float", [Pure, SameOperandsAndResultShape]> {
  let summary = "Converts between float types with a rounding mode";
  let description = [{
    For types that `arith` converts by default (to nearest even) `arith.extf` and `arith.truncf` are
    preferred.

    - `source`: floats; `result`: the same numbers in another float type.
    - `rounding`: `nearest_even` or `toward_zero`.
    - `saturate`: numbers that are too large become the largest finite one.

    Constraints:
    - (C1) Both have one shape.

    Numerics: rounds once, as `rounding` says. Without `saturate` overflow gives infinity where the
    result type has one, else NaN.

    Since: 0.1.

    Example:
    ```mlir
    %y = tile.convert_float %x toward_zero : tensor<64xf32> -> tensor<64xf16>
    %z = tile.convert_float %x nearest_even saturate : tensor<64xf32> -> tensor<64xf8E4M3FN>
    ```
  }];
  let arguments = (ins Tile_FloatLike:$source, Tile_Rounding:$rounding, UnitAttr:$saturate);
  let results = (outs Tile_FloatLike:$result);
  let assemblyFormat = "$source $rounding (`saturate` $saturate^)? attr-dict `:` type($source) `->` type($result)";
}

def Tile_CallExternOp : Tile_Op<"call_extern", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, DeclareOpInterfaceMethods<CostOpInterface>,
    Elementwise, Scalarizable, Vectorizable, Tensorizable]> {
  let summary = "Calls an external function on every element";
  let description = [{
    - `symbol`: a function from scalars to a scalar; `library`: where it is from (may be empty).
    - `pure`: it has no effect but its result.
    - `operands`, `results`: the arguments of the function, and its results.

    Without a library, these names of C's `<math.h>` denote its functions on every target, of f32 and of f64 by
    the operands' type, and the call is `pure`: `hypot`, `remainder`, `nextafter` of two floats; `lgamma`, `tgamma`,
    `logb`, `j0`, `j1`, `y0`, `y1` of one; `scalbn` of a float and an i32; `jn`, `yn` of an i32 and a float; `ilogb`
    from a float to i32. Their bounds are in docs/numerics.md. Frontends translate the functions of other libraries
    to these, `math` and `arith` where they know them. Any other function needs a target that has it.

    Constraints:
    - (C1) A call without a library of one of these names is pure and has that function's type.

    Numerics: those of the function; docs/numerics.md for the ones above.

    Since: 0.1.

    Example:
    ```mlir
    %y = tile.call_extern "hypot" from "" pure (%a, %b) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins StrAttr:$symbol, StrAttr:$library, UnitAttr:$pure, Variadic<Tile_AnyLike>:$operands);
  let results = (outs Variadic<Tile_AnyLike>:$results);
  let assemblyFormat = [{
    $symbol `from` $library (`pure` $pure^)? `(` $operands `)` attr-dict `:` functional-type($operands, $results)
  }];
  let extraClassDeclaration = [{
    /// The function of C that this calls, or null if it is none.
    const CFunction *getCFunction();
  }];
  let hasVerifier = 1;
}

def Tile_InlineAsmOp : Tile_Op<"inline_asm", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Inline assembly on every element, or on packs of them";
  let description = [{
    - `text`: the instructions; `isa`: the set that they are of, as target triples name it. A target of
      another one declines, unless the set is a virtual one (`ptx`), whose text the pass
      `tile-expand-inline-asm` translates by meaning.
    - `constraints`: the registers of results and operands, in the notation of LLVM IR.
    - `pack`: elements that one run of the text works on.
    - `pure`: the text has no effect but its results.
    - `operands`, `results`: scalars or tiles.
    - `untranslated`: the part of the text that `tile-expand-inline-asm` does not know. The pass sets it.

    The text runs once for each `pack` elements that follow each other in row-major order, in no particular order; where the last pack is not full,
    the missing elements are unspecified. `$0`, `$1`, … stand for the registers of the results, then of the
    operands; `constraints` states the kind of each of these registers. Elements that are narrower
    than 32 bits share a register, the first one in the low bits, as far as the pack and 32 bits go; floats of 16
    and 8 bits are passed as integers with their bits, `i1` as a byte, pointers as 64-bit integers. With `pure` the
    text has no effect but its results.

    Constraints:
    - (C1) `pack` is a power of two of at most 32.
    - (C2) Operands and results are scalars, or tiles of one shape.

    Since: 0.1.

    Example:
    ```mlir
    %y = tile.inline_asm "shl.b32 $0, $1, 3;" isa "ptx" constraints "=r,r" pack 1 pure (%x)
       : (tensor<64xi32>) -> tensor<64xi32>
    ```
  }];
  let arguments = (ins StrAttr:$text, StrAttr:$isa, StrAttr:$constraints, I64Attr:$pack, UnitAttr:$pure,
    Variadic<Tile_AnyLike>:$operands, OptionalAttr<StrAttr>:$untranslated);
  let useCustomPropertiesEncoding = 1;
  let results = (outs Variadic<Tile_AnyLike>:$results);
  let assemblyFormat = [{
    $text `isa` $isa `constraints` $constraints `pack` $pack (`pure` $pure^)? `(` $operands `)` attr-dict
    `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The instruction set that no machine has: assemblers translate it.
    static ::llvm::StringRef getVirtualIsa() { return "ptx"; }
    bool isVirtual() { return getIsa() == getVirtualIsa(); }
  }];
}

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemWrite<Tile_LaunchOutput>]>]> {
  let summary = "Stops the launch unless a condition holds in every lane";
  let description = [{
    If it does not hold in a lane, the launch fails. The instance stops here: later operations have no effect.

    - `condition`: the condition of each lane.
    - `message`: the text of the error, which also has the location of this operation.

    Since: 0.1.

    Example:
    ```mlir
    tile.assert %ok, "index out of range" : tensor<64xi1>
    ```
  }];
  let arguments = (ins Tile_MaskLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

def Tile_AssumeOp : Tile_Op<"assume", [MemoryEffects<[MemWrite<Tile_LaunchOutput>]>,
    DeclareOpInterfaceMethods<IndexFactsOpInterface, ["getAssumedConditions"]>]> {
  let summary = "Says that a condition holds";
  let description = [{
    A launch in which it does not hold is wrong: `reference` ends it with an error here, other targets may do
    anything. It costs nothing: analyses learn the ranges and divisors of the numbers that the condition
    compares, and code generators drop it. The pass `tile-check-assumptions` makes assertions of them.

    - `condition`: the condition, which holds in every lane.

    Since: 0.2.

    Example:
    ```mlir
    tile.assume %positive : i1
    ```
  }];
  let arguments = (ins Tile_MaskLike:$condition);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
  let hasCanonicalizeMethod = 1;
}

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite<Tile_LaunchOutput>]>]> {
  let summary = "Prints values";
  let description = [{
    A line for every element: program id, indices, prefix and value; floats with the digits that they
    need; pointers as addresses. The lines of one operand are not torn apart; the order among
    instances is unspecified.

    - `prefix`: text before each value.
    - `hex`: the bits in hexadecimal.
    - `operands`: the values to print.
    - `is_unsigned`: for each operand, whether its integers are unsigned.
    - `printed_types`: the element types that the operands had before a pass lowered them to others. The
      values are shown as those. Passes set it.

    Since: 0.1.

    Example:
    ```mlir
    tile.print "x: " %x : tensor<64xf32>
    ```
  }];
  let arguments = (ins StrAttr:$prefix, UnitAttr:$hex, Variadic<Tile_AnyLike>:$operands,
    OptionalAttr<DenseBoolArrayAttr>:$is_unsigned, OptionalAttr<TypeArrayAttr>:$printed_types);
  let useCustomPropertiesEncoding = 1;
  let assemblyFormat = "$prefix (`hex` $hex^)? $operands (`unsigned` $is_unsigned^)? attr-dict (`:` type($operands)^)?";
}

#endif
