// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compute regions: one pass over an iteration box.
#ifndef KILN_DIALECT_STAGE_COMPUTEOPS_TD
#define KILN_DIALECT_STAGE_COMPUTEOPS_TD

include "kiln/Dialect/Stage/StageAttrs.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Stage_ComputeOp : Stage_Op<"compute", [
    AttrSizedOperandSegments, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Computes tiles in one pass over an iteration box";
  let description = [{
    A loop nest without an order. The *box* is the shape of the iteration space. The region holds expressions (pure operations of
    `tile`, `arith` and `math`, and reads) and *sinks*: writes, stores through views, reductions, and the yielded values.
    A code generator evaluates the region at the points of `box` from `from` to before `to`, by default at all points. The order
    of points is unspecified: it may go by elements, by registers or by blocks. An expression that several regions use
    is computed in each of them; a tile that a region writes to storage is kept.

    Each dimension of a sink's tile is a dimension of the box. A tile of the box's rank has the box's
    dimensions in order. A reduction removes one dimension. Other tiles get their dimensions from the operations that relate
    them to those: elementwise operations, transposes, broadcasts. A reduction covers `from` to `to`
    of its dimension, and its result must not be used along that dimension in the same region.

    `safe` promises that from `from` to before `safe` all accesses through views are in bounds: no padding is read, and no store
    is dropped. Code generators leave out masks there. `reference` checks the promise.

    All accesses to one element happen at one point of the box, so they need no order between points. A yielded value of rank 0
    becomes a scalar. A yielded tile has an encoding and becomes a fragment, whose elements outside of `from` to `to` are
    unspecified.

    `stream` says which stores through views are non-temporal (`#stage.stream`).

    Constraints:
    - (C1) The sizes of the box are positive.
    - (C2) `from`, `to` and `safe` have one value per dimension of the box, or none.
    - (C3) The region yields one value per result: a tile of rank 0 or a scalar for a scalar of its type, a tile
      of the result's shape and element type for a fragment.
    - (C4) Each dimension of a sink's tile is a dimension of the box, of the same size, each at most once.
    - (C5) A reduction does not flow back along its dimension.
    - (C6) If the region writes and reads storage at one origin, it does so at the same coordinates: all tiles at one origin of one
      storage have the same dimensions of the box.

    Since: 0.1.

    Example:
    ```mlir
    tile.kernel @sum(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
      %c0 = arith.constant 0 : index
      %n = tile.dim %x[0] : !tile.view<?xf32>
      %sum = stage.compute [1024] to [%n] safe [%n] -> f32 {
        %t = tile.load %x[%c0] : !tile.view<?xf32> -> tensor<1024xf32>
        %e = math.exp %t : tensor<1024xf32>
        %r = tile.reduce %e axis 0 : tensor<1024xf32> -> tensor<f32> {
        ^bb0(%a: f32, %b: f32):
          %s = arith.addf %a, %b : f32
          tile.yield %s : f32
        }
        stage.yield %r : tensor<f32>
      }
      stage.compute [1] {
        %t = tile.splat %sum : tensor<1xf32>
        tile.store %t, %y[%c0] : tensor<1xf32>, !tile.view<?xf32>
      }
    }
    ```
  }];
  let arguments = (ins
    DenseI64ArrayAttr:$box, Arg<Variadic<Index>, "the first point">:$from,
    Arg<Variadic<Index>, "behind the last point">:$to, Arg<Variadic<Index>, "behind the last safe point">:$safe,
    OptionalAttr<Stage_StreamAttr>:$stream);
  let results = (outs Variadic<AnyTypeOf<[Stage_Scalar, Stage_Fragment]>>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $box (`from` `[` $from^ `]`)? (`to` `[` $to^ `]`)? (`safe` `[` $safe^ `]`)?
    (`stream` $stream^)? (`->` type($results)^)? attr-dict-with-keyword $body
  }];
  // Native bytecode of 0.1 has no `stream`.
  let useCustomPropertiesEncoding = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Stage_YieldOp : Stage_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "Ends a region of a stage operation";
  let description = [{
    The operands are the results of the `stage.compute`.
    Since: 0.1. Example: see `stage.compute`.
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange{}); }]>];
}

#endif
