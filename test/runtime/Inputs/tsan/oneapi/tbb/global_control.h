// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstddef>

namespace oneapi::tbb {
struct global_control {
  enum parameter { max_allowed_parallelism };
  global_control(parameter, size_t) {}
};
} // namespace oneapi::tbb
