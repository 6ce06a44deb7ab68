// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices, sums of products by letters, determinants.
#include "Activation.h"
#include "kiln/Dialect/Prim/LinearAlgebraOps.h"

#include <map>

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

LogicalResult matMul(Node &n) {
  Value a = n.in(0), c = n.in(1);
  auto integer = dyn_cast<IntegerType>(n.e.elementOf(a));
  // Sums of integers wrap, whichever sign they are read with.
  Type wide = integer && integer.getWidth() < 32 ? Type(n.e.b.getI32Type())
                                                 : n.e.elementOf(a);
  Value result = n.matmul(n.cast(a, wide, n.isUnsigned(0)),
                          n.cast(c, wide, n.isUnsigned(1)));
  return n.set(result ? n.cast(result, n.e.elementOf(a)) : result);
}

/// Gemm: alpha * A * B + beta * C; FusedGemm applies an activation to it.
LogicalResult gemm(Node &n) {
  Value a = n.in(0), c = n.in(1);
  if (n.rank(0) != 2 || n.rank(1) != 2)
    return n.fail("of tensors that are no matrices");
  bool transA = n.getInt("transA", 0), transB = n.getInt("transB", 0);
  int64_t innerA = n.shape(a)[transA ? 0 : 1],
          innerB = n.shape(c)[transB ? 1 : 0];
  if (innerA != innerB && !ShapedType::isDynamic(innerA) &&
      !ShapedType::isDynamic(innerB))
    return n.fail("multiplies matrices of inner sizes " + Twine(innerA) +
                  " and " + Twine(innerB));
  double alpha = n.getFloat("alpha", 1), beta = n.getFloat("beta", 1);
  Value result = n.dot(a, c, {}, {}, {transA ? 0 : 1}, {transB ? 1 : 0});
  if (alpha != 1)
    result = n.mul(result, n.number(alpha, result));
  if (n.has(2) && beta != 0) {
    Value bias = n.in(2);
    if (beta != 1)
      bias = n.mul(bias, n.number(beta, bias));
    result = n.add(result, bias);
  }
  SmallVector<double> parameters;
  for (StringRef name : {"activation_alpha", "activation_beta"})
    if (n.hasAttr(name))
      parameters.push_back(n.getFloat(name, 0));
  if (n.hasAttr("activation_beta") && !n.hasAttr("activation_alpha"))
    return n.fail("has 'activation_beta' without 'activation_alpha'");
  return n.set(activate(n, result, n.getString("activation"), parameters));
}

/// The letters of one term; what `...` stands for are capitals that terms do
/// not use: the last dimensions have the same one in every term.
std::optional<std::string> lettersOf(StringRef term, int64_t rank) {
  std::string letters;
  int64_t named = 0;
  for (char c : term)
    named += c != '.' && c != ' ';
  for (size_t i = 0; i < term.size(); ++i) {
    if (term[i] == ' ')
      continue;
    if (term[i] != '.') {
      letters += term[i];
      continue;
    }
    if (term.substr(i, 3) != "...")
      return std::nullopt;
    i += 2;
    for (int64_t k = rank - named; k > 0; --k)
      letters += static_cast<char>(k); // never a letter
  }
  return letters;
}

/// The diagonal where a letter stands twice.
Value diagonals(Node &n, Value x, std::string &letters) {
  for (size_t i = 0; i < letters.size(); ++i) {
    size_t j = letters.find(letters[i], i + 1);
    if (j == std::string::npos)
      continue;
    int64_t size = n.shape(x)[i];
    if (ShapedType::isDynamic(size) || size != n.shape(x)[j])
      return n.refuse("has a diagonal of a size that is not known");
    // Dimension i to the front, j to the back of it: rows and columns.
    Ints order{int64_t(i), int64_t(j)};
    std::string rest;
    for (size_t d = 0; d < letters.size(); ++d)
      if (d != i && d != j) {
        order.push_back(d);
        rest += letters[d];
      }
    x = n.e.transpose(x, order);
    Sizes sizes = n.e.sizesOf(x);
    Sizes flat(sizes.begin() + 1, sizes.end());
    flat[0] = n.e.size(size * size);
    Value at = n.mul(n.iota(size, n.e.b.getI64Type()), n.integer(size + 1));
    x = n.take(n.e.reshape(x, flat), at, 0);
    letters = letters[i] + rest;
    i = 0;
  }
  return x;
}

/// One tensor of a sum of products, with a letter for each dimension.
struct Term {
  Value x;
  std::string letters;
};

/// Sums over the letters that nobody else needs.
void sumOut(Node &n, Term &term, const std::string &needed) {
  Ints dims;
  std::string kept;
  for (auto [d, c] : llvm::enumerate(term.letters)) {
    if (needed.find(c) == std::string::npos)
      dims.push_back(d);
    else
      kept += c;
  }
  if (!dims.empty())
    term.x = n.sum(term.x, dims);
  term.letters = kept;
}

