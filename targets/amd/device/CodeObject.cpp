// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading code objects: segments, relocations, metadata, kernel descriptors
// (LLVM's "User Guide for AMDGPU Backend", "Code Object" and "Kernel
// Descriptor").
#include "CodeObject.h"
#include "Disassembler.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include <new>
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

KernelInfo kernelOf(llvm::msgpack::MapDocNode map) {
  KernelInfo info;
  info.name = textOf(map, ".name");
  info.ldsBytes = uint32_t(numberOf(map, ".group_segment_fixed_size"));
  info.scratchBytes = uint32_t(numberOf(map, ".private_segment_fixed_size"));
  // Recursion and calls through pointers: what the code cannot say, the device
  // gives.
  constexpr uint32_t kDynamicStack = 16 << 10;
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

/// What a chip's name says of its instruction set.
bool isaOf(StringRef chip, Isa &isa) {
  isa.chip = chip.str();
  if (chip.starts_with("gfx9")) {
    isa.major = 9;
    isa.lanes = 64;
    isa.hasOcpFloat8 = chip == "gfx950";
    return chip == "gfx90a" || chip == "gfx942" || chip == "gfx950" ||
           chip == "gfx908";
  }
  if (!chip.starts_with("gfx11") && !chip.starts_with("gfx120"))
    return false;
  isa.major = chip.starts_with("gfx11") ? 11 : 12;
  isa.lanes = 32;
  isa.keepsHighHalf = true;
  isa.hasOcpFloat8 = true;
  return true;
}
} // namespace

Code::~Code() {
  if (!base)
    return;
  memory->remove(base);
  munmap(base, image.size());
}

