//===- ScriptOps.cpp - Operations of schedule scripts ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Script/ScriptOps.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Dialect/Stage/StageDialect.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Script/Script.h"
#include "kiln/Staging/Storage.h"
#include "kiln/Target/Decisions.h"
#include "kiln/Target/Lowering.h"
#include "kiln/Tiling/SetBlocks.h"
#include "kiln/Tiling/Tiling.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/TransformOps/SCFTransformOps.h"
#include "mlir/Dialect/Transform/DebugExtension/DebugExtension.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/LoopExtension/LoopExtension.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/MathExtras.h"

#define GET_OP_CLASSES
#include "kiln/Script/ScriptOps.cpp.inc"

using namespace mlir;
using namespace kiln;
using namespace kiln::script;
using namespace mlir::transform;

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

//===----------------------------------------------------------------------===//
// What decisions share
//===----------------------------------------------------------------------===//

/// A failure at the operation of the script, with a note at what it is about.
static DiagnosedSilenceableFailure unmet(TransformOpInterface op,
                                         Operation *target, const Twine &why) {
  DiagnosedSilenceableFailure failure = op.emitSilenceableError()
                                        << "unsupported: " << why;
  failure.attachNote(target->getLoc())
      << "the operation that the script changes";
  return failure;
}

/// A failure because the target of an operation of the script is of a wrong
/// kind.
static DiagnosedSilenceableFailure
wrongTarget(TransformOpInterface op, StringRef expected, Operation *target) {
  DiagnosedSilenceableFailure failure =
      op.emitSilenceableError()
      << "expected " << expected << ", found '" << target->getName() << "'";
  failure.attachNote(target->getLoc()) << "found here";
  return failure;
}

/// Why the code generator of the module's target does not make a decision that
/// scripts can change; empty where it does.
static std::string whyNoDecision(Operation *target, StringRef decision) {
  target::TargetAttr description = target::getDescription(target);
  if (!description)
    return "the module has no target, whose code generator could follow it";
  std::vector<StringRef> names = target::decisionsOf(description.getFamily());
  if (llvm::is_contained(names, decision))
    return "";
  std::string text = ("the code generator of '" + description.getName() +
                      "' does not decide '" + decision + "'; a script can set ")
                         .str();
  llvm::raw_string_ostream os(text);
  if (names.empty())
    os << "block sizes and rasters";
  llvm::interleaveComma(names, os);
  return text;
}

/// Records a decision, for the pass that makes it and for --explain.
static void decide(TransformOpInterface op, Operation *target,
                   StringRef decision, Attribute value) {
  target::ask(target, decision, value, op.getLoc());
  target::TargetAttr description = target::getDescription(target);
  std::string text;
  llvm::raw_string_ostream os(text);
  value.print(os, /*elideType=*/true);
  target::Report::of(target->getContext())
      .chose(target, "script", description ? description.getName() : "",
             decision, text + " at " + target::locationString(op.getLoc()));
}

static bool isGroup(Operation *op) { return isa<prim::GroupOpInterface>(op); }

/// The effects of an operation that records a decision.
static void annotates(MutableArrayRef<OpOperand> target, Effects &effects) {
  onlyReadsHandle(target, effects);
  modifiesPayload(effects);
}

/// Those of one that rewrites what it decides about.
static void rewrites(MutableArrayRef<OpOperand> target, Operation *op,
                     Effects &effects) {
  consumesHandle(target, effects);
  producesHandle(op->getOpResults(), effects);
  modifiesPayload(effects);
}

//===----------------------------------------------------------------------===//
// Finding operations
//===----------------------------------------------------------------------===//

/// What `named` is compared with.
static std::string nameOf(Operation *op) {
  if (auto symbol = op->getAttrOfType<StringAttr>("sym_name"))
    return symbol.getValue().str();
  auto group = dyn_cast<prim::GroupOpInterface>(op);
  return group ? group.getGroupName().str() : "";
}

static bool contains(Operation *op, StringRef name) {
  return op
      ->walk([&](Operation *inner) {
        return inner != op && inner->getName().getStringRef() == name
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a match may be empty because the module is a part of the program: in
/// a sequence of a target's extension point.
static bool seesAPart(Operation *op) {
  auto sequence = op->getParentOfType<NamedSequenceOp>();
  return sequence && !sequence.getSymName().starts_with("core.") &&
         sequence.getSymName().contains('.');
}

DiagnosedSilenceableFailure MatchOp::apply(TransformRewriter &,
                                           TransformResults &results,
                                           TransformState &state) {
  std::optional<llvm::GlobPattern> pattern;
  if (getNamed()) {
    auto parsed = llvm::GlobPattern::create(*getNamed());
    if (!parsed)
      return emitDefiniteFailure()
             << "expected a glob pattern behind 'named', found '" << *getNamed()
             << "': " << llvm::toString(parsed.takeError());
    pattern = std::move(*parsed);
  }
  SmallVector<Operation *> found;
  SmallVector<std::string> others;
  for (Operation *root : state.getPayloadOps(getRoot()))
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->getName().getStringRef() != getName())
        return;
      std::string name = nameOf(op);
      if ((!pattern || pattern->match(name)) &&
          (!getWith() || contains(op, *getWith())))
        found.push_back(op);
      else if (!name.empty() && !llvm::is_contained(others, name))
        others.push_back(name);
    });
  if (found.empty() && !getOptional() && !seesAPart(*this)) {
    constexpr size_t kShown = 8;
    DiagnosedSilenceableFailure failure = emitSilenceableError();
    failure << "expected a '" << getName() << "'";
    if (getNamed())
      failure << " named '" << *getNamed() << "'";
    if (getWith())
      failure << " with a '" << *getWith() << "' in it";
    failure << ", found " << (others.empty() ? "none" : "");
    for (auto [i, name] : llvm::enumerate(others))
      if (i < kShown)
        failure << (i ? ", '" : "'") << name << "'";
    if (others.size() > kShown)
      failure << " and " << others.size() - kShown << " more";
    return failure;
  }
  results.set(cast<OpResult>(getFound()), found);
  return DiagnosedSilenceableFailure::success();
}

