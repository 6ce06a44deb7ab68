//===- SharedObjectBytes.cpp - The bytes of a shared object ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relocated sections, the tables of the loader, and headers.
//
//===----------------------------------------------------------------------===//

#include "ObjectLinker.h"
#include "llvm/Support/DJB.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace llvm;
using namespace kiln::cpu;

/// Jumps to where a word of data says.
static constexpr std::array<uint8_t, kStubBytes> kStub = {0xff, 0x25, 0,   0, 0,
                                                          0,    0x66, 0x90};
static constexpr uint64_t kStubTarget = 2, kStubEnd = 6; ///< within a stub

bool ObjectLinker::write() {
  for (const Part &part : parts)
    llvm::copy(part.bytes, image.begin() + part.offset);
  writeSymbols();
  writeHashes();
  std::memcpy(image.data() + parts[stringTable].offset, strings.data(),
              strings.size());
  writeLoadedWords();
  writeDynamic();
  writeStubs();
  if (!relocate())
    return false;
  writeHeaders();
  return true;
}

bool ObjectLinker::relocate() {
  for (const Section &section : sections) {
    auto part = partOf.find(section.sh_info);
    if (section.sh_type != ELF::SHT_RELA || part == partOf.end())
      continue;
    for (const Relocation &relocation : take(file.relas(section)))
      if (!relocate(relocation, parts[part->second]))
        return false;
  }
  return isKnown;
}

bool ObjectLinker::relocate(const Relocation &relocation, const Part &part) {
  uint32_t symbol = relocation.getSymbol(false);
  uint64_t place = part.address + relocation.r_offset, target = 0;
  switch (relocation.getType(false)) {
  case ELF::R_X86_64_64: // the loader's
    return true;
  case ELF::R_X86_64_GOTPCREL:
  case ELF::R_X86_64_GOTPCRELX:
  case ELF::R_X86_64_REX_GOTPCRELX:
    target = parts[offsetTable].address + offsets.lookup(symbol) * kWord;
    break;
  default:
    target = isDefined(symbol)
                 ? address(symbol)
                 : parts[stubTable].address + stubs.lookup(symbol) * kStubBytes;
  }
  auto distance = int64_t(target + relocation.r_addend - place);
  uint64_t at = part.offset + relocation.r_offset;
  if (relocation.getType(false) == ELF::R_X86_64_PC64) {
    put(at, distance);
    return true;
  }
  if (!isInt<32>(distance))
    return false;
  put(at, int32_t(distance));
  return true;
}

void ObjectLinker::writeStubs() {
  for (auto [symbol, number] : stubs) {
    uint64_t at = number * kStubBytes;
    uint64_t word = parts[offsetTable].address + offsets.lookup(symbol) * kWord;
    put(parts[stubTable].offset + at, kStub);
    put(parts[stubTable].offset + at + kStubTarget,
        int32_t(word - (parts[stubTable].address + at + kStubEnd)));
  }
}

void ObjectLinker::writeSymbols() {
  uint64_t at = parts[symbolTable].offset;
  for (auto [number, index] :
       enumerate(concat<const uint32_t>(imported, exported))) {
    const Symbol &symbol = symbols[index];
    ELF::Elf64_Sym out = {};
    out.st_name = nameAt[number];
    out.setBindingAndType(ELF::STB_GLOBAL, symbol.getType());
    if (isDefined(index)) {
      out.st_shndx = 1 + partOf.lookup(symbol.st_shndx);
      out.st_value = address(index);
      out.st_size = symbol.st_size;
    }
    put(at += sizeof out, out);
  }
}

/// The table by which the loader finds symbols. Its filter passes all names:
/// there are few.
void ObjectLinker::writeHashes() {
  uint64_t at = parts[hashTable].offset;
  uint32_t first = 1 + imported.size();
  put(at, std::array<uint32_t, 4>{numBuckets, first, /*words=*/1, 0});
  put(at + 2 * kWord, ~uint64_t(0));
  uint64_t buckets = at + 3 * kWord, chains = buckets + 4 * numBuckets;
  std::optional<uint32_t> before;
  for (auto [number, index] : enumerate(exported)) {
    uint32_t hash = djbHash(take(symbols[index].getName(names)));
    if (before != hash % numBuckets) {
      put(buckets + 4 * (hash % numBuckets), uint32_t(first + number));
      if (before)
        image[chains + 4 * (number - 1)] |= 1;
    }
    before = hash % numBuckets;
    bool isLast = number + 1 == exported.size();
    put(chains + 4 * number, uint32_t((hash & ~1u) | isLast));
  }
}

void ObjectLinker::writeLoadedWords() {
  for (auto [number, word] : enumerate(words)) {
    ELF::Elf64_Rela out = {};
    out.r_offset = parts[word.part].address + word.offset;
    if (isDefined(word.symbol)) {
      out.setSymbolAndType(0, ELF::R_X86_64_RELATIVE);
      out.r_addend = int64_t(address(word.symbol)) + word.addend;
    } else {
      uint32_t symbol =
          1 + (llvm::find(imported, word.symbol) - imported.begin());
      out.setSymbolAndType(symbol, ELF::R_X86_64_64);
      out.r_addend = word.addend;
    }
    put(parts[wordTable].offset + number * sizeof out, out);
  }
}

