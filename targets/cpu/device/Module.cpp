// Kernel libraries: shared objects in memory.
#include "CpuDevice.h"
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace kiln::cpu;

namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
#else
#error "the cpu device does not know this machine"
#endif

/// A view of a shared object whose every offset is checked.
class SharedObject {
public:
  SharedObject(const void *bytes, uint64_t size)
      : data(static_cast<const char *>(bytes)), size(size) {}

  bool check(std::string &problem) {
    Elf64_Ehdr header;
    if (!read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN)
      return reject(problem, "not a 64-bit shared object");
    if (header.e_machine != kMachine)
      return reject(problem, "compiled for another machine");
    for (uint32_t i = 0; i < header.e_phnum; ++i) {
      Elf64_Phdr segment;
      if (!read(header.e_phoff + i * sizeof(segment), segment))
        return reject(problem, "truncated");
      if (!holds(segment.p_offset, segment.p_filesz))
        return reject(problem, "truncated");
    }
    bool hasSymbols = false;
    for (uint32_t i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr section;
      if (!readSection(header, i, section))
        return reject(problem, "truncated");
      if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_DYNAMIC)
        continue;
      Elf64_Shdr strings;
      if (!holds(section.sh_offset, section.sh_size) ||
          !readSection(header, section.sh_link, strings) ||
          !holds(strings.sh_offset, strings.sh_size))
        return reject(problem, "truncated");
      bool isFine = section.sh_type == SHT_DYNSYM
                        ? checkSymbols(section, strings, problem)
                        : checkNeeded(section, strings, problem);
      if (!isFine)
        return false;
      hasSymbols |= section.sh_type == SHT_DYNSYM;
    }
    return hasSymbols || reject(problem, "it has no table of symbols");
  }

private:
  static bool reject(std::string &problem, const std::string &reason) {
    problem = "kernel library: " + reason;
    return false;
  }
  bool holds(uint64_t offset, uint64_t count) const {
    return offset <= size && count <= size - offset;
  }
  template <typename T> bool read(uint64_t offset, T &object) const {
    if (!holds(offset, sizeof(T)))
      return false;
    std::memcpy(&object, data + offset, sizeof(T));
    return true;
  }
  bool readSection(const Elf64_Ehdr &header, uint64_t index,
                   Elf64_Shdr &section) const {
    return index < header.e_shnum &&
           read(header.e_shoff + index * sizeof(section), section);
  }
  std::string text(const Elf64_Shdr &strings, uint64_t offset) const {
    if (offset >= strings.sh_size)
      return "";
    const char *begin = data + strings.sh_offset + offset;
    return std::string(begin, strnlen(begin, strings.sh_size - offset));
  }

  bool checkSymbols(const Elf64_Shdr &table, const Elf64_Shdr &strings,
                    std::string &problem) const {
    // Symbol 0 is always undefined.
    for (uint64_t at = sizeof(Elf64_Sym);
         at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      if (!read(table.sh_offset + at, symbol) || symbol.st_shndx != SHN_UNDEF)
        continue;
      std::string name = text(strings, symbol.st_name);
      if (!isRuntimeSymbol(name))
        return reject(problem, "it needs '" + name +
                                   "', which is not on the list of functions "
                                   "that kernels may call");
    }
    return true;
  }

  bool checkNeeded(const Elf64_Shdr &table, const Elf64_Shdr &strings,
                   std::string &problem) const {
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= table.sh_size;
         at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry;
      if (!read(table.sh_offset + at, entry) || entry.d_tag != DT_NEEDED)
        continue;
      std::string name = text(strings, entry.d_un.d_val);
      if (name != "libm.so.6" && name != "libc.so.6")
        return reject(problem, "it needs the library '" + name + "'");
    }
    return true;
  }

  const char *data;
  uint64_t size;
};

bool writeAll(int fd, const char *data, uint64_t size) {
  while (size) {
    ssize_t put = write(fd, data, size);
    if (put <= 0)
      return false;
    data += put;
    size -= uint64_t(put);
  }
  return true;
}

/// A path to a file descriptor that was never used before. The loader takes
/// equal paths for one library, and descriptors are reused.
std::string freshPath(int fd) {
  static std::atomic<uint64_t> counter{0};
  std::string path = "/proc/self/fd/";
  for (uint64_t n = ++counter; n; n >>= 1)
    path += n & 1 ? ".//" : "./";
  return path + std::to_string(fd);
}

} // namespace

bool kiln::cpu::loadLibrary(const void *bytes, uint64_t size, void *&library,
                            std::string &problem) {
  if (!SharedObject(bytes, size).check(problem))
    return false;
  int fd = memfd_create("kiln-kernels", MFD_CLOEXEC);
  if (fd < 0 || !writeAll(fd, static_cast<const char *>(bytes), size)) {
    problem = "cannot keep a kernel library in memory";
    if (fd >= 0)
      close(fd);
    return false;
  }
  library = dlopen(freshPath(fd).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    problem = std::string("cannot load a kernel library: ") + dlerror();
  close(fd);
  return library != nullptr;
}
