// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See the header.
#include "LaunchContract.h"
#include <algorithm>

using namespace kiln::runtime;

namespace {

KilnLaunchAttribute emptyAttribute(const LaunchAttribute &from) {
  KilnLaunchAttribute made = {};
  made.tag = from.tag;
  made.flags = from.isRequired ? KILN_LAUNCH_REQUIRED : 0;
  return made;
}

} // namespace

LaunchContract LaunchContract::describe(const KernelInfo &kernel) {
  LaunchContract result;
  for (const LaunchAttribute &attribute : kernel.attributes) {
    KilnLaunchAttribute made = emptyAttribute(attribute);
    bool isConstant = true;
    for (size_t i = 0; i < attribute.values.size(); ++i) {
      std::optional<int64_t> value = attribute.values[i].constant();
      isConstant &= value.has_value();
      made.values[i] = value.value_or(0);
    }
    if (isConstant)
      result.attributes.push_back(made);
  }
  for (const Recipe &recipe : kernel.recipes)
    result.encodings.push_back({recipe.name.c_str(), recipe.param,
                                uint32_t(recipe.words.size()), nullptr});
  return result;
}

Expected<LaunchContract>
LaunchContract::evaluate(const KernelInfo &kernel,
                         const std::vector<LaunchAttribute> &own,
                         const Expression::Leaf &leaf) {
  LaunchContract result;
  auto add = [&](const LaunchAttribute &attribute) -> Error {
    KilnLaunchAttribute made = emptyAttribute(attribute);
    for (size_t i = 0; i < attribute.values.size(); ++i) {
      Expected<int64_t> value = attribute.values[i].evaluate(leaf);
      if (!value)
        return value.takeError();
      made.values[i] = *value;
    }
    result.attributes.push_back(made);
    return Error::success();
  };
  for (const LaunchAttribute &attribute : kernel.attributes) {
    bool isReplaced =
        std::any_of(own.begin(), own.end(), [&](const LaunchAttribute &other) {
          return other.tag == attribute.tag;
        });
    if (!isReplaced)
      if (Error error = add(attribute))
        return error;
  }
  for (const LaunchAttribute &attribute : own)
    if (Error error = add(attribute))
      return error;
  for (const Recipe &recipe : kernel.recipes) {
    // Its elements stay where they are when the list of lists grows.
    std::vector<int64_t> &words = result.words.emplace_back();
    for (const Expression &word : recipe.words) {
      Expected<int64_t> value = word.evaluate(leaf);
      if (!value)
        return value.takeError();
      words.push_back(*value);
    }
    result.encodings.push_back({recipe.name.c_str(), recipe.param,
                                uint32_t(words.size()), words.data()});
  }
  return result;
}
