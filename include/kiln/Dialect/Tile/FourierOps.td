// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discrete Fourier transforms of tiles.
#ifndef KILN_DIALECT_TILE_FOURIEROPS_TD
#define KILN_DIALECT_TILE_FOURIEROPS_TD

include "kiln/Dialect/Tile/TileTypes.td"
include "kiln/Interfaces/Accumulation.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_RealTile : StaticShapeTensorOf<[F32, F64]>;

def Tile_FourierOp : Tile_Op<"fourier", [Pure, DeclareOpInterfaceMethods<AccumulationOpInterface>]> {
  let summary = "Discrete Fourier transform along a dimension";
  let description = [{
    result[k] = sum over j of source[j] * exp(-2 pi i j k / n) along a dimension of n elements, without a scale (not divided by n).

    - `sources`: the real and the imaginary parts. One source alone is real: of its n elements the frequencies 0 to n / 2
      are computed, of which the others are the conjugates.
    - `axis`: the dimension.
    - `inverse`: the angle has the other sign.
    - `results`: the real and the imaginary parts. One result alone is real: the sources are the frequencies 0 to n / 2 of
      n, the others are their conjugates. The imaginary parts of frequencies that are their own conjugates (0, and n / 2) are ignored.

    Constraints:
    - (C1) There are one or two sources and one or two results, and two of one of them.
    - (C2) All have one element type.
    - (C3) The dimension exists.
    - (C4) All sources have one shape, and all results, which differs in the dimension alone.
    - (C5) Two sources and two results have n elements along it; one of these is n / 2 + 1 where the other is real and n.

    Numerics: |error| <= 2 (log2(n) + 4) eps * sqrt(n * sum of the squares of the line).

    Since: 0.2.

    Example:
    ```mlir
    %re, %im = tile.fourier %x, %y axis 1 : tensor<4x64xf32>, tensor<4x64xf32> -> tensor<4x64xf32>, tensor<4x64xf32>
    %a, %b = tile.fourier %x axis 1 : tensor<4x64xf32> -> tensor<4x33xf32>, tensor<4x33xf32>
    %r = tile.fourier %a, %b axis 1 inverse : tensor<4x33xf32>, tensor<4x33xf32> -> tensor<4x64xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_RealTile>:$sources, I64Attr:$axis, UnitAttr:$inverse);
  let results = (outs Variadic<Tile_RealTile>:$results);
  let assemblyFormat = [{
    $sources `axis` $axis (`inverse` $inverse^)? attr-dict `:` type($sources) `->` type($results)
  }];
  let hasVerifier = 1;
}

#endif
