// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading, printing and evaluating expressions over launches.
#include "kiln/Runtime/Expression.h"
#include "ProgramJson.h"
#include <algorithm>
#include <limits>

using namespace kiln::runtime;

namespace {

/// Deeper ones are no honest sizes.
constexpr int kMaxDepth = 64;
constexpr IntOp kOps[] = {IntOp::add,      IntOp::sub,     IntOp::mul,
                          IntOp::floordiv, IntOp::ceildiv, IntOp::mod,
                          IntOp::min,      IntOp::max};

/// Reads one expression; keeps the first problem.
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  Expected<Expression> run() {
    expression(0);
    if (problem.empty() && peek())
      fail("expected the end");
    if (problem.empty())
      return result;
    return Error("expression '" + std::string(text) + "', character " +
                 std::to_string(problemAt) + ": " + problem);
  }

  Parser &empty() {
    result.steps.clear();
    return *this;
  }

private:
  char peek() {
    while (at < text.size() && text[at] == ' ')
      ++at;
    return at < text.size() ? text[at] : 0;
  }
  void fail(const std::string &what) {
    if (!problem.empty())
      return;
    problem = what;
    problemAt = at;
  }
  void expect(char c) {
    if (peek() == c)
      ++at;
    else
      fail(std::string("expected '") + c + "'");
  }

  int64_t number() {
    bool isNegative = peek() == '-';
    at += isNegative;
    uint64_t value = 0;
    size_t first = at;
    for (; at < text.size() && isdigit(static_cast<unsigned char>(text[at]));
         ++at)
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, uint64_t(text[at] - '0'), &value))
        fail("a number that is too large");
    uint64_t most = uint64_t(std::numeric_limits<int64_t>::max()) + isNegative;
    if (at == first)
      fail("expected a number or the name of an operation");
    else if (value > most)
      fail("a number that is too large");
    return int64_t(isNegative ? 0 - value : value);
  }

  /// The number of a parameter or dimension.
  int64_t index() {
    int64_t value = number();
    if (value < 0 || value > 1 << 20)
      fail("expected a number from 0 to 1048576");
    return value;
  }

  void expression(int depth) {
    if (depth > kMaxDepth)
      return fail("it nests too deeply");
    if (!problem.empty())
      return;
    if (!isalpha(static_cast<unsigned char>(peek()))) {
      result.steps.push_back({Expression::Step::number, number(), 0});
      return;
    }
    size_t first = at;
    while (at < text.size() && isalpha(static_cast<unsigned char>(text[at])))
      ++at;
    std::string_view name = text.substr(first, at - first);
    expect('(');
    Expression::Step step;
    for (IntOp op : kOps)
      if (name == intOpName(op)) {
        expression(depth + 1);
        expect(',');
        expression(depth + 1);
        step = {Expression::Step::op, int64_t(op), 0};
      }
    if (name == "arg" || name == "grid") {
      step.kind =
          name == "arg" ? Expression::Step::arg : Expression::Step::grid;
      step.value = index();
      if (step.kind == Expression::Step::grid && step.value > 2)
        fail("expected a dimension of the grid, 0 to 2");
    } else if (name == "size" || name == "stride") {
      step.kind =
          name == "size" ? Expression::Step::size : Expression::Step::stride;
      step.value = index();
      expect(',');
      step.dim = int32_t(index());
    } else if (step.kind != Expression::Step::op) {
      at = first;
      fail("unknown operation '" + std::string(name) + "'");
    }
    expect(')');
    result.steps.push_back(step);
  }

  std::string_view text;
  size_t at = 0, problemAt = 0;
  Expression result;
  std::string problem;
};

} // namespace

Expected<Expression> Expression::parse(std::string_view text) {
  return Parser(text).empty().run();
}

std::string Expression::str() const {
  std::vector<std::string> stack;
  for (const Step &step : steps) {
    std::string value = std::to_string(step.value);
    switch (step.kind) {
    case Step::number:
      stack.push_back(value);
      break;
    case Step::arg:
      stack.push_back("arg(" + value + ")");
      break;
    case Step::grid:
      stack.push_back("grid(" + value + ")");
      break;
    case Step::size:
    case Step::stride:
      stack.push_back((step.kind == Step::size ? "size(" : "stride(") + value +
                      ", " + std::to_string(step.dim) + ")");
      break;
    case Step::op:
      if (stack.size() < 2)
        return "?";
      std::string rhs = std::move(stack.back());
      stack.pop_back();
      stack.back() = std::string(intOpName(IntOp(step.value))) + "(" +
                     stack.back() + ", " + rhs + ")";
      break;
    }
  }
  return stack.size() == 1 ? stack.back() : "?";
}

std::optional<int64_t> Expression::constant() const {
  for (const Step &step : steps)
    if (step.kind != Step::number && step.kind != Step::op)
      return std::nullopt;
  Expected<int64_t> value = evaluate({});
  return value ? std::optional<int64_t>(*value) : std::nullopt;
}

Expected<int64_t> Expression::evaluate(const Leaf &leaf) const {
  std::vector<int64_t> stack;
  for (const Step &step : steps) {
    if (step.kind == Step::number) {
      stack.push_back(step.value);
      continue;
    }
    if (step.kind != Step::op) {
      std::optional<int64_t> value = leaf ? leaf(step) : std::nullopt;
      if (!value)
        return Error("'" + str() +
                     "' names a size or argument that the launch lacks");
      stack.push_back(*value);
      continue;
    }
    if (stack.size() < 2)
      return Error("an expression lacks operands");
    int64_t rhs = stack.back();
    stack.pop_back();
    std::optional<int64_t> value =
        computeInt(IntOp(step.value), stack.back(), rhs);
    if (!value)
      return Error("'" + str() + "' divides by zero");
    stack.back() = *value;
  }
  if (stack.size() != 1)
    return Error("an expression with several values");
  return stack.back();
}