void ObjectLinker::writeDynamic() {
  uint64_t at = parts[dynamicTable].offset;
  auto add = [&](int64_t tag, uint64_t value) {
    ELF::Elf64_Dyn entry = {};
    entry.d_tag = tag;
    entry.d_un.d_val = value;
    put(at, entry);
    at += sizeof entry;
  };
  add(ELF::DT_SYMTAB, parts[symbolTable].address);
  add(ELF::DT_SYMENT, sizeof(ELF::Elf64_Sym));
  add(ELF::DT_STRTAB, parts[stringTable].address);
  add(ELF::DT_STRSZ, strings.size());
  add(ELF::DT_GNU_HASH, parts[hashTable].address);
  if (!words.empty()) {
    add(ELF::DT_RELA, parts[wordTable].address);
    add(ELF::DT_RELASZ, parts[wordTable].size);
    add(ELF::DT_RELAENT, sizeof(ELF::Elf64_Rela));
    if (auto count = llvm::count_if(words, [&](const LoadedWord &word) {
          return isDefined(word.symbol);
        }))
      add(ELF::DT_RELACOUNT, uint64_t(count));
  }
  // The rest of the table is zero, which ends it.
}

/// Headers of segments for the loader, and of sections for debuggers.
void ObjectLinker::writeHeaders() {
  SmallVector<ELF::Elf64_Phdr> segments;
  auto add = [&](uint32_t type, uint32_t flags, uint64_t start, uint64_t size,
                 uint64_t offset) {
    segments.push_back({type, flags, offset, start, start, size, size, kWord});
  };
  uint64_t headers = sizeof(ELF::Elf64_Ehdr);
  add(ELF::PT_PHDR, ELF::PF_R, headers, numHeaders * sizeof(ELF::Elf64_Phdr),
      headers);
  constexpr std::array<uint32_t, kNumSegments> kRights = {
      ELF::PF_R, ELF::PF_R | ELF::PF_X, ELF::PF_R | ELF::PF_W};
  uint64_t offset = 0;
  for (unsigned i = kTables; i < kNumSegments; ++i) {
    if (memoryEnd[i] == begin[i])
      continue;
    if (i != kTables)
      offset = alignTo(offset, 64);
    add(ELF::PT_LOAD, kRights[i], begin[i], fileEnd[i] - begin[i], offset);
    segments.back().p_memsz = memoryEnd[i] - begin[i];
    segments.back().p_align = kPage;
    offset += fileEnd[i] - begin[i];
  }
  const Part &dynamic = parts[dynamicTable];
  add(ELF::PT_DYNAMIC, ELF::PF_R | ELF::PF_W, dynamic.address, dynamic.size,
      dynamic.offset);
  add(ELF::PT_GNU_STACK, ELF::PF_R | ELF::PF_W, 0, 0, 0);
  for (auto [number, segment] : enumerate(segments))
    put(headers + number * sizeof segment, segment);

  SmallVector<ELF::Elf64_Shdr> entries(1);
  for (auto [index, part] : enumerate(parts)) {
    uint32_t link =
        part.type == ELF::SHT_DYNSYM || part.type == ELF::SHT_DYNAMIC
            ? 1 + stringTable
        : part.type == ELF::SHT_RELA || part.type == ELF::SHT_GNU_HASH
            ? 1 + symbolTable
            : 0;
    uint64_t flags = ELF::SHF_ALLOC;
    if (part.segment == kCode)
      flags |= ELF::SHF_EXECINSTR;
    else if (part.segment == kData)
      flags |= ELF::SHF_WRITE;
    entries.push_back({uint32_t(sectionNames.size()), part.type, flags,
                       part.address, part.offset, part.size, link,
                       /*info=*/part.type == ELF::SHT_DYNSYM, part.alignment,
                       part.entry});
    sectionNames += part.name.str() + '\0';
  }
  entries.push_back({uint32_t(sectionNames.size()), ELF::SHT_STRTAB, 0, 0,
                     image.size(), 0, 0, 0, 1, 0});
  sectionNames += std::string(".shstrtab") + '\0';
  entries.back().sh_size = sectionNames.size();
  image += sectionNames;
  image.resize(alignTo(image.size(), kWord));
  ELF::Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, file.getHeader().e_ident, ELF::EI_NIDENT);
  header.e_type = ELF::ET_DYN;
  header.e_machine = ELF::EM_X86_64;
  header.e_version = ELF::EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_phoff = headers;
  header.e_phentsize = sizeof(ELF::Elf64_Phdr);
  header.e_phnum = segments.size();
  header.e_shoff = image.size();
  header.e_shentsize = sizeof(ELF::Elf64_Shdr);
  header.e_shnum = entries.size();
  header.e_shstrndx = entries.size() - 1;
  put(0, header);
  for (const ELF::Elf64_Shdr &entry : entries)
    image.append(reinterpret_cast<const char *>(&entry), sizeof entry);
}
