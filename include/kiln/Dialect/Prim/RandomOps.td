// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random bits from a key and a counter.
#ifndef KILN_DIALECT_PRIM_RANDOMOPS_TD
#define KILN_DIALECT_PRIM_RANDOMOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"

def Prim_RandomBitsOp : Prim_Op<"random_bits", [Pure, ExactResult]> {
  let summary = "Random bits of a counter-based generator";
  let description = [{
    The same bits for the same key, counter and shape, on every target. n is the row-major number of an element,
    `counter` an integer whose lowest word comes first, `key` two words k0, k1. `sizes` are the `?` of the result, in
    order. Exact. With `algorithm`

    - `philox`: Philox4x32 with 10 rounds. The 32-bit words of the blocks counter, counter + 1, ... (128 bits) follow
      each other: element n is word n mod 4 of block counter + n / 4; of i64 it is the words 2n and 2n + 1, the low
      one first. This is the order of cuRAND's and XLA's generators.
    - `philox_word`: element n is word 0 of block counter + n; of i64 words 0 and 1, the low one first.
    - `threefry`: (a, b) is Threefry2x32 with 20 rounds of (hi, lo), the words of counter + n (64 bits); element n is
      a xor b; of i64 a is the high word and b the low one. This is what JAX draws.

    i8 and i16 are the low bits of what i32 would be.

    Constraints:
    - (C1) There is one size for each `?` of the result.
    - (C2) The key is a tensor of two i32, the counter one of four, or of two for `threefry`.

    Since: 0.2.

    Example: `%r = prim.random_bits philox %key, %counter : tensor<2xi32>, tensor<4xi32> -> tensor<8x16xi32>`.
  }];
  let arguments = (ins Prim_RandomAlgorithm:$algorithm, Prim_IntTensor:$key, Prim_IntTensor:$counter,
                       Variadic<Index>:$sizes);
  let results = (outs Prim_IntTensor:$result);
  let assemblyFormat = [{
    $algorithm $key `,` $counter (`sizes` `(` $sizes^ `)`)? attr-dict
    `:` type($key) `,` type($counter) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif
