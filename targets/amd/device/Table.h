// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of instructions: what each does, by its name in assembly.
#ifndef KILN_TARGETS_AMD_DEVICE_TABLE_H
#define KILN_TARGETS_AMD_DEVICE_TABLE_H

#include "Machine.h"
#include <initializer_list>
#include <string_view>
#include <unordered_map>

namespace kiln::amd::sim {

/// How an instruction is run. Names have no suffix of an encoding (_e32, _e64,
/// _dpp, _sdwa).
struct Entry {
  Run run = nullptr;
  Class kind = Class::Vector;
  /// The types of constants of operands, by their places in the text.
  std::array<Type, 6> types = {Type::B32, Type::B32, Type::B32,
                               Type::B32, Type::B32, Type::B32};
  uint8_t aux = 0;
  /// Whether the result of 16 bits leaves the other half on all chips.
  bool keepsHalf = false;
  uint8_t bytes = 0;
  bool isSigned = false, isHigh = false;
  bool returns = false;
  uint16_t stride = 0; ///< of offsets of an access in two parts
  uint8_t row = 0;     ///< of a table of its own
};

/// The hardware registers that instructions read and write, `Inst::aux`: the
/// mode, a clock that counts instructions, and where a wave runs, which is one
/// place for all.
enum HardwareRegister : uint8_t {
  kUnknownRegister,
  kModeRegister,
  kClockRegister,
  kClockHighRegister,
  kPlaceRegister
};

class Table {
public:
  /// The table of all instructions that are known.
  static const Table &get();
  /// The entry of a name, or null.
  const Entry *find(std::string_view name) const {
    auto found = entries.find(std::string(name));
    return found == entries.end() ? nullptr : &found->second;
  }
  void add(std::string_view name, Entry entry) {
    entries[std::string(name)] = entry;
  }
  void add(std::initializer_list<std::string_view> names, Entry entry) {
    for (std::string_view name : names)
      add(name, entry);
  }
  /// All names, sorted.
  std::vector<std::string> names() const;

private:
  std::unordered_map<std::string, Entry> entries;
};

void addScalar(Table &table);
void addControl(Table &table);
void addVectorFloats(Table &table);
void addVectorIntegers(Table &table);
void addVectorCompares(Table &table);
void addVectorConversions(Table &table);
void addVectorPacked(Table &table);
void addVectorLanes(Table &table);
void addVectorBytes(Table &table);
void addVectorTrig(Table &table);
void addVectorFloat8(Table &table);
void addVectorFloat6(Table &table);
void addVectorRandom(Table &table);
void addRelative(Table &table);
void addScaledConversions(Table &table);
void addSparseMatrix(Table &table);
void addMemory(Table &table);
void addAtomics(Table &table);
void addLds(Table &table);
void addLdsExchanges(Table &table);
void addMatrix(Table &table);

} // namespace kiln::amd::sim

#endif
