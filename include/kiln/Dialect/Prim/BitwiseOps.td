// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operations on bits.
#ifndef KILN_DIALECT_PRIM_BITWISEOPS_TD
#define KILN_DIALECT_PRIM_BITWISEOPS_TD

include "kiln/Dialect/Prim/ElementwiseBase.td"

def Prim_BitwiseNotOp : Prim_UnaryOp<"bitwise_not", Prim_BitsTensor> {
  let summary = "Flips every bit";
  let description = [{
    On i1 this is logical not.
    Example: `%r = prim.bitwise_not %x : tensor<4x8xi32>`.
  }];
}

def Prim_ClzOp : Prim_UnaryOp<"clz", Prim_IntTensor> {
  let summary = "Number of leading zero bits";
  let description = [{
    Zero gives the width of the type.
    Example: `%r = prim.clz %x : tensor<4x8xi32>`.
  }];
}

def Prim_PopulationCountOp : Prim_UnaryOp<"population_count", Prim_IntTensor> {
  let summary = "Number of bits that are set";
  let description = [{
    From 0 to the width of the type; that of the smallest value is 1.

    Since: 0.2.

    Example: `%r = prim.population_count %x : tensor<4x8xi32>`.
  }];
  let hasFolder = 1;
}

def Prim_BitwiseAndOp : Prim_BinaryOp<"bitwise_and", Prim_BitsTensor, [Commutative]> {
  let summary = "And of the bits";
  let description = [{
    Also logical and, on i1.
    Example: `%r = prim.bitwise_and %a, %b : tensor<4x8xi32>`.
  }];
}

def Prim_BitwiseOrOp : Prim_BinaryOp<"bitwise_or", Prim_BitsTensor, [Commutative]> {
  let summary = "Or of the bits";
  let description = [{
    Also logical or, on i1.
    Example: `%r = prim.bitwise_or %a, %b : tensor<4x8xi32>`.
  }];
}

def Prim_BitwiseXorOp : Prim_BinaryOp<"bitwise_xor", Prim_BitsTensor, [Commutative]> {
  let summary = "Exclusive or of the bits";
  let description = [{
    Also logical xor, on i1.
    Example: `%r = prim.bitwise_xor %a, %b : tensor<4x8xi32>`.
  }];
}

def Prim_ShiftLeftOp : Prim_BinaryOp<"shift_left", Prim_IntTensor> {
  let summary = "a shifted left by b bits";
  let description = [{
    Zeros come in. A shift amount outside of [0, width) gives 0.
    Example: `%r = prim.shift_left %a, %b : tensor<4x8xi32>`.
  }];
}

def Prim_ShiftRightArithmeticOp : Prim_BinaryOp<"shift_right_arithmetic", Prim_IntTensor> {
  let summary = "a shifted right by b bits, sign kept";
  let description = [{
    A shift amount outside of [0, width) gives the sign: 0 or -1.
    Example: `%r = prim.shift_right_arithmetic %a, %b : tensor<4x8xi32>`.
  }];
}

def Prim_ShiftRightLogicalOp : Prim_BinaryOp<"shift_right_logical", Prim_IntTensor> {
  let summary = "a shifted right by b bits, zeros come in";
  let description = [{
    A shift amount outside of [0, width) gives 0.
    Example: `%r = prim.shift_right_logical %a, %b : tensor<4x8xi32>`.
  }];
}

#endif
