//===- Schedules.h - From groups to kernels ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule turns one prim.fusion into a kernel and its launch. Core registers
// "generic.elementwise", "generic.reduction", "generic.contraction" and
// "generic.convolution"; plug-ins register more with
// target::TargetRegistry::addSchedule and get this context through
// `ctx.as<ScheduleContext>()`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SCHEDULE_SCHEDULES_H
#define KILN_SCHEDULE_SCHEDULES_H

#include "kiln/Schedule/TileBuilder.h"
#include "kiln/Target/Lowering.h"
#include "kiln/Tiling/Tiling.h"

namespace kiln::schedule {

/// The kind of elementwise groups with several results.
inline constexpr llvm::StringLiteral kSiblings = "siblings";

/// What a schedule works with.
class ScheduleContext : public target::LoweringContext {
public:
  static constexpr llvm::StringLiteral kFamily = "core.schedule";

  ScheduleContext(mlir::RewriterBase &rewriter,
                  const target::TargetOptions &options,
                  target::TargetAttr description, HostProgramBuilder &host,
                  tiling::Chooser &tiling, target::TileSizes tiles)
      : LoweringContext(rewriter, options, description), host(host),
        tiling(tiling), tiles(std::move(tiles)) {}
  llvm::StringRef family() const override { return kFamily; }

  HostProgramBuilder &host;
  /// Picks block sizes; Group::chooseBlocks asks it.
  tiling::Chooser &tiling;
  /// The description's preferences, for schedules that want no model.
  target::TileSizes tiles;
  /// A name for the kernel of the current group that nothing else has.
  std::string kernelName;
};

/// The group that a schedule was offered, walked.
class Group {
public:
  Group(prim::FusionOp fusion, ScheduleContext &ctx);
  /// The part of a group that computes `root` from what it reads and from the
  /// results of operations of it that are `computed` and have buffers.
  Group(prim::FusionOp fusion, ScheduleContext &ctx, mlir::Value root,
        llvm::ArrayRef<mlir::Operation *> computed);

  prim::FusionOp fusion;
  ScheduleContext &ctx;
  HostProgramBuilder &host;
  mlir::Value root; ///< what the group yields
  llvm::SmallVector<mlir::Operation *, 2> computed;
  GroupPlan plan;

  GroupPlan::InGroupFn inGroup() const;
  /// The stride along an iteration dimension of an access.
  Extent strideOf(const Buffer &buffer, const AccessMap &map, int dim);
  /// Merges neighbours among `dims` (outermost first) where every access,
  /// that of the result in `out` included, allows it.
  void merge(KernelBuilder &kernel, llvm::ArrayRef<int> dims,
             const Buffer &out);
  /// `dims` without those merged into others.
  static llvm::SmallVector<int> physical(const KernelBuilder &kernel,
                                         llvm::ArrayRef<int> dims);
  /// Gives the kernel the dimensions of the plan.
  void addDims(KernelBuilder &kernel);
  /// What is known for choosing the blocks of `dims` of a kernel: the tiles of
  /// all operands and of the result, which goes to `out`. Sizes are those of
  /// the kernel.
  target::TilingProblem
  problemFor(const KernelBuilder &kernel, target::TilingProblem::Kind kind,
             llvm::ArrayRef<std::pair<int, target::TilingRole>> dims,
             const Buffer *out = nullptr);
  /// Asks for the blocks of these dimensions, sets them, and gives them back. A
  /// dimension of role `Part` is none of the kernel, and is -1.
  llvm::SmallVector<int64_t>
  chooseBlocks(KernelBuilder &kernel, const target::TilingProblem &problem,
               llvm::ArrayRef<std::pair<int, target::TilingRole>> dims);
};

/// Whether tile.dot multiplies tiles of these element types.
bool hasTileDot(mlir::Type operand, mlir::Type accumulator);
/// How the product of tiles reads its operands that a prim's reads so.
tile::InputPrecision inputPrecision(prim::Precision precision);
/// The type of those operands to a matrix unit.
mlir::Type multipliedType(mlir::Type element, prim::Precision precision);
/// x * y, both widened and repeated to `type`.
mlir::Value multiplied(mlir::Value x, mlir::Value y,
                       mlir::RankedTensorType type, TileBuilder &emitter);
/// x + y, of floats or integers.
mlir::Value added(mlir::Value x, mlir::Value y, mlir::OpBuilder &b);
/// sum + column * row, both repeated to the shape of `sum`.
mlir::Value multiplyAdd(mlir::Value column, mlir::Value row, mlir::Value sum,
                        TileBuilder &emitter);

/// The kernel of a group without reductions and products, and its launch. Where
/// there can be none `reason` says why.
mlir::LogicalResult emitElementwise(Group &group, const Buffer &out,
                                    std::string &reason);

/// Each emits kernels and launches for a group of its kind, or declines through
/// the context.
mlir::LogicalResult scheduleElementwise(prim::FusionOp group,
                                        ScheduleContext &ctx);
mlir::LogicalResult scheduleReduction(prim::FusionOp group,
                                      ScheduleContext &ctx);
mlir::LogicalResult scheduleContraction(prim::FusionOp group,
                                        ScheduleContext &ctx);
mlir::LogicalResult scheduleConvolution(prim::FusionOp group,
                                        ScheduleContext &ctx);
mlir::LogicalResult scheduleScatter(prim::FusionOp group, ScheduleContext &ctx);
mlir::LogicalResult scheduleScan(prim::FusionOp group, ScheduleContext &ctx);
mlir::LogicalResult scheduleSort(prim::FusionOp group, ScheduleContext &ctx);
mlir::LogicalResult scheduleRadixSort(prim::FusionOp group,
                                      ScheduleContext &ctx);
mlir::LogicalResult scheduleSelect(prim::FusionOp group, ScheduleContext &ctx);
mlir::LogicalResult scheduleCombine(prim::FusionOp group, ScheduleContext &ctx);

/// Registers the schedules of the core; more than once is fine.
void registerCoreSchedules();

} // namespace kiln::schedule

#endif // KILN_SCHEDULE_SCHEDULES_H
