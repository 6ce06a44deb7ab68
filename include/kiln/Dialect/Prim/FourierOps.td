// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discrete Fourier transforms.
#ifndef KILN_DIALECT_PRIM_FOURIEROPS_TD
#define KILN_DIALECT_PRIM_FOURIEROPS_TD

include "kiln/Dialect/Prim/PrimBase.td"
include "kiln/Interfaces/Accumulation.td"

def Prim_RealTensor : RankedTensorOf<[F32, F64]>;

def Prim_FourierOp : Prim_Op<"fourier", [Pure, DeclareOpInterfaceMethods<AccumulationOpInterface>]> {
  let summary = "Discrete Fourier transform along a dimension";
  let description = [{
    result[k] = sum over j of operand[j] * exp(-2 pi i j k / n) along `dim`, which has n elements; with `inverse` the angle
    has the other sign. Nothing is divided by n. Two operands, or results, are the real and the imaginary parts.

    - One operand is real: of its n elements the frequencies 0 to n / 2 are computed. The others are their conjugates.
    - One result is real: the operands are the frequencies 0 to n / 2 of n, and the others their conjugates. Imaginary
      parts of frequency 0 and, if n is even, n / 2 count for nothing.

    |error| <= 2 (log2(n) + 4) eps * sqrt(n * sum of the squares of the line).

    Constraints:
    - (C1) There are one or two operands and one or two results, and two of one of them.
    - (C2) All have one element type.
    - (C3) 0 <= dim < rank.
    - (C4) All operands have one shape, and all results, which differs in `dim` alone.
    - (C5) Two operands and two results have n elements along it; one of these is n / 2 + 1 where the other is real and n.
    - (C6) The size of `dim` is known.

    Example:
    ```mlir
    %re, %im = prim.fourier %x, %y dim 1 : tensor<4x64xf32>, tensor<4x64xf32> -> tensor<4x64xf32>, tensor<4x64xf32>
    %a, %b = prim.fourier %x dim 1 : tensor<4x64xf32> -> tensor<4x33xf32>, tensor<4x33xf32>
    %r = prim.fourier %a, %b dim 1 inverse : tensor<4x33xf32>, tensor<4x33xf32> -> tensor<4x64xf32>
    ```
  }];
  let arguments = (ins Variadic<Prim_RealTensor>:$operands, I64Attr:$dim, UnitAttr:$inverse);
  let results = (outs Variadic<Prim_RealTensor>:$results);
  let assemblyFormat = [{
    $operands `dim` $dim (`inverse` $inverse^)? attr-dict `:` type($operands) `->` type($results)
  }];
  let hasVerifier = 1;
}

#endif
