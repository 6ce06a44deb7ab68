// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Taking target specifications apart.
#include "kiln/Runtime/Spec.h"
#include <algorithm>
#include <cctype>

using namespace kiln::runtime;

/// Reads "key=value,key=value" of the SPEC `text`.
static Error parseItems(const std::string &items, const std::string &text,
                        std::vector<std::pair<std::string, std::string>> &to) {
  for (size_t begin = 0; begin <= items.size();) {
    size_t end = std::min(items.find(',', begin), items.size());
    std::string item = items.substr(begin, end - begin);
    size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0)
      return Error("'" + item + "' in target '" + text +
                   "' is not of the form key=value");
    to.emplace_back(item.substr(0, equals), item.substr(equals + 1));
    begin = end + 1;
  }
  return Error::success();
}

std::pair<std::string, std::string>
kiln::runtime::splitDriverOptions(const std::string &spec) {
  size_t empty = spec.find(",,");
  if (empty == std::string::npos)
    return {spec, ""};
  return {spec.substr(0, empty), spec.substr(empty + 2)};
}

Expected<Spec> Spec::parse(const std::string &text) {
  Spec spec;
  if (text.find('+') < text.find_first_of(":,"))
    return Error("unsupported: one program on several targets ('" + text +
                 "'); repeat --target for alternatives");
  auto [own, forDriver] = splitDriverOptions(text);
  size_t comma = std::min(own.find(','), own.size());
  std::string head = own.substr(0, comma);
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
  Error mistake = Error::success();
  if (comma < own.size())
    mistake = parseItems(own.substr(comma + 1), text, spec.options);
  if (!mistake && own.size() < text.size())
    mistake = parseItems(forDriver, text, spec.driverOptions);
  if (mistake)
    return mistake;
  return spec;
}

std::string Spec::str() const {
  std::string text = name + (chip.empty() ? "" : ":" + chip);
  for (const auto &[key, value] : options)
    text += "," + key + "=" + value;
  const char *before = ",,";
  for (const auto &[key, value] : driverOptions) {
    text += before + key + "=" + value;
    before = ",";
  }
  return text;
}
