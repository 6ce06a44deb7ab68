// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mutate-module MODULE ROUNDS: changes bytes of a kernel library that are no
// code, and loads what the check lets through, each in a process of its own.
// Fails when the loader crashes.
#include "../../../targets/cpu/device/ElfCheck.h"
#include "kiln/Runtime/HostSymbols.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace kiln::cpu_target;

namespace {

bool mayNeed(const std::string &name) {
  return kiln::runtime::isHostSymbol(name);
}

/// Offsets of everything that the loader reads: what is before the code, and
/// the data behind it, in pieces of the size that fields have.
std::vector<size_t> interestingOffsets(const std::vector<char> &bytes) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  std::vector<size_t> offsets;
  auto add = [&](size_t begin, size_t end) {
    for (size_t at = begin; at < end; ++at)
      offsets.push_back(at);
  };
  add(0, sizeof(header) + header.e_phnum * sizeof(Elf64_Phdr));
  for (uint32_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof(segment),
                sizeof(segment));
    // The first one has the tables, then read-only data of the kernels.
    if (segment.p_type == PT_LOAD && !(segment.p_flags & PF_X))
      add(segment.p_offset,
          segment.p_offset + std::min<size_t>(segment.p_filesz, 2048));
  }
  return offsets;
}

/// One change: a bit, a byte, or a field that becomes an edge value or another
/// field.
void change(std::vector<char> &bytes, const std::vector<size_t> &offsets,
            std::mt19937 &random) {
  auto pick = [&] { return offsets[random() % offsets.size()]; };
  size_t at = pick();
  switch (random() % 4) {
  case 0:
    bytes[at] = char(bytes[at] ^ (1 << random() % 8));
    return;
  case 1:
    bytes[at] = char(random());
    return;
  default:
    size_t width = random() % 2 ? 8 : 4;
    at = at / width * width;
    size_t from = pick() / width * width;
    if (at + width > bytes.size() || from + width > bytes.size())
      return;
    const int64_t edges[] = {0,
                             1,
                             -1,
                             7,
                             8,
                             4096,
                             1 << 16,
                             4095,
                             24,
                             1 << 20,
                             INT64_MAX,
                             INT64_MIN,
                             int64_t(bytes.size())};
    int64_t value = edges[random() % std::size(edges)];
    if (random() % 2)
      std::memcpy(&value, bytes.data() + from, width);
    std::memcpy(bytes.data() + at, &value, width);
  }
}

/// Loads and unloads in a child; whether that went without a signal.
bool loads(const std::vector<char> &bytes, const ElfSymbols &symbols) {
  pid_t child = fork();
  if (child == 0) {
    alarm(10);
    int fd = memfd_create("module", 0);
    if (write(fd, bytes.data(), bytes.size()) != ssize_t(bytes.size()))
      _exit(0);
    std::string path = "/proc/self/fd/" + std::to_string(fd);
    if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      volatile char sum = 0;
      for (const auto &[name, kind] : symbols)
        if (auto *address = static_cast<char *>(dlsym(library, name.c_str())))
          sum = char(sum + *address);
      dlclose(library);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  std::ifstream file(argv[1], std::ios::binary);
  std::vector<char> original((std::istreambuf_iterator<char>(file)), {});
  dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
  std::vector<size_t> offsets = interestingOffsets(original);
  int accepted = 0;
  for (int round = 0; round < std::atoi(argv[2]); ++round) {
    std::mt19937 random(static_cast<unsigned>(round));
    std::vector<char> bytes = original;
    // Round 0 is the module as it is.
    for (unsigned n = round ? 1 + random() % 3 : 0; n > 0; --n)
      change(bytes, offsets, random);
    ElfSymbols symbols;
    std::string problem;
    if (!checkElf(bytes.data(), bytes.size(), mayNeed, symbols, problem)) {
      if (round)
        continue;
      std::printf("the module itself is refused: %s\n", problem.c_str());
      return 1;
    }
    ++accepted;
    if (!loads(bytes, symbols)) {
      std::printf("round %d crashes the loader\n", round);
      return 1;
    }
  }
  std::printf("%d of %s loaded\n", accepted, argv[2]);
  return 0;
}