void MatchOp::getEffects(Effects &effects) {
  onlyReadsHandle(getRootMutable(), effects);
  producesHandle(getOperation()->getOpResults(), effects);
  onlyReadsPayload(effects);
}

//===----------------------------------------------------------------------===//
// Blocks, rasters and schedules
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure
SetBlocksOp::applyToOne(TransformRewriter &, Operation *target,
                        ApplyToEachResultList &results, TransformState &) {
  results.push_back(target);
  int64_t sizes[] = {
      int64_t(getRows().value_or(0)), int64_t(getColumns().value_or(0)),
      int64_t(getDepth().value_or(0)), int64_t(getParts().value_or(0))};
  if (llvm::all_of(sizes, [](int64_t size) { return !size; }))
    return emitDefiniteFailure()
           << "expected at least one of rows, columns, depth and parts";
  for (int64_t size : sizes)
    if (size > tiling::kLargestBlock)
      return emitDefiniteFailure()
             << "expected blocks of at most " << tiling::kLargestBlock
             << ", found " << size;
  Attribute value = DenseI64ArrayAttr::get(getContext(), sizes);
  if (isGroup(target)) {
    decide(*this, target, "blocks", value);
    return DiagnosedSilenceableFailure::success();
  }
  auto kernel = dyn_cast<tile::KernelOp>(target);
  if (!kernel)
    return wrongTarget(*this, "a tile.kernel, a prim.fusion or a prim.claim",
                       target);
  if (getParts())
    return unmet(*this, target,
                 "parts of a kernel: they are set on the group that becomes "
                 "it, in a sequence core.after-fuse");
  std::string why;
  if (failed(tiling::setBlocks(kernel, ArrayRef(sizes).take_front(3), why)))
    return unmet(*this, target, "these block sizes: " + why);
  decide(*this, target, "blocks", value);
  return DiagnosedSilenceableFailure::success();
}

void SetBlocksOp::getEffects(Effects &effects) {
  rewrites(getTargetMutable(), *this, effects);
}

DiagnosedSilenceableFailure
SetRasterOp::applyToOne(TransformRewriter &, Operation *target,
                        ApplyToEachResultList &results, TransformState &) {
  results.push_back(target);
  auto kernel = dyn_cast<tile::KernelOp>(target);
  if (!kernel)
    return wrongTarget(*this, "a tile.kernel", target);
  std::string why;
  if (failed(tiling::setBands(kernel, int64_t(getGroup()), int64_t(getAlong()),
                              why)))
    return unmet(*this, target, why);
  decide(*this, target, "raster",
         DenseI64ArrayAttr::get(getContext(),
                                {int64_t(getGroup()), int64_t(getAlong())}));
  return DiagnosedSilenceableFailure::success();
}

void SetRasterOp::getEffects(Effects &effects) {
  rewrites(getTargetMutable(), *this, effects);
}

DiagnosedSilenceableFailure SetScheduleOp::applyToOne(TransformRewriter &,
                                                      Operation *target,
                                                      ApplyToEachResultList &,
                                                      TransformState &) {
  if (!isGroup(target))
    return wrongTarget(*this, "a prim.fusion or a prim.claim", target);
  auto schedules = target::LoweringRegistry::get().schedules("");
  if (llvm::none_of(schedules, [&](const target::Schedule *schedule) {
        return schedule->name == getSchedule();
      })) {
    std::string names;
    for (const target::Schedule *schedule : schedules)
      names += (names.empty() ? "" : ", ") + schedule->name;
    return emitDefiniteFailure() << "no schedule '" << getSchedule()
                                 << "', expected one of: " << names;
  }
  decide(*this, target, "schedule", getScheduleAttr());
  return DiagnosedSilenceableFailure::success();
}

void SetScheduleOp::getEffects(Effects &effects) {
  annotates(getTargetMutable(), effects);
}

