// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of the host by name, on batches of matrices.
#include "kiln/Eval/HostFunctions.h"
#include "LinearAlgebra.h"
#include "VectorErrors.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Perturb.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;

namespace kiln::eval {

namespace {

using namespace linear;

/// One call: matrices of a batch, one after the other.
struct Call {
  Operation *op;
  ArrayRef<StringRef> flags;
  ArrayRef<Value> inputs;
  MutableArrayRef<Value> outputs;
  int64_t number = 0; ///< of the matrix in the batch

  bool has(StringRef flag) const { return llvm::is_contained(flags, flag); }

  /// An operand's matrix, or a row of `rank` 1.
  Matrix exactInput(unsigned which, unsigned rank = 2) const {
    const Value &value = inputs[which];
    Matrix made = shaped(value, rank);
    auto count = static_cast<int64_t>(made.elements.size());
    std::vector<double> numbers(made.elements.size());
    loadDoubles(value.dtype(), value.data(), number * count, count,
                numbers.data());
    llvm::copy(numbers, made.elements.begin());
    return made;
  }

  /// The same, off by as much as the contract allows where errors are wanted.
  Matrix input(unsigned which, unsigned rank = 2) const {
    Matrix made = exactInput(which, rank);
    if (!perturbation().isOn() || !runtime::isFloat(inputs[which].dtype()))
      return made;
    Real largest = 0;
    for (Real x : made.elements)
      largest = std::isfinite(x) ? std::max(largest, std::fabs(x)) : largest;
    auto count = static_cast<int64_t>(made.elements.size());
    for (auto [i, x] : llvm::enumerate(made.elements))
      x += errorDirection(number * count + static_cast<int64_t>(i)) *
           relativeError(which, rank) * largest;
    return made;
  }

  /// How far an operand may be off, of its size.
  double relativeError(unsigned which, unsigned rank = 2) const {
    const Value &value = inputs[which];
    ArrayRef<int64_t> sizes = value.shape().take_back(rank);
    return 8 * static_cast<double>(*llvm::max_element(sizes)) *
           (value.dtype() == DType::f64 ? kHalfUlpF64 : kHalfUlp);
  }

  Matrix shaped(const Value &value, unsigned rank) const {
    ArrayRef<int64_t> shape = value.shape().take_back(rank);
    return Matrix(rank == 2 ? shape[0] : 1, shape.back());
  }
  Matrix output(unsigned which, unsigned rank = 2) const {
    return shaped(outputs[which], rank);
  }

  /// Gives a result, each element off by its error.
  void giveWithin(unsigned which, Matrix matrix, const Matrix &errors) {
    for (auto [i, x] : llvm::enumerate(matrix.elements))
      x += errorDirection(static_cast<int64_t>(i)) * errors.elements[i];
    give(which, matrix);
  }

  void give(unsigned which, const Matrix &matrix) {
    Value &value = outputs[which];
    auto count = static_cast<int64_t>(matrix.elements.size());
    std::vector<double> numbers;
    for (Real x : matrix.elements)
      numbers.push_back(narrowToOdd(x));
    storeDoubles(value.dtype(), value.mutableData(), number * count, count,
                 numbers.data());
  }
  void giveNumbers(unsigned which, ArrayRef<int64_t> numbers) {
    auto count = static_cast<int64_t>(numbers.size());
    storeInts(outputs[which].dtype(), outputs[which].mutableData(),
              number * count, count, numbers.data());
  }

