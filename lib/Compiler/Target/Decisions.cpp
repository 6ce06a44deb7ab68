//===- Decisions.cpp - Decisions that a schedule script may make ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/Decisions.h"
#include <map>
#include <mutex>
#include <set>
#include <string>

using namespace kiln::target;

namespace {
struct Table {
  std::mutex mutex;
  std::map<std::string, std::set<std::string>> names; ///< by family
};
Table &table() {
  static Table all;
  return all;
}
} // namespace

void kiln::target::addDecisions(llvm::StringRef family,
                                llvm::ArrayRef<llvm::StringRef> names) {
  std::lock_guard<std::mutex> lock(table().mutex);
  for (llvm::StringRef name : names)
    table().names[family.str()].insert(name.str());
}

std::vector<llvm::StringRef> kiln::target::decisionsOf(llvm::StringRef family) {
  std::lock_guard<std::mutex> lock(table().mutex);
  auto found = table().names.find(family.str());
  if (found == table().names.end())
    return {};
  return {found->second.begin(), found->second.end()};
}
