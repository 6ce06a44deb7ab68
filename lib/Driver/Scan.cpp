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
// Aliases that name others twice stand for more than a text can hold: what
// prints, compares or walks one takes as long as what is written out.
//
// Upstream's lexer reads the rest of `2x3x5xf32` as a name at each `x`, which
// takes as long as the square of the number of dimensions.
//
// `array<index: 1>` has a type that upstream's parser takes the width of, and
// ends at.
//
//===----------------------------------------------------------------------===//

#include "kiln/Driver/Driver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace kiln::driver;
using llvm::StringRef;
using llvm::Twine;

/// Nesting that no honest input reaches.
static constexpr unsigned kMaxDepth = 1000;
/// Nesting through aliases, which is read without regions.
static constexpr unsigned kMaxAliasDepth = 100000;
/// Aliases in a text with all of them written out: so many are few, and so many
/// for each of its bytes.
static constexpr uint64_t kFewAliases = uint64_t(4) << 20;
static constexpr uint64_t kMaxAliasesPerByte = 256;
/// Operators of one affine expression.
static constexpr unsigned kMaxOperators = 100000;
/// Dimensions of one shape.
static constexpr size_t kMaxDimensions = 1000;
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
  bool isIndex(StringRef type) const;
  bool checkArray();
  bool checkShape(size_t start, StringRef word);
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
  /// How deep what an alias stands for is nested, and the aliases in it when
  /// it is written out.
  struct Alias {
    unsigned depth = 0;
    uint64_t size = 1;
  };
  llvm::StringMap<Alias> aliases;
  Alias *defined = nullptr; ///< whose value is being read
  /// The last token cannot be the end of a value: `=` or `->`.
  bool isOpen = false;
  /// Those that stand for `index`.
  llvm::StringSet<> indices;
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

/// Whether a type is `index`, or a name for it.
bool Scan::isIndex(StringRef type) const {
  size_t end = 0;
  auto isPartOfName = [](char c) {
    return llvm::isAlnum(c) || StringRef("_$.").contains(c);
  };
  if (type.starts_with("!"))
    ++end;
  while (end < type.size() && isPartOfName(type[end]))
    ++end;
  StringRef name = type.take_front(end);
  return name == "index" || indices.contains(name);
}

/// Looks at the type of an array, whose word ends here.
bool Scan::checkArray() {
  StringRef rest = text.drop_front(at).ltrim();
  if (!rest.consume_front("<") || !isIndex(rest.ltrim()))
    return true;
  at = text.size() - rest.ltrim().size();
  return fail("expected an array of integers or floats of some width, found "
              "'index'");
}

/// Looks at a word that may be the sizes of a shape.
bool Scan::checkShape(size_t start, StringRef word) {
  bool isShape =
      llvm::isDigit(word.front()) || (start && text[start - 1] == '?');
  if (!isShape || word.count('x') <= kMaxDimensions)
    return true;
  at = start;
  return fail("expected a shape of at most " + Twine(kMaxDimensions) +
              " dimensions");
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
    defined = &aliases[name];
    if (isIndex(rest.ltrim()))
      indices.insert(name);
    return true;
  }
  auto known = aliases.find(name);
  Alias alias = known == aliases.end() ? Alias() : known->second;
  unsigned total = depth() + 1 + alias.depth;
  if (total > kMaxAliasDepth)
    return fail("expected at most " + Twine(kMaxAliasDepth) +
                " levels of nesting through aliases");
  if (!defined)
    return true;
  defined->depth = std::max(defined->depth, total);
  defined->size = llvm::SaturatingAdd(defined->size, alias.size);
  if (defined->size > std::max(kFewAliases, kMaxAliasesPerByte * at))
    return fail("expected aliases that stand for at most " +
                Twine(kMaxAliasesPerByte) + " others for each byte of text");
  return true;
}

/// Looks at what stands here. False: there is a problem.
bool Scan::step() {
  char c = text[at];
  StringRef rest = text.drop_front(at);
  bool isComment = rest.starts_with("//");
  if (!llvm::isSpace(c) && !isComment)
    isOpen = c == '=' || rest.starts_with("->");
  switch (c) {
  case '\0':
    return fail("expected text, found a zero byte");
  case '\n':
    if (!depth() && !isOpen)
      defined = nullptr;
    break;
  case '/':
    if (isComment)
      at = std::min(text.find('\n', at), text.size()) - 1;
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
    size_t start = at;
    StringRef word = takeWord();
    if (!checkShape(start, word))
      return false;
    operators += word == "floordiv" || word == "ceildiv" || word == "mod";
    if (word == "array" && !checkArray())
      return false;
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
