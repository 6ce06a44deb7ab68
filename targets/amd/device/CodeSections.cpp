// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading code objects: segments, relocations, metadata, kernel descriptors
// (LLVM's "User Guide for AMDGPU Backend", "Code Object" and "Kernel
// Descriptor"). The iterators of LLVM's ELFObjectFile trust the tables of a
// file; those of ELFFile check them.
#include "CodeObject.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/BinaryFormat/MsgPackReader.h"
#include "llvm/Object/ELF.h"
#include <sys/mman.h>

using namespace kiln::amd::sim;
using llvm::StringRef;

namespace {
template <typename T> T readAt(const uint8_t *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

uint64_t numberOf(llvm::msgpack::MapDocNode &map, const char *key) {
  llvm::msgpack::DocNode &node = map[key];
  if (node.getKind() == llvm::msgpack::Type::UInt)
    return node.getUInt();
  return node.getKind() == llvm::msgpack::Type::Int ? uint64_t(node.getInt())
                                                    : 0;
}
std::string textOf(llvm::msgpack::MapDocNode &map, const char *key) {
  llvm::msgpack::DocNode &node = map[key];
  return node.isString() ? node.getString().str() : std::string();
}

/// Whether metadata are whole, and keys of maps are no arrays or maps, which
/// LLVM cannot compare.
bool isReadable(StringRef metadata) {
  using llvm::msgpack::Type;
  struct Level {
    uint64_t left; ///< keys and values
    bool isMap;
  };
  llvm::SmallVector<Level> open;
  llvm::msgpack::Reader reader(metadata);
  do {
    llvm::msgpack::Object object;
    llvm::Expected<bool> isThere = reader.read(object);
    if (!isThere || !*isThere) {
      llvm::consumeError(isThere.takeError());
      return false;
    }
    bool isKey =
        !open.empty() && open.back().isMap && open.back().left % 2 == 0;
    bool isMap = object.Kind == Type::Map,
         isNested = isMap || object.Kind == Type::Array;
    if (object.Kind == Type::Extension || (isKey && isNested))
      return false;
    if (!open.empty())
      --open.back().left;
    if (isNested)
      open.push_back({uint64_t(object.Length) * (isMap ? 2 : 1), isMap});
    while (!open.empty() && !open.back().left)
      open.pop_back();
  } while (!open.empty());
  return true;
}

KernelInfo kernelOf(llvm::msgpack::MapDocNode map) {
  KernelInfo info;
  info.name = textOf(map, ".name");
  info.ldsBytes = uint32_t(numberOf(map, ".group_segment_fixed_size"));
  info.scratchBytes = uint32_t(numberOf(map, ".private_segment_fixed_size"));
  // Recursion, calls through pointers, and arrays whose length the launch says:
  // what the code cannot say, the device gives. LLVM takes a wave's bytes for
  // each lane's array.
  constexpr uint32_t kDynamicStack = 64 << 10;
  llvm::msgpack::DocNode &dynamic = map[".uses_dynamic_stack"];
  if (dynamic.getKind() == llvm::msgpack::Type::Boolean && dynamic.getBool())
    info.scratchBytes += kDynamicStack;
  info.kernargBytes = uint32_t(numberOf(map, ".kernarg_segment_size"));
  info.lanes = unsigned(numberOf(map, ".wavefront_size"));
  if (uint64_t most = numberOf(map, ".max_flat_workgroup_size"))
    info.mostThreads = unsigned(std::min<uint64_t>(most, 1024));
  llvm::msgpack::DocNode &sizes = map[".reqd_workgroup_size"];
  if (sizes.isArray()) {
    info.workgroupSize = 1;
    unsigned axis = 0;
    for (llvm::msgpack::DocNode &size : sizes.getArray())
      if (size.getKind() == llvm::msgpack::Type::UInt && axis < 3) {
        info.requiredThreads[axis] = uint32_t(size.getUInt());
        info.workgroupSize *= info.requiredThreads[axis++];
      }
  }
  llvm::msgpack::DocNode &arguments = map[".args"];
  if (arguments.isArray())
    for (llvm::msgpack::DocNode &node : arguments.getArray()) {
      if (!node.isMap())
        continue;
      llvm::msgpack::MapDocNode &argument = node.getMap();
      info.arguments.push_back({uint32_t(numberOf(argument, ".offset")),
                                uint32_t(numberOf(argument, ".size")),
                                textOf(argument, ".value_kind")});
    }
  return info;
}

/// A chip as the flags of a file name it (LLVM's guide to AMDGPU, "ELF Code
/// Object", `EF_AMDGPU_MACH`).
struct Machine {
  uint32_t number;
  const char *chip;
};

/// The chips that are simulated.
constexpr Machine kSimulated[] = {
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX908, "gfx908"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX90A, "gfx90a"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX942, "gfx942"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX950, "gfx950"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1100, "gfx1100"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1101, "gfx1101"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1102, "gfx1102"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1103, "gfx1103"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1150, "gfx1150"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1151, "gfx1151"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1152, "gfx1152"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1153, "gfx1153"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX11_GENERIC, "gfx11-generic"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX9_4_GENERIC, "gfx9-4-generic"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX12_GENERIC, "gfx12-generic"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1200, "gfx1200"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1201, "gfx1201"},
};

/// Others, which messages name.
constexpr Machine kOthers[] = {
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX600, "gfx600"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX601, "gfx601"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX700, "gfx700"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX701, "gfx701"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX702, "gfx702"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX703, "gfx703"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX704, "gfx704"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX801, "gfx801"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX802, "gfx802"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX803, "gfx803"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX810, "gfx810"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX900, "gfx900"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX902, "gfx902"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX904, "gfx904"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX906, "gfx906"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX909, "gfx909"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX90C, "gfx90c"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1010, "gfx1010"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1011, "gfx1011"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1012, "gfx1012"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1030, "gfx1030"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1031, "gfx1031"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1032, "gfx1032"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1033, "gfx1033"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX602, "gfx602"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX705, "gfx705"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX805, "gfx805"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1035, "gfx1035"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1034, "gfx1034"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1013, "gfx1013"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1036, "gfx1036"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1250, "gfx1250"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX9_GENERIC, "gfx9-generic"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX10_1_GENERIC, "gfx10-1-generic"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX10_3_GENERIC, "gfx10-3-generic"},
    {llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1251, "gfx1251"},
};

