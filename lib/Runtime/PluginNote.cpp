// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `.note.kiln` section of a shared library, read from the file.
#include "kiln-c/PluginNote.h"
#include "kiln/Runtime/Package.h"
#include "kiln/Runtime/Plugin.h"
#include <cstring>
#include <elf.h>

using namespace kiln::runtime;

namespace {

/// Access to a file whose every offset may lie.
class ElfFile {
public:
  explicit ElfFile(const Blob &file) : file(file) {}

  /// Copies an object out, or fails.
  template <typename T> bool read(uint64_t offset, T &object) const {
    if (offset > file.size || sizeof(T) > file.size - offset)
      return false;
    std::memcpy(&object, file.data + offset, sizeof(T));
    return true;
  }
  bool holds(uint64_t offset, uint64_t size) const {
    return offset <= file.size && size <= file.size - offset;
  }
  const uint8_t *at(uint64_t offset) const { return file.data + offset; }

private:
  const Blob &file;
};

uint64_t padded(uint64_t size) { return (size + 3) & ~uint64_t(3); }

/// Looks for Kiln's note in a range of notes.
bool findNote(const ElfFile &elf, uint64_t offset, uint64_t size,
              PluginNote &note, std::string &problem) {
  if (!elf.holds(offset, size)) {
    problem = "a note segment lies outside of the file";
    return false;
  }
  uint64_t end = offset + size;
  while (end - offset >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr header;
    if (!elf.read(offset, header))
      return false;
    uint64_t name = offset + sizeof(header);
    uint64_t desc = name + padded(header.n_namesz);
    uint64_t next = desc + padded(header.n_descsz);
    if (desc > end || header.n_descsz > end - desc)
      return false;
    bool isKiln =
        header.n_namesz == sizeof(KILN_NOTE_NAME) &&
        !std::memcmp(elf.at(name), KILN_NOTE_NAME, sizeof(KILN_NOTE_NAME));
    if (isKiln && header.n_type == KILN_NOTE_TYPE) {
      uint32_t words[4];
      if (header.n_descsz < sizeof(words)) {
        problem = "its Kiln note has " + std::to_string(header.n_descsz) +
                  " bytes, expected " + std::to_string(sizeof(words));
        return false;
      }
      std::memcpy(words, elf.at(desc), sizeof(words));
      note = {words[0], words[1], words[2], words[3]};
      return true;
    }
    if (next > end)
      return false;
    offset = next;
  }
  return false;
}

/// Reads the ELF header of a shared library.
Error readHeader(const ElfFile &elf, Elf64_Ehdr &header) {
  if (!elf.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return Error("not a shared library");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB)
    return Error("not a 64-bit little-endian shared library");
  if (header.e_type != ET_DYN)
    return Error("not a shared library");
  if (header.e_phentsize != sizeof(Elf64_Phdr) ||
      !elf.holds(header.e_phoff, uint64_t(header.e_phnum) * sizeof(Elf64_Phdr)))
    return Error("damaged: its program headers lie outside of the file");
  return Error::success();
}

Expected<PluginNote> parse(const Blob &file) {
  ElfFile elf(file);
  Elf64_Ehdr header;
  if (Error error = readHeader(elf, header))
    return error;
  PluginNote note;
  std::string problem;
  for (uint32_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!elf.read(header.e_phoff + i * sizeof(segment), segment))
      break;
    // A segment that the file does not hold: a truncated library.
    if (segment.p_type == PT_LOAD &&
        !elf.holds(segment.p_offset, segment.p_filesz))
      return Error("damaged: it ends before its segments do");
    if (segment.p_type != PT_NOTE)
      continue;
    if (findNote(elf, segment.p_offset, segment.p_filesz, note, problem))
      return note;
    if (!problem.empty())
      return Error(problem);
  }
  return Error("no " KILN_NOTE_SECTION " note: not a Kiln plug-in");
}

/// Whether a table of dynamic symbols has a definition of `name`.
bool defines(const ElfFile &elf, const Elf64_Shdr &symbols,
             const Elf64_Shdr &strings, const std::string &name) {
  if (!elf.holds(symbols.sh_offset, symbols.sh_size) ||
      !elf.holds(strings.sh_offset, strings.sh_size))
    return false;
  for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size;
       at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    if (!elf.read(symbols.sh_offset + at, symbol) ||
        symbol.st_shndx == SHN_UNDEF || symbol.st_name >= strings.sh_size ||
        strings.sh_size - symbol.st_name <= name.size())
      continue;
    const uint8_t *text = elf.at(strings.sh_offset + symbol.st_name);
    if (!std::memcmp(text, name.c_str(), name.size() + 1))
      return true;
  }
  return false;
}

Expected<bool> searchSymbol(const Blob &file, const std::string &name) {
  ElfFile elf(file);
  Elf64_Ehdr header;
  if (Error error = readHeader(elf, header))
    return error;
  for (uint32_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section, strings;
    if (!elf.read(header.e_shoff + i * sizeof(section), section))
      return Error("damaged: its section headers lie outside of the file");
    if (section.sh_type == SHT_DYNSYM && section.sh_link < header.e_shnum &&
        elf.read(header.e_shoff + section.sh_link * sizeof(strings), strings) &&
        defines(elf, section, strings, name))
      return true;
  }
  return false;
}

} // namespace

Expected<bool> kiln::runtime::definesSymbol(const std::string &path,
                                            const std::string &symbol) {
  Expected<Blob> file = mapRegularFile(path);
  if (!file)
    return file.takeError();
  Expected<bool> found = searchSymbol(*file, symbol);
  if (!found)
    return Error(path + ": " + found.message());
  return found;
}

Expected<PluginNote> kiln::runtime::readPluginNote(const std::string &path) {
  Expected<Blob> file = mapRegularFile(path);
  if (!file)
    return file.takeError();
  Expected<PluginNote> note = parse(*file);
  if (!note)
    return Error(path + ": " + note.message());
  return note;
}
