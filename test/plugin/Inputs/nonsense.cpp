// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plug-in whose registration throws or whose tables make no sense; the
// environment says how.
#include "kiln/Target/Plugin.h"
#include <cstdlib>
#include <stdexcept>
#include <thread>

using namespace kiln::target;

namespace {
bool bad(llvm::StringRef kind) {
  const char *wanted = std::getenv("BAD");
  return wanted && kind == wanted;
}

class Nonsense : public Target {
public:
  llvm::StringRef name() const override {
    return bad("name") ? "not a name" : "nonsense";
  }
  std::vector<ChipInfo> chips() const override {
    return {{bad("chip") ? "a,b" : "a", ""}};
  }
  TargetAttr description(mlir::MLIRContext *context,
                         const TargetOptions &) const override {
    if (bad("abort"))
      std::abort();
    if (bad("null"))
      return {};
    std::string body = "name = \"nonsense\", chip = \"a\"";
    if (bad("memory"))
      body += ", memories = [#kiln.memory<name = \"m\", scope = \"moon\", "
              "kind = cached>]";
    if (bad("unit"))
      body += ", units = [#kiln.unit<name = \"u\", kind = vector, "
              "homes = [\"m\"]>]";
    if (bad("other"))
      body = "name = \"other\", chip = \"a\"";
    return parseDescription("#kiln.target<" + body + ">", context);
  }
};

void registerAll(TargetRegistry &registry) {
  if (bad("throw"))
    throw std::runtime_error("the tables are upside down");
  if (bad("thread"))
    std::thread([] { throw std::runtime_error("no chip 7"); }).join();
  registry.addTarget(std::make_unique<Nonsense>());
  if (bad("twice"))
    registry.addTarget(std::make_unique<Nonsense>());
  if (bad("lowering"))
    registry.addLowering(
        {"nonsense.dot", "nonsense", "tile.dot", 1, {}, "", 0});
  if (bad("pass"))
    registry.addPass("nonsense.nowhere", "p",
                     [](mlir::OpPassManager &, const TargetOptions &) {});
}
} // namespace

KILN_TARGET_PLUGIN("nonsense", "1.0", registerAll)
