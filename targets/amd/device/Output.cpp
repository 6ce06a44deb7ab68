// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels print, and why they stop (kiln/Gpu/OutputRecord.h).
#include "SimDevice.h"
#include "kiln/Gpu/OutputRecord.h"
#include <cstring>

using namespace kiln::amd::sim;
using namespace kiln::simt;

/// Bytes of records of a launch.
constexpr uint64_t kCapacity = 4 << 20;

static void writeVariable(KilnModule &module) {
  uint64_t words[3];
  words[kOutputAddress] = reinterpret_cast<uint64_t>(module.records.data());
  words[kOutputUsed] = 0;
  words[kOutputCapacity] = kCapacity;
  std::memcpy(module.outputVariable, words, sizeof words);
}

void kiln::amd::sim::attachOutput(KilnDevice *device, KilnModule &module) {
  uint64_t bytes = 0;
  uint8_t *variable = module.code->variable(kOutputSymbol, bytes);
  if (!variable || bytes != 3 * sizeof(uint64_t))
    return;
  module.outputVariable = variable;
  module.records.assign(kCapacity, 0);
  device->memory.add(module.records.data(), kCapacity, "memory for output");
  writeVariable(module);
}

void kiln::amd::sim::detachOutput(KilnDevice *device, KilnModule &module) {
  if (module.outputVariable)
    device->memory.remove(module.records.data());
}

std::string kiln::amd::sim::readOutput(KilnModule &module) {
  if (!module.outputVariable)
    return "";
  std::string fault;
  const char *records = reinterpret_cast<const char *>(module.records.data());
  uint64_t at = 0;
  while (at + kRecordHeaderWords * 8 <= kCapacity) {
    auto word = [&](uint32_t index) {
      uint64_t value;
      std::memcpy(&value, records + at + index * 8, sizeof value);
      return value;
    };
    uint64_t size = word(kRecordBytes);
    if (size < kRecordHeaderWords * 8 || size > kCapacity - at)
      break;
    const char *text =
        records + at + (kRecordHeaderWords + word(kRecordRank)) * 8;
    if (word(kRecordKind) == kFault) {
      if (fault.empty())
        fault = text;
    } else if (runtimeHost.print) {
      KilnPrintedValue value = {};
      value.structSize = sizeof value;
      for (uint32_t d = 0; d < 3; ++d)
        value.program[d] = int64_t(word(kRecordProgram + d));
      value.prefix = text;
      value.dtype = uint32_t(word(kRecordDType));
      value.flags = uint32_t(word(kRecordFlags));
      value.rank = uint32_t(word(kRecordRank));
      value.shape =
          reinterpret_cast<const int64_t *>(records + at) + kRecordHeaderWords;
      value.elements = text + (word(kRecordTextBytes) + 7) / 8 * 8;
      runtimeHost.print(&value);
    }
    at += size;
  }
  std::memset(module.records.data(), 0, at);
  writeVariable(module);
  return fault;
}
