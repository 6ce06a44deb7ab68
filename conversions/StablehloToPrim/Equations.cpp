// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Equations of matrices: loops that make one column or one row after the other;
// of larger real matrices, functions of the host.
#include "Rules.h"
#include "kiln/Dialect/Prim/LinearAlgebraOps.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// Real or complex matrices in a batch, and arithmetic on them. A value is one
/// tensor or two.
struct Algebra {
  Operation *op;
  Translator &e;
  ComplexMath math{op, e};

  Tensors each(const Tensors &x, llvm::function_ref<Value(Value)> f) {
    return llvm::map_to_vector(x, f);
  }
  Tensors pairwise(const Tensors &x, const Tensors &y,
                   llvm::function_ref<Value(Value, Value)> f) {
    Tensors result;
    for (auto [a, b] : llvm::zip_equal(x, y))
      result.push_back(f(a, b));
    return result;
  }
  Tensors sub(const Tensors &x, const Tensors &y) {
    return pairwise(x, y, [&](Value a, Value b) { return e.sub(a, b); });
  }
  Tensors div(const Tensors &x, const Tensors &y) {
    if (x.size() == 1)
      return {e.binary<prim::DivOp>(x[0], y[0])};
    Complex z = math.div({x[0], x[1]}, {y[0], y[1]});
    return {z.re, z.im};
  }
  Tensors where(Value condition, const Tensors &x, const Tensors &y) {
    return pairwise(x, y,
                    [&](Value a, Value b) { return e.where(condition, a, b); });
  }
  Tensors conj(const Tensors &x) {
    return x.size() == 1 ? x : Tensors{x[0], e.unary<prim::NegOp>(x[1])};
  }
  Tensors zero(const Tensors &x) {
    return each(x, [&](Value part) { return e.number(0, part); });
  }
  Tensors transpose(const Tensors &x) {
    return each(x, [&](Value part) { return e.transpose(part, {0, 2, 1}); });
  }
  /// Repeats what has a size of 1 in the shape of `like`.
  Tensors spreadOut(const Tensors &x, const Tensors &like) {
    return each(
        x, [&](Value part) { return e.broadcast(part, e.sizesOf(like[0])); });
  }
  Tensors product(const Tensors &x, const Tensors &y);
  /// One row of each matrix, or one column, as matrices.
  Tensors line(const Tensors &x, Value number, int64_t dim);
  Tensors withLine(const Tensors &x, const Tensors &line, Value number,
                   int64_t dim);
  /// The number of the row, or of the column, of each element.
  Value numbers(const Tensors &like, int64_t dim) {
    RankedTensorType type = e.typeOf(like[0]).clone(e.b.getI32Type());
    return prim::IotaOp::create(e.b, type, ValueRange(), dim);
  }
  SmallVector<Value> starts(Value number, int64_t dim) {
    SmallVector<Value> list(3, e.full(integerAttr(e.b.getI32Type(), 0), {}));
    list[dim] = number;
    return list;
  }
};

/// Sums of products, matrix by matrix.
Tensors Algebra::product(const Tensors &x, const Tensors &y) {
  auto real = [&](Value a, Value b) -> Value {
    RankedTensorType s = e.typeOf(a), t = e.typeOf(b);
    auto type = s.clone({s.getDimSize(0), s.getDimSize(1), t.getDimSize(2)});
    return prim::DotGeneralOp::create(
        e.b, type, a, b, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{0},
        ArrayRef<int64_t>{2}, ArrayRef<int64_t>{1}, prim::Precision::ieee);
  };
  if (x.size() == 1)
    return {real(x[0], y[0])};
  return {e.sub(real(x[0], y[0]), real(x[1], y[1])),
          e.add(real(x[0], y[1]), real(x[1], y[0]))};
}

Tensors Algebra::line(const Tensors &x, Value number, int64_t dim) {
  return each(x, [&](Value part) -> Value {
    SmallVector<int64_t> shape(e.typeOf(part).getShape());
    shape[dim] = 1;
    return prim::DynamicSliceOp::create(e.b, e.typeOf(part).clone(shape), part,
                                        starts(number, dim), ValueRange());
  });
}

Tensors Algebra::withLine(const Tensors &x, const Tensors &line, Value number,
                          int64_t dim) {
  return pairwise(x, line, [&](Value part, Value fresh) -> Value {
    return prim::DynamicUpdateSliceOp::create(e.b, part.getType(), part, fresh,
                                              starts(number, dim));
  });
}

