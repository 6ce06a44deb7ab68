// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// "chip,key=value,…".
#include "CpuDevice.h"
#include <algorithm>
#include <cstdlib>

using namespace kiln::cpu_target;

namespace {

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin)
      parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

} // namespace

bool kiln::cpu_target::parseOptions(const char *text, Options &options,
                                    std::string &problem) {
  std::string all = text;
  size_t given = std::min(all.find(",,"), all.size());
  for (const std::string &part : split(all.substr(given), ',')) {
    std::string key = part.substr(0, part.find('='));
    if (key == "threads" || key == "hide" || key == "requires")
      continue;
    problem = "it has no option '" + key +
              "', expected threads, hide or requires; what the compiler takes "
              "cannot be changed in a package";
    return false;
  }
  for (const std::string &part : split(all, ',')) {
    size_t equals = part.find('=');
    if (equals == std::string::npos) {
      options.chip = part;
      continue;
    }
    std::string key = part.substr(0, equals);
    std::string value = part.substr(equals + 1);
    // Other keys are the compiler's; it has checked them.
    // The package's options come first, then the caller's: all count.
    for (auto [name, list] : {std::pair("requires", &options.required),
                              std::pair("hide", &options.hidden)})
      if (key == name)
        for (std::string &feature : split(value, '+'))
          list->push_back(std::move(feature));
    if (key != "threads")
      continue;
    char *end = nullptr;
    long count = std::strtol(value.c_str(), &end, 10);
    if (value.empty() || *end || count < 1 || count > 1024) {
      problem = "threads=" + value + ": expected a number from 1 to 1024";
      return false;
    }
    options.threads = int(count);
  }
  return true;
}
