// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Level 3: the instructions of the machine as a dialect. What stands here is
// printed, parsed and verified by MLIR; compiler/Assembly.cpp writes it as text
// for the assembler.
#ifndef @NAME@_OPS
#define @NAME@_OPS

include "kiln/Dialect/Tile/TileTypes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def @Name@_Dialect : Dialect {
  let name = "@name@";
  let cppNamespace = "::@name@";
  let summary = "Instructions of the @name@ machine";
}

class @Name@_Op<string mnemonic, list<Trait> traits = []> : Op<@Name@_Dialect, mnemonic, traits>;

/// A register: up to 4096 numbers.
def @Name@_Tile : StaticShapeTensorOf<[F32]>;

/// What the vector unit computes, element by element. The order is that of the
/// instructions in device/Isa.h.
def @Name@_Function : I32EnumAttr<"Function", "a function of the vector unit", [
    I32EnumAttrCase<"Add", 0, "vadd">, I32EnumAttrCase<"Sub", 1, "vsub">,
    I32EnumAttrCase<"Mul", 2, "vmul">, I32EnumAttrCase<"Div", 3, "vdiv">,
    I32EnumAttrCase<"Max", 4, "vmax">, I32EnumAttrCase<"Min", 5, "vmin">,
    I32EnumAttrCase<"Neg", 6, "vneg">, I32EnumAttrCase<"Exp", 7, "vexp">]> {
  let cppNamespace = "::@name@";
}

def @Name@_FillOp : @Name@_Op<"fill", [Pure]> {
  let summary = "A tile of equal numbers";
  let arguments = (ins F32Attr:$number);
  let results = (outs @Name@_Tile:$result);
  let assemblyFormat = "$number attr-dict `:` type($result)";
}

def @Name@_SplatOp : @Name@_Op<"splat", [Pure]> {
  let summary = "A tile of a number that is an argument";
  let arguments = (ins F32:$number);
  let results = (outs @Name@_Tile:$result);
  let assemblyFormat = "$number attr-dict `:` type($result)";
}

def @Name@_ComputeOp : @Name@_Op<"compute", [Pure, SameOperandsAndResultType]> {
  let summary = "One instruction of the vector unit";
  let arguments = (ins @Name@_Function:$function, Variadic<@Name@_Tile>:$operands);
  let results = (outs @Name@_Tile:$result);
  let assemblyFormat = "$function $operands attr-dict `:` type($result)";
}

defvar access = [{
    Element i of the tile stands at `offsets` + i * `steps` along each dimension of the view, and
    there are `block` of them.
}];

def @Name@_LoadOp : @Name@_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "Reads a tile from memory; what is outside of the view reads as `outside`";
  let description = access;
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets, DenseI64ArrayAttr:$block,
                   DenseI64ArrayAttr:$steps, F32Attr:$outside);
  let results = (outs @Name@_Tile:$result);
  let assemblyFormat = [{
    $view `[` $offsets `]` `block` $block `steps` $steps `outside` $outside attr-dict
    `:` qualified(type($view)) `->` type($result)
  }];
}

def @Name@_StoreOp : @Name@_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Writes a tile to memory; what is outside of the view is dropped";
  let description = access;
  let arguments = (ins @Name@_Tile:$value, Tile_ViewType:$view, Variadic<Index>:$offsets,
                   DenseI64ArrayAttr:$block, DenseI64ArrayAttr:$steps);
  let assemblyFormat = [{
    $value `,` $view `[` $offsets `]` `block` $block `steps` $steps attr-dict
    `:` type($value) `,` qualified(type($view))
  }];
}

#endif
