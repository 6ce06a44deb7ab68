// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Taking target specifications apart.
#include "kiln/Runtime/Spec.h"
#include <algorithm>
#include <cctype>

using namespace kiln::runtime;

Expected<Spec> Spec::parse(const std::string &text) {
  Spec spec;
  if (text.find('+') < text.find_first_of(":,"))
    return Error("unsupported: one program on several targets ('" + text +
                 "'); repeat --target for alternatives");
  size_t comma = std::min(text.find(','), text.size());
  std::string head = text.substr(0, comma);
  size_t colon = head.find(':');
  spec.name = head.substr(0, colon);
  if (colon != std::string::npos)
    spec.chip = head.substr(colon + 1);
  bool isGood = !spec.name.empty();
  for (unsigned char c : spec.name)
    isGood &= std::isalnum(c) || c == '-' || c == '_';
  if (!isGood)
    return Error("'" + text +
                 "' is no target: expected "
                 "name[:chip][,key=value...]");
  for (size_t begin = comma + 1; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    std::string item = text.substr(begin, end - begin);
    size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0)
      return Error("'" + item + "' in target '" + text +
                   "' is not of the form key=value");
    spec.options.emplace_back(item.substr(0, equals), item.substr(equals + 1));
    begin = end + 1;
  }
  return spec;
}

std::string Spec::str() const {
  std::string text = name + (chip.empty() ? "" : ":" + chip);
  for (const auto &[key, value] : options)
    text += "," + key + "=" + value;
  return text;
}