/// The chip of a table that a file's flags name; empty: none.
StringRef chipOf(llvm::ArrayRef<Machine> table, uint32_t flags) {
  for (const Machine &machine : table)
    if (machine.number == (flags & llvm::ELF::EF_AMDGPU_MACH))
      return machine.chip;
  return "";
}

/// Why code for a chip that is not simulated does not run.
std::string problemOfOther(uint32_t flags) {
  StringRef other = chipOf(kOthers, flags);
  std::string text = "the code is for ";
  if (other.empty())
    text += "chip number " + std::to_string(flags & llvm::ELF::EF_AMDGPU_MACH);
  text += other;
  StringRef before = ", expected ";
  for (const Machine &machine : kSimulated) {
    text += before;
    text += machine.chip;
    before = &machine + 2 == std::end(kSimulated) ? " or " : ", ";
  }
  return text;
}

/// What a chip's name says of its instruction set; `lanes`: what kernels say.
Isa isaOf(StringRef chip, unsigned lanes) {
  Isa isa;
  isa.chip = chip.str();
  isa.hasOcpFloat8 = true;
  if (chip.starts_with("gfx9")) {
    isa.major = 9;
    isa.lanes = 64;
    isa.hasOcpFloat8 = chip == "gfx950";
    isa.flushesHalves = chip == "gfx90a";
    return isa;
  }
  isa.major = chip.starts_with("gfx11") ? 11 : 12;
  isa.lanes = lanes == 64 ? 64 : 32;
  isa.keepsHighHalf = true;
  return isa;
}

/// The text of a table that begins at an offset. A name of more bytes than
/// kernels' names have is no name.
StringRef nameAt(StringRef table, uint64_t offset) {
  constexpr size_t kMostName = 1 << 16;
  StringRef name = table.substr(offset, kMostName);
  size_t end = name.find('\0');
  return end == StringRef::npos ? StringRef() : name.take_front(end);
}
} // namespace

bool Code::readMetadata(const ElfFile &elf, std::string &problem) {
  auto headers = elf.program_headers();
  if (!headers) {
    problem = llvm::toString(headers.takeError());
    return false;
  }
  for (const auto &header : *headers) {
    if (header.p_type != llvm::ELF::PT_NOTE || !all.empty())
      continue; // of several notes the first one counts
    llvm::Error error = llvm::Error::success();
    for (const auto &note : elf.notes(header, error)) {
      if (note.getName() != "AMDGPU" ||
          note.getType() != llvm::ELF::NT_AMDGPU_METADATA)
        continue;
      llvm::msgpack::Document document;
      StringRef metadata = note.getDescAsStringRef(4);
      if (!isReadable(metadata) ||
          !document.readFromBlob(metadata, /*Multi=*/false))
        continue;
      if (!document.getRoot().isMap())
        continue;
      llvm::msgpack::DocNode &kernels =
          document.getRoot().getMap()["amdhsa.kernels"];
      if (kernels.isArray())
        for (llvm::msgpack::DocNode &kernel : kernels.getArray())
          if (kernel.isMap())
            all.push_back(kernelOf(kernel.getMap()));
    }
    llvm::consumeError(std::move(error));
  }
  return true;
}

