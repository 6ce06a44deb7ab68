// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel without results has written.
#include "Written.h"
#include "Compare.h"
#include <cstdio>
#include <cstring>
#include <set>

using namespace kiln::run;
using namespace kiln::runtime;

/// Differs where bytes differ, but for one chance in 2^64.
static uint64_t hashOf(const Storage &storage) {
  auto *bytes = static_cast<const char *>(storage.data);
  uint64_t hash = 0x9e3779b97f4a7c15u;
  auto mix = [&](uint64_t word) {
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  };
  size_t at = 0;
  for (; at + 8 <= storage.bytes; at += 8) {
    uint64_t word;
    std::memcpy(&word, bytes + at, 8);
    mix(word);
  }
  uint64_t rest = 0;
  if (at < storage.bytes)
    std::memcpy(&rest, bytes + at, storage.bytes - at);
  mix(rest);
  return hash;
}

WrittenArguments::WrittenArguments(const Function &function,
                                   const std::vector<Input> &inputs,
                                   bool isWanted)
    : function(function), inputs(inputs) {
  if (!isWanted || !function.results.empty())
    return;
  std::set<void *> known;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Argument &arg = function.args[k];
    const Storage &storage = inputs[k].base.storage;
    if (arg.writable && !arg.isScalar && known.insert(storage.data).second)
      memories.push_back({k, hashOf(storage)});
  }
}

void WrittenArguments::summarize() const {
  bool changed = false;
  for (const Memory &memory : memories) {
    const Tensor &base = inputs[memory.argument].base;
    if (hashOf(base.storage) == memory.hash)
      continue;
    changed = true;
    kiln::run::summarize(labelOf("argument", memory.argument,
                                 function.args[memory.argument].name),
                         base);
  }
  if (!changed && !memories.empty())
    std::printf("no argument was changed\n");
}
