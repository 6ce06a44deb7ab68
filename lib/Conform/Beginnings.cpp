//===- Beginnings.cpp - What a regular expression can match ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Beginnings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace kiln::conform;
using llvm::StringRef;

namespace {

/// Stands for any character.
constexpr char kAny = '\0';

/// How a match can begin, and whether the rest of the expression follows.
struct Beginning {
  std::string text;
  bool isOpen = true;
};
using Some = std::vector<Beginning>;

/// Reads letters, `.`, groups, `|` and repetitions; anything else is unknown.
class Reader {
public:
  explicit Reader(StringRef pattern) : rest(pattern) {}

  std::vector<std::string> run() {
    Some some = alternatives(/*isOuter=*/true);
    if (!isKnown || !rest.empty())
      return {""};
    std::vector<std::string> texts;
    for (Beginning &one : some)
      texts.push_back(std::move(one.text));
    return texts;
  }

private:
  Some alternatives(bool isOuter) {
    Some all;
    do {
      Some more = sequence(isOuter);
      all.insert(all.end(), more.begin(), more.end());
    } while (isKnown && rest.consume_front("|"));
    return all;
  }

  Some sequence(bool isOuter) {
    // One without `^` is searched for everywhere.
    Some some = {{"", !isOuter || rest.consume_front("^")}};
    while (isKnown && !rest.empty() && rest[0] != '|' && rest[0] != ')') {
      Some next = atom();
      bool mayMiss = rest.consume_front("*") || rest.consume_front("?");
      if (mayMiss)
        close(some);
      append(some, next);
      if (mayMiss || rest.consume_front("+")) {
        rest.consume_front("?");
        close(some);
      }
    }
    return some;
  }

  Some atom() {
    char first = rest.front();
    rest = rest.drop_front();
    switch (first) {
    case '.':
      return {{std::string(1, kAny)}};
    case '$':
      return {{"", false}};
    case '(':
      return group();
    case '\\': // letters and digits behind it have a meaning
      if (rest.empty() || llvm::isAlnum(rest.front()))
        return unknown();
      first = rest.front();
      rest = rest.drop_front();
      return {{std::string(1, first)}};
    case '^':
    case '[':
    case '{':
    case '*':
    case '+':
    case '?':
      return unknown();
    default:
      // Repeated so many times.
      if (rest.starts_with("{"))
        return unknown();
      return {{std::string(1, first)}};
    }
  }

  Some group() {
    rest.consume_front("?:");
    if (rest.starts_with("?"))
      return unknown();
    Some some = alternatives(/*isOuter=*/false);
    if (!rest.consume_front(")") || rest.starts_with("{"))
      return unknown();
    return some;
  }

  Some unknown() {
    isKnown = false;
    return {};
  }

  void append(Some &some, const Some &next) {
    constexpr size_t kMost = 1000;
    Some result;
    for (const Beginning &one : some) {
      if (!one.isOpen)
        result.push_back(one);
      else
        for (const Beginning &more : next)
          result.push_back({one.text + more.text, more.isOpen});
      if (result.size() > kMost) {
        isKnown = false;
        return;
      }
    }
    some = std::move(result);
  }

  void close(Some &some) {
    for (Beginning &one : some)
      one.isOpen = false;
  }

  StringRef rest;
  bool isKnown = true;
};

} // namespace

Beginnings::Beginnings(StringRef pattern) : texts(Reader(pattern).run()) {}

bool Beginnings::allow(StringRef prefix) const {
  return llvm::any_of(texts, [&](StringRef text) {
    return llvm::all_of(llvm::zip(text, prefix), [](auto both) {
      auto [a, b] = both;
      return a == kAny || a == b;
    });
  });
}
