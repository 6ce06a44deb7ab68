//===- ObjectLinker.h - The link of one object ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_OBJECTLINKER_H
#define KILN_LIB_CPU_OBJECTLINKER_H

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include <array>
#include <cstring>

namespace kiln::cpu {
/// The object, and what it consists of.
using File = llvm::object::ELFFile<llvm::object::ELF64LE>;
using Section = File::Elf_Shdr;
using Symbol = File::Elf_Sym;
using Relocation = File::Elf_Rela;

constexpr uint64_t kPage = 4096;
constexpr uint64_t kWord = sizeof(uint64_t);
/// Bytes of a jump to where a word of data says.
constexpr uint64_t kStubBytes = 8;

/// Number of entries of the section `.dynamic`.
constexpr uint64_t kNumDynamic = 10;

/// What is loaded with the same rights, in the order of the file.
enum Segment : unsigned { kTables, kCode, kData, kNumSegments };

/// A part of the shared object: what was a section of the object, or a table.
struct Part {
  llvm::StringRef name;
  Segment segment;
  uint32_t type;
  uint64_t size, alignment;
  uint64_t entry = 0;         ///< size of an entry, where it is a table
  llvm::StringRef bytes = {}; ///< empty: filled in later, or zero at load time
  uint64_t offset = 0, address = 0;
};

/// A word of data that the loader fills in.
struct LoadedWord {
  unsigned part; ///< that holds it
  uint64_t offset;
  uint32_t symbol; ///< of the object
  int64_t addend;
};

/// Places the sections of an object, relocates them and writes the tables of
/// the loader.
class ObjectLinker {
public:
  explicit ObjectLinker(File file) : file(std::move(file)) {}

  /// False where something is not known here.
  bool run() {
    return read() && placeSections() && scanRelocations() && addTables() &&
           (layOut(), write());
  }

  std::string image;

private:
  /// The value, or a default one with `isKnown` false.
  template <typename T> T take(llvm::Expected<T> value) {
    if (value)
      return std::move(*value);
    llvm::consumeError(value.takeError());
    isKnown = false;
    return T();
  }

  bool read();
  bool placeSections();
  bool scanRelocations();
  bool scanRelocation(const Relocation &relocation, unsigned part);
  bool isDefined(uint32_t symbol) const;
  unsigned addTable(llvm::StringRef name, Segment segment, uint32_t type,
                    uint64_t size, uint64_t entry = 0);
  bool addTables();
  void layOut();
  bool write();
  bool relocate();
  bool relocate(const Relocation &relocation, const Part &part);
  void writeHeaders();
  void writeSymbols();
  void writeHashes();
  void writeLoadedWords();
  void writeDynamic();
  void writeStubs();

  uint64_t address(uint32_t symbol) const {
    return parts[partOf.lookup(symbols[symbol].st_shndx)].address +
           symbols[symbol].st_value;
  }
  template <typename T> void put(uint64_t offset, const T &value) {
    std::memcpy(image.data() + offset, &value, sizeof value);
  }

  File file;
  bool isKnown = true;
  llvm::ArrayRef<Section> sections;
  llvm::ArrayRef<Symbol> symbols;
  llvm::StringRef names;
  llvm::SmallVector<Part> parts;
  llvm::DenseMap<uint32_t, unsigned> partOf; ///< section to part
  /// Symbols to their words in the table of offsets, and to their stubs.
  llvm::MapVector<uint32_t, unsigned> offsets, stubs;
  llvm::SmallVector<LoadedWord> words;
  llvm::SmallVector<uint32_t> imported, exported; ///< symbols of the object
  std::string strings = std::string(1, '\0'), sectionNames = strings;
  llvm::SmallVector<uint32_t> nameAt; ///< of imported and exported symbols
  uint32_t numBuckets = 1;
  unsigned symbolTable = 0, hashTable = 0, stringTable = 0, wordTable = 0,
           dynamicTable = 0, offsetTable = 0, stubTable = 0;
  unsigned numHeaders = 0; ///< program headers
  std::array<uint64_t, kNumSegments> begin = {}, fileEnd = {}, memoryEnd = {};
};

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_OBJECTLINKER_H
