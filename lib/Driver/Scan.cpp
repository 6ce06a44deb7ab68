//===- Scan.cpp - Finding text that overflows a parser's stack ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's parsers, and what walks over what they have read, recurse at
//
//   - each bracket, `<` included,
//   - each operator of an affine expression,
//   - each alias that an attribute, a type or a location is written with.
//
// Nothing else in a text is counted, whatever its size: not the numbers of a
// constant with their signs and exponents, not operations, arrows, names.
//
//===----------------------------------------------------------------------===//

#include "kiln/Driver/Driver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

using namespace kiln::driver;
using llvm::StringRef;
using llvm::Twine;

/// Nesting that no honest input reaches.
static constexpr unsigned kMaxDepth = 1000;
/// Nesting through aliases, which is read without regions.
static constexpr unsigned kMaxAliasDepth = 100000;
/// Operators of one affine expression.
static constexpr unsigned kMaxOperators = 100000;
/// Largest text.
static constexpr size_t kMaxBytes = size_t(4) << 30;

namespace {

/// One pass over a text, token by token, as far as tokens matter.
class Scan {
public:
  explicit Scan(StringRef text) : text(text) {}

  std::optional<std::string> run();

private:
  void skipString();
  StringRef takeWord();
  bool takeAlias();
  bool step();
  bool fail(const Twine &message);
  unsigned depth() const { return brackets.size() + angles; }

  /// Ends the expression that operators are counted in.
  void endExpression() { operators = 0; }

  StringRef text;
  size_t at = 0;
  std::string problem;
  /// The angle brackets that were open at each open bracket: it encloses as
  /// many of its own as it closes.
  llvm::SmallVector<unsigned> brackets;
  unsigned angles = 0;
  unsigned operators = 0;
  /// How deep what each alias stands for is nested.
  llvm::StringMap<unsigned> aliases;
  llvm::StringMapEntry<unsigned> *defined = nullptr;
};

} // namespace

bool Scan::fail(const Twine &message) {
  StringRef before = text.take_front(at);
  size_t line = before.count('\n') + 1;
  size_t column = at - (before.rfind('\n') + 1) + 1;
  problem = (Twine(line) + ":" + Twine(column) + ": error: " + message).str();
  return false;
}

/// Stands behind the closing quote then, or at the end of the line.
void Scan::skipString() {
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
    if (text[at] == '\\')
      ++at;
}

/// The letters, digits, `_`, `$` and `.` from here on.
StringRef Scan::takeWord() {
  size_t end = at;
  while (end < text.size() &&
         (llvm::isAlnum(text[end]) || StringRef("_$.").contains(text[end])))
    ++end;
  StringRef word = text.slice(at, end);
  at = end;
  return word;
}

/// `#name` and `!name`: the start of a definition, or a reference.
bool Scan::takeAlias() {
  size_t start = at++;
  if (at == text.size() || llvm::isDigit(text[at])) // a result, as in %0#1
    return true;
  StringRef word = takeWord();
  if (word.empty() || word.contains('.')) // an attribute of a dialect
    return true;
  StringRef name = text.slice(start, at);
  StringRef rest = text.drop_front(at).ltrim();
  if (depth() == 0 && rest.consume_front("=") && !rest.starts_with("=")) {
    defined = &*aliases.try_emplace(name, 0).first;
    return true;
  }
  auto known = aliases.find(name);
  unsigned total = depth() + 1 + (known == aliases.end() ? 0 : known->second);
  if (total > kMaxAliasDepth)
    return fail("expected at most " + Twine(kMaxAliasDepth) +
                " levels of nesting through aliases");
  if (defined && defined->second < total)
    defined->second = total;
  return true;
}

/// Looks at what stands here. False: there is a problem.
bool Scan::step() {
  char c = text[at];
  StringRef rest = text.drop_front(at);
  switch (c) {
  case '\0':
    return fail("expected text, found a zero byte");
  case '/':
    if (rest.starts_with("//"))
      at = std::min(text.find('\n', at), text.size());
    break;
  case '"':
    skipString();
    endExpression();
    break;
  case '(':
  case '[':
  case '{':
    // Parentheses are part of an expression.
    if (c != '(')
      endExpression();
    brackets.push_back(angles);
    break;
  case ')':
  case ']':
  case '}':
    if (c != ')')
      endExpression();
    if (!brackets.empty())
      angles = brackets.pop_back_val();
    break;
  case '<':
    endExpression();
    ++angles;
    break;
  case '>':
    endExpression();
    // A comparison closes nothing; nor does what a bracket did not open.
    if (!rest.starts_with(">=") &&
        angles > (brackets.empty() ? 0 : brackets.back()))
      --angles;
    break;
  case '-':
    if (rest.starts_with("->")) {
      endExpression();
      ++at;
      break;
    }
    ++operators;
    break;
  case '+':
  case '*':
    ++operators;
    break;
  case ',':
  case '=':
  case ':':
  case '@':
  case '^':
    endExpression();
    break;
  case '#':
  case '!':
    if (!takeAlias())
      return false;
    return true;
  default:
    if (!llvm::isAlnum(c) && c != '_')
      break;
    StringRef word = takeWord();
    operators += word == "floordiv" || word == "ceildiv" || word == "mod";
    --at;
    break;
  }
  if (depth() > kMaxDepth)
    return fail("expected at most " + Twine(kMaxDepth) + " levels of nesting");
  if (operators > kMaxOperators)
    return fail("expected at most " + Twine(kMaxOperators) +
                " operators in one expression");
  ++at;
  return true;
}

std::optional<std::string> Scan::run() {
  if (text.size() > kMaxBytes)
    fail("expected at most 4 GiB of text");
  while (problem.empty() && at < text.size())
    step();
  if (problem.empty())
    return std::nullopt;
  return problem;
}

std::optional<std::string> kiln::driver::scanText(StringRef text) {
  return Scan(text).run();
}
