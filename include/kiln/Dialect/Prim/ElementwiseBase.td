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

#endif
