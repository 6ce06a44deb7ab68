//===- SharedObject.cpp - One object to a shared object -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the object holds, what the shared object needs for it, and where all
// that lies.
//
//===----------------------------------------------------------------------===//

#include "SharedObject.h"
#include "ObjectLinker.h"
#include "llvm/Support/DJB.h"
#include "llvm/Support/Endian.h"
#include <tuple>

using namespace llvm;
using namespace kiln::cpu;

bool ObjectLinker::read() {
  const auto &header = file.getHeader();
  if (header.e_machine != ELF::EM_X86_64 || header.e_type != ELF::ET_REL)
    return false;
  sections = take(file.sections());
  for (const Section &section : sections)
    if (section.sh_type == ELF::SHT_SYMTAB) {
      symbols = take(file.symbols(&section));
      names = take(file.getStringTableForSymtab(section));
    }
  return isKnown && !symbols.empty();
}

/// Sections that are loaded, by their rights; those that are zero come last.
bool ObjectLinker::placeSections() {
  constexpr uint64_t kKnown = ELF::SHF_ALLOC | ELF::SHF_WRITE |
                              ELF::SHF_EXECINSTR | ELF::SHF_MERGE |
                              ELF::SHF_STRINGS;
  for (bool isZero : {false, true})
    for (auto [index, section] : enumerate(sections)) {
      if (!(section.sh_flags & ELF::SHF_ALLOC) ||
          (section.sh_type == ELF::SHT_NOBITS) != isZero)
        continue;
      bool isCode = section.sh_flags & ELF::SHF_EXECINSTR;
      bool isData = section.sh_flags & ELF::SHF_WRITE;
      if ((!isZero && section.sh_type != ELF::SHT_PROGBITS) ||
          section.sh_flags & ~kKnown || (isCode && isData) ||
          (isZero && !isData) || section.sh_addralign > kPage)
        return false;
      if (!section.sh_size)
        continue;
      partOf[index] = parts.size();
      parts.push_back({take(file.getSectionName(section)),
                       isCode   ? kCode
                       : isData ? kData
                                : kTables,
                       section.sh_type, section.sh_size,
                       std::max<uint64_t>(section.sh_addralign, 1)});
      if (!isZero)
        parts.back().bytes =
            toStringRef(take(file.getSectionContents(section)));
    }
  return isKnown;
}

bool ObjectLinker::isDefined(uint32_t symbol) const {
  return partOf.contains(symbols[symbol].st_shndx);
}

bool ObjectLinker::scanRelocations() {
  for (const Section &section : sections) {
    if (section.sh_type == ELF::SHT_REL || section.sh_type == ELF::SHT_GROUP)
      return false;
    auto part = partOf.find(section.sh_info);
    if (section.sh_type != ELF::SHT_RELA || part == partOf.end())
      continue;
    for (const Relocation &relocation : take(file.relas(section)))
      if (!scanRelocation(relocation, part->second))
        return false;
  }
  return isKnown;
}

/// What the shared object needs for a relocation.
bool ObjectLinker::scanRelocation(const Relocation &relocation, unsigned part) {
  uint32_t index = relocation.getSymbol(/*isMips64EL=*/false);
  uint64_t width = relocation.getType(false) == ELF::R_X86_64_64 ||
                           relocation.getType(false) == ELF::R_X86_64_PC64
                       ? kWord
                       : kWord / 2;
  if (index >= symbols.size() || parts[part].bytes.size() < width ||
      relocation.r_offset > parts[part].bytes.size() - width)
    return false;
  const Symbol &symbol = symbols[index];
  bool isImport = symbol.st_shndx == ELF::SHN_UNDEF;
  if (isImport ? symbol.getBinding() != ELF::STB_GLOBAL : !isDefined(index))
    return false;
  switch (relocation.getType(false)) {
  case ELF::R_X86_64_PC32:
  case ELF::R_X86_64_PC64:
    return !isImport;
  case ELF::R_X86_64_PLT32:
    if (isImport) {
      stubs.insert({index, stubs.size()});
      offsets.insert({index, offsets.size()});
    }
    return true;
  case ELF::R_X86_64_GOTPCREL:
  case ELF::R_X86_64_GOTPCRELX:
  case ELF::R_X86_64_REX_GOTPCRELX:
    offsets.insert({index, offsets.size()});
    return true;
  case ELF::R_X86_64_64:
    words.push_back({part, relocation.r_offset, index, relocation.r_addend});
    return parts[part].segment == kData && relocation.r_offset % kWord == 0 &&
           parts[part].alignment % kWord == 0;
  default:
    return false;
  }
}

unsigned ObjectLinker::addTable(StringRef name, Segment segment, uint32_t type,
                                uint64_t size, uint64_t entry) {
  parts.push_back({name, segment, type, size, kWord, entry});
  return parts.size() - 1;
}

