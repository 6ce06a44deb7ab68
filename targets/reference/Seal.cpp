// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Telling whole modules from damaged ones.
#include "Seal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace kiln::reference;

// Behind the bytes, as constants of bytecode are aligned from their start.
static constexpr llvm::StringLiteral kMark = "KILNREF1";
static constexpr size_t kHashSize = 32;

void kiln::reference::seal(std::string &bytes) {
  std::array<uint8_t, kHashSize> hash =
      llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes));
  bytes.append(hash.begin(), hash.end());
  bytes += kMark;
}

std::optional<llvm::StringRef> kiln::reference::unseal(llvm::StringRef bytes) {
  if (!bytes.consume_back(kMark) || bytes.size() < kHashSize)
    return std::nullopt;
  llvm::StringRef content = bytes.drop_back(kHashSize);
  std::array<uint8_t, kHashSize> hash =
      llvm::SHA256::hash(llvm::arrayRefFromStringRef(content));
  if (llvm::toStringRef(hash) != bytes.take_back(kHashSize))
    return std::nullopt;
  return content;
}
