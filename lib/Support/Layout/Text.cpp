//===- Text.cpp - Layouts as text, and what is wrong with them ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Layout/LinearLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace kiln::layout;

using Basis = LinearLayout::Basis;
using Input = LinearLayout::Input;
using Output = LinearLayout::Output;

/// Places and coordinates are numbered by 64-bit integers with a sign.
static constexpr unsigned kMaxBits = 63;

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {
/// What is wrong, and with which part.
struct Problem {
  std::string message; ///< empty if nothing is
  int input = -1, basis = -1, output = -1;
};
} // namespace

static Problem findOutputProblem(ArrayRef<Output> outputs) {
  unsigned bits = 0;
  for (auto [i, output] : enumerate(outputs)) {
    const std::string &name = output.first;
    int64_t size = output.second;
    Problem problem;
    problem.output = i;
    if (any_of(outputs.take_front(i),
               [&](const Output &other) { return other.first == name; }))
      problem.message = "expected outputs of different names, found '" + name +
                        "' a second time";
    else if (size <= 0 || !isPowerOf2_64(size))
      problem.message = "expected a power of two as the size of output '" +
                        name + "', found " + std::to_string(size);
    else if ((bits += Log2_64(size)) > kMaxBits)
      problem.message = "expected outputs of at most " +
                        std::to_string(kMaxBits) + " bits in all, found more";
    if (!problem.message.empty())
      return problem;
  }
  return {};
}

static std::string findBasisProblem(const Basis &basis,
                                    ArrayRef<Output> outputs) {
  if (basis.size() != outputs.size())
    return "expected a basis of " + std::to_string(outputs.size()) +
           " coordinates, found " + std::to_string(basis.size());
  for (auto [moved, output] : zip_equal(basis, outputs))
    if (moved < 0 || moved >= output.second)
      return "expected a coordinate from 0 to " +
             std::to_string(output.second - 1) + " in output '" + output.first +
             "', found " + std::to_string(moved);
  return "";
}

static Problem findProblem(ArrayRef<Input> inputs, ArrayRef<Output> outputs) {
  Problem problem = findOutputProblem(outputs);
  if (!problem.message.empty())
    return problem;
  unsigned bits = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Input &input = inputs[i];
    problem.input = i;
    bits += input.bases.size();
    if (any_of(inputs.take_front(i),
               [&](const Input &other) { return other.name == input.name; }))
      problem.message = "expected inputs of different names, found '" +
                        input.name + "' a second time";
    else if (bits > kMaxBits)
      problem.message = "expected inputs of at most " +
                        std::to_string(kMaxBits) + " bits in all, found more";
    if (!problem.message.empty())
      return problem;
    for (auto [k, basis] : enumerate(input.bases)) {
      problem.message = findBasisProblem(basis, outputs);
      problem.basis = k;
      if (!problem.message.empty())
        return problem;
    }
    problem.basis = -1;
  }
  return {};
}

