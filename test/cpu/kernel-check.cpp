// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches every kernel of a file on two targets and compares what they wrote.
// The first line of the file is `// ` and JSON: for each kernel its grid, the
// tolerance and the arguments (views: dtype, sizes, strides, range of values,
// or `bits` for any bits between them; `same`: the number of an argument whose
// memory this one is; scalars: dtype, value). A tolerance of 0 asks for every
// bit, and any NaN for a NaN.
//
//   kernel-check FILE SPEC [SPEC2]        SPEC2 is `reference` by default
#include "kiln-c/Compiler.h"
#include "kiln-c/Runtime.h"
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

using nlohmann::json;

namespace {
struct Type {
  KilnDType dtype;
  size_t bytes;
  bool isFloat;
  double tolerance;
};

const std::map<std::string, Type> kTypes = {
    {"i1", {KILN_DTYPE_I1, 1, false, 0}},
    {"i8", {KILN_DTYPE_I8, 1, false, 0}},
    {"i16", {KILN_DTYPE_I16, 2, false, 0}},
    {"i32", {KILN_DTYPE_I32, 4, false, 0}},
    {"i64", {KILN_DTYPE_I64, 8, false, 0}},
    {"f16", {KILN_DTYPE_F16, 2, true, 2e-3}},
    {"bf16", {KILN_DTYPE_BF16, 2, true, 1e-2}},
    {"f32", {KILN_DTYPE_F32, 4, true, 2e-6}},
    {"f64", {KILN_DTYPE_F64, 8, true, 1e-13}},
};

double read(const Type &type, const char *at) {
  switch (type.dtype) {
  case KILN_DTYPE_F64: {
    double value;
    std::memcpy(&value, at, 8);
    return value;
  }
  case KILN_DTYPE_F32: {
    float value;
    std::memcpy(&value, at, 4);
    return value;
  }
  case KILN_DTYPE_BF16: {
    uint16_t half;
    std::memcpy(&half, at, 2);
    uint32_t bits = uint32_t(half) << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  case KILN_DTYPE_F16: {
    uint16_t half;
    std::memcpy(&half, at, 2);
    int exponent = (half >> 10) & 31, mantissa = half & 1023;
    double value = exponent == 31  ? (mantissa ? NAN : INFINITY)
                   : exponent == 0 ? std::ldexp(mantissa, -24)
                                   : std::ldexp(mantissa + 1024, exponent - 25);
    return half & 0x8000 ? -value : value;
  }
  default: {
    int64_t value = 0;
    std::memcpy(&value, at, type.bytes);
    int shift = 64 - 8 * int(type.bytes);
    return double(int64_t(uint64_t(value) << shift) >> shift);
  }
  }
}

void write(const Type &type, char *at, double value) {
  if (type.dtype == KILN_DTYPE_F64) {
    std::memcpy(at, &value, 8);
  } else if (type.isFloat) {
    float narrow = float(value);
    uint32_t bits;
    std::memcpy(&bits, &narrow, 4);
    if (type.dtype == KILN_DTYPE_BF16)
      bits >>= 16;
    if (type.dtype == KILN_DTYPE_F16) {
      // Toward zero; tiny values become zero.
      int exponent = int((bits >> 23) & 255) - 112;
      bits = ((bits >> 16) & 0x8000) |
             (exponent <= 0   ? 0
              : exponent > 30 ? 31 << 10
                              : (exponent << 10) | ((bits >> 13) & 1023));
    }
    std::memcpy(at, &bits, type.bytes);
  } else {
    int64_t whole = int64_t(std::floor(value));
    if (type.dtype == KILN_DTYPE_I1)
      whole &= 1;
    std::memcpy(at, &whole, type.bytes);
  }
}

struct Argument {
  const Type *type;
  std::vector<int64_t> sizes, strides;
  int64_t first = 0; ///< element that index 0 stands for
  int64_t same = -1; ///< the argument whose memory this is
  std::vector<char> initial, memory[2];
};

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  std::exit(1);
}

/// Any bits in the place of every second element; zeros and infinities, too.
void scatterBits(Argument &argument, std::mt19937 &random) {
  size_t bytes = argument.type->bytes;
  for (size_t at = 0; at < argument.initial.size(); at += bytes) {
    char *element = &argument.initial[at];
    uint32_t kind = random();
    if (kind & 1)
      continue;
    for (size_t i = 0; i < bytes; ++i)
      element[i] = char(kind & 2 ? random() : 0);
    if (!(kind & 2) && argument.type->isFloat)
      write(*argument.type, element,
            kind & 4 ? (kind & 8 ? -0.0 : 0.0)
                     : (kind & 8 ? -INFINITY : INFINITY));
    else if (!(kind & 2))
      element[bytes - 1] = char(0x80);
    if (argument.type->dtype == KILN_DTYPE_I1)
      element[0] &= 1;
  }
}

Argument makeArgument(const json &spec, std::mt19937 &random) {
  Argument argument;
  argument.type = &kTypes.at(spec.at("dtype"));
  if (spec.contains("sizes"))
    argument.sizes = spec["sizes"].get<std::vector<int64_t>>();
  size_t rank = argument.sizes.size();
  argument.strides.assign(rank, 1);
  for (size_t d = rank; d-- > 1;)
    argument.strides[d - 1] = argument.strides[d] * argument.sizes[d];
  if (spec.contains("strides"))
    argument.strides = spec["strides"].get<std::vector<int64_t>>();
  int64_t last = 0;
  for (size_t d = 0; d < rank; ++d) {
    int64_t reach = (argument.sizes[d] - 1) * argument.strides[d];
    (reach < 0 ? argument.first : last) += reach < 0 ? -reach : reach;
  }
  // Guards on both sides must stay as they are.
  constexpr int64_t guard = 32;
  argument.first += guard;
  size_t count = argument.first + last + 1 + guard;
  double lo = spec.value("lo", argument.type->isFloat ? -2.0 : -100.0);
  double hi = spec.value("hi", argument.type->isFloat ? 2.0 : 100.0);
  std::uniform_real_distribution<double> values(lo, hi);
  argument.initial.resize(count * argument.type->bytes);
  for (size_t i = 0; i < count; ++i)
    write(*argument.type, &argument.initial[i * argument.type->bytes],
          spec.contains("value") ? spec["value"].get<double>()
                                 : values(random));
  if (spec.value("bits", false))
    scatterBits(argument, random);
  argument.same = spec.value("same", -1);
  return argument;
}

/// A package for one target, loaded.
struct Target {
  Target(const std::string &source, const std::string &spec) {
    std::string option = "--target=" + spec;
    const char *args[] = {option.c_str()};
    void *bytes = nullptr;
    size_t size = 0;
    auto print = [](const char *message, void *) {
      std::fprintf(stderr, "%s\n", message);
    };
    if (kilnCompileBuffer(source.data(), source.size(), "kernels.mlir", 1, args,
                          print, nullptr, &bytes, &size) != 0)
      fail("cannot compile for " + spec);
    KilnPackage *package = nullptr;
    if (kilnPackageLoad(bytes, size, &package) != 0 ||
        kilnSessionCreate(package, spec.c_str(), &session) != 0)
      fail(kilnLastError());
    kilnFreeBytes(bytes);
    kilnPackageDestroy(package);
  }
  ~Target() { kilnSessionDestroy(session); }

