//===- ResolveLocations.cpp - Call sites without a place ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Gpu/Locations.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace kiln;

static bool hasPlace(Location loc) {
  return bool(loc->findInstanceOf<FileLineColLoc>());
}

/// Call sites with a place on both sides, or the side that has one.
static Location resolve(Location loc) {
  auto site = dyn_cast<CallSiteLoc>(loc);
  if (!site)
    return loc;
  Location callee = resolve(site.getCallee()),
           caller = resolve(site.getCaller());
  if (!hasPlace(callee))
    return caller;
  return hasPlace(caller) ? Location(CallSiteLoc::get(callee, caller)) : callee;
}

/// Where a call is that states no place: where its function is. LLVM refuses
/// calls without a place between functions that have debug information.
static Location placeOfCall(Operation *call) {
  if (hasPlace(call->getLoc()))
    return call->getLoc();
  if (auto function = call->getParentOfType<FunctionOpInterface>())
    if (auto place = function->getLoc()->findInstanceOf<FileLineColLoc>())
      return place;
  return FileLineColLoc::get(call->getContext(), "<unknown>", 0, 0);
}

namespace {
struct ResolveLocations
    : PassWrapper<ResolveLocations, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ResolveLocations)
  StringRef getName() const final { return "SimtResolveLocations"; }
  StringRef getArgument() const override { return "simt-resolve-locations"; }
  StringRef getDescription() const override {
    return "Replaces call-site locations without a file by the caller's or "
           "callee's location, and gives calls without one that of their "
           "function";
  }

  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      op->setLoc(resolve(op->getLoc()));
      if (isa<CallOpInterface>(op))
        op->setLoc(placeOfCall(op));
    });
  }
};
} // namespace

std::unique_ptr<Pass> simt::createResolveLocationsPass() {
  return std::make_unique<ResolveLocations>();
}
