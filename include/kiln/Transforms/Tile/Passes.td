// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on tile programs that serve every target.
#ifndef KILN_TRANSFORMS_TILE_PASSES_TD
#define KILN_TRANSFORMS_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyTileForm : Pass<"verify-tile-form"> {
  let summary = "Checks that kernels hold only what the tile level allows";
  let description = [{
    Inside of `tile.kernel`: operations of `tile`, `scf` (for, if, while, yield,
    condition), and `arith`, `math`, `tensor.extract` on scalars and tiles of static
    shape, with or without an encoding, which must fit the shape where it is a layout
    (LayoutAttrInterface). Operations of other dialects are allowed where they say what they
    do: they are elementwise, or implement ViewAccessOpInterface, IndexMapOpInterface or
    MatrixProductOpInterface, and declare their effects. Anything else is an error at its
    location.
  }];
}

def TileRaise : Pass<"tile-raise"> {
  let summary = "Reports the iteration space and access maps of kernels";
  let description = [{
    Analyses every kernel (kiln::tile::IterationSpace) and reports in a remark the dimensions and accesses of
    the iteration space, or why the kernel is not structured. The IR stays as it is.
  }];
}

def TileRetile : Pass<"tile-retile"> {
  let summary = "Changes the block sizes of structured kernels";
  let description = [{
    Rewrites structured kernels to the block sizes of the option `sizes`, by iteration dimension.
    The grid of each launch is changed to match.
  }];
  let options = [
    ListOption<"sizes", "sizes", "int64_t", "block size per iteration dimension; 0 keeps it">,
    Option<"kernel", "kernel", "std::string", "\"\"", "the kernel to rewrite (default: all)">
  ];
}