/// The product of two terms, summed over letters that are needed no more.
Term multiply(Node &n, Term a, Term c, const std::string &needed) {
  sumOut(n, a, needed + c.letters);
  sumOut(n, c, needed + a.letters);
  Ints aBatch, cBatch, aContract, cContract;
  std::string batch, restA, restC;
  for (auto [d, letter] : llvm::enumerate(a.letters)) {
    size_t at = c.letters.find(letter);
    if (at == std::string::npos) {
      restA += letter;
      continue;
    }
    bool isBatch = needed.find(letter) != std::string::npos;
    (isBatch ? aBatch : aContract).push_back(d);
    (isBatch ? cBatch : cContract).push_back(at);
    if (isBatch)
      batch += letter;
    int64_t l = n.shape(a.x)[d], r = n.shape(c.x)[at];
    if (l == r || ShapedType::isDynamic(l) || ShapedType::isDynamic(r))
      continue;
    if (l != 1 && r != 1) {
      n.refuse("joins sizes " + Twine(l) + " and " + Twine(r));
      return a;
    }
    // A size of 1 is repeated.
    Term &one = l == 1 ? a : c;
    Sizes to = n.e.sizesOf(one.x);
    to[l == 1 ? d : at] = n.e.sizesOf(l == 1 ? c.x : a.x)[l == 1 ? at : d];
    one.x = n.e.broadcast(one.x, to);
  }
  for (char letter : c.letters)
    if (a.letters.find(letter) == std::string::npos)
      restC += letter;
  return {n.dot(a.x, c.x, aBatch, cBatch, aContract, cContract),
          batch + restA + restC};
}

LogicalResult einsum(Node &n) {
  auto [left, right] = n.getString("equation").split("->");
  bool isExplicit = n.getString("equation").contains("->");
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  if (parts.size() != n.numInputs())
    return n.fail("has an equation of " + Twine(parts.size()) + " terms");
  SmallVector<Term> terms;
  int64_t hidden = 0; // dimensions behind `...`
  for (auto [i, part] : llvm::enumerate(parts)) {
    auto letters = n.has(i) ? lettersOf(part.trim(), n.rank(i)) : std::nullopt;
    if (!letters || int64_t(letters->size()) != n.rank(i))
      return n.fail("has an equation that does not fit the rank of input " +
                    Twine(i));
    for (char c : *letters)
      hidden = std::max<int64_t>(hidden, c < 32 ? c : 0);
    Term term{n.in(i), *letters};
    term.x = diagonals(n, term.x, term.letters);
    if (!term.x)
      return failure();
    terms.push_back(term);
  }
  std::string result;
  if (isExplicit) {
    auto letters =
        lettersOf(right.trim(), hidden + llvm::count_if(right, [](char c) {
                                  return c != '.' && c != ' ';
                                }));
    if (!letters)
      return n.fail("has an equation with '.'");
    result = *letters;
  } else {
    std::map<char, int> times;
    for (char c : left)
      if (c != '.' && c != ' ' && c != ',')
        ++times[c];
    for (int64_t k = hidden; k > 0; --k)
      result += static_cast<char>(k);
    for (auto [c, count] : times)
      if (count == 1)
        result += c;
  }
  Term all = terms[0];
  for (size_t i = 1; i < terms.size() && !n.broken; ++i) {
    std::string needed = result;
    for (size_t k = i + 1; k < terms.size(); ++k)
      needed += terms[k].letters;
    all = multiply(n, all, terms[i], needed);
  }
  if (n.broken)
    return failure();
  sumOut(n, all, result);
  Ints order;
  for (char c : result) {
    size_t at = all.letters.find(c);
    if (at == std::string::npos)
      return n.fail("has a result with a letter that no term has");
    order.push_back(at);
  }
  if (order.size() != all.letters.size())
    return n.fail("has a result with a letter twice");
  return n.set(n.e.transpose(all.x, order));
}

/// The determinant of large matrices, from the host's factors.
Value largeDet(Node &n, Value x) {
  int64_t count = n.shape(x)[0], size = n.shape(x)[2];
  auto lu = prim::LuOp::create(n.e.b, x);
  Type i32 = n.e.b.getI32Type();
  Value row = n.along(n.iota(size, i32), 1, 3);
  Value column = n.along(n.iota(size, i32), 2, 3);
  Value diagonal = n.where(n.eq(row, column), lu.getFactors(), n.number(0, x));
  Ints two{2}, one{1};
  Value numbers = prim::SumOp::create(n.e.b, n.e.typeOf(x).clone({count, size}),
                                      diagonal, two);
  // Each exchange of two rows turns the sign.
  Value stays = n.eq(lu.getPivots(), n.along(n.iota(size, i32), 1, 2));
  Value plus = n.number(1, numbers), minus = n.number(-1, numbers);
  Value signs = n.where(stays, plus, minus);
  return prim::ProdOp::create(n.e.b, n.e.typeOf(x).clone({count}),
                              n.mul(numbers, signs), one);
}

