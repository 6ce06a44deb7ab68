// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target: host programs as JSON.
#include "kiln/Runtime/Session.h"

using namespace kiln::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  Expected<HostProgram> program = programFromJson(text);
  if (!program)
    return 0;
  toText(*program);
  if (verify(*program, 2))
    return 0;
  Package package;
  TargetProgram target;
  target.program = *program;
  for (const Function &function : target.program.functions) {
    std::vector<std::vector<int64_t>> shapes;
    for (const Argument &arg : function.args) {
      shapes.push_back(arg.shape);
      for (int64_t &dim : shapes.back())
        dim = dim == kDynamic ? 3 : dim;
    }
    (void)bool(measure(package, target, function, shapes));
  }
  return 0;
}
