// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of the functions of device libraries.
#include "ExternFunctions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace kiln::triton_to_tile {
namespace {

const ExternFunction *find(StringRef name, bool hasMode) {
  using Table = llvm::StringMap<const ExternFunction *>;
  static const std::array<Table, 2> tables = [] {
    std::array<Table, 2> all;
    for (ArrayRef<ExternFunction> part :
         {getSimpleFunctions(), getSpecialFunctions(), getIntegerFunctions(),
          getConversionFunctions(), getRoundedFunctions()})
      for (const ExternFunction &function : part)
        all[function.hasMode][function.name] = &function;
    return all;
  }();
  return tables[hasMode].lookup(name);
}

bool usesReal(const ExternFunction &function) {
  return StringRef(function.signature).contains('r');
}

/// Takes one of the suffixes off; the modes are in the order of `Mode`.
std::optional<Mode> consumeMode(StringRef &name, ArrayRef<StringRef> suffixes) {
  for (auto [i, suffix] : llvm::enumerate(suffixes))
    if (name.consume_back(suffix))
      return static_cast<Mode>(i);
  return std::nullopt;
}

std::optional<ExternSymbol> make(const ExternFunction *function, char real,
                                 Mode mode = Mode::rn) {
  if (!function || (function->name == "rsqrt" && mode != Mode::rn))
    return std::nullopt;
  return ExternSymbol{function, real, mode};
}

/// `__nv_`: functions of f32 end in f, those of f64 in nothing; with a mode
/// they begin with f and d. Names of functions with other types are whole.
std::optional<ExternSymbol> parseNv(StringRef name) {
  if (std::optional<Mode> mode =
          consumeMode(name, {"_rn", "_rz", "_ru", "_rd"})) {
    if (name == "fma" || name == "fmaf")
      return make(find("fma", true), name == "fma" ? 'd' : 'f', *mode);
    const ExternFunction *function = find(name, true);
    if (function && !usesReal(*function))
      return make(function, '?', *mode);
    if (name.starts_with("f") || name.starts_with("d"))
      if (name != "drsqrt" && name.drop_front() != "fma")
        return make(find(name.drop_front(), true), name.front(), *mode);
    return std::nullopt;
  }
  if (name.consume_front("fast_")) {
    if (!llvm::is_contained({"sinf", "cosf", "tanf", "expf", "exp10f", "logf",
                             "log2f", "log10f", "powf", "fdividef"},
                            name))
      return std::nullopt;
    std::optional<ExternSymbol> plain = parseNv(name);
    if (plain)
      plain->isFast = true;
    return plain;
  }
  // The whole name first: erf is no `er` of f32.
  if (const ExternFunction *function = find(name, false))
    return make(function, 'd');
  if (name.consume_back("f"))
    if (const ExternFunction *function = find(name, false))
      if (usesReal(*function))
        return make(function, 'f');
  return std::nullopt;
}

/// `__ocml_`: all names end in their real type, before it in the mode.
std::optional<ExternSymbol> parseOcml(StringRef name) {
  char real = name.consume_back("_f32")   ? 'f'
              : name.consume_back("_f64") ? 'd'
              : name.consume_back("_f16") ? 'h'
                                          : 0;
  if (!real)
    return std::nullopt;
  std::optional<Mode> mode =
      consumeMode(name, {"_rte", "_rtz", "_rtp", "_rtn"});
  if (!mode && name.consume_front("native_") &&
      !llvm::is_contained({"sin", "cos", "exp", "exp2", "exp10", "log", "log2",
                           "log10", "sqrt", "rsqrt", "rcp", "recip"},
                          name))
    return std::nullopt;
  name = llvm::StringSwitch<StringRef>(name)
             .Case("i0", "cyl_bessel_i0")
             .Case("i1", "cyl_bessel_i1")
             .Case("len3", "norm3d")
             .Case("len4", "norm4d")
             .Case("mad", "fma")
             .Case("ncdf", "normcdf")
             .Case("ncdfinv", "normcdfinv")
             .Case("pown", "powi")
             .Case("recip", "rcp")
             .Case("rlen3", "rnorm3d")
             .Case("rlen4", "rnorm4d")
             .Default(name);
  const ExternFunction *function = find(name, mode.has_value());
  if (!function || !usesReal(*function))
    return std::nullopt;
  return make(function, real, mode.value_or(Mode::rn));
}

} // namespace

std::optional<ExternSymbol> parseExternSymbol(StringRef symbol) {
  if (symbol.consume_front("__nv_"))
    return parseNv(symbol);
  if (symbol.consume_front("__ocml_"))
    return parseOcml(symbol);
  // Triton's own wrappers have one name for all types.
  if (symbol.consume_front("__triton_hip_")) {
    StringRef name = llvm::StringSwitch<StringRef>(symbol)
                         .Case("fast_expf", "exp")
                         .Case("fast_fdividef", "fdivide")
                         .Case("fast_tanhf", "tanh")
                         .Cases({"fabs", "iabs", "llrint"}, symbol)
                         .Default("");
    return make(find(name, false), '?');
  }
  return std::nullopt;
}

} // namespace kiln::triton_to_tile