/// Det: by elimination with the largest element of each column as the pivot.
LogicalResult det(Node &n) {
  Value x = n.in(0);
  int64_t rank = n.rank(0);
  if (rank < 2 || !n.e.typeOf(x).hasStaticShape() ||
      n.shape(x)[rank - 1] != n.shape(x)[rank - 2])
    return n.fail("of an operand that is not a square matrix of a known size");
  int64_t size = n.shape(x)[rank - 1];
  constexpr int64_t most = 64;
  Ints batch(n.shape(x).drop_back(2));
  int64_t count = 1;
  for (int64_t each : batch)
    count *= each;
  x = n.e.reshape(x, Ints{count, size, size});
  Type element = n.e.elementOf(x);
  if (size > most && (element.isF32() || element.isF64()))
    return n.set(n.e.reshape(largeDet(n, x), batch));
  if (size > most)
    return n.fail("of a matrix of " + tensor_to_prim::text(element) +
                  " with more than " + Twine(most) + " rows");
  Type i64 = n.e.b.getI64Type();
  Value result = n.e.full(tensor_to_prim::numberAttr(n.e.elementOf(x), 1),
                          {n.e.size(count)});
  for (int64_t k = 0; k < size; ++k) {
    int64_t left = size - k;
    Value column = n.squeeze(n.slice(x, 2, 0, 1), {2});
    Value at =
        prim::ArgmaxOp::create(n.e.b, RankedTensorType::get({count}, i64),
                               n.unary<prim::AbsOp>(column), 1, false);
    Value pivotRow = n.take(x, n.unsqueeze(at, {1}), 1, 1); // [count, 1, left]
    Value firstRow = n.slice(x, 1, 0, 1);
    // The first row goes to where the pivot was.
    Value rows = n.along(n.iota(left, i64), 1, 3);
    Value isPivot = n.eq(rows, n.e.reshape(at, Ints{count, 1, 1}));
    x = n.where(isPivot, firstRow, x);
    Value pivot = n.squeeze(n.slice(pivotRow, 2, 0, 1), {1, 2});
    Value moved = n.eq(at, n.number(0, at));
    result = n.mul(result, n.where(moved, pivot, n.unary<prim::NegOp>(pivot)));
    if (left == 1)
      break;
    // Rows below, without the first column.
    Value below = n.slice(x, 1, 1, left - 1);
    Value factor = n.div(n.slice(below, 2, 0, 1), n.slice(pivotRow, 2, 0, 1));
    Value zero = n.eq(n.slice(pivotRow, 2, 0, 1), n.number(0, x));
    factor = n.where(zero, n.number(0, x), factor);
    x = n.sub(n.slice(below, 2, 1, left - 1),
              n.mul(factor, n.slice(pivotRow, 2, 1, left - 1)));
  }
  return n.set(n.e.reshape(result, batch));
}

/// Inverse: by elimination with exchanged rows.
LogicalResult inverse(Node &n) {
  int64_t rank = n.rank(0);
  ArrayRef<int64_t> shape = n.shape(n.in(0));
  if (rank < 2 || failed(verifyCompatibleShape(shape.take_back(),
                                               shape.drop_back().take_back())))
    return n.fail("of an operand that is not a square matrix");
  Value x = n.wide(n.in(0));
  auto lu = prim::LuOp::create(n.e.b, x);
  Type i32 = n.e.b.getI32Type();
  Value rows = n.unsqueeze(lu.getPermutation(), {rank - 1});
  Value column = n.along(n.iota(n.e.sizesOf(x)[rank - 1], i32), rank - 1, rank);
  Value exchanged = n.cast(n.eq(rows, column), n.e.elementOf(x));
  Value half = prim::TriangularSolveOp::create(n.e.b, lu.getFactors(),
                                               exchanged, /*lower=*/true,
                                               /*transpose=*/false,
                                               /*unit=*/true);
  Value whole = prim::TriangularSolveOp::create(n.e.b, lu.getFactors(), half,
                                                /*lower=*/false,
                                                /*transpose=*/false,
                                                /*unit=*/false);
  return n.set(n.e.convert(whole, n.e.elementOf(n.in(0))));
}

} // namespace

void addProductRules(NodeRules &rules) {
  rules.add("MatMul", matMul, 2);
  rules.add("Gemm", gemm, 2);
  rules.add("com.microsoft.FusedGemm", gemm, 2);
  rules.add("Einsum", einsum);
  rules.add("Det", det);
  rules.add("com.microsoft.Inverse", inverse);
}

} // namespace kiln::onnx_to_prim
