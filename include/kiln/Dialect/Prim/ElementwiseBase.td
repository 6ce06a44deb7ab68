// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Base classes of elementwise operations.
#ifndef KILN_DIALECT_PRIM_ELEMENTWISEBASE_TD
#define KILN_DIALECT_PRIM_ELEMENTWISEBASE_TD

include "kiln/Dialect/Prim/PrimAttrs.td"

/// One operand, result of the same type.
class Prim_UnaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Prim_Op<mnemonic, !listconcat(traits, [Pure, Elementwise, AllTypesMatch<["operand", "result"]>])> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

/// Two operands, all of the same type.
class Prim_BinaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Prim_Op<mnemonic, !listconcat(traits, [Pure, Elementwise, AllTypesMatch<["lhs", "rhs", "result"]>])> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

/// The same, of integers that are signed or, with a flag, unsigned.
class Prim_SignedBinaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Prim_BinaryOp<mnemonic, type, traits> {
  let arguments = (ins type:$lhs, type:$rhs, UnitAttr:$is_unsigned);
  let assemblyFormat = "$lhs `,` $rhs (`unsigned` $is_unsigned^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

/// What every function says of its error and its example.
class Prim_FunctionText<string mnemonic, string meaning> {
  string text = !strconcat("\n    ", meaning, " Correctly rounded by `reference` up to f32; the others keep the bound "
    "that `docs/numerics.md` states for the function.\n\n    Since: 0.2.\n\n    Example: `%r = prim.", mnemonic);
}

/// A function of one float.
class Prim_FunctionOp<string mnemonic, string brief, string meaning>
    : Prim_UnaryOp<mnemonic, Prim_FloatTensor> {
  let summary = brief;
  let description = !strconcat(Prim_FunctionText<mnemonic, meaning>.text, " %x : tensor<4x8xf32>`.\n  ");
  let hasFolder = 1;
}

/// A function of two floats.
class Prim_BinaryFunctionOp<string mnemonic, string brief, string meaning>
    : Prim_BinaryOp<mnemonic, Prim_FloatTensor> {
  let summary = brief;
  let description = !strconcat(Prim_FunctionText<mnemonic, meaning>.text, " %a, %b : tensor<4x8xf32>`.\n  ");
}

#endif
