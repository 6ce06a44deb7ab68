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
  let summary = "Recovers the iteration space and access maps of kernels";
  let description = [{
    Analyses every kernel (kiln::tile::IterationSpace) and attaches the result as the
    attribute `tile.iteration_space`, or `tile.not_structured` with the reason.
  }];
}

def TileRetile : Pass<"tile-retile"> {
  let summary = "Changes the block sizes of structured kernels";
  let description = [{
    Rewrites structured kernels to the block sizes asked for, by iteration dimension;
    dimensions that stay keep their size. The grid of each launch follows.
  }];
  let options = [
    ListOption<"sizes", "sizes", "int64_t", "block size per iteration dimension; 0 keeps it">,
    Option<"kernel", "kernel", "std::string", "\"\"", "the kernel to rewrite (default: all)">
  ];
}

def TileContract : Pass<"tile-contract", "::kiln::tile::KernelOp"> {
  let summary = "Fuses products with sums where the kernel's numerics allow it";
  let description = [{
    In a kernel whose numerics mode has `contract`, an f32 or f64 product whose only use is a sum or a difference
    becomes `math.fma` with it, the left operand's where both are products: one rounding instead of two, and
    the same one on every target.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def TileRecoverViews : Pass<"tile-recover-views", "::kiln::tile::KernelOp"> {
  let summary = "Turns accesses through pointers into accesses through views";
  let description = [{
    Where the pointers of an access are affine in the indices of its tile, and its mask is made of bounds,
    the access becomes one through a view; where one dimension is indexed by a computed vector, a
    gather or scatter. Pointers that a loop increments by the same amount get their closed form first.
    Offsets are taken not to wrap around in their type, as memory that does so lies outside of every
    buffer. With `report`, a remark at each access says
    `view`, `gather`, `scatter`, or `pointers` and the reason.
  }];
  let options = [Option<"report", "report", "bool", "false", "say what became of each access">];
  let statistics = [
    Statistic<"numViews", "views", "accesses that became views">,
    Statistic<"numGathers", "gathers", "accesses that became gathers">,
    Statistic<"numScatters", "scatters", "accesses that became scatters">,
    Statistic<"numPointers", "pointers", "accesses that stay pointers">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

#endif
