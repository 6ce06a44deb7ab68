// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a shared object as the loader does, and refuses what Kiln's linker
// never writes. Code can still be anything: a package is code.
#include "ElfCheck.h"
#include <algorithm>
#include <cstring>
#include <elf.h>
#include <vector>

using namespace kiln::cpu_target;

namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
constexpr uint32_t kAbsolute = R_X86_64_64, kData = R_X86_64_GLOB_DAT,
                   kJump = R_X86_64_JUMP_SLOT, kRelative = R_X86_64_RELATIVE;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
constexpr uint32_t kAbsolute = R_AARCH64_ABS64, kData = R_AARCH64_GLOB_DAT,
                   kJump = R_AARCH64_JUMP_SLOT, kRelative = R_AARCH64_RELATIVE;
#elif defined(__riscv) && __riscv_xlen == 64
// There is no relocation of its own for data: symbols' addresses are absolute.
constexpr uint16_t kMachine = EM_RISCV;
constexpr uint32_t kAbsolute = R_RISCV_64, kData = R_RISCV_64,
                   kJump = R_RISCV_JUMP_SLOT, kRelative = R_RISCV_RELATIVE;
#else
#error "the cpu device does not know this machine"
#endif

/// Describes the code, in no segment, and is passed over by the loader: the
/// extensions of RISC-V that it uses (PT_RISCV_ATTRIBUTES).
constexpr uint32_t kAttributes = 0x70000003;
constexpr bool hasAttributes = kMachine == EM_RISCV;

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMaxAlign = 1 << 21;
/// More address space than this is not for kernels.
constexpr uint64_t kMaxAddress = uint64_t(1) << 31;
constexpr uint32_t kMaxHeaders = 32;

/// A range of addresses, relative to where the object is loaded.
struct Range {
  uint64_t begin = 0, size = 0;
  bool overlaps(const Range &other) const {
    return begin < other.begin + other.size && other.begin < begin + size;
  }
};

class Checker {
public:
  Checker(const void *bytes, uint64_t size,
          bool (*mayNeed)(const std::string &), ElfSymbols &symbols)
      : data(static_cast<const char *>(bytes)), size(size), mayNeed(mayNeed),
        symbols(symbols) {}

  bool run() {
    return checkHeader() && checkSegments() && checkDynamic() &&
           checkStrings() && countSymbols() && checkSymbols() &&
           checkRelocations(DT_RELA, DT_RELASZ) &&
           checkRelocations(DT_JMPREL, DT_PLTRELSZ);
  }
  std::string problem;

private:
  bool reject(const std::string &reason) {
    problem = reason;
    return false;
  }

  /// A copy of what lies at an offset of the file, which holds it.
  template <typename T> T at(uint64_t offset) const {
    T object;
    std::memcpy(&object, data + offset, sizeof(T));
    return object;
  }

