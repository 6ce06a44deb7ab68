// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear algebra on the host.
#ifndef KILN_DIALECT_PRIM_LINEARALGEBRAOPS_TD
#define KILN_DIALECT_PRIM_LINEARALGEBRAOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"
include "kiln/Interfaces/HostOp.td"

/// Matrices in the last two dimensions; the others are a batch.
def Prim_Matrices : RankedTensorOf<[F32, F64]>;
def Prim_Numbers32 : RankedTensorOf<[I32]>;

/// These operations share what follows.
///
/// The last two dimensions of a tensor are a matrix, [m, n] with k = min(m, n); those before it are a batch of independent
/// matrices. Indices are from 0. An empty matrix has empty results.
///
/// Numerics: the results for an operand A are the exact results for a matrix A + E, rounded. No element of E is larger than
/// 8 max(m, n) u times the largest element of A; u is half a unit in the last place of 1. Where the operand holds NaN or
/// infinities, results hold NaN or are unspecified, and `info` is unspecified.
///
/// `info` has one number for each matrix: 0 if the results are there.
class Prim_LinearAlgebraOp<string mnemonic, list<Trait> traits = []>
    : Prim_Op<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>, HostOpInterface], traits)>;

def Prim_CholeskyOp : Prim_LinearAlgebraOp<"cholesky"> {
  let summary = "The triangular root of symmetric positive definite matrices";
  let description = [{
    The lower triangular L with L L^T = A, whose diagonal is positive; elements above the diagonal are 0. The upper triangle
    of A is not read. Where A is not positive definite `info` is the size of the first leading part that is not, and all of
    L in the lower triangle is NaN. The host does it; on
    GPUs a kernel does, for matrices of a size that fits its registers.

    Constraints:
    - (C1) The operand has at least two dimensions.
    - (C2) The last two have one size.

    Since: 0.2.

    Example: `%l, %info = prim.cholesky %a : tensor<4x8x8xf32>`.
  }];
  let arguments = (ins Prim_Matrices:$operand);
  let results = (outs Prim_Matrices:$result, Prim_Numbers32:$info);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Prim_LuOp : Prim_LinearAlgebraOp<"lu"> {
  let summary = "LU factorisation of matrices with rows exchanged";
  let description = [{
    P A = L U by elimination, where the pivot of each column is an element of the largest magnitude, the first of them up to
    rounding. `factors`, of the shape of A, has U on and above the diagonal, and below it L without its diagonal of ones.
    In step i of the k steps rows i and `pivots[i]` were exchanged; row i of P A is row `permutation[i]` of A. `info` is
    1 + the number of the first pivot that is 0: L and U are right, but U has no inverse. The host does it; on
    GPUs a kernel does, for matrices of a size that fits its registers.

    Constraints:
    - (C1) The operand has at least two dimensions.

    Since: 0.2.

    Example: `%lu, %pivots, %rows, %info = prim.lu %a : tensor<4x8x6xf64>`.
  }];
  let arguments = (ins Prim_Matrices:$operand);
  let results = (outs Prim_Matrices:$factors, Prim_Numbers32:$pivots, Prim_Numbers32:$permutation,
    Prim_Numbers32:$info);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Prim_PivotsToPermutationOp : Prim_Op<"pivots_to_permutation",
    [Pure, ExactResult, DeclareOpInterfaceMethods<InferTypeOpInterface>, HostOpInterface]> {
  let summary = "The permutation that exchanges of rows come to";
  let description = [{
    Of 0, 1, ..., `rows` - 1 the elements i and `pivots[i]` are exchanged, for each i in order along the last dimension. A
    number outside of [0, rows) is an error. So `prim.lu`'s `permutation` follows from its `pivots`. The host does it.

    Constraints:
    - (C1) The operand has at least one dimension.
    - (C2) The size of the last one is at most `rows`, which is not negative.

    Since: 0.2.

    Example: `%p = prim.pivots_to_permutation %pivots rows 8 : tensor<4x6xi32>`.
  }];
  let arguments = (ins Prim_Numbers32:$pivots, I64Attr:$rows);
  let results = (outs Prim_Numbers32:$permutation);
  let assemblyFormat = "$pivots `rows` $rows attr-dict `:` type($pivots)";
}

def Prim_TriangularSolveOp : Prim_LinearAlgebraOp<"triangular_solve"> {
  let summary = "Solves equations with triangular matrices";
  let description = [{
    The X with A X = B, or A^T X = B with `transpose`. A is upper triangular, or lower triangular with `lower`. The other
    triangle of A is not read. With `unit` its diagonal is not read either, and counts as ones. A 0 on the diagonal gives
    infinities and NaN, as the division does. The host does it; on
    GPUs a kernel does, for matrices of a size that fits its registers.

    Constraints:
    - (C1) Both operands have the same rank, of at least two.
    - (C2) The last two dimensions of A have one size, which is the number of rows of B.
    - (C3) The dimensions before them are equal.
    - (C4) Element types are equal.

    Since: 0.2.

    Example: `%x = prim.triangular_solve %a, %b lower : tensor<4x8x8xf32>, tensor<4x8x3xf32>`.
  }];
  let arguments = (ins Prim_Matrices:$a, Prim_Matrices:$b, UnitAttr:$lower, UnitAttr:$transpose, UnitAttr:$unit);
  let results = (outs Prim_Matrices:$x);
  let assemblyFormat = [{
    $a `,` $b (`lower` $lower^)? (`transpose` $transpose^)? (`unit` $unit^)? attr-dict `:` type($a) `,` type($b)
  }];
}

/// Complex matrices are real ones: each element is two columns, its real part and its imaginary part. The numerics are those of
/// the real operations, with magnitudes of complex numbers.
class Prim_ComplexMatrixOp<string mnemonic> : Prim_LinearAlgebraOp<mnemonic>;

def Prim_ComplexCholeskyOp : Prim_ComplexMatrixOp<"complex_cholesky"> {
  let summary = "The triangular root of Hermitian positive definite matrices";
  let description = [{
    The lower triangular L with L L^H = A, whose diagonal is real and positive; elements above the diagonal are 0. A complex
    matrix of n columns is a tensor of 2 n columns: the real and the imaginary part of each element. The upper triangle of A,
    and imaginary parts of its diagonal, are not read. Where A is not positive definite `info` is the size of the first
    leading part that is not, and all of L in the lower triangle is NaN. The host does it.

    Constraints:
    - (C1) The operand has at least two dimensions.
    - (C2) The last two have known sizes, and the last is twice the one before it.

    Since: 0.2.

    Example: `%l, %info = prim.complex_cholesky %a : tensor<4x8x16xf32>`.
  }];
  let arguments = (ins Prim_Matrices:$operand);
  let results = (outs Prim_Matrices:$result, Prim_Numbers32:$info);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Prim_ComplexLuOp : Prim_ComplexMatrixOp<"complex_lu"> {
  let summary = "LU factorisation of complex matrices with rows exchanged";
  let description = [{
    P A = L U, as `prim.lu` states it for real matrices. The pivot of each column is an element with the largest sum of
    |real part| and |imaginary part|, the first of them up to rounding. A complex matrix of n columns is a tensor of 2 n
    columns: the real and the imaginary part of each element. `pivots` has k = min(m, n) elements. The host does it.

    Constraints:
    - (C1) The operand has at least two dimensions.
    - (C2) The last two have known sizes, and the last is even.

    Since: 0.2.

    Example: `%lu, %pivots, %rows, %info = prim.complex_lu %a : tensor<4x8x12xf64>`.
  }];
  let arguments = (ins Prim_Matrices:$operand);
  let results = (outs Prim_Matrices:$factors, Prim_Numbers32:$pivots, Prim_Numbers32:$permutation,
    Prim_Numbers32:$info);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Prim_ComplexTriangularSolveOp : Prim_ComplexMatrixOp<"complex_triangular_solve"> {
  let summary = "Solves equations with complex triangular matrices";
  let description = [{
    The X with A X = B, or A^T X = B with `transpose`, as `prim.triangular_solve` states it for real matrices. A complex
    matrix of n columns is a tensor of 2 n columns: the real and the imaginary part of each element. The host does it.

    Constraints:
    - (C1) Both operands have the same rank, of at least two.
    - (C2) The last two dimensions of both have known sizes. The last one of A is twice the one before it, which is the
      number of rows of B; the last one of B is even.
    - (C3) The dimensions before them are equal.
    - (C4) Element types are equal.

    Since: 0.2.

    Example: `%x = prim.complex_triangular_solve %a, %b lower : tensor<4x8x16xf32>, tensor<4x8x6xf32>`.
  }];
  let arguments = (ins Prim_Matrices:$a, Prim_Matrices:$b, UnitAttr:$lower, UnitAttr:$transpose, UnitAttr:$unit);
  let results = (outs Prim_Matrices:$x);
  let assemblyFormat = [{
    $a `,` $b (`lower` $lower^)? (`transpose` $transpose^)? (`unit` $unit^)? attr-dict `:` type($a) `,` type($b)
  }];
}

def Prim_ComplexHouseholderQrOp : Prim_ComplexMatrixOp<"complex_householder_qr"> {
  let summary = "A triangular matrix and the reflections that make a complex matrix triangular";
  let description = [{
    A = Q R, as `prim.householder_qr` states it for real matrices, with complex `scales`: H_i = I - scales[i] v v^H. The
    diagonal of R is real, and an element of it has the opposite sign of the real part of that element before step i. A
    complex matrix of n columns is a tensor of 2 n columns: the real and the imaginary part of each element. `scales` has
    2 min(m, n) elements. The host does it.

    Constraints:
    - (C1) The operand has at least two dimensions.
    - (C2) The last two have known sizes, and the last is even.

    Since: 0.2.

    Example: `%qr, %scales = prim.complex_householder_qr %a : tensor<4x8x12xf32>`.
  }];
  let arguments = (ins Prim_Matrices:$operand);
  let results = (outs Prim_Matrices:$factors, Prim_Matrices:$scales);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Prim_ComplexHouseholderProductOp : Prim_ComplexMatrixOp<"complex_householder_product"> {
  let summary = "Columns of a product of complex reflections";
  let description = [{
    The first n columns of the product of the reflections of `prim.complex_householder_qr`, as `prim.householder_product`
    states it for real matrices. The host does it.

    Constraints:
    - (C1) The matrix has at least two dimensions and the scales one less.
    - (C2) The last two dimensions of the matrix and the last one of the scales have known sizes, and the last ones are even.
      There are at least as many rows as complex columns, and at most as many scales as complex columns.
    - (C3) The dimensions of the batch are equal.
    - (C4) Element types are equal.

    Since: 0.2.

    Example: `%q = prim.complex_householder_product %qr, %scales : tensor<4x8x12xf32>, tensor<4x12xf32>`.
  }];
  let arguments = (ins Prim_Matrices:$reflections, Prim_Matrices:$scales);
  let results = (outs Prim_Matrices:$result);
  let assemblyFormat = "$reflections `,` $scales attr-dict `:` type($reflections) `,` type($scales)";
}

def Prim_ComplexEighOp : Prim_ComplexMatrixOp<"complex_eigh"> {
  let summary = "Eigenvalues and eigenvectors of Hermitian matrices";
  let description = [{
    Real `values` in ascending order; complex column i of `vectors` has length 1 and is an eigenvector of the i-th, and the
    columns are orthogonal. In each of them the first element of at least half the largest magnitude is real and positive.
    A complex matrix of n columns is a tensor of 2 n columns: the real and the imaginary part of each element. The upper
    triangle of A, and imaginary parts of its diagonal, are not read. Where the method finds no answer, `info` is positive
    and values and vectors are NaN. The host does it.

    Constraints:
    - (C1) The operand has at least two dimensions.
    - (C2) The last two have known sizes, and the last is twice the one before it.

    Since: 0.2.

    Example: `%w, %v, %info = prim.complex_eigh %a : tensor<4x8x16xf32>`.
  }];
  let arguments = (ins Prim_Matrices:$operand);
  let results = (outs Prim_Matrices:$values, Prim_Matrices:$vectors, Prim_Numbers32:$info);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Prim_ComplexSvdOp : Prim_ComplexMatrixOp<"complex_svd"> {
  let summary = "Singular values and singular vectors of complex matrices";
  let description = [{
    A = U diag(`values`) V^H, as `prim.svd` states it for real matrices, with real `values`. In each of the first k rows of V^H
    the first element of at least half the largest magnitude is real and positive. A complex matrix of n columns is a tensor of
    2 n columns: the real and the imaginary part of each element. The host does it.

    Constraints:
    - (C1) The operand has at least two dimensions.
    - (C2) The last two have known sizes, and the last is even.

    Since: 0.2.

    Example: `%u, %s, %vh, %info = prim.complex_svd %a full : tensor<4x8x12xf32>`.
  }];
  let arguments = (ins Prim_Matrices:$operand, UnitAttr:$full);
  let results = (outs Prim_Matrices:$left, Prim_Matrices:$values, Prim_Matrices:$right, Prim_Numbers32:$info);
  let assemblyFormat = "$operand (`full` $full^)? attr-dict `:` type($operand)";
}

def Prim_HouseholderQrOp : Prim_LinearAlgebraOp<"householder_qr"> {
  let summary = "A triangular matrix and the reflections that make a matrix triangular";
  let description = [{
    A = Q R. `factors`, of the shape of A, has R on and above the diagonal. Q is the product H_0 H_1 ... H_(k-1) of
    reflections H_i = I - scales[i] v v^T, where v is 0 above element i, 1 at it, and column i of `factors` below it. Element i
    of the diagonal of R has the opposite sign of that element before step i. A column that is 0 below the diagonal stays as it is, with a scale of 0. `prim.householder_product` makes columns of Q. The host does it.

    Constraints:
    - (C1) The operand has at least two dimensions.

    Since: 0.2.

    Example: `%qr, %scales = prim.householder_qr %a : tensor<4x8x6xf32>`.
  }];
  let arguments = (ins Prim_Matrices:$operand);
  let results = (outs Prim_Matrices:$factors, Prim_Matrices:$scales);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Prim_HouseholderProductOp : Prim_LinearAlgebraOp<"householder_product"> {
  let summary = "Columns of a product of reflections";
  let description = [{
    The first n columns of the product of the reflections that the first columns of `reflections`, [m, n], hold below the
    diagonal, one for each of `scales`: those of `prim.householder_qr`. The host does it.

    Constraints:
    - (C1) The matrix has at least two dimensions and the scales one less.
    - (C2) There are at least as many rows as columns, and at most as many scales as columns.
    - (C3) The dimensions of the batch are equal.
    - (C4) Element types are equal.

    Since: 0.2.

    Example: `%q = prim.householder_product %qr, %scales : tensor<4x8x6xf32>, tensor<4x6xf32>`.
  }];
  let arguments = (ins Prim_Matrices:$reflections, Prim_Matrices:$scales);
  let results = (outs Prim_Matrices:$result);
  let assemblyFormat = "$reflections `,` $scales attr-dict `:` type($reflections) `,` type($scales)";
}

def Prim_EighOp : Prim_LinearAlgebraOp<"eigh"> {
  let summary = "Eigenvalues and eigenvectors of symmetric matrices";
  let description = [{
    `values` in ascending order; column i of `vectors` has length 1 and is an eigenvector of the i-th, and the columns are
    orthogonal. In each of them the first element of at least half the largest magnitude is positive. The upper triangle of
    A is not read. Where the method finds no answer, `info` is positive and values and vectors are NaN. The host does it.

    Constraints:
    - (C1) The operand has at least two dimensions.
    - (C2) The last two have one size.

    Since: 0.2.

    Example: `%w, %v, %info = prim.eigh %a : tensor<4x8x8xf32>`.
  }];
  let arguments = (ins Prim_Matrices:$operand);
  let results = (outs Prim_Matrices:$values, Prim_Matrices:$vectors, Prim_Numbers32:$info);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Prim_EigOp : Prim_LinearAlgebraOp<"eig"> {
  let summary = "Eigenvalues and eigenvectors of any real matrices";
  let description = [{
    Real and imaginary parts of the eigenvalues, in `values_re` and `values_im`, and of eigenvectors of length 1 in the
    columns of `vectors_re` and `vectors_im`. The order of the eigenvalues is not specified, except that of two conjugate ones
    the one with the positive imaginary part is directly before the other. The complex sign of a vector is not specified,
    except that vectors of real eigenvalues are real, and those of conjugate eigenvalues are conjugate. If the method finds
    no answer, `info` is positive and all results are NaN. The host does it.

    Constraints:
    - (C1) The operand has at least two dimensions.
    - (C2) The last two have one size.

    Since: 0.2.

    Example: `%wr, %wi, %vr, %vi, %info = prim.eig %a : tensor<4x8x8xf32>`.
  }];
  let arguments = (ins Prim_Matrices:$operand);
  let results = (outs Prim_Matrices:$values_re, Prim_Matrices:$values_im, Prim_Matrices:$vectors_re,
    Prim_Matrices:$vectors_im, Prim_Numbers32:$info);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Prim_SvdOp : Prim_LinearAlgebraOp<"svd"> {
  let summary = "Singular values and singular vectors of matrices";
  let description = [{
    A = U diag(`values`) V^T with values that are not negative and descend, U of [m, k] with orthonormal columns in `left`,
    and V^T of [k, n] with orthonormal rows in `right`; with `full` U is [m, m] and V^T [n, n], completed by orthonormal
    vectors that are not specified. In each of the first k rows of V^T the first element of at least half the largest
    magnitude is positive. Where the method finds no answer, `info` is positive and all is NaN. The host does it.

    Constraints:
    - (C1) The operand has at least two dimensions.

    Since: 0.2.

    Example: `%u, %s, %vt, %info = prim.svd %a full : tensor<4x8x6xf32>`.
  }];
  let arguments = (ins Prim_Matrices:$operand, UnitAttr:$full);
  let results = (outs Prim_Matrices:$left, Prim_Matrices:$values, Prim_Matrices:$right, Prim_Numbers32:$info);
  let assemblyFormat = "$operand (`full` $full^)? attr-dict `:` type($operand)";
}

#endif