/// The tables of the loader, whose sizes follow from symbols and relocations.
bool ObjectLinker::addTables() {
  if (!offsets.empty())
    offsetTable = addTable(".got", kData, ELF::SHT_PROGBITS,
                           offsets.size() * kWord, kWord);
  for (auto [symbol, slot] : offsets)
    words.push_back({offsetTable, slot * kWord, symbol, 0});
  // Words that need no symbol come first.
  llvm::sort(words, [&](const LoadedWord &a, const LoadedWord &b) {
    return std::make_tuple(!isDefined(a.symbol), a.part, a.offset) <
           std::make_tuple(!isDefined(b.symbol), b.part, b.offset);
  });
  for (const LoadedWord &word : words)
    if (!isDefined(word.symbol) && !is_contained(imported, word.symbol))
      imported.push_back(word.symbol);
  for (auto [index, symbol] : enumerate(symbols)) {
    if (symbol.getBinding() == ELF::STB_LOCAL || !isDefined(index)) {
      if (symbol.st_shndx >= ELF::SHN_LORESERVE &&
          symbol.getBinding() != ELF::STB_LOCAL)
        return false;
      continue;
    }
    if (symbol.getBinding() != ELF::STB_GLOBAL ||
        (symbol.getType() != ELF::STT_FUNC &&
         symbol.getType() != ELF::STT_OBJECT))
      return false;
    if (symbol.getVisibility() == ELF::STV_DEFAULT)
      exported.push_back(index);
  }
  numBuckets = std::max<uint32_t>(exported.size() / 4, 1);
  auto bucket = [&](uint32_t symbol) {
    return djbHash(take(symbols[symbol].getName(names))) % numBuckets;
  };
  llvm::sort(exported, [&](uint32_t a, uint32_t b) {
    return std::make_pair(bucket(a), a) < std::make_pair(bucket(b), b);
  });
  for (uint32_t symbol : concat<const uint32_t>(imported, exported)) {
    nameAt.push_back(strings.size());
    strings += take(symbols[symbol].getName(names)).str() + '\0';
  }
  symbolTable = addTable(".dynsym", kTables, ELF::SHT_DYNSYM,
                         (1 + nameAt.size()) * sizeof(ELF::Elf64_Sym),
                         sizeof(ELF::Elf64_Sym));
  hashTable = addTable(".gnu.hash", kTables, ELF::SHT_GNU_HASH,
                       3 * kWord + 4 * (numBuckets + exported.size()));
  stringTable = addTable(".dynstr", kTables, ELF::SHT_STRTAB, strings.size());
  if (!words.empty())
    wordTable = addTable(".rela.dyn", kTables, ELF::SHT_RELA,
                         words.size() * sizeof(ELF::Elf64_Rela),
                         sizeof(ELF::Elf64_Rela));
  dynamicTable =
      addTable(".dynamic", kData, ELF::SHT_DYNAMIC,
               kNumDynamic * sizeof(ELF::Elf64_Dyn), sizeof(ELF::Elf64_Dyn));
  if (!stubs.empty())
    stubTable = addTable(".plt", kCode, ELF::SHT_PROGBITS,
                         stubs.size() * kStubBytes, kStubBytes);
  return isKnown;
}

/// Offsets and addresses of all parts. Within a page both are equal.
void ObjectLinker::layOut() {
  bool hasCode =
      any_of(parts, [](const Part &part) { return part.segment == kCode; });
  numHeaders = hasCode ? 6 : 5; // with those of headers, dynamic table, stack
  uint64_t offset =
      sizeof(ELF::Elf64_Ehdr) + numHeaders * sizeof(ELF::Elf64_Phdr);
  uint64_t memory = offset;
  for (unsigned segment = kTables; segment < kNumSegments; ++segment) {
    if (segment != kTables) {
      // Of the alignment of all that is in it.
      offset = alignTo(offset, 64);
      memory = alignTo(memory, kPage) + offset % kPage;
      begin[segment] = memory;
    }
    uint64_t shift = memory - offset;
    // What is zero takes memory, but no room in the file.
    for (bool isZero : {false, true}) {
      for (Part &part : parts) {
        if (part.segment != segment || (part.type == ELF::SHT_NOBITS) != isZero)
          continue;
        memory = alignTo(memory, part.alignment);
        part.address = memory;
        part.offset = isZero ? offset : memory - shift;
        memory += part.size;
        if (!isZero)
          offset = memory - shift;
      }
      (isZero ? memoryEnd : fileEnd)[segment] = memory;
    }
  }
  image.assign(offset, '\0');
}

std::optional<std::string> kiln::cpu::writeSharedObject(StringRef object) {
  // Tables are written as this machine has its numbers.
  if (sys::IsBigEndianHost)
    return std::nullopt;
  Expected<File> file = File::create(object);
  if (!file) {
    consumeError(file.takeError());
    return std::nullopt;
  }
  ObjectLinker linker(std::move(*file));
  if (!linker.run())
    return std::nullopt;
  return std::move(linker.image);
}
