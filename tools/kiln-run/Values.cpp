// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values and shapes as text of the command line.
#include "Values.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>

using namespace kiln::run;
using namespace kiln::runtime;

std::vector<std::string> kiln::run::split(const std::string &text,
                                          char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool kiln::run::parseCount(const std::string &text, uint64_t &value) {
  if (text.empty() || text.size() > 18 ||
      text.find_first_not_of("0123456789") != std::string::npos)
    return false;
  value = std::strtoull(text.c_str(), nullptr, 10);
  return true;
}

bool kiln::run::parseShape(const std::string &text,
                           std::vector<int64_t> &shape) {
  if (text.empty())
    return true;
  for (const std::string &part : split(text, 'x')) {
    uint64_t size = 0;
    if (!parseCount(part, size))
      return false;
    shape.push_back(int64_t(size));
  }
  return true;
}

std::string kiln::run::shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

bool kiln::run::parseValue(DType dtype, const std::string &text,
                           Tensor &tensor) {
  const char *begin = text.c_str();
  char *end = nullptr;
  errno = 0;
  if (isFloat(dtype)) {
    double value = std::strtod(begin, &end);
    storeDouble(dtype, tensor.data(), 0, value);
    return end != begin && !*end;
  }
  if (dtype == DType::i1 && (text == "true" || text == "false")) {
    storeInt(dtype, tensor.data(), 0, text == "true");
    return true;
  }
  // 64 bits are taken as signed or unsigned, as i64 says neither.
  int64_t value = dtypeBits(dtype) == 64 && text[0] != '-'
                      ? int64_t(std::strtoull(begin, &end, 0))
                      : std::strtoll(begin, &end, 0);
  if (end == begin || *end || errno == ERANGE)
    return false;
  storeInt(dtype, tensor.data(), 0, value);
  int64_t kept = loadAsInt(dtype, tensor.data(), 0);
  int bits = dtypeBits(dtype);
  // So are the bits of narrower types.
  return kept == value ||
         (bits < 64 && value > 0 && value >> bits == 0 && dtype != DType::i1);
}