/// Copies the segments to where they are loaded.
bool Code::readSegments(const ElfFile &elf, std::string &problem) {
  auto headers = elf.program_headers();
  if (!headers) {
    problem = llvm::toString(headers.takeError());
    return false;
  }
  constexpr uint64_t kMost = uint64_t(1) << 28;
  for (const auto &header : *headers)
    if (header.p_type == llvm::ELF::PT_LOAD) {
      if (header.p_filesz > header.p_memsz || header.p_memsz > kMost ||
          header.p_vaddr > kMost || header.p_offset > file.size() ||
          header.p_filesz > file.size() - header.p_offset) {
        problem = "a segment is outside of the file";
        return false;
      }
      imageBytes =
          std::max<uint64_t>(imageBytes, header.p_vaddr + header.p_memsz);
    }
  if (!imageBytes) {
    problem = "it has no segments to load: expected a linked code object";
    return false;
  }
  // Pages that no segment fills take no memory.
  void *mapped = mmap(nullptr, imageBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    problem = "no memory for " + std::to_string(imageBytes) + " bytes";
    return false;
  }
  base = static_cast<uint8_t *>(mapped);
  uint64_t copied = 0;
  for (const auto &header : *headers)
    if (header.p_type == llvm::ELF::PT_LOAD) {
      copied += header.p_filesz;
      if (copied > file.size()) {
        problem = "its segments are more than the file";
        return false;
      }
      std::memcpy(base + header.p_vaddr, file.data() + header.p_offset,
                  header.p_filesz);
    }
  return true;
}

/// Reads where the text is, and the symbols that a loader sees, and applies the
/// relocations.
bool Code::readSections(const ElfFile &elf, std::string &problem) {
  auto sections = elf.sections();
  if (!sections) {
    problem = llvm::toString(sections.takeError());
    return false;
  }
  for (const auto &section : *sections) {
    auto name = elf.getSectionName(section);
    if (name && *name == ".text") {
      textOffset = section.sh_addr;
      textBytes = section.sh_size;
    }
    llvm::consumeError(name.takeError());
    if (section.sh_type == llvm::ELF::SHT_DYNSYM &&
        !readSymbols(elf, section, problem))
      return false;
  }
  if (textBytes > imageBytes || textOffset > imageBytes - textBytes ||
      textBytes > file.size()) {
    problem = "its text is outside of its segments";
    return false;
  }
  for (const auto &section : *sections)
    if (section.sh_type == llvm::ELF::SHT_RELA &&
        (section.sh_flags & llvm::ELF::SHF_ALLOC) &&
        !relocate(elf, section, problem))
      return false;
  return true;
}

bool Code::readSymbols(const ElfFile &elf, const ElfFile::Elf_Shdr &section,
                       std::string &problem) {
  auto entries = elf.symbols(&section);
  auto names = elf.getStringTableForSymtab(section);
  if (entries && names)
    for (const auto &entry : *entries)
      symbols.push_back({nameAt(*names, entry.st_name), entry.st_value,
                         entry.st_size, entry.isDefined(),
                         entry.getBinding() == llvm::ELF::STB_WEAK});
  else
    problem = "its symbols cannot be read";
  llvm::consumeError(entries.takeError());
  llvm::consumeError(names.takeError());
  return problem.empty();
}

/// Applies the relocations that a loader applies: addresses.
bool Code::relocate(const ElfFile &elf, const ElfFile::Elf_Shdr &section,
                    std::string &problem) {
  constexpr uint32_t kRelative64 = 13, kAbsolute64 = 3;
  auto entries = elf.relas(section);
  if (!entries) {
    problem = llvm::toString(entries.takeError());
    return false;
  }
  for (const auto &entry : *entries) {
    uint64_t at = entry.r_offset, value = uint64_t(entry.r_addend);
    uint32_t kind = entry.getType(/*isMips64EL=*/false),
             symbol = entry.getSymbol(/*isMips64EL=*/false);
    if (at > imageBytes || imageBytes - at < 8)
      continue;
    if (kind != kRelative64 &&
        (kind != kAbsolute64 || symbol >= symbols.size())) {
      problem = "it has relocations that are not simulated";
      return false;
    }
    bool hasAddress = kind == kRelative64 || symbols[symbol].isDefined;
    if (!hasAddress && !symbols[symbol].isWeak) {
      problem = "it uses '" + symbols[symbol].name.str() +
                "', which it does not define: expected a code object that is "
                "linked with what defines it";
      return false;
    }
    if (kind == kAbsolute64)
      value += symbols[symbol].address;
    if (hasAddress)
      value += reinterpret_cast<uint64_t>(base);
    std::memcpy(base + at, &value, 8);
  }
  return true;
}

