// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's text of instructions ("Syntax of AMDGPU Instruction Operands" and
// "... Modifiers" in its documentation) taken apart. Text is the same for all
// encodings and families, unlike the operands of LLVM's decoder.
#include "Text.h"
#include "Values.h"
#include <cstdlib>

using namespace kiln::amd::sim;

namespace {
using std::string_view;

string_view trim(string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

/// The end of the piece that begins the text: at `stop`, outside of brackets
/// and quotes.
size_t pieceEnd(string_view text, char stop) {
  int depth = 0;
  bool isQuoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"')
      isQuoted = !isQuoted;
    if (isQuoted)
      continue;
    if (c == '[' || c == '(')
      ++depth;
    if (c == ']' || c == ')')
      --depth;
    if (c == stop && depth == 0)
      return i;
  }
  return text.size();
}

bool isNumber(string_view text) {
  return !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) ||
                           (text.size() > 1 && text[0] == '-' &&
                            std::isdigit(static_cast<unsigned char>(text[1]))));
}

/// "v3", "v[2:5]", "v3.l" after the letter: the first register and how many.
bool parseRange(string_view rest, unsigned &first, unsigned &count,
                bool &isHigh) {
  count = 1;
  if (rest.size() > 2 && rest.substr(rest.size() - 2) == ".h") {
    isHigh = true;
    rest.remove_suffix(2);
  } else if (rest.size() > 2 && rest.substr(rest.size() - 2) == ".l") {
    rest.remove_suffix(2);
  }
  if (rest.empty())
    return false;
  std::string text(rest);
  char *end = nullptr;
  if (text[0] != '[') {
    first = unsigned(std::strtoul(text.c_str(), &end, 10));
    return end != text.c_str() && !*end;
  }
  first = unsigned(std::strtoul(text.c_str() + 1, &end, 10));
  unsigned last = first;
  if (*end == ':')
    last = unsigned(std::strtoul(end + 1, &end, 10));
  count = last - first + 1;
  return *end == ']' && last >= first;
}

struct Named {
  const char *name;
  uint16_t reg, count;
};
constexpr Named kNamed[] = {
    {"vcc", kVcc, 2},
    {"vcc_lo", kVcc, 1},
    {"vcc_hi", kVcc + 1, 1},
    {"exec", kExec, 2},
    {"exec_lo", kExec, 1},
    {"exec_hi", kExec + 1, 1},
    {"m0", kM0, 1},
    {"null", kNull, 2},
    {"flat_scratch", kFlatScratch, 2},
    {"flat_scratch_lo", kFlatScratch, 1},
    {"flat_scratch_hi", kFlatScratch + 1, 1},
    {"xnack_mask", 104, 2},
    {"xnack_mask_lo", 104, 1},
    {"xnack_mask_hi", 105, 1},
};
constexpr const char *kSpecial[] = {"src_shared_base",  "src_shared_limit",
                                    "src_private_base", "src_private_limit",
                                    "src_scc",          "src_vccz",
                                    "src_execz",        "scc",
                                    "shared_base",      "private_base"};

bool parseRegister(string_view text, Operand &op) {
  for (const Named &named : kNamed)
    if (text == named.name) {
      op.kind = Operand::Kind::Scalar;
      op.reg = named.reg;
      op.count = named.count;
      return true;
    }
  for (unsigned i = 0; i < std::size(kSpecial); ++i)
    if (text == kSpecial[i]) {
      op.kind = Operand::Kind::Special;
      op.reg = uint16_t(i);
      return true;
    }
  unsigned first = 0, count = 1, base = 0;
  string_view rest = text;
  Operand::Kind kind = Operand::Kind::Vector;
  if (text.substr(0, 4) == "ttmp") {
    rest.remove_prefix(4);
    kind = Operand::Kind::Scalar;
    base = kTtmp;
  } else if (!text.empty() &&
             (text[0] == 'v' || text[0] == 'a' || text[0] == 's')) {
    rest.remove_prefix(1);
    kind = text[0] == 's' ? Operand::Kind::Scalar : Operand::Kind::Vector;
    base = text[0] == 'a' ? kFirstAcc : 0;
  } else {
    return false;
  }
  bool isHigh = false;
  if (!parseRange(rest, first, count, isHigh))
    return false;
  unsigned limit =
      kind == Operand::Kind::Vector ? kVectorRegisters : kScalarRegisters;
  if (base + first + count > limit)
    return false;
  op.kind = kind;
  op.reg = uint16_t(base + first);
  op.count = uint16_t(count);
  op.isHigh = isHigh;
  return true;
}

