//===- ScheduleGroups.cpp - Offering groups to schedules ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FunctionConverter.h"
#include "LaunchWork.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Schedule/Schedules.h"
#include "kiln/Target/TargetRegistry.h"
#include "kiln/Tiling/Tiling.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// No schedule took a group with the blocks that a script asks for.
static LogicalResult refuseBlocks(const target::Asked &blocks,
                                  Operation *group) {
  std::string why = "no schedule takes the group with these block sizes";
  for (const target::Decline &decline :
       target::Report::of(group->getContext()).pendingDeclines(group))
    why += "; " + decline.name + ": " + decline.reason;
  return target::emitUnmet(blocks, why);
}

namespace {
/// Tells the kernels that schedules make for a group from those that there were
/// before it. A name tells no more than how one of them begins.
class NewKernels {
public:
  explicit NewKernels(func::FuncOp func)
      : module(func->getParentOfType<ModuleOp>()) {
    for (auto kernel : module.getOps<tile::KernelOp>())
      before.insert(kernel);
  }

  SmallVector<tile::KernelOp> get() const {
    return llvm::to_vector(llvm::make_filter_range(
        module.getOps<tile::KernelOp>(),
        [&](tile::KernelOp kernel) { return !before.contains(kernel); }));
  }

private:
  mutable ModuleOp module;
  llvm::SmallPtrSet<Operation *, 16> before;
};
} // namespace

LogicalResult FunctionConverter::scheduleForOther(Operation *group,
                                                  StringRef kind) {
  auto specs = func->getAttrOfType<DictionaryAttr>(target::kSpecAttr);
  auto spec = specs ? specs.getAs<StringAttr>(ctx->kernelName) : StringAttr();
  if (!spec)
    return failure();
  target::BoundTarget other =
      target::TargetRegistry::get().bind(spec, func.getContext());
  if (!other)
    return failure();
  tiling::Chooser chooser(other.target, other.description, other.options);
  ScheduleContext own(
      ctx->rewriter, other.options, other.description, *host, chooser,
      other.target->tileSizes(other.description, other.options));
  own.kernelName = ctx->kernelName;
  NewKernels made(func);
  if (failed(target::LoweringRegistry::get().schedule(group, kind, own)))
    return failure();
  ctx->takenBy = own.takenBy;
  for (tile::KernelOp kernel : made.get()) {
    kernel->setAttr(target::kSpecAttr, spec);
    kernel->setAttr(target::kTargetAttr, other.description);
  }
  return success();
}

LogicalResult FunctionConverter::scheduleInBlocks(Operation *group,
                                                  StringRef kind,
                                                  const target::Asked &blocks) {
  // As if the specification asked for them, for this group alone.
  target::TargetOptions options = ctx->options;
  std::string sizes;
  ArrayRef<int64_t> asked = cast<DenseI64ArrayAttr>(blocks.value).asArrayRef();
  for (int64_t size : asked.back() ? asked : asked.drop_back())
    sizes += (sizes.empty() ? "" : "x") +
             (size ? std::to_string(size) : std::string("?"));
  options.values.emplace_back("blocks", sizes);
  tiling::Chooser chooser(target.target, ctx->description, options);
  ScheduleContext own(ctx->rewriter, options, ctx->description, *host, chooser,
                      ctx->tiles);
  own.kernelName = ctx->kernelName;
  NewKernels made(func);
  if (failed(target::LoweringRegistry::get().schedule(group, kind, own)))
    return target::findAsked(group, "schedule") ? failure()
                                                : refuseBlocks(blocks, group);
  ctx->takenBy = own.takenBy;
  bool isUsed = false;
  for (tile::KernelOp kernel : made.get()) {
    // A schedule whose kernel has no tiling to tell so says that it followed
    // the script.
    isUsed |= kernel.getTilingAttr() ||
              target::findAsked(kernel, "blocks").has_value();
    target::ask(kernel, "blocks", blocks.value, blocks.at);
  }
  if (!isUsed)
    return target::emitUnmet(blocks, own.takenBy +
                                         " takes the group, and asks for no "
                                         "block sizes of a matmul");
  return success();
}

LogicalResult FunctionConverter::schedule(Operation *group, StringRef kind,
                                          StringRef name) {
  std::string full;
  do
    full = host->name + "_" + std::to_string(kernels++) + "_" + name.str();
  while (symbols.lookup(full));
  ctx->kernelName = full;
  // For the report.
  target::setReported(group, target::kKernelEntry, builder.getStringAttr(full));
  LaunchWork work(*host, group);
  std::optional<target::Asked> blocks = target::findAsked(group, "blocks");
  if (blocks ? failed(scheduleInBlocks(group, kind, *blocks))
             : failed(scheduleForOther(group, kind)) &&
                   failed(target::LoweringRegistry::get().schedule(group, kind,
                                                                   *ctx)))
    return failure();
  work.addTo(full);
  for (OpResult result : group->getResults())
    if (!result.use_empty() && !host->hasBuffer(result)) {
      group->emitError() << ctx->takenBy
                         << " took the group, but gave no memory for its "
                            "result "
                         << result.getResultNumber();
      target::Report::of(group->getContext()).broke(group, ctx->takenBy);
      return failure();
    }
  return success();
}
