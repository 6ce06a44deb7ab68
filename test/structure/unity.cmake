# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What decides whether files are compiled together. Usage: cmake -P unity.cmake FOLDER
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/KilnUnity.cmake")
set(file "${CMAKE_ARGV3}/united.cpp")
file(WRITE "${file}" [[
// Text.
#define GEN_PASS_DEF_ONE
#define OWN 1
using namespace mlir;
using namespace kiln::tile;
using kiln::Other;
namespace {
constexpr int kMost = 3;
const char *const kNames[] = {"a;b", "c"};
struct Plan : Base {
  int size() const { return area(kMost); }
};
enum class Kind { One };
template <typename T> T twice(T value) { return value.next() + helper(inner(value)); }
} // namespace
static SmallVector<int64_t> wide(Value value) { return kiln::sizes(value); }
LogicalResult kiln::tile::lower(Value value) { return failure(); }
]])
kiln_outer_names("${file}" names called used alone)
message(STATUS "names: ${names}")
message(STATUS "called: ${called}")
message(STATUS "used: ${used}")
message(STATUS "alone:" ${alone})
