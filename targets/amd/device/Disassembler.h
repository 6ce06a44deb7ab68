// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's disassembler of one chip.
#ifndef KILN_TARGETS_AMD_DEVICE_DISASSEMBLER_H
#define KILN_TARGETS_AMD_DEVICE_DISASSEMBLER_H

#include <cstdint>
#include <memory>
#include <string>

namespace kiln::amd::sim {

class Disassembler {
public:
  /// Null, and why, for a chip that LLVM does not know. Waves have `lanes`
  /// lanes, which say how many registers a mask has.
  static std::unique_ptr<Disassembler>
  create(const std::string &chip, unsigned lanes, std::string &problem);
  virtual ~Disassembler();

  /// The text of the instruction that the bytes begin with, and its size in
  /// bytes; 0 where there is none.
  virtual uint32_t print(const uint8_t *bytes, uint64_t size, uint64_t address,
                         std::string &text) const = 0;
};

} // namespace kiln::amd::sim

#endif
