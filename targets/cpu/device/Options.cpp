// "chip,key=value,…", and whether this machine is such a chip.
#include "CpuDevice.h"
#include <algorithm>
#include <cstdlib>

using namespace kiln::cpu;

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

#if defined(__x86_64__)
/// Whether the machine has an extension; nothing for a name not known here.
std::optional<bool> hasFeature(const std::string &name) {
#define KILN_FEATURE(NAME)                                                     \
  if (name == NAME)                                                            \
    return bool(__builtin_cpu_supports(NAME));
  KILN_FEATURE("sse4.2")
  KILN_FEATURE("avx")
  KILN_FEATURE("avx2")
  KILN_FEATURE("fma")
  KILN_FEATURE("f16c")
  KILN_FEATURE("bmi2")
  KILN_FEATURE("avx512f")
  KILN_FEATURE("avx512bw")
  KILN_FEATURE("avx512cd")
  KILN_FEATURE("avx512dq")
  KILN_FEATURE("avx512vl")
  KILN_FEATURE("avx512vnni")
  KILN_FEATURE("avx512bf16")
  KILN_FEATURE("avx512fp16")
  KILN_FEATURE("avxvnni")
  KILN_FEATURE("amx-tile")
  KILN_FEATURE("amx-bf16")
  KILN_FEATURE("amx-int8")
  KILN_FEATURE("x86-64")
  KILN_FEATURE("x86-64-v2")
  KILN_FEATURE("x86-64-v3")
  KILN_FEATURE("x86-64-v4")
#undef KILN_FEATURE
  return std::nullopt;
}
#else
std::optional<bool> hasFeature(const std::string &) { return std::nullopt; }
#endif

} // namespace

bool kiln::cpu::parseOptions(const char *text, Options &options,
                             std::string &problem) {
  for (const std::string &part : split(text, ',')) {
    size_t equals = part.find('=');
    if (equals == std::string::npos) {
      options.chip = part;
      continue;
    }
    std::string key = part.substr(0, equals);
    std::string value = part.substr(equals + 1);
    // Other keys are the compiler's; it has checked them.
    if (key == "requires")
      options.required = split(value, '+');
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

bool kiln::cpu::checkFeatures(const Options &options, std::string &problem) {
  std::vector<std::string> names = options.required;
  names.push_back(options.chip);
  for (const std::string &name : names)
    if (hasFeature(name) == false) {
      problem = "this machine is not able to run code for '" + name + "'";
      return false;
    }
  return true;
}
