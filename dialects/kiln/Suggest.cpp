//===- Suggest.cpp - Known names that are close to an unknown one ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Kiln/Suggest.h"
#include "llvm/ADT/STLExtras.h"
#include <utility>
#include <vector>

/// How many names are shown at most.
static constexpr size_t kMostNames = 3;
/// A name that is part of another is close to it from this length on.
static constexpr size_t kLeastPart = 3;

std::string kiln::suggestNames(llvm::StringRef name,
                               llvm::ArrayRef<llvm::StringRef> known) {
  // The name is right, and what is wrong stands elsewhere.
  if (llvm::is_contained(known, name))
    return "";
  std::vector<std::pair<unsigned, llvm::StringRef>> near;
  // `tile.reduction`: what is behind the dialect has to be close by itself.
  llvm::StringRef own = name.contains('.') ? name.split('.').second : name;
  for (llvm::StringRef other : known) {
    llvm::StringRef part = name.contains('.') ? other.split('.').second : other;
    bool isPart = own.size() >= kLeastPart && part.contains_insensitive(own);
    unsigned most = 1 + own.size() / 4;
    unsigned distance = isPart
                            ? 1
                            : name.edit_distance_insensitive(
                                  other, /*AllowReplacements=*/true, most + 1);
    if (distance <= most)
      near.push_back({distance, other});
  }
  llvm::sort(near);
  std::string text;
  for (auto [distance, other] : llvm::ArrayRef(near).take_front(kMostNames))
    text += (text.empty() ? ", did you mean '" : ", '") + other.str() + "'";
  return text;
}
