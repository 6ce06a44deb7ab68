// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Links an object to a shared object without a linker, and checks it as the
// device `cpu` does.
//
//   link-object OBJECT SHARED-OBJECT
#include "ElfCheck.h"
#include "SharedObject.h"
#include <cstdio>
#include <fstream>
#include <iterator>

int main(int argc, char **argv) {
  if (argc != 3)
    return std::fprintf(stderr, "usage: link-object OBJECT SHARED-OBJECT\n"), 2;
  std::ifstream input(argv[1], std::ios::binary);
  std::string object((std::istreambuf_iterator<char>(input)), {});
  std::optional<std::string> linked = kiln::cpu::writeSharedObject(object);
  if (!linked) {
    std::puts("left to a linker");
    return 0;
  }
  kiln::cpu_target::ElfSymbols symbols;
  std::string problem;
  if (!kiln::cpu_target::checkElf(
          linked->data(), linked->size(),
          [](const std::string &) { return true; }, symbols, problem)) {
    std::printf("refused by the device: %s\n", problem.c_str());
    return 1;
  }
  std::ofstream(argv[2], std::ios::binary) << *linked;
  for (const auto &[name, kind] : symbols)
    std::printf("%s\n", name.c_str());
  return 0;
}