  LogicalResult fail(const Twine &message) const {
    return op->emitOpError(message);
  }
};

LogicalResult runCholesky(Call &call) {
  Matrix a = call.input(0);
  int64_t info = cholesky(a);
  call.give(0, a);
  call.giveNumbers(1, info);
  return success();
}

LogicalResult runLu(Call &call) {
  Matrix a = call.input(0);
  Numbers pivots, rows(static_cast<size_t>(a.rows));
  int64_t info = lu(a, pivots);
  permute(pivots, rows);
  call.give(0, a);
  call.giveNumbers(1, pivots);
  call.giveNumbers(2, rows);
  call.giveNumbers(3, info);
  return success();
}

LogicalResult runPermutation(Call &call) {
  Matrix given = call.input(0, 1);
  Numbers pivots(given.elements.begin(), given.elements.end());
  Numbers rows(static_cast<size_t>(call.outputs[0].shape().back()));
  if (!permute(pivots, rows))
    return call.fail("a pivot is outside of the rows");
  call.giveNumbers(0, rows);
  return success();
}

LogicalResult runTriangularSolve(Call &call) {
  Matrix b = call.input(1);
  triangularSolve(call.input(0), b, call.has("lower"), call.has("transpose"),
                  call.has("unit"));
  call.give(0, b);
  return success();
}

/// Each element is two columns.
ComplexMatrix complexOf(const Matrix &pairs) {
  ComplexMatrix made(pairs.rows, pairs.columns / 2);
  for (auto [i, z] : llvm::enumerate(made.elements))
    z = {pairs.elements[2 * i], pairs.elements[2 * i + 1]};
  return made;
}
Matrix pairsOf(const ComplexMatrix &matrix) {
  Matrix made(matrix.rows, 2 * matrix.columns);
  for (auto [i, z] : llvm::enumerate(matrix.elements)) {
    made.elements[2 * i] = z.real();
    made.elements[2 * i + 1] = z.imag();
  }
  return made;
}

LogicalResult runComplexCholesky(Call &call) {
  ComplexMatrix a = complexOf(call.input(0));
  int64_t info = complexCholesky(a);
  call.give(0, pairsOf(a));
  call.giveNumbers(1, info);
  return success();
}

LogicalResult runComplexLu(Call &call) {
  ComplexMatrix a = complexOf(call.input(0));
  Numbers pivots, rows(static_cast<size_t>(a.rows));
  int64_t info = complexLu(a, pivots);
  permute(pivots, rows);
  call.give(0, pairsOf(a));
  call.giveNumbers(1, pivots);
  call.giveNumbers(2, rows);
  call.giveNumbers(3, info);
  return success();
}

LogicalResult runComplexTriangularSolve(Call &call) {
  ComplexMatrix b = complexOf(call.input(1));
  complexTriangularSolve(complexOf(call.input(0)), b, call.has("lower"),
                         call.has("transpose"), call.has("unit"));
  call.give(0, pairsOf(b));
  return success();
}

LogicalResult runComplexHouseholderQr(Call &call) {
  ComplexMatrix a = complexOf(call.input(0)),
                scales = complexOf(call.output(1, 1));
  householderQr(a, scales);
  call.give(0, pairsOf(a));
  call.give(1, pairsOf(scales));
  return success();
}

LogicalResult runComplexHouseholderProduct(Call &call) {
  ComplexMatrix a = complexOf(call.input(0));
  householderProduct(a, complexOf(call.input(1, 1)));
  call.give(0, pairsOf(a));
  return success();
}

LogicalResult runComplexEigh(Call &call) {
  Matrix values = call.output(0, 1);
  ComplexMatrix vectors = complexOf(call.output(1));
  int64_t info = eigh(complexOf(call.input(0)), values, vectors);
  call.give(0, values);
  call.give(1, pairsOf(vectors));
  call.giveNumbers(2, info);
  return success();
}

LogicalResult runComplexSvd(Call &call) {
  ComplexMatrix left = complexOf(call.output(0)),
                right = complexOf(call.output(2));
  Matrix values = call.output(1, 1);
  int64_t info =
      svd(complexOf(call.input(0)), call.has("full"), left, values, right);
  call.give(0, pairsOf(left));
  call.give(1, values);
  call.give(2, pairsOf(right));
  call.giveNumbers(3, info);
  return success();
}

LogicalResult runHouseholderQr(Call &call) {
  Matrix a = call.input(0), scales = call.output(1, 1);
  householderQr(a, scales);
  call.give(0, a);
  call.give(1, scales);
  return success();
}

LogicalResult runHouseholderProduct(Call &call) {
  Matrix a = call.input(0);
  householderProduct(a, call.input(1, 1));
  call.give(0, a);
  return success();
}

LogicalResult runEigh(Call &call) {
  Matrix values = call.output(0, 1), vectors = call.output(1);
  int64_t info = eigh(call.exactInput(0), values, vectors);
  if (perturbation().isOn() && info == 0) {
    VectorErrors errors(values, call.relativeError(0));
    call.giveWithin(0, values, errors.ofValues());
    call.giveWithin(1, vectors, errors.ofColumns(vectors, vectors));
  } else {
    call.give(0, values);
    call.give(1, vectors);
  }
  call.giveNumbers(2, info);
  return success();
}

LogicalResult runEig(Call &call) {
  Matrix a = call.input(0);
  ComplexMatrix values(1, a.columns), vectors(a.rows, a.columns);
  int64_t info = eig(a, values, vectors);
  auto part = [](const ComplexMatrix &z, bool isReal) {
    Matrix made(z.rows, z.columns);
    for (auto [x, y] : llvm::zip(made.elements, z.elements))
      x = isReal ? y.real() : y.imag();
    return made;
  };
  call.give(0, part(values, true));
  call.give(1, part(values, false));
  call.give(2, part(vectors, true));
  call.give(3, part(vectors, false));
  call.giveNumbers(4, info);
  return success();
}

LogicalResult runSvd(Call &call) {
  Matrix left = call.output(0), values = call.output(1, 1),
         right = call.output(2);
  int64_t info = svd(call.exactInput(0), call.has("full"), left, values, right);
  if (perturbation().isOn() && info == 0) {
    VectorErrors errors(values, call.relativeError(0));
    // Vectors that are longer than others turn towards what those do not span.
    // The signs follow those on the right.
    Matrix rows = right.transposed();
    bool isWide = rows.rows > left.rows;
    call.giveWithin(1, values, errors.ofValues());
    call.giveWithin(2, right,
                    errors.ofColumns(rows, rows, isWide, isWide).transposed());
    call.giveWithin(0, left, errors.ofColumns(left, rows, true, isWide));
  } else {
    call.give(0, left);
    call.give(1, values);
    call.give(2, right);
  }
  call.giveNumbers(3, info);
  return success();
}

struct Function {
  StringRef name;
  LogicalResult (*run)(Call &);
  unsigned inputs, outputs;
  unsigned rank = 2; ///< of what one call takes of the first operand
};

} // namespace

LogicalResult runHostFunction(Operation *op, StringRef function,
                              ArrayRef<StringRef> flags, ArrayRef<Value> inputs,
                              MutableArrayRef<Value> outputs) {
  if (function == "callback")
    return op->emitOpError("unsupported: an evaluation of a callback, whose "
                           "function is the caller's");
  static const Function all[] = {
      {"cholesky", runCholesky, 1, 2},
      {"lu", runLu, 1, 4},
      {"pivots_to_permutation", runPermutation, 1, 1, 1},
      {"triangular_solve", runTriangularSolve, 2, 1},
      {"complex_cholesky", runComplexCholesky, 1, 2},
      {"complex_lu", runComplexLu, 1, 4},
      {"complex_triangular_solve", runComplexTriangularSolve, 2, 1},
      {"complex_householder_qr", runComplexHouseholderQr, 1, 2},
      {"complex_householder_product", runComplexHouseholderProduct, 2, 1},
      {"complex_eigh", runComplexEigh, 1, 3},
      {"complex_svd", runComplexSvd, 1, 4},
      {"householder_qr", runHouseholderQr, 1, 2},
      {"householder_product", runHouseholderProduct, 2, 1},
      {"eigh", runEigh, 1, 3},
      {"eig", runEig, 1, 5},
      {"svd", runSvd, 1, 4}};
  const Function *found =
      llvm::find_if(all, [&](const Function &f) { return f.name == function; });
  if (found == std::end(all) || inputs.size() != found->inputs ||
      outputs.size() != found->outputs)
    return op->emitOpError("expected a function of the host, found '")
           << function << "' of " << inputs.size() << " and " << outputs.size()
           << " tensors";
  Call call{op, flags, inputs, outputs};
  int64_t batch = countElements(inputs[0].shape().drop_back(found->rank));
  for (; call.number < batch; ++call.number)
    if (failed(found->run(call)))
      return failure();
  return success();
}

} // namespace kiln::eval
