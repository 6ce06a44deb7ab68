// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels print, and why they stop: records that threads write into memory
// of the host.
#include "StreamDevice.h"
#include "kiln/Gpu/OutputRecord.h"
#include <algorithm>

using namespace kiln::streams;
using namespace kiln::simt;
using kiln::runtime::failDriver;

/// Bytes of records of a module between two waits.
constexpr uint64_t kCapacity = 4 << 20;

static int writeVariable(KilnDevice *device, KilnOutput &output,
                         KilnError *error) {
  uint64_t words[3];
  words[kOutputAddress] = reinterpret_cast<uint64_t>(output.records);
  words[kOutputUsed] = 0;
  words[kOutputCapacity] = kCapacity;
  return check(device,
               device->api->copyIn(output.variable, words, sizeof words,
                                   device->immediate),
               "preparing output", error) ||
         check(device, device->api->synchronize(device->immediate),
               "preparing output", error);
}

int kiln::streams::attachOutput(KilnDevice *device, KilnModule *module,
                                const void *code, size_t size,
                                KilnError *error) {
  // Asking for what is not there is an error to tools that watch the calls.
  std::string_view bytesOfCode(static_cast<const char *>(code), size);
  if (bytesOfCode.find(kOutputSymbol) == bytesOfCode.npos)
    return 0;
  const StreamApi &api = *device->api;
  uint64_t variable = 0;
  size_t bytes = 0;
  if (device->code->findVariable(&variable, &bytes, module->module,
                                 kOutputSymbol))
    return 0; // it has none
  if (bytes != 3 * sizeof(uint64_t))
    return failDriver(error, std::string("its variable '") + kOutputSymbol +
                                 "' is of another size");
  auto output = std::make_unique<KilnOutput>();
  output->variable = variable;
  if (check(device, api.allocateHost(&output->records, kCapacity),
            "memory for output", error))
    return 1;
  std::memset(output->records, 0, kCapacity);
  module->output = std::move(output);
  if (writeVariable(device, *module->output, error)) {
    detachOutput(device, module);
    return 1;
  }
  std::lock_guard<std::mutex> lock(device->outputMutex);
  device->outputs.push_back(module->output.get());
  return 0;
}

void kiln::streams::detachOutput(KilnDevice *device, KilnModule *module) {
  if (!module->output)
    return;
  std::lock_guard<std::mutex> lock(device->outputMutex);
  auto &all = device->outputs;
  all.erase(std::remove(all.begin(), all.end(), module->output.get()),
            all.end());
  device->api->releaseHost(module->output->records);
  module->output.reset();
}

void kiln::streams::expectOutput(KilnDevice *device, const KilnQueue *queue,
                                 KilnOutput *output) {
  std::lock_guard<std::mutex> lock(device->outputMutex);
  output->queues.insert(queue);
}

namespace {

/// The records from the first one on.
class Reader {
public:
  explicit Reader(const void *records)
      : bytes(static_cast<const char *>(records)) {}

  bool next() {
    at += size;
    size = at + kRecordHeaderWords * 8 <= kCapacity ? word(kRecordBytes) : 0;
    return size >= kRecordHeaderWords * 8 && size <= kCapacity - at;
  }
  bool isFault() const { return word(kRecordKind) == kFault; }
  const char *text() const {
    return bytes + at + (kRecordHeaderWords + word(kRecordRank)) * 8;
  }
  KilnPrintedValue value() const {
    KilnPrintedValue value = {};
    value.structSize = sizeof value;
    for (int d = 0; d < 3; ++d)
      value.program[d] = int64_t(word(kRecordProgram + d));
    value.prefix = text();
    value.dtype = word(kRecordDType);
    value.flags = word(kRecordFlags);
    value.rank = word(kRecordRank);
    value.shape =
        reinterpret_cast<const int64_t *>(bytes + at) + kRecordHeaderWords;
    value.elements = text() + (word(kRecordTextBytes) + 7) / 8 * 8;
    return value;
  }
  uint64_t end() const { return at; }

private:
  uint64_t word(uint32_t index) const {
    uint64_t value;
    std::memcpy(&value, bytes + at + index * 8, sizeof value);
    return value;
  }

  const char *bytes;
  uint64_t at = 0, size = 0;
};

/// Prints the records; the text of the first fault.
std::string readRecords(KilnOutput &output, uint64_t &end) {
  std::string fault;
  Reader reader(output.records);
  while (reader.next()) {
    if (!reader.isFault()) {
      KilnPrintedValue value = reader.value();
      if (theHost && theHost->print)
        theHost->print(&value);
    } else if (fault.empty()) {
      fault = reader.text();
    }
  }
  end = reader.end();
  return fault;
}

} // namespace

int kiln::streams::readOutputs(KilnDevice *device, const KilnQueue *queue,
                               KilnError *error) {
  std::lock_guard<std::mutex> lock(device->outputMutex);
  std::string fault;
  for (KilnOutput *output : device->outputs) {
    if (!output->queues.erase(queue) || !output->queues.empty())
      continue;
    uint64_t end = 0;
    std::string found = readRecords(*output, end);
    if (fault.empty())
      fault = found;
    if (!end)
      continue;
    std::memset(output->records, 0, end);
    if (writeVariable(device, *output, error))
      return 1;
  }
  return fault.empty() ? 0 : failDriver(error, fault);
}
