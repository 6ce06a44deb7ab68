// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels print.
#include "kiln/Runtime/Print.h"
#include "kiln/System/DType.h"
#include <charconv>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace kiln::runtime;

namespace {

template <typename T> void append(std::string &text, T value, int base = 10) {
  char digits[72];
  std::to_chars_result end;
  if constexpr (std::is_floating_point_v<T>)
    end = std::to_chars(digits, digits + sizeof(digits), value);
  else
    end = std::to_chars(digits, digits + sizeof(digits), value, base);
  text.append(digits, end.ptr);
}

void appendList(std::string &text, const int64_t *numbers, uint64_t count) {
  text += '(';
  for (uint64_t i = 0; i < count; ++i) {
    text += i ? ", " : "";
    append(text, numbers[i]);
  }
  text += ')';
}

void appendElement(std::string &text, DType dtype, uint64_t flags,
                   const void *elements, int64_t index) {
  int64_t bytes = dtypeBytes(dtype);
  if (flags & (KILN_PRINT_HEX | KILN_PRINT_UNSIGNED)) {
    uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const char *>(elements) + index * bytes,
                size_t(bytes));
    if (flags & KILN_PRINT_HEX) {
      text += "0x";
      return append(text, bits, 16);
    }
    if (isInteger(dtype))
      return append(text, bits);
  }
  if (!isFloat(dtype))
    return append(text, loadAsInt(dtype, elements, index));
  double value = loadAsDouble(dtype, elements, index);
  // The fewest digits that tell it from its neighbours.
  if (dtype == DType::f64)
    append(text, value);
  else
    append(text, float(value));
}

} // namespace

std::string kiln::runtime::formatPrinted(const KilnPrintedValue &value,
                                         const uint8_t *poison) {
  auto dtype = static_cast<DType>(value.dtype);
  int64_t count = 1;
  for (uint64_t d = 0; d < value.rank; ++d)
    count *= value.shape[d];
  std::string start = "pid ", text;
  appendList(start, value.program, 3);
  std::vector<int64_t> index(value.rank);
  for (int64_t i = 0; i < count; ++i) {
    text += start;
    if (!(value.flags & KILN_PRINT_SCALAR)) {
      int64_t rest = i;
      for (uint64_t d = value.rank; d-- > 0; rest /= value.shape[d])
        index[d] = rest % value.shape[d];
      text += " idx ";
      appendList(text, index.data(), value.rank);
    }
    text += value.prefix;
    if (poison && poison[i])
      text += "poison";
    else if (dtype != DType::none)
      appendElement(text, dtype, value.flags, value.elements, i);
    text += '\n';
  }
  return text;
}

void kiln::runtime::printValue(const KilnPrintedValue *value) {
  std::string text = formatPrinted(*value);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}
