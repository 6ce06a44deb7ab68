//===- Fallback.cpp - What targets decline, and who takes it then ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"
#include "kiln/Interfaces/Claim.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/Limits.h"
#include "kiln/Target/PluginLoader.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using namespace kiln::target;

/// What the description lacks of what a family generates code for.
static std::string whyNone(TargetAttr description) {
  std::string family = description.getFamily().str();
  if (family.empty())
    return "";
  const Family *known = TargetRegistry::get().findFamily(family);
  if (!known)
    return ": its description names family '" + family +
           "', which is not registered";
  if (!known->buildPipeline)
    return ": family '" + family +
           "' needs a target with a pipeline and a serialiser of its own";
  return description.getTriple().empty()
             ? ": its description names family '" + family + "', but no triple"
             : "";
}

/// An operation of a kernel that another target has claimed.
static Operation *foreignClaim(Operation *kernel, const BoundTarget &bound) {
  Operation *found = nullptr;
  // A target that takes programs in prim takes what is in the claim.
  if (bound.target->inputLevel() == InputLevel::Prim)
    return nullptr;
  kernel->walk([&](Operation *op) {
    if (!isClaim(op) || claimant(op) == bound.options.name)
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

FailureOr<bool> kiln::driver::accepts(Operation *op, const BoundTarget &bound,
                                      std::string &reason) {
  reason = checkLimits(op, bound.description);
  if (!reason.empty())
    return false;
  if (Operation *claim = foreignClaim(op, bound)) {
    reason = ("it holds '" + claimName(claim) + "', which target '" +
              claimant(claim) + "' has claimed")
                 .str();
    return false;
  }
  if (!bound.target->hasPipeline()) {
    reason = "the target has no code generator" + whyNone(bound.description);
    return false;
  }
  std::string owner = describeTarget(*bound.target, "'accepts' of");
  std::optional<OperationFingerPrint> before;
  if (!isOwnPlugin(pluginOf(*bound.target)))
    before.emplace(op);
  bool taken = false;
  if (failed(runGuardedActivity(owner, op, [&] {
        taken =
            bound.target->accepts(op, bound.description, bound.options, reason);
        return success();
      })))
    return failure();
  if (before && *before != OperationFingerPrint(op))
    return op->emitError()
           << owner << " changed '" << SymbolTable::getSymbolName(op).getValue()
           << "': it has to leave the kernel as it was, and to say whether "
              "the target compiles it";
  if (!taken && reason.empty())
    return op->emitError() << owner << " declined '"
                           << SymbolTable::getSymbolName(op).getValue()
                           << "' without a reason";
  return taken;
}

FailureOr<BoundTarget> kiln::driver::fallbackHost(ArrayRef<BoundTarget> targets,
                                                  MLIRContext *context,
                                                  bool noFallback) {
  const Target *host = findHostTarget();
  if (noFallback || !host || host->inputLevel() != InputLevel::Tile ||
      llvm::any_of(targets, [&](const BoundTarget &bound) {
        return bound.target == host;
      }))
    return BoundTarget();
  BoundTarget bound = TargetRegistry::get().bind(host->name(), context);
  if (!bound)
    return failure();
  return bound;
}

/// "target 'a'", "targets 'a' and 'b'".
static std::string listTargets(ArrayRef<BoundTarget> targets) {
  std::string text = targets.size() > 1 ? "targets " : "target ";
  for (auto [i, bound] : llvm::enumerate(targets))
    text += (i ? ", '" : "'") + bound.options.name + "'";
  return text;
}

LogicalResult kiln::driver::refuse(Operation *op, ArrayRef<BoundTarget> targets,
                                   bool noFallback) {
  bool isKernel = op->getName().getStringRef() == "tile.kernel";
  auto diag = op->emitError()
              << (noFallback ? "" : "unsupported: ")
              << (isKernel ? "kernel '" : "function '")
              << SymbolTable::getSymbolName(op).getValue()
              << "' is not placed on " << listTargets(targets)
              << (noFallback ? ", and --no-fallback leaves it no other" : "");
  for (const Decline &decline :
       Report::of(op->getContext()).pendingDeclines(op))
    diag.attachNote(op->getLoc())
        << decline.name << " declined: " << decline.reason;
  return diag;
}

std::string kiln::driver::chainOf(Operation *op) {
  std::string chain;
  for (const Decline &decline :
       Report::of(op->getContext()).pendingDeclines(op))
    chain += (chain.empty() ? "" : "; ") + decline.name + ": " + decline.reason;
  return chain;
}

void kiln::driver::noteFallbacks(DiagnosticPrinter &printer,
                                 ArrayRef<BoundTarget> targets,
                                 const BoundTarget &host,
                                 ArrayRef<std::string> reasons,
                                 size_t numKernels) {
  constexpr size_t kShown = 3, kLongest = 240;
  llvm::MapVector<StringRef, unsigned> counts;
  for (StringRef reason : reasons)
    ++counts[reason];
  std::string text;
  for (auto [i, entry] : llvm::enumerate(counts)) {
    if (i == kShown) {
      text += "; and other reasons";
      break;
    }
    text += (i ? "; " : "") + entry.first.take_front(kLongest).str();
    if (entry.first.size() > kLongest)
      text += "...";
    if (counts.size() > 1)
      text += " (" + std::to_string(entry.second) + ")";
  }
  printer.note("note: " + std::to_string(reasons.size()) + " of " +
               std::to_string(numKernels) +
               (numKernels == 1 ? " kernel" : " kernels") + " fell back from " +
               listTargets(targets) + " to '" + host.options.name +
               "': " + text +
               " (--explain lists them, --no-fallback makes it an error)");
}
