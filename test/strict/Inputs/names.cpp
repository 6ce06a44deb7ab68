// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// References to what nobody registers.
#include "bad.h"

using namespace mlir;
using namespace kiln::target;

namespace {
LogicalResult decline(Operation *op, LoweringContext &ctx) {
  return ctx.decline(op, "it never does anything");
}

void addDescription(TargetRegistry &registry, const std::string &fields) {
  registry.addDescribedTarget(
      "#kiln.target<name = \"described\", chip = \"d1\", " + fields + ">");
}

void registerAll(TargetRegistry &registry) {
  registry.addLowering({"n.dot", "cpu", "tile.dot", 1, decline, "", 0});
  for (const char *op : {"interface.matrix_product", "interface.view_read",
                         "interface.view_write"})
    registry.addLowering({op, "cpu", op, 1, decline, "", 0});
  Schedule scan;
  scan.name = "n.scan";
  scan.kind = "scan";
  scan.emit = decline;
  registry.addSchedule(scan);
  if (bad("interface"))
    registry.addLowering(
        {"n.matrix", "cpu", "interface.matrix", 1, decline, "", 0});
  auto addNothing = [](OpPassManager &, const TargetOptions &) {};
  if (bad("op"))
    registry.addLowering({"n.dott", "cpu", "tile.dott", 1, decline, "", 0});
  if (bad("dialect"))
    registry.addLowering({"n.tyle", "cpu", "tyle.dot", 1, decline, "", 0});
  if (bad("target"))
    registry.addLowering({"n.peble", "peble", "tile.dot", 1, decline, "", 0});
  for (int i = 0; i < 2 && bad("lowering-twice"); ++i)
    registry.addLowering({"n.again", "cpu", "tile.dot", 1, decline, "", 0});
  if (bad("point-nameless"))
    registry.addExtensionPoint({"", "", ""});
  if (bad("option"))
    registry.addOption("peble", {"speed", "N", ""});
  if (bad("option-there"))
    registry.addOption("cpu", {"threads", "on|off", ""});
  if (bad("point"))
    registry.addPass("peble.tile", "p", addNothing);
  if (bad("point-of-cpu"))
    registry.addPass("cpu.nowhere", "p", addNothing);
  if (bad("kind")) {
    Schedule schedule;
    schedule.name = "n.schedule";
    schedule.kind = "kontract";
    schedule.emit = decline;
    registry.addSchedule(schedule);
  }
  if (bad("claim")) {
    PrimClaim claim;
    claim.name = "n.claim";
    claim.target = "peble";
    claim.claim = decline;
    registry.addPrimClaim(claim);
  }
  if (bad("limit"))
    addDescription(registry, "limits = {max_runk = 4 : i64}");
  if (bad("family"))
    addDescription(registry, "family = \"vectr\", triple = \"x86_64-linux\"");
  if (bad("unit-type"))
    addDescription(registry, "units = [#kiln.unit<name = \"u\", kind = "
                             "\"matrix\", types = [memref<4xf32>]>]");
  if (bad("matrix-type"))
    addDescription(
        registry,
        "units = [#kiln.unit<name = \"u\", kind = matrix, types = [bf16]>],"
        "matrix_instructions = [#kiln.matrix_instruction<name = \"i\", unit = "
        "\"u\", "
        "m = <16>, n = <16>, k = <16>, lhs = <types = [f64]>, "
        "rhs = <types = [bf16]>, acc = <types = [f32]>>]");
}
} // namespace

KILN_TARGET_PLUGIN("names", "1.0", registerAll)
