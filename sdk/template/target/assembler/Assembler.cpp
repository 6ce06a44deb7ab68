// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// @name@-as IN OUT: turns the text of kernels into what the device loads.
#include "../device/Isa.h"
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

static int fail(int line, const std::string &message) {
  std::cerr << "line " << line << ": " << message << "\n";
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: @name@-as IN OUT\n";
    return 2;
  }
  std::ifstream in(argv[1]);
  std::vector<int64_t> words;
  std::string text;
  int line = 0;
  size_t lengthAt = 0;
  auto endKernel = [&] {
    if (lengthAt)
      words[lengthAt] = static_cast<int64_t>(words.size() - lengthAt - 1);
  };
  while (std::getline(in, text)) {
    ++line;
    std::istringstream tokens(text);
    std::string name;
    if (!(tokens >> name) || name[0] == ';')
      continue;
    if (name == ".kernel") {
      // Name (padded to words), registers, length.
      endKernel();
      std::string symbol;
      int64_t scalars = 0, tiles = 0;
      if (!(tokens >> symbol >> scalars >> tiles))
        return fail(line, "expected .kernel NAME SCALARS TILES");
      size_t nameWords = symbol.size() / 8 + 1;
      words.push_back(static_cast<int64_t>(nameWords));
      size_t at = words.size();
      words.resize(at + nameWords);
      std::memcpy(&words[at], symbol.data(), symbol.size());
      words.push_back(scalars);
      words.push_back(tiles);
      lengthAt = words.size();
      words.push_back(0);
      continue;
    }
    int64_t code = 0;
    while (code < @name@::NumCodes && name != @name@::kOpcodes[code].name)
      ++code;
    if (code == @name@::NumCodes || !lengthAt)
      return fail(line, "unknown instruction '" + name + "'");
    std::vector<int64_t> operands;
    for (int64_t value; tokens >> value;)
      operands.push_back(value);
    int wanted = @name@::kOpcodes[code].operands;
    bool isRight = wanted >= 0 ? operands.size() == size_t(wanted)
                               : !operands.empty() &&
                                     operands.front() + 1 ==
                                         int64_t(operands.size());
    if (!isRight)
      return fail(line, "wrong number of operands of '" + name + "'");
    words.push_back(code);
    words.insert(words.end(), operands.begin(), operands.end());
  }
  endKernel();
  std::ofstream out(argv[2], std::ios::binary);
  out.write(@name@::kMagic, 8);
  out.write(reinterpret_cast<const char *>(words.data()),
            static_cast<std::streamsize>(words.size() * 8));
  return out.flush() ? 0 : fail(0, "cannot write the output");
}
