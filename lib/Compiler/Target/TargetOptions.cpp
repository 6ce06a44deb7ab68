//===- TargetOptions.cpp - Parsing SPEC strings ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/TargetOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace kiln::target;
using llvm::StringRef;

/// Whether `text` may be a target's, chip's or key's name.
static bool isWord(StringRef text) {
  return !text.empty() && llvm::all_of(text, [](char c) {
    return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' ||
           c == '.';
  });
}

std::optional<TargetOptions> TargetOptions::parse(StringRef text,
                                                  std::string &error) {
  TargetOptions options;
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  auto [name, chip] = parts.front().split(':');
  if (!isWord(name)) {
    error = "expected a target SPEC name[:chip][,key=value...], found '" +
            text.str() + "'";
    return std::nullopt;
  }
  options.name = name.str();
  options.chip = chip.str();
  if (parts.front().contains(':') && !isWord(chip)) {
    error = "expected a chip after ':' in SPEC '" + text.str() + "', found '" +
            chip.str() + "'";
    return std::nullopt;
  }
  for (StringRef part : llvm::drop_begin(parts)) {
    auto [key, value] = part.split('=');
    if (!isWord(key)) {
      error = "expected key=value in SPEC '" + text.str() + "', found '" +
              part.str() + "'" +
              (part.empty() ? ": what follows an empty item is for kiln-run, "
                              "which gives it to the device driver"
                            : "");
      return std::nullopt;
    }
    options.values.emplace_back(key.str(), value.str());
  }
  return options;
}

std::string TargetOptions::str() const {
  std::string text = name;
  if (!chip.empty())
    text += ":" + chip;
  for (const auto &[key, value] : values)
    text += "," + key + (value.empty() ? "" : "=" + value);
  return text;
}

std::optional<StringRef> TargetOptions::get(StringRef key) const {
  for (const auto &[name, value] : llvm::reverse(values))
    if (name == key)
      return StringRef(value);
  return std::nullopt;
}

StringRef TargetOptions::get(StringRef key, StringRef otherwise) const {
  return get(key).value_or(otherwise);
}

int64_t TargetOptions::getInt(StringRef key, int64_t otherwise) const {
  int64_t value = 0;
  std::optional<StringRef> text = get(key);
  if (!text || text->getAsInteger(0, value))
    return otherwise;
  return value;
}

bool TargetOptions::getBool(StringRef key, bool otherwise) const {
  std::optional<StringRef> text = get(key);
  if (!text)
    return otherwise;
  return text->empty() || *text == "1" || *text == "true" || *text == "on" ||
         *text == "yes";
}
