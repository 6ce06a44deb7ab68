//===- DescriptionFields.cpp - Names of fields of descriptions ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generated parser of an attribute reads fields one after the other and
// knows nothing but its own names. So the names are looked at before, in the
// text itself.
//
//===----------------------------------------------------------------------===//

#include "DescriptionFields.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace kiln::target;

namespace {
/// A name that changed after a release, of a field of #kiln.ATTRIBUTE, or of
/// the attribute itself. An entry stays for one minor version.
struct Renamed {
  StringLiteral attribute, before, now;
};
constexpr Renamed kRenamedFields[] = {
    {"target", "instructions", "matrix_instructions"},
    {"tiles", "rows", "elementwise_rows"},
    {"tiles", "cols", "elementwise_cols"},
    {"tiles", "row_elements", "reduction_elements"},
    {"tiles", "row_rows", "reduction_rows"},
    {"tiles", "contract", "contraction"},
};
constexpr Renamed kRenamedAttributes[] = {
    {"", "instruction", "matrix_instruction"},
    {"", "contract_tile", "contraction_tile"},
};

/// The name that `before` has now; empty where it had no other.
StringRef nameNow(ArrayRef<Renamed> table, StringRef attribute,
                  StringRef before) {
  for (const Renamed &entry : table)
    if (entry.attribute == attribute && entry.before == before)
      return entry.now;
  return "";
}

/// Walks over text that ends with a zero, as the buffers of parsers do.
class FieldScanner {
public:
  explicit FieldScanner(const char *begin) : at(begin) {}

  /// The name of the next field, and goes to its value; empty where none
  /// begins, which the parser says better.
  StringRef field() {
    skipSpace();
    StringRef name = word();
    skipSpace();
    if (name.empty() || *at != '=')
      return "";
    ++at;
    return name;
  }

  /// Goes behind the value that begins here, and tells whether another field
  /// follows. `see` gets the name of every attribute of this dialect.
  bool skipValue(llvm::function_ref<bool(StringRef)> see) {
    for (unsigned depth = 0; *at;) {
      char c = *at;
      if (c == '"') {
        skipString();
        continue;
      }
      if (c == '/' && at[1] == '/') {
        skipSpace();
        continue;
      }
      if (c == ',' && !depth)
        return ++at, true;
      // The arrow of a function type closes nothing.
      if (c == '-' && at[1] == '>') {
        at += 2;
        continue;
      }
      if (StringRef("<[{(").contains(c))
        ++depth;
      if (StringRef(">]})").contains(c) && !depth--)
        return false;
      ++at;
      if (c == '#' && StringRef(at, strnlen(at, kPrefix.size())) == kPrefix) {
        at += kPrefix.size();
        if (!see(word()))
          return false;
      }
    }
    return false;
  }

private:
  static constexpr StringLiteral kPrefix = "kiln.";

  StringRef word() {
    const char *begin = at;
    while (llvm::isAlnum(*at) || *at == '_' || *at == '$' || *at == '.')
      ++at;
    return StringRef(begin, at - begin);
  }

  void skipSpace() {
    while (*at) {
      if (at[0] == '/' && at[1] == '/')
        while (*at && *at != '\n')
          ++at;
      else if (llvm::isSpace(*at))
        ++at;
      else
        return;
    }
  }

  void skipString() {
    for (++at; *at && *at != '"'; ++at)
      if (*at == '\\' && at[1])
        ++at;
    if (*at)
      ++at;
  }

  const char *at;
};
} // namespace

ParseResult kiln::target::parseFields(AsmParser &parser, StringRef attribute,
                                      StringRef fields) {
  SmallVector<StringRef> known, seen;
  fields.split(known, ", ");
  auto error = [&](StringRef where) {
    return parser.emitError(SMLoc::getFromPointer(where.data()));
  };
  bool isGood = true;
  auto see = [&](StringRef name) {
    StringRef now = nameNow(kRenamedAttributes, "", name);
    if (!now.empty()) {
      error(name) << "expected '#kiln." << now << "', found '#kiln." << name
                  << "', as it was called before";
      isGood = false;
    }
    return isGood;
  };
  FieldScanner scanner(parser.getCurrentLocation().getPointer());
  do {
    StringRef name = scanner.field();
    if (name.empty())
      return success();
    if (llvm::is_contained(seen, name))
      return error(name) << "expected each field of #kiln." << attribute
                         << " once, found '" << name << "' twice";
    seen.push_back(name);
    if (llvm::is_contained(known, name))
      continue;
    StringRef now = nameNow(kRenamedFields, attribute, name);
    if (!now.empty())
      return error(name) << "expected field '" << now << "' of #kiln."
                         << attribute << ", found '" << name
                         << "', as it was called before";
    return error(name) << "expected a field of #kiln." << attribute
                       << ", one of: " << fields << ", found '" << name << "'";
  } while (scanner.skipValue(see));
  return success(isGood);
}