//===----------------------------------------------------------------------===//
// What code generators decide
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure SetWarpsOp::applyToOne(TransformRewriter &,
                                                   Operation *target,
                                                   ApplyToEachResultList &,
                                                   TransformState &) {
  if (!isa<tile::KernelOp>(target))
    return wrongTarget(*this, "a tile.kernel", target);
  if (!llvm::isPowerOf2_64(getWarps()))
    return unmet(*this, target,
                 Twine(getWarps()) + " warps, expected a power of two");
  if (std::string why = whyNoDecision(target, "warps"); !why.empty())
    return unmet(*this, target, why);
  decide(*this, target, "warps", getWarpsAttr());
  return DiagnosedSilenceableFailure::success();
}

void SetWarpsOp::getEffects(Effects &effects) {
  annotates(getTargetMutable(), effects);
}

DiagnosedSilenceableFailure SetStagesOp::applyToOne(TransformRewriter &,
                                                    Operation *target,
                                                    ApplyToEachResultList &,
                                                    TransformState &) {
  if (!isa<scf::ForOp, scf::WhileOp>(target) ||
      !target->getParentOfType<tile::KernelOp>())
    return wrongTarget(*this, "a loop of a kernel, scf.for or scf.while",
                       target);
  if (std::string why = whyNoDecision(target, "stages"); !why.empty())
    return unmet(*this, target, why);
  decide(*this, target, "stages", getStagesAttr());
  return DiagnosedSilenceableFailure::success();
}

void SetStagesOp::getEffects(Effects &effects) {
  annotates(getTargetMutable(), effects);
}

DiagnosedSilenceableFailure
SetInstructionOp::applyToOne(TransformRewriter &, Operation *target,
                             ApplyToEachResultList &, TransformState &) {
  if (!isa<MatrixProductOpInterface>(target))
    return wrongTarget(*this, "a matmul such as tile.dot", target);
  if (std::string why = whyNoDecision(target, "instruction"); !why.empty())
    return unmet(*this, target, why);
  target::TargetAttr description = target::getDescription(target);
  if (!description.getMatrixInstruction(getInstruction())) {
    std::string why = ("'" + description.getName() + ":" +
                       description.getChip() + "' has no matrix instruction '" +
                       getInstruction() + "', expected one of: ")
                          .str();
    llvm::raw_string_ostream os(why);
    llvm::interleaveComma(
        description.getMatrixInstructions(), os,
        [&](target::MatrixInstructionAttr row) { os << row.getName(); });
    return unmet(*this, target, why);
  }
  NamedAttrList value;
  value.set("instruction", getInstructionAttr());
  if (getRows())
    value.set("rows", getRowsAttr());
  if (getColumns())
    value.set("columns", getColumnsAttr());
  if (getDepth())
    value.set("depth", getDepthAttr());
  decide(*this, target, "instruction", value.getDictionary(getContext()));
  return DiagnosedSilenceableFailure::success();
}

void SetInstructionOp::getEffects(Effects &effects) {
  annotates(getTargetMutable(), effects);
}

DiagnosedSilenceableFailure SetLayoutOp::applyToOne(TransformRewriter &,
                                                    Operation *target,
                                                    ApplyToEachResultList &,
                                                    TransformState &) {
  if (!target->getParentOfType<tile::KernelOp>())
    return wrongTarget(*this, "an operation of a kernel", target);
  if (std::string why = whyNoDecision(target, "layout"); !why.empty())
    return unmet(*this, target, why);
  decide(*this, target, "layout", getLayout());
  return DiagnosedSilenceableFailure::success();
}

void SetLayoutOp::getEffects(Effects &effects) {
  annotates(getTargetMutable(), effects);
}

DiagnosedSilenceableFailure SetStorageOp::applyToOne(TransformRewriter &,
                                                     Operation *target,
                                                     ApplyToEachResultList &,
                                                     TransformState &) {
  bool hasTile =
      llvm::any_of(target->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  if (!hasTile || !target->getParentOfType<tile::KernelOp>())
    return wrongTarget(*this, "an operation of a kernel whose result is a tile",
                       target);
  std::optional<stage::Home> home = stage::symbolizeHome(getHome());
  if (!home)
    return emitDefiniteFailure()
           << "expected recompute, keep, fuse or in_place, found '" << getHome()
           << "'";
  if (std::string why = whyNoDecision(target, "storage"); !why.empty())
    return unmet(*this, target, why);
  target->setAttr(stage::kDecidedAttr,
                  stage::HomeAttr::get(getContext(), *home));
  decide(*this, target, "storage", getHomeAttr());
  return DiagnosedSilenceableFailure::success();
}

void SetStorageOp::getEffects(Effects &effects) {
  annotates(getTargetMutable(), effects);
}

//===----------------------------------------------------------------------===//
// The extension
//===----------------------------------------------------------------------===//

namespace {
struct ScriptExtension : transform::TransformDialectExtension<ScriptExtension> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScriptExtension)

  void init() {
    declareDependentDialect<tile::TileDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "kiln/Script/ScriptOps.cpp.inc"
        >();
  }
};
} // namespace

void script::registerScriptOps(DialectRegistry &registry) {
  registry.addExtensions<ScriptExtension>();
  scf::registerTransformDialectExtension(registry);
  transform::registerLoopExtension(registry);
  transform::registerDebugExtension(registry);
}
