// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules: sealed words, as Isa.h says.
#include "Machine.h"
#include <cstring>

using namespace systolic;

bool systolic::readModule(const void *bytes, uint64_t size,
                          std::map<std::string, Kernel> &kernels,
                          std::string &problem) {
  std::vector<uint64_t> words(size / 8);
  if (size >= 8)
    std::memcpy(words.data(), bytes, words.size() * 8);
  if (size % 8 || words.size() < 3 || words[0] != kMagic) {
    problem = "this is no code for systolic";
    return false;
  }
  if (words[1] != kVersion) {
    problem = "code of version " + std::to_string(words[1]) +
              ", expected version " + std::to_string(kVersion);
    return false;
  }
  problem = "its code is damaged";
  if (words[2] != checksum(&words[3], words.size() - 3))
    return false;
  // What is sealed may still have been made by somebody else's compiler.
  for (size_t at = 3; at < words.size();) {
    uint64_t length = words[at++], nameWords = (length + 7) / 8;
    if (length > 4096 || words.size() - at < nameWords + 4)
      return false;
    Kernel kernel;
    kernel.name.assign(reinterpret_cast<const char *>(&words[at]), length);
    at += nameWords;
    kernel.scalars = int64_t(words[at++]);
    kernel.vectors = int64_t(words[at++]);
    kernel.rings = int64_t(words[at++]);
    for (int64_t count : {kernel.scalars, kernel.vectors, kernel.rings})
      if (count < 0 || count > kMaxRegisters)
        return false;
    uint64_t code = words[at++];
    if (code > words.size() - at)
      return false;
    kernel.code.assign(words.begin() + long(at),
                       words.begin() + long(at + code));
    at += code;
    kernels[kernel.name] = std::move(kernel);
  }
  return true;
}
