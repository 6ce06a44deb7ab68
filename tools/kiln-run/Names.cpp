// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments, results and dimensions by name.
#include "Names.h"

using namespace kiln::run;
using namespace kiln::runtime;

std::vector<std::string> kiln::run::argumentNames(const Function &function) {
  std::vector<std::string> names;
  for (const Argument &arg : function.args)
    names.push_back(arg.name);
  return names;
}

std::vector<std::string> kiln::run::resultNames(const Function &function) {
  std::vector<std::string> names;
  for (const Result &result : function.results)
    names.push_back(result.name);
  return names;
}

std::optional<size_t> kiln::run::takeName(const std::string &text,
                                          char separator,
                                          const std::vector<std::string> &names,
                                          std::string &rest) {
  std::optional<size_t> best;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string &name = names[i];
    bool fits = !name.empty() && text.size() > name.size() &&
                text.compare(0, name.size(), name) == 0 &&
                text[name.size()] == separator;
    if (fits && (!best || name.size() > names[*best].size()))
      best = i;
  }
  if (best)
    rest = text.substr(names[*best].size() + 1);
  return best;
}

std::string kiln::run::listNames(const std::vector<std::string> &names) {
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "" : ", ") + (name.empty() ? "(no name)" : name);
  return list.empty() ? "none" : list;
}

std::string kiln::run::labelOf(const char *what, size_t index,
                               const std::string &name) {
  std::string number = std::to_string(index);
  std::string label = std::string(what) + " " + number;
  // What the compiler calls them where the source has no name.
  bool isNumber = name == "arg" + number || name == "result" + number;
  return name.empty() || isNumber ? label : label + " (" + name + ")";
}

std::optional<InputError>
kiln::run::resolveFiles(const std::vector<std::string> &texts, const char *what,
                        const Function &function,
                        std::vector<NumberedFile> &files) {
  bool isResult = std::string(what) == "result";
  std::vector<std::string> names =
      isResult ? resultNames(function) : argumentNames(function);
  for (const std::string &text : texts) {
    std::string file;
    std::optional<size_t> index = takeName(text, ':', names, file);
    size_t colon = text.find(':');
    std::string key = text.substr(0, colon);
    bool isNumber = key.find_first_not_of("0123456789") == std::string::npos;
    if (!index && isNumber && key.size() < 10) {
      index = size_t(std::stoul(key));
      file = text.substr(colon + 1);
    }
    if (!index || file.empty()) {
      std::vector<std::string> others =
          isResult ? argumentNames(function) : resultNames(function);
      bool isOther = takeName(text, ':', others, file).has_value();
      return InputError{"'" + function.name + "' has no " + what + " '" + key +
                            "', it has " + listNames(names) +
                            (!isOther   ? ""
                             : isResult ? " (arguments: --save)"
                                        : " (results: --result)"),
                        kWrongUsage};
    }
    if (*index >= names.size())
      return InputError{"'" + function.name + "' has no " + what + " " + key +
                            ", it has " + std::to_string(names.size()),
                        kWrongUsage};
    files.emplace_back(*index, file);
  }
  return std::nullopt;
}