/// Replaces `x` by what `step` makes of it and of 0, 1, ... count - 1.
Tensors repeat(int64_t count, const Tensors &x, Algebra &a,
               llvm::function_ref<Tensors(Value, const Tensors &)> step) {
  Translator &e = a.e;
  Tensors inits{e.full(integerAttr(e.b.getI32Type(), 0), {})};
  llvm::append_range(inits, x);
  auto loop = prim::WhileOp::create(e.b, ValueRange(inits).getTypes(), inits);
  OpBuilder::InsertionGuard guard(e.b);
  auto begin = [&](Region &region) {
    SmallVector<Location> places(inits.size(), a.op->getLoc());
    return e.b.createBlock(&region, {}, ValueRange(inits).getTypes(), places);
  };
  Block *test = begin(loop.getCondition());
  Value number = test->getArgument(0);
  prim::YieldOp::create(
      e.b, e.compare<prim::LtOp>(number, e.integer(count, number)));
  Block *body = begin(loop.getBody());
  number = body->getArgument(0);
  Tensors made = step(number, Tensors(body->getArguments().drop_front()));
  made.insert(made.begin(), e.add(number, e.integer(1, number)));
  prim::YieldOp::create(e.b, made);
  return Tensors(loop.getResults().drop_front());
}

/// Rows up to which matrices are not the host's.
constexpr int64_t kFewRows = 32;

/// An operand as one batch of matrices, of a type that sums are made in.
FailureOr<Tensors> matrices(Operation *op, Value source, Translator &e) {
  auto type = dyn_cast<RankedTensorType>(source.getType());
  if (!type || !type.hasStaticShape() || type.getRank() < 2)
    return e.unsupported(op,
                         "on an operand that is not a matrix of known size");
  int64_t batch = 1;
  for (int64_t size : type.getShape().drop_back(2))
    batch *= size;
  Tensors parts = tensorsOf(source, e);
  for (Value &part : parts) {
    auto element = dyn_cast<FloatType>(e.elementOf(part));
    if (!element)
      return e.unsupported(op, "on integers");
    if (element.getWidth() < 32)
      part = e.convert(part, e.b.getF32Type());
    ArrayRef<int64_t> matrix = type.getShape().take_back(2);
    part = e.reshape(part, ArrayRef<int64_t>{batch, matrix[0], matrix[1]});
  }
  return parts;
}

/// Whether matrices have no elements: so have the results, which need no loop.
bool isEmpty(const Tensors &matrices, Translator &e) {
  return e.typeOf(matrices.front()).getNumElements() == 0;
}

LogicalResult finish(Operation *op, Tensors parts, Algebra &a) {
  Translator &e = a.e;
  auto type = partType(op, op->getResult(0).getType(), e);
  if (failed(type) || !a.math.good)
    return failure();
  for (Value &part : parts)
    part = e.convert(e.reshape(part, type->getShape()), type->getElementType());
  return bind(op->getResult(0), parts, e);
}

/// L with a = L conj(L)^T, column by column: what the columns before explain is
/// taken from one of `a`, whose upper triangle is not read.
LogicalResult cholesky(stablehlo::CholeskyOp op, Translator &e) {
  auto matrix = matrices(op, op.getA(), e);
  if (failed(matrix))
    return failure();
  int64_t size = e.typeOf(matrix->front()).getDimSize(2);
  if (size != e.typeOf(matrix->front()).getDimSize(1))
    return e.unsupported(op, "on matrices that are not square");
  Algebra a{op, e};
  if (isEmpty(*matrix, e))
    return finish(op, *matrix, a);
  bool lower = op.getLower();
  Tensors source = lower ? *matrix : a.conj(a.transpose(*matrix));
  if (size > kFewRows && source.size() == 1) {
    Tensors root{prim::CholeskyOp::create(e.b, source.front()).getResult()};
    return finish(op, lower ? root : a.transpose(root), a);
  }
  auto step = [&](Value number, const Tensors &root) {
    Tensors rest =
        a.sub(a.line(source, number, 2),
              a.product(root, a.conj(a.transpose(a.line(root, number, 1)))));
    Tensors corner = a.line(rest, number, 1);
    corner[0] = e.unary<prim::SqrtOp>(corner[0]);
    if (corner.size() == 2)
      corner[1] = e.number(0, corner[0]);
    Tensors diagonal = a.spreadOut(corner, rest);
    Tensors by{diagonal[0]};
    Tensors column =
        a.each(rest, [&](Value x) { return a.div({x}, by).front(); });
    Value at = a.numbers(rest, 1);
    Value here = e.broadcastInDim(number, {}, e.sizesOf(at));
    column = a.where(e.compare<prim::EqOp>(at, here), diagonal, column);
    column = a.where(e.compare<prim::LtOp>(at, here), a.zero(rest), column);
    return a.withLine(root, column, number, 2);
  };
  Tensors root = repeat(size, a.zero(source), a, step);
  return finish(op, lower ? root : a.conj(a.transpose(root)), a);
}