std::string LinearLayout::verify(ArrayRef<Input> inputs,
                                 ArrayRef<Output> outputs) {
  return findProblem(inputs, outputs).message;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

SmallVector<Output> LinearLayout::deduceOutputs(ArrayRef<Input> inputs) {
  SmallVector<Output> outputs;
  for (const Input &input : inputs)
    for (const Basis &basis : input.bases)
      for (auto [i, moved] : enumerate(basis)) {
        if (i == outputs.size())
          outputs.emplace_back(getDefaultOutputName(i), 1);
        // The sum of sizes up to 2^62 is found out by `verify`.
        if (moved >= outputs[i].second && moved < int64_t(1) << 62)
          outputs[i].second = NextPowerOf2(moved);
      }
  return outputs;
}

void LinearLayout::print(raw_ostream &os) const {
  ListSeparator between;
  for (const Input &input : inputs) {
    os << between << input.name << " = [";
    interleaveComma(input.bases, os, [&](const Basis &basis) {
      os << '[';
      interleaveComma(basis, os);
      os << ']';
    });
    os << ']';
  }
  if (!inputs.empty() && deduceOutputs(inputs) == outputs)
    return;
  os << (inputs.empty() ? "-> [" : " -> [");
  interleaveComma(outputs, os, [&](const Output &output) {
    os << output.first << " = " << output.second;
  });
  os << ']';
}

std::string LinearLayout::str() const {
  std::string text;
  raw_string_ostream os(text);
  print(os);
  return text;
}

raw_ostream &kiln::layout::operator<<(raw_ostream &os,
                                      const LinearLayout &layout) {
  layout.print(os);
  return os;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
/// Reads a text from the left. A reader that has failed reads nothing more.
class Reader {
public:
  Reader(StringRef text, LinearLayout::TextError &error)
      : text(text), error(error) {}

  std::optional<LinearLayout> read() {
    if (!peek("->"))
      do
        readInput();
      while (!hasFailed && take(","));
    std::optional<SmallVector<Output>> given;
    if (!hasFailed && take("->"))
      given = readOutputs();
    if (!hasFailed && skipSpace() != text.size())
      fail(at, given ? "expected the end" : "expected ',', '->' or the end",
           true);
    if (hasFailed)
      return std::nullopt;
    SmallVector<Output> outputs =
        given ? *given : LinearLayout::deduceOutputs(inputs);
    Problem problem = findProblem(inputs, outputs);
    if (problem.message.empty())
      return LinearLayout(inputs, outputs);
    size_t where = 0;
    if (problem.basis >= 0)
      where = basisPlaces[problem.input][problem.basis];
    else if (problem.input >= 0)
      where = inputPlaces[problem.input];
    else if (given)
      where = outputPlaces[problem.output];
    fail(where, problem.message);
    return std::nullopt;
  }

private:
  size_t skipSpace() {
    while (at < text.size() && isSpace(text[at]))
      ++at;
    return at;
  }
  bool peek(StringRef token) {
    return text.substr(skipSpace()).starts_with(token);
  }
  bool take(StringRef token) {
    if (!peek(token))
      return false;
    at += token.size();
    return true;
  }
  void fail(size_t where, const Twine &message, bool withFound = false) {
    if (hasFailed)
      return;
    hasFailed = true;
    error.offset = where;
    error.message = message.str();
    if (!withFound)
      return;
    StringRef found = text.substr(where, 1);
    error.message +=
        found.empty() ? ", found the end" : ", found '" + found.str() + "'";
  }
  void expect(StringRef token) {
    if (!hasFailed && !take(token))
      fail(at, "expected '" + token + "'", true);
  }
  std::string readName(StringRef what) {
    StringRef rest = text.substr(skipSpace());
    StringRef name =
        rest.take_while([](char c) { return isAlnum(c) || c == '_'; });
    if (name.empty() || isDigit(name[0])) {
      fail(at, "expected the name of an " + what, true);
      return "";
    }
    at += name.size();
    return name.str();
  }
  int64_t readNumber() {
    StringRef digits =
        text.substr(skipSpace()).take_while([](char c) { return isDigit(c); });
    int64_t number = 0;
    if (digits.empty())
      fail(at, "expected a number from 0", true);
    else if (digits.getAsInteger(10, number))
      fail(at, "expected a number of 64 bits with a sign, found " + digits);
    at += digits.size();
    return number;
  }
  /// What stands in brackets, separated by commas.
  void readList(function_ref<void()> readElement) {
    expect("[");
    if (hasFailed || take("]"))
      return;
    do
      readElement();
    while (!hasFailed && take(","));
    if (!hasFailed && !take("]"))
      fail(at, "expected ',' or ']'", true);
  }
  void readInput() {
    inputPlaces.push_back(skipSpace());
    basisPlaces.emplace_back();
    Input &input = inputs.emplace_back();
    input.name = readName("input");
    expect("=");
    readList([&] {
      basisPlaces.back().push_back(skipSpace());
      Basis &basis = input.bases.emplace_back();
      readList([&] { basis.push_back(readNumber()); });
    });
  }
  SmallVector<Output> readOutputs() {
    SmallVector<Output> outputs;
    readList([&] {
      outputPlaces.push_back(skipSpace());
      std::string name = readName("output");
      expect("=");
      outputs.emplace_back(name, hasFailed ? 0 : readNumber());
    });
    return outputs;
  }

  StringRef text;
  LinearLayout::TextError &error;
  size_t at = 0;
  bool hasFailed = false;
  SmallVector<Input> inputs;
  SmallVector<size_t> inputPlaces, outputPlaces;
  SmallVector<SmallVector<size_t>> basisPlaces;
};
} // namespace

std::optional<LinearLayout> LinearLayout::parse(StringRef text,
                                                TextError &error) {
  return Reader(text, error).read();
}
