// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conformance suite as data: modules of programs, and for each program the
// calls that make its cases. The compiler half writes it as JSON, the half that
// runs cases reads it. docs/conformance.md has the fields.
#ifndef KILN_SDK_CONFORM_SUITE_H
#define KILN_SDK_CONFORM_SUITE_H

#include "kiln/System/DType.h"
#include "kiln/System/Error.h"
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::conform {

/// Where the values of an argument come from; with the seed of its case they
/// are the same on every machine.
struct Fill {
  std::string kind = "plain";
  double low = 0, high = -1; ///< what numbers lie in; low > high: by kind
};

/// An argument of one call.
struct CallArgument {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; ///< in elements; empty: row-major
  Fill fill;
};

/// One call of a program: a case.
struct Call {
  std::string name; ///< within its program
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::vector<CallArgument> args;
  uint64_t seed = 0; ///< of its values; 0: that of the run
};

struct Param {
  runtime::DType dtype = runtime::DType::none;
  bool isScalar = false;
  bool isWritten = false; ///< compared after the call
  bool isPointer = false; ///< to the first element
};

/// A kernel or function that is there for one operation and type.
struct Program {
  std::string id;    ///< LEVEL/OPERATION/TYPE/FORM
  std::string entry; ///< its symbol
  std::string op, type, form, level;
  std::vector<std::string> profiles;
  bool isKernel = false;
  bool isBitwise = false;    ///< NaN keep their bits
  bool hasFreeZeros = false; ///< zeros have any sign
  bool isChained = false;    ///< several roundings may cancel
  /// What follows its name in the independent results of elementwise
  /// operations: attributes that change the result; "-": it has none.
  std::string variant = "-";
  std::vector<Param> params;
  std::vector<Call> calls;
};

/// Programs that are compiled together.
struct Module {
  std::string name, level, text;
  std::vector<Program> programs;
};

/// An operation without cases, and why.
struct Exemption {
  std::string op, reason;
};

struct Suite {
  std::vector<Module> modules;
  std::vector<Exemption> exempt;
  std::vector<std::string> uncovered; ///< operations with neither
};

runtime::Expected<Suite> suiteFromJson(std::string_view text);

/// LEVEL/OPERATION/TYPE/FORM/CALL.
inline std::string caseName(const Program &program, const Call &call) {
  return program.id + "/" + call.name;
}

} // namespace kiln::conform

#endif