const Code::Symbol *Code::symbol(StringRef name) const {
  for (const Symbol &one : symbols)
    if (one.name == name)
      return &one;
  return nullptr;
}

/// Reads the descriptor of a kernel.
bool Code::readDescriptor(KernelInfo &kernel, std::string &problem) {
  const Symbol *found = symbol(kernel.name + ".kd");
  uint64_t descriptor = found ? found->address : 0;
  constexpr uint64_t kDescriptorBytes = 64;
  if (!descriptor || descriptor > imageBytes ||
      imageBytes - descriptor < kDescriptorBytes) {
    problem = "kernel '" + kernel.name + "' has no descriptor";
    return false;
  }
  const uint8_t *bytes = base + descriptor;
  kernel.entry = descriptor + readAt<uint64_t>(bytes + 16) - textOffset;
  kernel.rsrc3 = readAt<uint32_t>(bytes + 44);
  kernel.rsrc1 = readAt<uint32_t>(bytes + 48);
  kernel.rsrc2 = readAt<uint32_t>(bytes + 52);
  kernel.properties = readAt<uint16_t>(bytes + 56);
  // What memory of the host is taken for: scratch memory of each lane, and
  // arguments.
  constexpr uint32_t kMostScratch = 1 << 19, kMostArguments = 1 << 20;
  if (kernel.scratchBytes > kMostScratch ||
      kernel.kernargBytes > kMostArguments) {
    problem = "unsupported: kernel '" + kernel.name + "' has " +
              std::to_string(kernel.scratchBytes) +
              " bytes of scratch memory and " +
              std::to_string(kernel.kernargBytes) + " of arguments";
    return false;
  }
  constexpr unsigned kGranule = 8;
  kernel.vectorRegisters = ((kernel.rsrc1 & 63) + 1) * kGranule;
  if (kernel.entry >= textBytes || kernel.lanes != theIsa.lanes) {
    problem = "kernel '" + kernel.name +
              "' begins outside of the text, or has waves of another size "
              "than the chip or other kernels have";
    return false;
  }
  return true;
}

bool kiln::amd::sim::runsOn(StringRef code, StringRef chip) {
  if (code == chip)
    return true;
  if (code == "gfx9-4-generic")
    return chip == "gfx942" || chip == "gfx950";
  return code.consume_back("-generic") && chip.starts_with(code) &&
         (code == "gfx11" || code == "gfx12");
}

bool Code::takeChip(const std::string &chip, std::string &problem) {
  if (!runsOn(theIsa.chip, chip)) {
    problem = "the code is for " + theIsa.chip + ", this device is " + chip;
    return false;
  }
  theIsa = isaOf(chip, theIsa.lanes);
  return true;
}

bool Code::read(std::string &problem) {
  auto elf = ElfFile::create(
      StringRef(reinterpret_cast<const char *>(file.data()), file.size()));
  if (!elf) {
    problem = llvm::toString(elf.takeError());
    return false;
  }
  const auto &header = elf->getHeader();
  if (header.e_ident[llvm::ELF::EI_CLASS] != llvm::ELF::ELFCLASS64 ||
      header.e_ident[llvm::ELF::EI_DATA] != llvm::ELF::ELFDATA2LSB ||
      header.e_machine != llvm::ELF::EM_AMDGPU) {
    problem = "it is no code object of an AMD GPU";
    return false;
  }
  StringRef chip = chipOf(kSimulated, header.e_flags);
  if (chip.empty()) {
    problem = problemOfOther(header.e_flags);
    return false;
  }
  if (!readMetadata(*elf, problem) || !readSegments(*elf, problem) ||
      !readSections(*elf, problem))
    return false;
  theIsa = isaOf(chip, all.empty() ? 0 : all.front().lanes);
  for (KernelInfo &kernel : all)
    if (!readDescriptor(kernel, problem))
      return false;
  return true;
}

uint8_t *Code::variable(const std::string &name, uint64_t &size) const {
  const Symbol *found = symbol(name);
  if (!found || found->address >= imageBytes ||
      found->size > imageBytes - found->address)
    return nullptr;
  size = found->size;
  return base + found->address;
}