TextOperand parseOperand(string_view text) {
  TextOperand result;
  result.text = std::string(text);
  Operand &op = result.operand;
  if (text.size() > 1 && text[0] == '-' && !isNumber(text)) {
    op.negate = true;
    text.remove_prefix(1);
  }
  if (text.size() > 4 && text.substr(0, 4) == "neg(" && text.back() == ')') {
    op.negate = true;
    text = text.substr(4, text.size() - 5);
  }
  if (text.size() > 2 && text.front() == '|' && text.back() == '|') {
    op.absolute = true;
    text = text.substr(1, text.size() - 2);
  }
  if (text.size() > 5 && text.substr(0, 5) == "sext(" && text.back() == ')') {
    result.text = "sext";
    text = text.substr(5, text.size() - 6);
  }
  if (parseRegister(text, op))
    return result;
  // `lit(0xffffffff)`: a literal of the encoding that a shorter constant could
  // stand for.
  for (string_view mark : {"lit(", "lit64("})
    if (text.size() > mark.size() && text.substr(0, mark.size()) == mark &&
        text.back() == ')') {
      text = text.substr(mark.size(), text.size() - mark.size() - 1);
      result.isLiteral = true;
    }
  if (!isNumber(text))
    return result;
  op.kind = Operand::Kind::Constant;
  std::string number(text);
  result.isLiteral |= text.substr(0, 2) == "0x" || text.substr(0, 3) == "-0x";
  result.isFloat = !result.isLiteral && text.find('.') != string_view::npos;
  if (result.isFloat)
    result.number = std::strtod(number.c_str(), nullptr);
  else
    op.value = text[0] == '-'
                   ? uint64_t(std::strtoll(number.c_str(), nullptr, 0))
                   : std::strtoull(number.c_str(), nullptr, 0);
  return result;
}

/// Whether an operand is written like a function of something.
bool isCalled(string_view word) {
  for (string_view name : {"neg(", "sext(", "hwreg(", "lit(", "lit64("})
    if (word.substr(0, name.size()) == name)
      return true;
  return false;
}

/// `key:value`, `key(value)`, or `key`.
void parseModifier(string_view text, ParsedText &into) {
  size_t colon = pieceEnd(text, ':');
  if (colon < text.size()) {
    into.modifiers.emplace_back(text.substr(0, colon), text.substr(colon + 1));
    return;
  }
  size_t open = text.find('(');
  if (open != string_view::npos && text.back() == ')') {
    into.modifiers.emplace_back(text.substr(0, open),
                                text.substr(open + 1, text.size() - open - 2));
    return;
  }
  into.modifiers.emplace_back(text, "");
}

void splitSuffix(std::string &name, std::string &suffix) {
  for (const char *known :
       {"_e64_dpp", "_e32", "_e64", "_dpp8", "_dpp", "_sdwa"}) {
    size_t size = std::strlen(known);
    if (name.size() > size &&
        name.compare(name.size() - size, size, known) == 0) {
      suffix = known;
      name.erase(name.size() - size);
      return;
    }
  }
}
} // namespace

const std::string *ParsedText::modifier(string_view key) const {
  for (const auto &[name, value] : modifiers)
    if (name == key)
      return &value;
  return nullptr;
}

ParsedText kiln::amd::sim::parseText(string_view text) {
  ParsedText result;
  text = trim(text);
  if (size_t dual = text.find(" :: "); dual != string_view::npos) {
    result.second = std::string(trim(text.substr(dual + 4)));
    text = trim(text.substr(0, dual));
  }
  size_t end = std::min(text.find(' '), text.find('\t'));
  result.name = std::string(text.substr(0, end));
  splitSuffix(result.name, result.suffix);
  string_view rest =
      end == string_view::npos ? string_view() : trim(text.substr(end));
  while (!rest.empty()) {
    size_t comma = pieceEnd(rest, ',');
    string_view piece = trim(rest.substr(0, comma));
    rest = comma < rest.size() ? trim(rest.substr(comma + 1)) : string_view();
    // Modifiers follow an operand behind spaces.
    bool isFirst = true;
    while (!piece.empty()) {
      size_t space = pieceEnd(piece, ' ');
      string_view word = piece.substr(0, space);
      piece = space < piece.size() ? trim(piece.substr(space)) : string_view();
      bool isModifier =
          !isFirst || (word.find('(') != string_view::npos && !isCalled(word));
      if (isModifier)
        parseModifier(word, result);
      else
        result.operands.push_back(parseOperand(word));
      isFirst = false;
    }
  }
  return result;
}

uint64_t kiln::amd::sim::constantBits(const TextOperand &operand, Type type) {
  if (operand.isFloat)
    switch (type) {
    case Type::F64:
    case Type::B64:
    case Type::I64:
      return std::bit_cast<uint64_t>(operand.number);
    case Type::F16:
    case Type::B16:
      return std::bit_cast<uint16_t>(Half(operand.number));
    case Type::BF16:
      return toBf16(float(operand.number)).bits;
    default:
      return std::bit_cast<uint32_t>(float(operand.number));
    }
  uint64_t value = operand.operand.value;
  if (!operand.isLiteral)
    return value;
  switch (type) {
  case Type::F64: // The upper half, unless all of it is there.
    return value >> 32 ? value : value << 32;
  case Type::I64:
    return value >> 32 ? value : uint64_t(int64_t(int32_t(value)));
  default:
    return value;
  }
}
