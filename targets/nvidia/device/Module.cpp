// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules as the target writes them, and what of them the loader may see.
#include "NvidiaDevice.h"
#include <algorithm>
#include <elf.h>
#include <zlib.h>

using namespace kiln::nvidia;

namespace {

template <typename T> T readAt(const char *bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

/// The headers of a cubin, and that what they name is in the file.
std::string whyNoCubin(const char *bytes, uint64_t size) {
  constexpr uint16_t kCudaMachine = 190;
  if (size < sizeof(Elf64_Ehdr))
    return "its module is truncated";
  auto header = readAt<Elf64_Ehdr>(bytes, 0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_machine != kCudaMachine)
    return "its module is an object for another machine";
  auto holds = [&](uint64_t offset, uint64_t count, uint64_t each) {
    return offset <= size && (each == 0 || count <= (size - offset) / each);
  };
  if (header.e_shentsize != sizeof(Elf64_Shdr) || !header.e_shnum ||
      !holds(header.e_shoff, header.e_shnum, sizeof(Elf64_Shdr)) ||
      (header.e_phnum && header.e_phentsize != sizeof(Elf64_Phdr)) ||
      !holds(header.e_phoff, header.e_phnum, sizeof(Elf64_Phdr)))
    return "its module is truncated";
  for (uint32_t i = 0; i < header.e_shnum; ++i) {
    auto section =
        readAt<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
        !holds(section.sh_offset, section.sh_size, 1))
      return "its module is truncated";
  }
  return "";
}

} // namespace

std::string kiln::nvidia::readModule(const void *data, uint64_t size,
                                     std::vector<char> &code) {
  auto *bytes = static_cast<const char *>(data);
  constexpr uint64_t kHeader = sizeof kCubinMark + 4;
  if (size >= kHeader &&
      std::memcmp(bytes, kCubinMark, sizeof kCubinMark) == 0) {
    auto sum = readAt<uint32_t>(bytes, sizeof kCubinMark);
    code.assign(bytes + kHeader, bytes + size);
    if (crc32_z(0, reinterpret_cast<const Bytef *>(code.data()), code.size()) !=
        sum)
      return "its module is damaged";
    return whyNoCubin(code.data(), code.size());
  }
  auto isTextual = [](char c) {
    return (c >= 32 && c < 127) || c == '\n' || c == '\t' || c == '\r';
  };
  code.assign(bytes, bytes + size);
  std::string_view text(code.data(), code.size());
  if (!std::all_of(text.begin(), text.end(), isTextual) ||
      text.find(".version") == text.npos || text.find(".target") == text.npos)
    return "its module is neither a sealed cubin nor PTX";
  code.push_back(0);
  return "";
}