/// Rows of the solution, from that on that depends on no other.
LogicalResult triangularSolve(stablehlo::TriangularSolveOp op, Translator &e) {
  auto left = matrices(op, op.getA(), e), right = matrices(op, op.getB(), e);
  if (failed(left) || failed(right))
    return failure();
  Algebra a{op, e};
  if (isEmpty(*right, e))
    return finish(op, *right, a);
  bool lower = op.getLower(), unit = op.getUnitDiagonal();
  Tensors matrix = *left, given = *right;
  auto form = op.getTransposeA();
  if (form == stablehlo::Transpose::ADJOINT)
    matrix = a.conj(matrix);
  // x a = b is a^T x^T = b^T.
  bool turned = form != stablehlo::Transpose::NO_TRANSPOSE;
  if (!op.getLeftSide()) {
    turned = !turned;
    given = a.transpose(given);
  }
  if (turned) {
    matrix = a.transpose(matrix);
    lower = !lower;
  }
  RankedTensorType type = e.typeOf(matrix.front());
  int64_t size = type.getDimSize(1);
  if (size != type.getDimSize(2) ||
      size != e.typeOf(given.front()).getDimSize(1) ||
      type.getDimSize(0) != e.typeOf(given.front()).getDimSize(0))
    return e.unsupported(op, "on matrices of sizes that do not match");
  if (size > kFewRows && matrix.size() == 1) {
    Tensors solution{prim::TriangularSolveOp::create(e.b, matrix.front(),
                                                     given.front(), lower,
                                                     /*transpose=*/false, unit)
                         .getX()};
    return finish(op, op.getLeftSide() ? solution : a.transpose(solution), a);
  }
  Value row = a.numbers(matrix, 1), column = a.numbers(matrix, 2);
  Value used = lower ? e.compare<prim::LtOp>(column, row)
                     : e.compare<prim::GtOp>(column, row);
  Tensors others = a.where(used, matrix, a.zero(matrix));
  auto step = [&](Value number, const Tensors &solution) {
    Value at = lower ? number : e.sub(e.integer(size - 1, number), number);
    Tensors rest =
        a.sub(a.line(given, at, 1), a.product(a.line(others, at, 1), solution));
    if (!unit) {
      Tensors diagonal = a.line(a.line(matrix, at, 1), at, 2);
      rest = a.div(rest, a.spreadOut(diagonal, rest));
    }
    return a.withLine(solution, rest, at, 1);
  };
  Tensors solution = repeat(size, a.zero(given), a, step);
  return finish(op, op.getLeftSide() ? solution : a.transpose(solution), a);
}

/// A call "callback NAME" of a function of the process.
LogicalResult callback(stablehlo::CustomCallOp op, StringRef name,
                       Translator &e) {
  auto types = typesOf(op, op.getResultTypes(), e);
  if (failed(types))
    return failure();
  for (Type type : *types)
    if (!cast<RankedTensorType>(type).hasStaticShape())
      return e.unsupported(op, "of a callback gives a size that is not known");
  auto made = make(op, "callback", tensorsOf(op.getInputs(), e), *types, e,
                   e.b.getNamedAttr("name", e.b.getStringAttr(name)));
  if (failed(made))
    return failure();
  return bindAll(op.getResults(), Tensors((*made)->getResults()), e);
}

} // namespace

LogicalResult hostCall(stablehlo::CustomCallOp op, Translator &e) {
  SmallVector<StringRef> words;
  StringRef name = op.getCallTargetName();
  name.drop_front(StringRef("kiln.").size()).split(words, ' ');
  if (words.size() == 2 && words.front() == "callback")
    return callback(op, words.back(), e);
  OperationName prim(("prim." + words.front()).str(), op.getContext());
  if (!prim.hasInterface<HostOpInterface>())
    return e.unsupported(op, "of '" + name + "'");
  SmallVector<NamedAttribute> flags;
  for (StringRef word : ArrayRef(words).drop_front())
    flags.push_back(e.b.getNamedAttr(word, e.b.getUnitAttr()));
  // Matrices have a type that the host computes in, and results follow.
  Tensors inputs = tensorsOf(op.getInputs(), e);
  auto types = typesOf(op, op.getResultTypes(), e);
  if (failed(types))
    return failure();
  for (Value input : inputs)
    if (!e.elementOf(input).isF32() && !e.elementOf(input).isF64())
      return e.unsupported(op, "of '" + name + "' on " + text(input.getType()));
  auto made = make(op, words.front(), inputs, *types, e, flags);
  if (failed(made))
    return failure();
  return bindAll(op.getResults(), Tensors((*made)->getResults()), e);
}

void addEquationRules(Rules &rules) {
  rules.add<stablehlo::CholeskyOp>(cholesky);
  rules.add<stablehlo::TriangularSolveOp>(triangularSolve);
}

} // namespace kiln::stablehlo_to_prim
