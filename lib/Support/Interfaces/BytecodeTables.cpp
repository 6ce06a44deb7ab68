//===- BytecodeTables.cpp - Lengths of tables in bytecode -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/BytecodeTables.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

using namespace kiln;
using llvm::StringRef;

/// Sections that begin with how many entries they have, of a byte at least:
/// strings, dialects, the places of attributes and types, and properties.
static constexpr uint8_t kStringSection = 0, kDialectSection = 1,
                         kOffsetSection = 3, kPropertySection = 8;
/// Of the byte that begins a section: its data are aligned.
static constexpr uint8_t kIsAligned = 0x80;

/// Takes a number: the zeros at the end of its first byte count the bytes that
/// follow.
static std::optional<uint64_t> takeNumber(StringRef &bytes) {
  if (bytes.empty())
    return std::nullopt;
  uint8_t first = bytes.front();
  size_t more = first ? llvm::countr_zero(first) : 8;
  if (bytes.size() <= more)
    return std::nullopt;
  uint64_t number = 0;
  for (size_t i = more; i > 0; --i)
    number = number << 8 | static_cast<uint8_t>(bytes[i]);
  if (more < 8)
    number = (number << 8 | first) >> (more + 1);
  bytes = bytes.drop_front(more + 1);
  return number;
}

/// Takes the groups of a table of `count` entries: each names a dialect, and
/// has the places of its entries. Returns true where they are more entries.
/// Takes all bytes where they end too early, which MLIR reports.
static bool exceedsTable(StringRef &bytes, uint64_t count) {
  while (count > 0) {
    auto dialect = takeNumber(bytes), entries = takeNumber(bytes);
    if (dialect && entries && *entries > count)
      return true;
    bool isWhole = dialect && entries;
    for (uint64_t i = 0; isWhole && i < *entries; ++i)
      isWhole = takeNumber(bytes).has_value();
    if (!isWhole) {
      bytes = "";
      return false;
    }
    count -= *entries;
  }
  return false;
}

static std::string checkTables(StringRef bytes) {
  auto attributes = takeNumber(bytes), types = takeNumber(bytes);
  if (attributes && types &&
      (exceedsTable(bytes, *attributes) || exceedsTable(bytes, *types)))
    return "it has more attributes or types than their tables";
  return "";
}

/// Whether a section has fewer bytes than the entries that it announces. Before
/// it reads them MLIR asks for their memory, and LLVM's vectors end the process
/// where they cannot have it.
static bool announcesTooMuch(uint8_t kind, StringRef bytes) {
  if (kind != kStringSection && kind != kDialectSection &&
      kind != kOffsetSection && kind != kPropertySection)
    return false;
  auto count = takeNumber(bytes);
  if (count && kind == kOffsetSection && *count <= bytes.size()) {
    uint64_t attributes = *count;
    count = takeNumber(bytes);
    return count &&
           *count > bytes.size() - std::min<uint64_t>(attributes, bytes.size());
  }
  return count && *count > bytes.size();
}

std::string kiln::findTableDamage(StringRef bytecode) {
  StringRef bytes = bytecode;
  const size_t size = bytes.size();
  if (!bytes.consume_front("ML\xEFR") || !takeNumber(bytes))
    return "";
  size_t producer = bytes.find('\0');
  if (producer == StringRef::npos)
    return "";
  bytes = bytes.drop_front(producer + 1);
  std::string damage;
  // What is wrong with the sections themselves MLIR reports.
  while (!bytes.empty()) {
    uint8_t kind = bytes.front();
    bytes = bytes.drop_front();
    auto length = takeNumber(bytes);
    if (!length)
      return "";
    if (kind & kIsAligned) {
      auto alignment = takeNumber(bytes);
      if (!alignment || !*alignment || *alignment > size)
        return "";
      size_t padding =
          (*alignment - (size - bytes.size()) % *alignment) % *alignment;
      if (padding > bytes.size())
        return "";
      bytes = bytes.drop_front(padding);
    }
    if (*length > bytes.size())
      return "";
    kind &= ~kIsAligned;
    if (announcesTooMuch(kind, bytes.take_front(*length)))
      return "it announces more than a file of " + std::to_string(size) +
             " bytes can hold";
    if (kind == kOffsetSection)
      damage = checkTables(bytes.take_front(*length));
    if (!damage.empty())
      return damage;
    bytes = bytes.drop_front(*length);
  }
  return "";
}
