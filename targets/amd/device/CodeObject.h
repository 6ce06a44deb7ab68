// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code objects: loaded segments, kernels, and their instructions.
#ifndef KILN_TARGETS_AMD_DEVICE_CODEOBJECT_H
#define KILN_TARGETS_AMD_DEVICE_CODEOBJECT_H

#include "Machine.h"
#include "llvm/Object/ELF.h"
#include <memory>
#include <string>
#include <vector>

namespace kiln::amd::sim {

/// One argument in the kernarg segment (LLVM's AMDGPU guide, "Kernel Argument
/// Metadata").
struct KernelArgument {
  uint32_t offset = 0, size = 0;
  std::string kind; ///< by_value, global_buffer, hidden_block_count_x, ...
};

/// What the metadata and the descriptor of a kernel say.
struct KernelInfo {
  std::string name;
  uint64_t entry = 0; ///< offset in the text
  uint32_t ldsBytes = 0, scratchBytes = 0, kernargBytes = 0;
  unsigned vectorRegisters = 0;
  /// Words of the descriptor: compute_pgm_rsrc1 to 3, and code properties.
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0, properties = 0;
  unsigned lanes = 64;
  unsigned workgroupSize = 0; ///< what the code requires; 0: anything
  uint32_t requiredThreads[3] = {1, 1, 1}; ///< the same for each axis
  unsigned mostThreads = 1024;             ///< of a workgroup
  std::vector<KernelArgument> arguments;
};

/// LLVM's disassembler for one chip.
class Disassembler;

/// A loaded code object. Instructions are decoded when they run first.
class Code {
public:
  /// Loads a code object, or that of a chip in a bundle; on failure null, and
  /// why. `chip`: what it has to be for; empty: any.
  static std::unique_ptr<Code> load(const void *bytes, uint64_t size,
                                    AddressMap &memory, std::string &problem,
                                    const std::string &chip = "");
  ~Code();

  const Isa &isa() const { return theIsa; }
  const KernelInfo *kernel(const std::string &name) const;
  const std::vector<KernelInfo> &kernels() const { return all; }
  /// The loaded bytes of a variable, or null.
  uint8_t *variable(const std::string &name, uint64_t &size) const;

  /// The instruction at an offset of the text. Faults where there is none.
  const Inst &at(uint64_t offset) {
    if (offset / 4 < slots.size() && slots[offset / 4])
      return *slots[offset / 4];
    return decode(offset);
  }
  uint64_t textAddress() const { return textBegin; }
  /// The text of the instruction at an offset, and its place in the source if
  /// that is known.
  std::string describe(uint64_t offset) const;

private:
  Code() = default;
  using ElfFile = llvm::object::ELFFile<llvm::object::ELF64LE>;
  /// One that a loader sees.
  struct Symbol {
    llvm::StringRef name; ///< in `file`
    uint64_t address, size;
    bool isDefined, isWeak;
  };
  bool read(std::string &problem);
  bool readMetadata(const ElfFile &elf, std::string &problem);
  bool readSegments(const ElfFile &elf, std::string &problem);
  bool readSections(const ElfFile &elf, std::string &problem);
  bool readSymbols(const ElfFile &elf, const ElfFile::Elf_Shdr &section,
                   std::string &problem);
  bool relocate(const ElfFile &elf, const ElfFile::Elf_Shdr &section,
                std::string &problem);
  bool readDescriptor(KernelInfo &kernel, std::string &problem);
  /// Runs the code as a chip does, if it is for that chip.
  bool takeChip(const std::string &chip, std::string &problem);
  const Symbol *symbol(llvm::StringRef name) const;
  const Inst &decode(uint64_t offset);

  std::vector<uint8_t> file;
  std::vector<Symbol> symbols;
  uint8_t *base = nullptr; ///< the segments as they are loaded
  uint64_t imageBytes = 0;
  AddressMap *memory = nullptr;
  uint64_t textBegin = 0, textBytes = 0; ///< an address, and bytes
  uint64_t textOffset = 0;               ///< in the image
  Isa theIsa;
  std::vector<KernelInfo> all;
  std::vector<std::unique_ptr<Inst>> slots;
  std::unique_ptr<Disassembler> disassembler;
};

/// Whether code for a chip, or for a family such as gfx11-generic, runs on one.
bool runsOn(llvm::StringRef code, llvm::StringRef chip);

/// Makes an instruction of its text. Returns why it cannot be run, or nothing.
std::string makeInst(std::string_view text, const Isa &isa, uint64_t offset,
                     uint32_t size, Inst &inst);

} // namespace kiln::amd::sim

#endif
