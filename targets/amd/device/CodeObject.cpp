// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code objects, alone and in bundles, and their instructions. What is in one is
// read in CodeSections.cpp.
#include "CodeObject.h"
#include "Disassembler.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Compression.h"
#include <new>
#include <sys/mman.h>

using namespace kiln::amd::sim;
using llvm::StringRef;

template <typename T> static T readAt(const uint8_t *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

Code::~Code() {
  if (!base)
    return;
  memory->remove(base);
  munmap(base, imageBytes);
}

/// Takes the bytes of a compressed bundle out of it (LLVM's "Clang Offload
/// Bundler", "Compressed Offload Bundle"); other bytes are left as they are.
/// `space` holds them.
static bool decompressBundle(StringRef &bytes,
                             llvm::SmallVectorImpl<uint8_t> &space,
                             std::string &problem) {
  if (!bytes.starts_with("CCOB"))
    return true;
  // Version and method, the sizes of the file (since version 2) and of what is
  // compressed, of 64 bits since version 3, and a hash.
  constexpr size_t kSizes = 8, kHash = 8;
  constexpr uint64_t kMost = uint64_t(1) << 30;
  const uint8_t *header = bytes.bytes_begin();
  uint16_t version = bytes.size() < kSizes ? 0 : readAt<uint16_t>(header + 4);
  size_t each = version == 3 ? 8 : 4, fields = version == 1 ? 1 : 2;
  size_t begin = kSizes + fields * each + kHash;
  if (version < 1 || version > 3 || bytes.size() < begin) {
    problem = "unsupported: a compressed bundle of code objects of version " +
              std::to_string(version) + ", expected 1 to 3";
    return false;
  }
  const uint8_t *at = header + kSizes + (fields - 1) * each;
  uint64_t size = each == 8 ? readAt<uint64_t>(at) : readAt<uint32_t>(at);
  auto method = llvm::compression::Format(readAt<uint16_t>(header + 6));
  bool isKnown = method == llvm::compression::Format::Zlib ||
                 method == llvm::compression::Format::Zstd;
  const char *reason = isKnown
                           ? llvm::compression::getReasonIfUnsupported(method)
                           : "the method of compression is not known";
  if (reason || size > kMost) {
    problem =
        std::string("unsupported: a compressed bundle of code objects: ") +
        (reason ? reason : "it is too large");
    return false;
  }
  llvm::Error error = llvm::compression::decompress(
      method, llvm::arrayRefFromStringRef(bytes.drop_front(begin)), space,
      size_t(size));
  if (error) {
    problem = "a compressed bundle of code objects: " +
              llvm::toString(std::move(error));
    return false;
  }
  bytes = llvm::toStringRef(space);
  return true;
}

/// The code object of a chip, or the first of a GPU, in a bundle (LLVM's "Clang
/// Offload Bundler"), which hipcc writes; other bytes are left as they are.
static bool openBundle(StringRef &bytes, StringRef chip, std::string &problem) {
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
    if (!chip.empty() && !runsOn(target, chip))
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
  llvm::SmallVector<uint8_t, 0> space;
  if (!decompressBundle(text, space, problem) ||
      !openBundle(text, chip, problem))
    return nullptr;
  if (!text.starts_with("\x7f"
                        "ELF")) {
    problem = "expected a code object (ELF) or a bundle of them, found other "
              "bytes";
    return nullptr;
  }
  code->file.assign(text.bytes_begin(), text.bytes_end());
  try {
    if (!code->read(problem))
      return nullptr;
  } catch (const std::bad_alloc &) {
    problem = "no memory for its segments";
    return nullptr;
  }
  memory.add(code->base, code->imageBytes, "code object");
  code->textBegin = reinterpret_cast<uint64_t>(code->base) + code->textOffset;
  code->slots.resize(code->textBytes / 4 + 1);
  if (!chip.empty() && !code->takeChip(chip, problem))
    return nullptr;
  code->disassembler =
      Disassembler::create(code->theIsa.chip, code->theIsa.lanes, problem);
  return code->disassembler ? std::move(code) : nullptr;
}

const KernelInfo *Code::kernel(const std::string &name) const {
  for (const KernelInfo &info : all)
    if (info.name == name)
      return &info;
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
  auto context = llvm::DWARFContext::create(
      **object, llvm::DWARFContext::ProcessDebugRelocations::Ignore);
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