def TileContract : Pass<"tile-contract", "::kiln::tile::KernelOp"> {
  let summary = "Fuses multiplications and additions to `math.fma` if the kernel's numerics allow it";
  let description = [{
    In a kernel whose numerics mode has `contract`, an f32 or f64 multiplication whose only use is an addition or a
    subtraction becomes a `math.fma` with it. If both operands are products, the left one is fused. The result is rounded
    once instead of twice, and in the same way on every target.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def TileEraseUnused : Pass<"tile-erase-unused", "::kiln::tile::KernelOp"> {
  let summary = "Erases operations whose results are not used";
  let description = [{
    Erases what changes nothing in memory and has no users, loads included. The pipelines of targets begin with it, since
    they generate code for each operation. `reference` evaluates these loads and reports those outside of their memory.
  }];
}

def TileRecoverViews : Pass<"tile-recover-views", "::kiln::tile::KernelOp"> {
  let summary = "Turns accesses through pointers into accesses through views";
  let description = [{
    Analyses the pointers and the mask of each `tile.load_ptr` and `tile.store_ptr`:

    | pointers | become |
    |---|---|
    | affine in the indices of the tile, with a mask made of bounds | an access through a view |
    | the same, with one dimension that is indexed by a computed vector | a gather or scatter |
    | all others | unchanged |

    - **Loops.** Pointers that a loop increments by the same amount get their closed form first. If the step of that loop is no
      constant, the loop counts its iterations from 0, so that no iteration divides by the step.
    - **Overflow.** A sum or product of less than 64 bits is accepted if it cannot wrap around in its type: by constants, by
      divisors of its operands, by the mask of the access, or, with `assume`, by conditions on the parameters and the grid of
      the launch. These become the kernel's `condition`. With `most_extent` in the `extra` of the module's target, they also keep each
      view within that number of bytes. A value that may wrap is a vector of computed indices.
    - **Rows that wrap around** at a size (`row % size`, `row < size ? row : c`, `min(row, size - 1)`) count as plain rows if
      the stores drop all results of the rows from the size on. These rows are then not read. Rows are assumed to begin less than a
      size before the first.
    - **Gathers** count their indices in the steps that they are multiplied with if no index can be negative, and else in elements
      from far below the pointer.

    Hints of an access stay with it. With `report`, a remark at each access is `view`, `gather`, `scatter`, or `pointers` with the
    reason.
  }];
  let options = [
    Option<"report", "report", "bool", "false", "report in a remark how each access was converted">,
    Option<"assume", "assume", "bool", "true",
           "assume conditions on launches, which the kernel then requires">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def TileVaryViews : Pass<"tile-vary-views", "::mlir::ModuleOp"> {
  let summary = "Recovers views, with a variant for launches whose offsets do not wrap around";
  let description = [{
    Runs `tile-recover-views` on each kernel. If the result depends on conditions on launches, a public kernel gets the views
    that need no conditions. A private variant `NAME_views` in its `variants` gets all views. A launch by
    the kernel's name runs the variant if its arguments and its grid meet the conditions. For private
    kernels, and those that have variants already, the pass assumes no conditions.

    ```mlir
    tile.kernel @k(%x: !tile.ptr<f32>, %stride: i32) attributes {variants = [@k_views]} { ... }
    tile.kernel private @k_views(%x: !tile.ptr<f32>, %stride: i32)
        attributes {condition = affine_set<()[s0, s1, s2, s3, s4] : (s1 >= 0, s1 * -15 + 2147483647 >= 0)>} { ... }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def TileFindExchanges : Pass<"tile-find-exchanges", "::kiln::tile::KernelOp"> {
  let summary = "Finds butterfly exchanges of elements, and joins dimensions of size 2 around them";
  let description = [{
    Sorts, merges and flips may reshape a tile so that each bit of an index is a dimension of size 2. They compute the exclusive or of
    an element with the reduction (by exclusive or) along such a dimension, which is the other element of the pair. This becomes
    `tile.exchange`.

    In these shapes the pass joins neighbouring dimensions of size 2. Elementwise operations, exchanges and values that follow from indices
    move to the smaller shape, and reductions to a shape that keeps their own dimension. All other operations get their tile in the shape
    that it had.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileLowerFloat8 : Pass<"tile-lower-float8", "::kiln::tile::KernelOp"> {
  let summary = "Keeps floats of at most 8 bits as bytes and computes with them in f32";
  let description = [{
    For machines without arithmetic on such floats. Tiles, views, pointers and parameters of them hold i8
    afterwards, an element of 4 or 6 bits in the low bits of its byte. An operation that reads such elements reads
    their f32 values, which is exact; one that produces them computes in f32 and rounds once, to nearest
    even, as `tile.convert_float` and `arith.truncf` say. Types that the description lists as `converted` in `extra`
    are converted by `arith.extf` and `arith.truncf` of bytes whose bits are read as these types, and matmuls
    whose operands are both of such types keep them. Stores that combine and atomic operations are unsupported unless
    `combine` says that the code generator handles them: they are of bytes then (`fadd` becomes `add`), and their
    fact `combined_as` is the type of the floats.
  }];
  let options = [
    Option<"combine", "combine", "bool", "false", "Mark arithmetic in memory instead of refusing it">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def TileLowerPointers : Pass<"tile-lower-pointers", "::kiln::tile::KernelOp"> {
  let summary = "Turns tiles of pointers into tiles of addresses";
  let description = [{
    A tile of pointers becomes a tile of i64, and steps between pointers become arithmetic, in bytes, that
    wraps around in 64 bits. Accesses take their addresses through `tile.int_to_ptr`. Scalar pointers stay.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileWidenAccumulators : Pass<"tile-widen-accumulators", "::kiln::tile::KernelOp"> {
  let summary = "Accumulates matmuls and reductions of f16 and bf16 in f32";
  let description = [{
    For machines that accumulate in f32: the accumulator of a product (MatrixProductOpInterface) of f16 or
    bf16 is widened, and the sum rounded once to its type. So are sums and products of such elements by
    `tile.reduce`, unless it is ordered.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileExpandWideProducts : Pass<"tile-expand-wide-products", "::kiln::tile::Kernel"> {
  let summary = "Expands multiplications to twice the width, and additions with carry";
  let description = [{
    For machines without these operations: `arith.mulsi_extended` and `arith.mului_extended` become products of twice the width, of 8 bits at least, for
    elements of up to 32 bits, and sums of products of halves for wider ones. `arith.addui_extended` becomes a sum
    and a comparison of it with a term.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileExpandConversions : Pass<"tile-expand-conversions", "::kiln::tile::Kernel"> {
  let summary = "Expands conversions with a rounding mode into conversions to nearest";
  let description = [{
    `tile.convert_float` becomes `arith.extf` and `arith.truncf`, which rounds to nearest even, with a
    correction of one step where it is to round toward zero or to saturate.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def TileExpandSincos : Pass<"tile-expand-sincos", "::kiln::tile::Kernel"> {
  let summary = "Splits `math.sincos` into a sine and a cosine";
  let description = [{
    For machines without a function for both: `math.sincos` becomes `math.sin` and `math.cos`. A function whose result has no use
    is left out.
  }];
  let dependentDialects = ["::mlir::math::MathDialect"];
}

def TileExpandReductions : Pass<"tile-expand-reductions", "::kiln::tile::Kernel"> {
  let summary = "Expands reductions and composites, also those of plug-ins, into operations of tile";
  let description = [{
    An operation with `ReductionOpInterface` becomes a `tile.reduce`, with the operations that compute its sources before it and
    those that compute its results behind it. One with `CompositeOpInterface`, such as
    `tile.segmented_scan`, becomes what it builds. A matmul (`MatrixProductOpInterface`) without an accumulator, or whose operands are
    in another order than m x k and k x n, becomes a `tile.dot` of transposed operands. Operations of `keep` stay: the
    target has lowerings of their own for them.
  }];
  let options = [
    ListOption<"keep", "keep", "std::string", "names of operations that stay as they are">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def TileExpandScaledDots : Pass<"tile-expand-scaled-dots", "::kiln::tile::Kernel"> {
  let summary = "Expands matmuls with block scales into matmuls without scales";
  let description = [{
    For machines without matmuls of scaled operands: the operands of `tile.dot_scaled` are decoded to f32 and
    multiplied with their scales, and a `tile.dot` takes them.

    With `narrow`, a product whose scales a matrix instruction of the module's description takes (`scaled` in `extra`)
    stays, on operands of bytes. In other products, where the module's description has a matrix instruction for it, each
    operand becomes f16 if that represents all of its values. Else it becomes one or two terms of bf16 that add up to it,
    with a `tile.dot` for each pair of terms. Both are exact, but for values below 2^-126, which matmuls of bf16 may read as zero. Infinities
    are multiplied with the largest term of the other operand alone, as a smaller one may be zero.
  }];
  let options = [
    Option<"narrow", "narrow", "bool", "false", "operands of 16 bits where the description multiplies those">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileExpandScaling : Pass<"tile-expand-scaling", "::kiln::tile::Kernel"> {
  let summary = "Expands scaled conversions into multiplications";
  let description = [{
    For machines without them: `arith.scaling_extf` and `arith.scaling_truncf` become products in f64 with the power
    of two that the scale is, or its inverse, rounded once to the type of the result. A scale of another type than
    f8E8M0FNU is rounded to the nearest power first, halves up, whatever its sign; what is too small is 2^-127, what
    is too large, infinite or NaN is NaN. `arith.extf` and `arith.truncf` from and to f8E8M0FNU go the same way, so
    that such tiles are only moved afterwards.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileCheckAssumptions : Pass<"tile-check-assumptions", "::kiln::tile::Kernel"> {
  let summary = "Turns assumptions into assertions";
  let description = [{
    `tile.assume` becomes `tile.assert`: a launch in which an assumption does not hold fails on every target.
  }];
}

def TilePrintAxes : Pass<"tile-print-axes", "::kiln::tile::Kernel"> {
  let summary = "Reports runs of consecutive and of equal elements in tiles of indices and pointers";
  let description = [{
    A remark at each operation that computes such a tile has three numbers for each dimension: the length of runs in which each
    element is one more than the one before; a divisor of the first element of a run (in bytes, for pointers); and the length of runs
    of equal elements. Code generators choose vectors and the order of threads by them.
  }];
}

#endif
