//===- AssemblyText.cpp - The statements of inline assembly ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AssemblyText.h"
#include "llvm/ADT/StringExtras.h"

using namespace kiln::tile;
using llvm::StringRef;

bool kiln::tile::isAssemblyType(StringRef word) {
  static constexpr StringRef known[] = {
      "b8",   "b16",    "b32",    "b64",    "u8",    "u16",   "u32",
      "u64",  "s8",     "s16",    "s32",    "s64",   "f16",   "bf16",
      "f32",  "f64",    "f16x2",  "bf16x2", "f32x2", "s16x2", "u16x2",
      "pred", "e4m3x2", "e5m2x2", "e2m1x2", "tf32"};
  return llvm::is_contained(known, word);
}

namespace {
/// Comments and line ends as spaces.
std::string withoutComments(StringRef text) {
  std::string plain;
  while (!text.empty()) {
    if (text.starts_with("//")) {
      text = text.drop_until([](char c) { return c == '\n'; });
    } else if (text.starts_with("/*")) {
      size_t end = text.find("*/", 2);
      text = end == StringRef::npos ? StringRef() : text.substr(end + 2);
      plain += ' ';
    } else {
      plain += llvm::isSpace(text.front()) ? ' ' : text.front();
      text = text.drop_front();
    }
  }
  return plain;
}

class Parser {
public:
  Parser(std::vector<AssemblyStatement> &statements, std::string &problem)
      : statements(statements), problem(problem) {}

  bool run(StringRef text) {
    int depth = 0;
    while (true) {
      text = text.ltrim(" ;");
      if (text.empty())
        break;
      if (text.front() == '{' || text.front() == '}') {
        AssemblyStatement brace;
        brace.kind = text.front() == '{' ? AssemblyStatement::Open
                                         : AssemblyStatement::Close;
        depth += text.front() == '{' ? 1 : -1;
        if (depth < 0)
          return fail("a brace that closes nothing");
        statements.push_back(brace);
        text = text.drop_front();
        continue;
      }
      size_t end = text.find(';');
      // The last statement may end with its scope.
      if (end == StringRef::npos) {
        end = text.size();
        while (end && (text[end - 1] == ' ' || text[end - 1] == '}') &&
               text.take_front(end).count('}') >
                   text.take_front(end).count('{'))
          --end;
      }
      if (!parseStatement(text.take_front(end).trim()))
        return false;
      text = text.drop_front(end);
    }
    return depth == 0 || fail("a brace that is not closed");
  }

private:
  bool fail(const llvm::Twine &why) {
    problem = why.str();
    return false;
  }

  bool parseStatement(StringRef text) {
    AssemblyStatement statement;
    statement.text = text.str();
    if (text.consume_front("@")) {
      statement.isGuardNegated = text.consume_front("!");
      size_t end = text.find(' ');
      statement.guard = text.take_front(end).str();
      text = text.drop_front(std::min(end, text.size())).ltrim();
    }
    auto [opcode, rest] = text.split(' ');
    rest = rest.trim();
    if (opcode == ".reg") {
      statement.kind = AssemblyStatement::Declaration;
      std::tie(opcode, rest) = rest.split(' ');
      if (!opcode.consume_front(".") || !isAssemblyType(opcode))
        return fail("a register of unknown type in '" + statement.text + "'");
      statement.name = opcode.str();
    } else {
      if (opcode.empty() || opcode.front() == '.' || opcode.contains(':'))
        return fail("'" + statement.text + "', which is no instruction");
      llvm::SmallVector<StringRef> parts;
      opcode.split(parts, '.');
      statement.name = parts.front().str();
      for (StringRef part : llvm::drop_begin(parts)) {
        // `::` is a part of a modifier.
        bool isType = isAssemblyType(part);
        (isType ? statement.types : statement.modifiers).push_back(part.str());
      }
    }
    if (!parseOperands(rest, statement))
      return false;
    statements.push_back(std::move(statement));
    return true;
  }

  bool parseOperands(StringRef text, AssemblyStatement &statement) {
    while (!text.empty()) {
      AssemblyOperand operand;
      text = text.ltrim();
      if (text.consume_front("{")) {
        size_t end = text.find('}');
        if (end == StringRef::npos)
          return fail("a brace that is not closed in '" + statement.text + "'");
        operand.isVector = true;
        for (StringRef name : llvm::split(text.take_front(end), ','))
          operand.names.push_back(name.trim().str());
        text = text.drop_front(end + 1).ltrim();
        if (!text.empty() && !text.starts_with(","))
          return fail("'" + text + "' after a vector");
      } else {
        size_t end = text.find(',');
        operand.names.push_back(text.take_front(end).trim().str());
        text = text.drop_front(std::min(end, text.size()));
      }
      if (text.consume_front(",") && text.trim().empty())
        return fail("a missing operand in '" + statement.text + "'");
      statement.operands.push_back(std::move(operand));
    }
    return true;
  }

  std::vector<AssemblyStatement> &statements;
  std::string &problem;
};
} // namespace

bool kiln::tile::parseAssembly(StringRef text,
                               std::vector<AssemblyStatement> &statements,
                               std::string &problem) {
  return Parser(statements, problem).run(withoutComments(text));
}
