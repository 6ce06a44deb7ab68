// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that host programs call by name, on dense tensors of the host.
#ifndef KILN_LIB_RUNTIME_HOSTFUNCTIONS_H
#define KILN_LIB_RUNTIME_HOSTFUNCTIONS_H

#include "kiln/Runtime/Program.h"
#include <algorithm>

namespace kiln::runtime {

/// A dense row-major tensor.
struct HostArray {
  DType dtype = DType::none;
  std::vector<int64_t> shape;
  void *data = nullptr;

  template <typename T> T *as() const { return static_cast<T *>(data); }
  /// The size of a dimension, counted from the end; 1 of those beyond.
  int64_t last(size_t number) const {
    return number < shape.size() ? shape[shape.size() - 1 - number] : 1;
  }
  /// How many parts of `rank` dimensions there are.
  int64_t batch(size_t rank) const {
    int64_t count = 1;
    for (size_t d = 0; d + rank < shape.size(); ++d)
      count *= shape[d];
    return count;
  }
};

/// What a call is about. Sources are not written.
struct HostCall {
  const std::vector<std::string> &flags;
  std::vector<HostArray> sources, targets;

  bool has(const char *flag) const {
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
  }
};

/// One of the functions.
struct HostFunction {
  const char *name;
  /// Sizes and types of the tensors, one letter for each dimension beyond the
  /// batch and then the type: "mn:x", "k:i"; sources, then targets. Of k the
  /// size is the less of m and n; x is f32 or f64, i is i32.
  std::vector<std::string> sources, targets;
  std::vector<std::string> flags = {}; ///< that it knows
  /// Takes and gives any tensors; the one flag is the name of a function that
  /// the process has registered (kilnCallbackRegister).
  bool isCallback = false;
};

/// Null: there is none.
const HostFunction *findHostFunction(const std::string &name);

/// Checks types and shapes of a call, and runs it.
Error runHostFunction(const HostFunction &function, HostCall &call);

/// Calls the function that the process has registered under the flag.
Error runCallback(HostCall &call);

} // namespace kiln::runtime

#endif