  bool launch(const std::string &kernel, std::vector<Argument> &arguments,
              int slot, const int64_t grid[3]) {
    std::vector<KilnTensor *> tensors;
    for (Argument &argument : arguments) {
      argument.memory[slot] = argument.initial;
      std::vector<char> &memory = argument.same < 0
                                      ? argument.memory[slot]
                                      : arguments[argument.same].memory[slot];
      char *first =
          memory.data() + argument.first * int64_t(argument.type->bytes);
      KilnTensor *tensor = nullptr;
      if (kilnTensorWrap(argument.type->dtype, int(argument.sizes.size()),
                         argument.sizes.data(), argument.strides.data(), first,
                         &tensor) != 0)
        fail(kilnLastError());
      tensors.push_back(tensor);
    }
    int status = kilnSessionLaunch(session, kernel.c_str(), grid,
                                   tensors.size(), tensors.data());
    if (status != 0)
      std::printf("%s: not launched: %s\n", kernel.c_str(), kilnLastError());
    for (KilnTensor *tensor : tensors)
      kilnTensorDestroy(tensor);
    return status == 0;
  }

  KilnSession *session = nullptr;
};

/// Compares what was written; prints the worst difference.
bool compare(const std::string &kernel, size_t index, const Argument &argument,
             double factor) {
  const Type &type = *argument.type;
  double worst = 0, tolerance = type.tolerance * factor, expected = 0, got = 0;
  for (size_t at = 0; at < argument.initial.size(); at += type.bytes) {
    const char *x = &argument.memory[1][at], *y = &argument.memory[0][at];
    if (std::memcmp(x, y, type.bytes) == 0)
      continue;
    double want = read(type, x), have = read(type, y);
    if ((std::isnan(want) && std::isnan(have)) ||
        (want == have && tolerance > 0))
      continue;
    double error = std::fabs(want - have) / std::max(1.0, std::fabs(want));
    if (std::isnan(error) || std::isinf(error))
      error = 1e300;
    if (tolerance == 0)
      error = std::max(error, 1e-300);
    if (error > tolerance && error > worst) {
      worst = error;
      expected = want;
      got = have;
    }
  }
  if (worst > 0)
    std::printf("%s: argument %zu: expected %.9g, got %.9g\n", kernel.c_str(),
                index, expected, got);
  return worst == 0;
}
} // namespace

int main(int argc, char **argv) {
  if (argc < 3)
    fail("usage: kernel-check FILE SPEC [SPEC2]");
  std::ifstream file(argv[1]);
  std::stringstream text;
  text << file.rdbuf();
  std::string source = text.str();
  if (source.compare(0, 3, "// ") != 0)
    fail("expected a first line of JSON");
  json specs = json::parse(source.substr(3, source.find('\n') - 3));
  Target tested(source, argv[2]);
  Target oracle(source, argc > 3 ? argv[3] : "reference");
  int bad = 0, count = 0;
  for (const auto &[kernel, spec] : specs.items()) {
    std::mt19937 random(++count);
    std::vector<Argument> arguments;
    for (const json &argument : spec.at("args"))
      arguments.push_back(makeArgument(argument, random));
    int64_t grid[3] = {1, 1, 1};
    for (size_t d = 0; d < spec.at("grid").size(); ++d)
      grid[d] = spec["grid"][d];
    bool fine = tested.launch(kernel, arguments, 0, grid) &&
                oracle.launch(kernel, arguments, 1, grid);
    for (size_t i = 0; fine && i < arguments.size(); ++i)
      fine = compare(kernel, i, arguments[i], spec.value("tolerance", 1.0));
    bad += !fine;
  }
  std::printf("%d kernels, %d bad\n", count, bad);
  return bad != 0;
}
