// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler, loaded when it is needed.
#ifndef KILN_SDK_CONFORM_COMPILER_H
#define KILN_SDK_CONFORM_COMPILER_H

#include "kiln-c/Compiler.h"
#include "kiln-c/Conform.h"
#include "kiln/System/Error.h"
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::conform {

/// What a compilation gave.
struct Compiled {
  std::string package;     ///< empty where it failed
  std::string diagnostics; ///< one per line
  /// For each kernel, and for each function, who declined it and why.
  std::map<std::string, std::string> declined;
};

class Compiler {
public:
  /// libKiln.so beside the runtime, else where the system looks.
  static runtime::Expected<Compiler> load();

  Compiled compile(std::string_view text, const std::string &name,
                   const std::vector<std::string> &args) const;
  /// JSON of the suite, of a target, or of random programs: kiln-c/Conform.h.
  runtime::Expected<std::string>
  ask(const std::vector<std::string> &args) const;

private:
  decltype(&kilnCompile) compileFn = nullptr;
  decltype(&kilnFreeBytes) freeFn = nullptr;
  decltype(&kilnConform) conformFn = nullptr;
};

} // namespace kiln::conform

#endif