bool Code::readMetadata(std::string &problem) {
  auto elf = llvm::object::ELF64LEFile::create(
      StringRef(reinterpret_cast<const char *>(file.data()), file.size()));
  if (!elf) {
    problem = llvm::toString(elf.takeError());
    return false;
  }
  auto headers = elf->program_headers();
  if (!headers) {
    problem = llvm::toString(headers.takeError());
    return false;
  }
  for (const auto &header : *headers) {
    if (header.p_type != llvm::ELF::PT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    for (const auto &note : elf->notes(header, error)) {
      if (note.getName() != "AMDGPU" ||
          note.getType() != llvm::ELF::NT_AMDGPU_METADATA)
        continue;
      llvm::msgpack::Document document;
      if (!document.readFromBlob(note.getDescAsStringRef(4), /*Multi=*/false))
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
bool Code::readSegments(ElfFile &elf, std::string &problem) {
  auto headers = elf.getELFFile().program_headers();
  if (!headers) {
    problem = llvm::toString(headers.takeError());
    return false;
  }
  uint64_t end = 0;
  constexpr uint64_t kMost = uint64_t(1) << 28;
  for (const auto &header : *headers)
    if (header.p_type == llvm::ELF::PT_LOAD) {
      if (header.p_filesz > header.p_memsz || header.p_memsz > kMost ||
          header.p_vaddr > kMost || header.p_offset > file.size() ||
          header.p_filesz > file.size() - header.p_offset) {
        problem = "a segment is outside of the file";
        return false;
      }
      end = std::max<uint64_t>(end, header.p_vaddr + header.p_memsz);
    }
  if (!end) {
    problem = "it has no segments to load: expected a linked code object";
    return false;
  }
  image.assign(end, 0);
  for (const auto &header : *headers)
    if (header.p_type == llvm::ELF::PT_LOAD)
      std::memcpy(image.data() + header.p_vaddr, file.data() + header.p_offset,
                  header.p_filesz);
  void *mapped = mmap(nullptr, image.size(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    problem = "no memory for " + std::to_string(image.size()) + " bytes";
    return false;
  }
  base = static_cast<uint8_t *>(mapped);
  for (const auto &section : elf.sections()) {
    auto name = section.getName();
    if (name && *name == ".text") {
      textOffset = section.getAddress();
      textBytes = section.getSize();
    }
    llvm::consumeError(name.takeError());
  }
  if (textBytes > end || textOffset > end - textBytes) {
    problem = "its text is outside of its segments";
    return false;
  }
  return true;
}

/// Applies the relocations that a loader applies: addresses.
bool Code::relocate(llvm::object::ELFObjectFileBase &elf,
                    std::string &problem) {
  constexpr uint32_t kRelative64 = 13, kAbsolute64 = 3;
  for (const llvm::object::SectionRef &section :
       elf.dynamic_relocation_sections())
    for (const llvm::object::RelocationRef &reloc : section.relocations()) {
      uint64_t at = reloc.getOffset();
      if (at > image.size() || image.size() - at < 8)
        continue;
      auto addend = llvm::object::ELFRelocationRef(reloc).getAddend();
      uint64_t value = addend ? uint64_t(*addend) : 0;
      llvm::consumeError(addend.takeError());
      if (reloc.getType() == kAbsolute64) {
        auto symbol = reloc.getSymbol();
        auto address = symbol->getAddress();
        value += address ? *address : 0;
        llvm::consumeError(address.takeError());
      } else if (reloc.getType() != kRelative64) {
        problem = "it has relocations that are not simulated";
        return false;
      }
      value += reinterpret_cast<uint64_t>(base);
      std::memcpy(image.data() + at, &value, 8);
    }
  return true;
}

/// Reads the descriptor of a kernel.
bool Code::readDescriptor(llvm::object::ELFObjectFileBase &elf,
                          KernelInfo &kernel, std::string &problem) {
  uint64_t descriptor = 0;
  for (const llvm::object::ELFSymbolRef symbol :
       elf.getDynamicSymbolIterators()) {
    auto name = symbol.getName();
    auto address = symbol.getAddress();
    if (name && address && *name == kernel.name + ".kd")
      descriptor = *address;
    llvm::consumeError(name.takeError());
    llvm::consumeError(address.takeError());
  }
  constexpr uint64_t kDescriptorBytes = 64;
  if (!descriptor || descriptor > image.size() ||
      image.size() - descriptor < kDescriptorBytes) {
    problem = "kernel '" + kernel.name + "' has no descriptor";
    return false;
  }
  const uint8_t *bytes = image.data() + descriptor;
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
              "than the chip's usual one";
    return false;
  }
  return true;
}

bool Code::read(std::string &problem) {
  llvm::MemoryBufferRef buffer(
      StringRef(reinterpret_cast<const char *>(file.data()), file.size()),
      "code object");
  auto object = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!object) {
    problem = llvm::toString(object.takeError());
    return false;
  }
  auto *elf = llvm::dyn_cast<ElfFile>(object->get());
  auto *any = static_cast<llvm::object::ELFObjectFileBase *>(elf);
  if (!elf || any->getEMachine() != llvm::ELF::EM_AMDGPU) {
    problem = "it is no code object of an AMD GPU";
    return false;
  }
  auto chip = any->tryGetCPUName();
  if (!chip || !isaOf(*chip, theIsa)) {
    problem = "its chip '" + (chip ? chip->str() : "") + "' is not simulated";
    return false;
  }
  if (!readSegments(*elf, problem) || !relocate(*any, problem))
    return false;
  for (KernelInfo &kernel : all)
    if (!readDescriptor(*any, kernel, problem))
      return false;
  std::memcpy(base, image.data(), image.size());
  return true;
}

/// The code object of a chip, or the first of a GPU, in a bundle (LLVM's "Clang
/// Offload Bundler"), which hipcc writes; other bytes are left as they are.
static bool openBundle(StringRef &bytes, StringRef chip, std::string &problem) {
  if (bytes.starts_with("CCOB")) {
    problem = "unsupported: a compressed bundle of code objects";
    return false;
  }
  constexpr StringRef kMagic = "__CLANG_OFFLOAD_BUNDLE__";
  constexpr uint64_t kEntryBytes = 24;
  if (!bytes.consume_front(kMagic))
    return true;
  StringRef whole(bytes.data() - kMagic.size(), bytes.size() + kMagic.size());
  std::string names;
  uint64_t count = bytes.size() < 8 ? 0 : readAt<uint64_t>(bytes.bytes_begin());
  bytes = bytes.drop_front(std::min<size_t>(8, bytes.size()));
  while (count-- && bytes.size() >= kEntryBytes) {
    auto offset = readAt<uint64_t>(bytes.bytes_begin());
    auto size = readAt<uint64_t>(bytes.bytes_begin() + 8);
    auto length = readAt<uint64_t>(bytes.bytes_begin() + 16);
    bytes = bytes.drop_front(kEntryBytes);
    if (length > bytes.size())
      break;
    // "hipv4-amdgcn-amd-amdhsa--gfx942:xnack-".
    StringRef name = bytes.take_front(length);
    bytes = bytes.drop_front(length);
    StringRef target = name.rsplit("--").second.split(':').first;
    if (!target.starts_with("gfx"))
      continue;
    names += (names.empty() ? "" : ", ") + target.str();
    if (!chip.empty() && target != chip)
      continue;
    if (offset > whole.size() || size > whole.size() - offset) {
      problem =
          "the code object for " + target.str() + " is outside of its bundle";
      return false;
    }
    bytes = whole.substr(offset, size);
    return true;
  }
  problem = "the bundle has no code object for " +
            (chip.empty() ? "a GPU" : chip.str()) +
            ", it has: " + (names.empty() ? "none" : names);
  return false;
}

std::unique_ptr<Code> Code::load(const void *bytes, uint64_t size,
                                 AddressMap &memory, std::string &problem,
                                 const std::string &chip) {
  std::unique_ptr<Code> code(new Code());
  code->memory = &memory;
  StringRef text(static_cast<const char *>(bytes), size);
  if (!openBundle(text, chip, problem))
    return nullptr;
  if (!text.starts_with("\x7f"
                        "ELF")) {
    problem = "expected a code object (ELF) or a bundle of them, found other "
              "bytes";
    return nullptr;
  }
  code->file.assign(text.bytes_begin(), text.bytes_end());
  try {
    if (!code->readMetadata(problem) || !code->read(problem))
      return nullptr;
  } catch (const std::bad_alloc &) {
    problem = "no memory for its segments";
    return nullptr;
  }
  memory.add(code->base, code->image.size(), "code object");
  code->textBegin = reinterpret_cast<uint64_t>(code->base) + code->textOffset;
  code->slots.resize(code->textBytes / 4 + 1);
  if (!chip.empty() && chip != code->theIsa.chip) {
    problem =
        "the code is for " + code->theIsa.chip + ", this device is " + chip;
    return nullptr;
  }
  code->disassembler = Disassembler::create(code->theIsa.chip, problem);
  return code->disassembler ? std::move(code) : nullptr;
}

const KernelInfo *Code::kernel(const std::string &name) const {
  for (const KernelInfo &info : all)
    if (info.name == name)
      return &info;
  return nullptr;
}

uint8_t *Code::variable(const std::string &name, uint64_t &size) const {
  llvm::MemoryBufferRef buffer(
      StringRef(reinterpret_cast<const char *>(file.data()), file.size()),
      "code object");
  auto object = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!object) {
    llvm::consumeError(object.takeError());
    return nullptr;
  }
  auto *elf = llvm::cast<llvm::object::ELFObjectFileBase>(object->get());
  for (const llvm::object::ELFSymbolRef symbol :
       elf->getDynamicSymbolIterators()) {
    auto found = symbol.getName();
    auto address = symbol.getAddress();
    bool isIt = found && address && *found == name && *address < image.size() &&
                symbol.getSize() <= image.size() - *address;
    uint8_t *result = isIt ? base + *address : nullptr;
    size = isIt ? symbol.getSize() : size;
    llvm::consumeError(found.takeError());
    llvm::consumeError(address.takeError());
    if (result)
      return result;
  }
  return nullptr;
}

const Inst &Code::decode(uint64_t offset) {
  if (offset % 4 || offset >= textBytes)
    throw Fault{"runs at " + std::to_string(offset) +
                ", which is outside of the code"};
  std::string text;
  uint32_t size = disassembler->print(base + textOffset + offset,
                                      textBytes - offset, offset, text);
  if (!size)
    throw Fault{"runs into bytes at offset " + std::to_string(offset) +
                " that are no instruction of " + theIsa.chip};
  auto inst = std::make_unique<Inst>();
  std::string problem = makeInst(text, theIsa, offset, size, *inst);
  if (!problem.empty())
    throw Fault{"unsupported: instruction '" + text + "' " + problem +
                (problem == "is not known" ? " to the simulated device" : "")};
  slots[offset / 4] = std::move(inst);
  return *slots[offset / 4];
}

std::string Code::describe(uint64_t offset) const {
  std::string text;
  if (offset >= textBytes ||
      !disassembler->print(base + textOffset + offset, textBytes - offset,
                           offset, text))
    return "";
  llvm::MemoryBufferRef buffer(
      StringRef(reinterpret_cast<const char *>(file.data()), file.size()),
      "code object");
  auto object = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!object) {
    llvm::consumeError(object.takeError());
    return text;
  }
  auto context = llvm::DWARFContext::create(**object);
  llvm::DILineInfoSpecifier spec(
      llvm::DILineInfoSpecifier::FileLineInfoKind::RawValue);
  llvm::object::SectionedAddress address;
  address.Address = textOffset + offset;
  for (const auto &section : (*object)->sections())
    if (auto name = section.getName(); name && *name == ".text")
      address.SectionIndex = section.getIndex();
  auto info = context->getLineInfoForAddress(address, spec);
  if (info && info->Line && info->FileName != llvm::DILineInfo::BadString)
    text += " (" + info->FileName + ":" + std::to_string(info->Line) + ")";
  return text;
}