  bool checkHeader() {
    if (size < sizeof(Elf64_Ehdr) || std::memcmp(data, ELFMAG, SELFMAG) != 0)
      return reject("not a 64-bit shared object");
    header = at<Elf64_Ehdr>(0);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN)
      return reject("not a 64-bit shared object");
    if (header.e_machine != kMachine)
      return reject("compiled for another machine");
    if (header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_ident[EI_VERSION] != EV_CURRENT ||
        header.e_ident[EI_OSABI] != ELFOSABI_SYSV ||
        header.e_ident[EI_ABIVERSION] != 0 || header.e_version != EV_CURRENT)
      return reject("its header is of an unknown version");
    uint64_t bytes = uint64_t(header.e_phnum) * sizeof(Elf64_Phdr);
    if (header.e_phentsize != sizeof(Elf64_Phdr) || !header.e_phnum ||
        header.e_phnum > kMaxHeaders || header.e_phoff % 8 ||
        header.e_phoff > size || bytes > size - header.e_phoff)
      return reject("its program headers are not in the file");
    return true;
  }

  bool checkSegments() {
    std::vector<Elf64_Phdr> others;
    for (uint32_t i = 0; i < header.e_phnum; ++i) {
      auto segment = at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
      if (segment.p_type != PT_LOAD)
        others.push_back(segment);
      else if (!checkLoad(segment))
        return false;
    }
    if (loads.empty())
      return reject("it has nothing to load");
    uint32_t seen = 0;
    for (const Elf64_Phdr &segment : others) {
      uint32_t kind = segment.p_type == PT_PHDR                        ? 1
                      : segment.p_type == PT_DYNAMIC                   ? 2
                      : segment.p_type == PT_GNU_RELRO                 ? 4
                      : segment.p_type == PT_GNU_STACK                 ? 8
                      : hasAttributes && segment.p_type == kAttributes ? 16
                                                                       : 0;
      if (!kind || seen & kind)
        return reject("a program header of type " +
                      std::to_string(segment.p_type) + " is not expected");
      seen |= kind;
      if (!checkOther(segment))
        return false;
    }
    if (!(seen & 2) || !(seen & 8))
      return reject("it lacks a dynamic section or says nothing of the stack");
    return true;
  }

  bool checkLoad(const Elf64_Phdr &segment) {
    bool isWritable = segment.p_flags & PF_W;
    if (segment.p_flags != PF_R && segment.p_flags != (PF_R | PF_X) &&
        segment.p_flags != (PF_R | PF_W))
      return reject("a segment is not read-only, code or data");
    uint64_t align = segment.p_align;
    if (align < kPage || align > kMaxAlign || align & (align - 1) ||
        (segment.p_vaddr - segment.p_offset) % align)
      return reject("the alignment of a segment is out of range");
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
      return reject("truncated");
    // What is not in the file is zero, and only data is ever written to.
    if (segment.p_memsz < segment.p_filesz || !segment.p_memsz ||
        (segment.p_memsz > segment.p_filesz && !isWritable) ||
        segment.p_vaddr > kMaxAddress ||
        segment.p_memsz > kMaxAddress - segment.p_vaddr)
      return reject("the size of a segment is out of range");
    if (loads.empty() ? segment.p_vaddr || segment.p_offset
                      : segment.p_vaddr / kPage * kPage < loadedEnd)
      return reject("its segments overlap or are out of order");
    loadedEnd = (segment.p_vaddr + segment.p_memsz + kPage - 1) / kPage * kPage;
    loads.push_back(segment);
    return true;
  }

  bool checkOther(const Elf64_Phdr &segment) {
    if (segment.p_type == PT_GNU_STACK)
      return segment.p_flags & PF_X ? reject("it wants a stack for code")
                                    : true;
    if (hasAttributes && segment.p_type == kAttributes)
      return true;
    Range range = {segment.p_vaddr, segment.p_memsz};
    if (segment.p_type == PT_GNU_RELRO) {
      const Elf64_Phdr *load = holding(range, /*inFile=*/false);
      return load && load->p_flags & PF_W
                 ? true
                 : reject("a part that becomes read-only is not in a data "
                          "segment");
    }
    const Elf64_Phdr *load = holding(range, /*inFile=*/true);
    if (!load || segment.p_filesz != segment.p_memsz ||
        segment.p_offset - load->p_offset != segment.p_vaddr - load->p_vaddr)
      return reject("a program header describes bytes that are not loaded");
    if (segment.p_type == PT_PHDR)
      return segment.p_offset == header.e_phoff &&
                     segment.p_memsz == header.e_phnum * sizeof(Elf64_Phdr)
                 ? true
                 : reject("its program headers lie elsewhere than they say");
    // The loader adds its base to the addresses in place.
    if (!(load->p_flags & PF_W) || segment.p_vaddr % 8 ||
        segment.p_memsz % sizeof(Elf64_Dyn))
      return reject("its dynamic section is not data");
    dynamic = range;
    return true;
  }

  /// The segment that holds a whole range, or null.
  const Elf64_Phdr *holding(const Range &range, bool inFile) const {
    for (const Elf64_Phdr &load : loads) {
      uint64_t length = inFile ? load.p_filesz : load.p_memsz;
      if (range.begin >= load.p_vaddr && range.begin - load.p_vaddr <= length &&
          range.size <= length - (range.begin - load.p_vaddr))
        return &load;
    }
    return nullptr;
  }

  /// Where a table lies in the file, when a segment that nobody writes to holds
  /// it.
  bool table(const Range &range, uint64_t align, uint64_t &offset) {
    const Elf64_Phdr *load = holding(range, /*inFile=*/true);
    if (!load || load->p_flags & PF_W || range.begin % align)
      return reject("a table lies outside of its read-only segments");
    offset = load->p_offset + (range.begin - load->p_vaddr);
    return true;
  }

  bool checkDynamic() {
    const Elf64_Phdr *load = holding(dynamic, /*inFile=*/true);
    uint64_t offset = load->p_offset + (dynamic.begin - load->p_vaddr);
    bool ends = false;
    for (uint64_t i = 0; i < dynamic.size / sizeof(Elf64_Dyn) && !ends; ++i) {
      auto entry = at<Elf64_Dyn>(offset + i * sizeof(Elf64_Dyn));
      ends = entry.d_tag == DT_NULL;
      if (!ends && !addTag(entry))
        return false;
    }
    if (!ends)
      return reject("its dynamic section does not end");
    for (int64_t tag : {DT_SYMTAB, DT_SYMENT, DT_STRTAB, DT_STRSZ})
      if (!tags.count(tag))
        return reject("it has no table of symbols");
    if (!tags.count(DT_GNU_HASH))
      return reject("it has no table of hashes");
    if (tags[DT_SYMENT] != sizeof(Elf64_Sym) ||
        (tags.count(DT_RELA) && tags[DT_RELAENT] != sizeof(Elf64_Rela)) ||
        (tags.count(DT_JMPREL) && tags[DT_PLTREL] != DT_RELA))
      return reject("the entries of its tables have another size");
    if (tags.count(DT_RELA) != tags.count(DT_RELASZ) ||
        tags.count(DT_JMPREL) != tags.count(DT_PLTRELSZ))
      return reject("a table of relocations has no size");
    // The loader takes tables that end together for one.
    if (tags.count(DT_RELA) && tags.count(DT_JMPREL)) {
      Range data = {tags[DT_RELA], tags[DT_RELASZ]};
      Range jumps = {tags[DT_JMPREL], tags[DT_PLTRELSZ]};
      uint64_t offset = 0;
      if (!table(data, 8, offset) || !table(jumps, 8, offset))
        return false;
      if (!data.size || !jumps.size || data.overlaps(jumps))
        return reject("its tables of relocations overlap");
    }
    if (tags.count(DT_PLTGOT)) {
      Range got = {tags[DT_PLTGOT], 3 * sizeof(uint64_t)};
      const Elf64_Phdr *holder = holding(got, /*inFile=*/false);
      if (!holder || !(holder->p_flags & PF_W) || got.begin % 8)
        return reject("its table of offsets is not data");
    }
    return true;
  }

  bool addTag(const Elf64_Dyn &entry) {
    static const int64_t known[] = {
        DT_SYMTAB, DT_SYMENT,    DT_STRTAB,  DT_STRSZ,  DT_GNU_HASH,
        DT_RELA,   DT_RELASZ,    DT_RELAENT, DT_JMPREL, DT_PLTRELSZ,
        DT_PLTREL, DT_RELACOUNT, DT_PLTGOT};
    static const std::map<int64_t, const char *> refused = {
        {DT_INIT, "it has a constructor"},
        {DT_INIT_ARRAY, "it has a constructor"},
        {DT_PREINIT_ARRAY, "it has a constructor"},
        {DT_FINI, "it has a destructor"},
        {DT_FINI_ARRAY, "it has a destructor"},
        {DT_NEEDED, "it needs another library"},
        {DT_TEXTREL, "it wants its code written to"}};
    if (std::find(std::begin(known), std::end(known), entry.d_tag) ==
        std::end(known)) {
      auto found = refused.find(entry.d_tag);
      return reject(found == refused.end()
                        ? "a dynamic entry of type " +
                              std::to_string(entry.d_tag) + " is not expected"
                        : found->second);
    }
    if (!tags.emplace(entry.d_tag, entry.d_un.d_val).second)
      return reject("a dynamic entry stands twice");
    return true;
  }

  bool checkStrings() {
    Range range = {tags[DT_STRTAB], tags[DT_STRSZ]};
    if (!range.size || !table(range, 1, strings))
      return reject("its strings are not in a read-only segment");
    if (data[strings] || data[strings + range.size - 1])
      return reject("its strings do not begin and end with a zero");
    return true;
  }

  /// The number of symbols is what the table of hashes reaches.
  bool countSymbols() {
    uint64_t begin = tags[DT_GNU_HASH], offset = 0;
    if (!table({begin, 4 * sizeof(uint32_t)}, 8, offset))
      return false;
    uint64_t numBuckets = at<uint32_t>(offset);
    firstHashed = at<uint32_t>(offset + 4);
    uint64_t numWords = at<uint32_t>(offset + 8);
    uint64_t shift = at<uint32_t>(offset + 12);
    if (!numBuckets || !numWords || numWords & (numWords - 1) || shift > 31 ||
        !firstHashed)
      return reject("its table of hashes is not valid");
    uint64_t chains = 16 + 8 * numWords + 4 * numBuckets;
    if (!table({begin, chains}, 8, offset))
      return false;
    uint64_t last = 0;
    for (uint64_t i = 0; i < numBuckets; ++i) {
      uint64_t first = at<uint32_t>(offset + 16 + 8 * numWords + 4 * i);
      if (first && first < firstHashed)
        return reject("its table of hashes is not valid");
      last = std::max(last, first);
    }
    numSymbols = firstHashed;
    if (!last)
      return true;
    // Chains follow each other: the last one ends all others, too.
    for (uint64_t i = last;; ++i) {
      uint64_t position = chains + 4 * (i - firstHashed);
      if (!table({begin, position + 4}, 8, offset))
        return false;
      if (at<uint32_t>(offset + position) & 1) {
        numSymbols = i + 1;
        return true;
      }
    }
  }

  bool checkSymbols() {
    uint64_t offset = 0;
    if (!table({tags[DT_SYMTAB], numSymbols * sizeof(Elf64_Sym)}, 8, offset))
      return false;
    for (uint64_t i = 0; i < numSymbols; ++i) {
      auto symbol = at<Elf64_Sym>(offset + i * sizeof(Elf64_Sym));
      Elf64_Sym none = {};
      if (i == 0) {
        if (std::memcmp(&symbol, &none, sizeof(none)) != 0)
          return reject("its first symbol is not empty");
        continue;
      }
      if (symbol.st_name >= tags[DT_STRSZ])
        return reject("the name of a symbol is not in its strings");
      std::string name = data + strings + symbol.st_name;
      if (!checkSymbol(symbol, name, i < firstHashed))
        return false;
    }
    return true;
  }

  bool checkSymbol(const Elf64_Sym &symbol, const std::string &name,
                   bool isUndefined) {
    auto type = ELF64_ST_TYPE(symbol.st_info);
    bool isPlain = ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL &&
                   symbol.st_other == STV_DEFAULT;
    if (isUndefined != (symbol.st_shndx == SHN_UNDEF) || !isPlain)
      return reject("symbol '" + name + "' is of an unexpected kind");
    if (isUndefined) {
      if (!mayNeed(name))
        return reject("it needs '" + name +
                      "', which is not on the list of functions that kernels "
                      "may call");
      return type == STT_NOTYPE || type == STT_FUNC
                 ? true
                 : reject("symbol '" + name + "' is of an unexpected kind");
    }
    Range range = {symbol.st_value, symbol.st_size};
    const Elf64_Phdr *load = holding(range, /*inFile=*/false);
    bool isFunction = type == STT_FUNC;
    if (symbol.st_shndx >= SHN_LORESERVE || name.empty() ||
        (!isFunction && type != STT_OBJECT))
      return reject("symbol '" + name + "' is of an unexpected kind");
    if (!load || !range.size || isFunction != bool(load->p_flags & PF_X))
      return reject("symbol '" + name + "' lies outside of its segment");
    bool isNumber = !isFunction && range.size == sizeof(uint64_t) &&
                    !(load->p_flags & PF_W) && holding(range, /*inFile=*/true);
    // Of equal names the loader may take either.
    if (!symbols
             .emplace(name, isFunction ? ElfSymbol::function
                            : isNumber ? ElfSymbol::number
                                       : ElfSymbol::data)
             .second)
      return reject("symbol '" + name + "' stands twice");
    return true;
  }

  bool checkRelocations(int64_t tag, int64_t sizeTag) {
    if (!tags.count(tag))
      return true;
    uint64_t bytes = tags[sizeTag], offset = 0;
    uint64_t count = bytes / sizeof(Elf64_Rela);
    if (bytes % sizeof(Elf64_Rela) || !table({tags[tag], bytes}, 8, offset))
      return reject("a table of relocations lies outside of its segment");
    bool isJumps = tag == DT_JMPREL;
    uint64_t numRelative = 0;
    if (!isJumps && tags.count(DT_RELACOUNT))
      numRelative = tags[DT_RELACOUNT];
    if (numRelative > count)
      return reject("it counts more relocations than it has");
    for (uint64_t i = 0; i < count; ++i)
      if (!checkRelocation(at<Elf64_Rela>(offset + i * sizeof(Elf64_Rela)),
                           isJumps, i < numRelative))
        return false;
    return true;
  }

  bool checkRelocation(const Elf64_Rela &relocation, bool isJump,
                       bool isCounted) {
    uint64_t type = ELF64_R_TYPE(relocation.r_info);
    uint64_t symbol = ELF64_R_SYM(relocation.r_info);
    bool isRelative = type == kRelative;
    if (isJump ? type != kJump
               : !isRelative && type != kAbsolute && type != kData)
      return reject("a relocation is of the unexpected type " +
                    std::to_string(type));
    if (isCounted && !isRelative)
      return reject("it counts relocations wrongly");
    auto addend = uint64_t(relocation.r_addend);
    if (isRelative ? symbol != 0 || addend >= loadedEnd
                   : !symbol || symbol >= numSymbols)
      return reject(
          "a relocation refers to a symbol or place that does not exist");
    Range target = {relocation.r_offset, sizeof(uint64_t)};
    const Elf64_Phdr *load = holding(target, /*inFile=*/false);
    if (!load || !(load->p_flags & PF_W) || target.begin % 8 ||
        target.overlaps(dynamic))
      return reject("a relocation is outside of its data");
    return true;
  }

  const char *data;
  uint64_t size;
  bool (*mayNeed)(const std::string &);
  ElfSymbols &symbols;
  Elf64_Ehdr header = {};
  std::vector<Elf64_Phdr> loads;
  uint64_t loadedEnd = 0; ///< end of the last page so far
  Range dynamic;
  std::map<int64_t, uint64_t> tags;
  uint64_t strings = 0; ///< offset in the file
  uint64_t firstHashed = 0, numSymbols = 0;
};

} // namespace

bool kiln::cpu_target::checkElf(const void *bytes, uint64_t size,
                                bool (*mayNeed)(const std::string &),
                                ElfSymbols &symbols, std::string &problem) {
  Checker checker(bytes, size, mayNeed, symbols);
  bool isFine = checker.run();
  problem = checker.problem;
  return isFine;
}
