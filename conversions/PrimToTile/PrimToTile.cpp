//===- PrimToTile.cpp - Functions of prim to host programs ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Conversion/PrimToTile.h"
#include "FunctionConverter.h"
#include "HostSizes.h"
#include "Siblings.h"
#include "Wrap.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Schedule/RowGroups.h"
#include "kiln/Schedule/Schedules.h"
#include "kiln/Target/TargetRegistry.h"
#include "kiln/Tiling/Tiling.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/SaveAndRestore.h"

namespace kiln {
#define GEN_PASS_DEF_PRIMTOTILE
#include "kiln/Conversion/PrimToTile.h.inc"
} // namespace kiln

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

namespace {

/// The pass.
class PrimToTile : public kiln::impl::PrimToTileBase<PrimToTile> {
public:
  using PrimToTileBase::PrimToTileBase;
  void runOnOperation() override;

private:
  /// Converts a function, without the claims that no schedule takes.
  LogicalResult convert(func::FuncOp func, const target::BoundTarget &target);
};

} // namespace

LogicalResult FunctionConverter::makeProgram() {
  auto convertType = [&](Type type) -> Type {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? MemRefType::get(tensor.getShape(), tensor.getElementType())
                  : Type();
  };
  SmallVector<Type> inputs, results;
  for (Type type : func.getArgumentTypes())
    inputs.push_back(convertType(type));
  for (Type type : func.getResultTypes())
    results.push_back(convertType(type));
  for (auto [index, type] : llvm::enumerate(inputs))
    if (!type)
      return func.emitError() << "unsupported: expected argument " << index
                              << " to be a ranked tensor, found "
                              << func.getArgumentTypes()[index];
  for (auto [index, type] : llvm::enumerate(results))
    if (!type)
      return func.emitError() << "unsupported: expected result " << index
                              << " to be a ranked tensor, found "
                              << func.getResultTypes()[index];
  auto program =
      program::FuncOp::create(builder, func.getLoc(), func.getSymName(),
                              builder.getFunctionType(inputs, results));
  if (func.getSymVisibilityAttr())
    program.setSymVisibilityAttr(func.getSymVisibilityAttr());
  if (ArrayAttr attrs = func.getAllArgAttrs())
    program.setAllArgAttrs(attrs);
  Block &body = program.getBody().front();
  builder.setInsertionPointToStart(&body);
  host = std::make_unique<HostProgramBuilder>(program, builder);
  for (auto [argument, value] :
       llvm::zip(body.getArguments(), func.getArguments())) {
    Buffer buffer;
    buffer.base = argument;
    auto type = cast<MemRefType>(argument.getType());
    for (int64_t d = 0; d < type.getRank(); ++d) {
      if (!type.isDynamicDim(d)) {
        buffer.sizes.push_back(type.getDimSize(d));
        continue;
      }
      Value index = arith::ConstantIndexOp::create(builder, func.getLoc(), d);
      buffer.sizes.push_back(host->math.of(
          memref::DimOp::create(builder, func.getLoc(), argument, index)));
    }
    buffer.strides = denseStrides(buffer.sizes, host->math);
    host->setBuffer(value, buffer);
  }
  return success();
}

/// Whether the group of a scatter reads the memory of its operand for nothing
/// else, as for updates that it computes: those would see what is stored.
bool FunctionConverter::isReadOnce(OpOperand &operand) {
  auto fusion = cast<prim::FusionOp>(operand.getOwner());
  unsigned number = operand.getOperandNumber();
  const Buffer &memory = host->buffer(operand.get());
  bool isShared = llvm::any_of(fusion->getOpOperands(), [&](OpOperand &other) {
    return other.getOperandNumber() != number && host->hasBuffer(other.get()) &&
           host->buffer(other.get()).base == memory.base;
  });
  return !isShared && fusion.getBody().front().getArgument(number).hasOneUse();
}

LogicalResult FunctionConverter::convertFusion(prim::FusionOp fusion) {
  if (fusion.use_empty()) {
    retired.add(fusion);
    return success();
  }
  Block &body = fusion.getBody().front();
  for (auto [argument, input] :
       llvm::zip(body.getArguments(), fusion.getInputs()))
    host->setAlias(argument, input);
  // What is written in place is where it was.
  if (fusion.getKind() == prim::GroupKind::scatter &&
      !host->hasDestination(fusion.getResult(0)))
    if (OpOperand &operand = operandOfScatter(fusion);
        mayOverwrite(operand) && isReadOnce(operand))
      host->setDestination(fusion.getResult(0), host->buffer(operand.get()));
  // Nothing to compute, and no element to take sizes of blocks from.
  if (llvm::all_of(fusion.getResults(), [&](Value result) {
        return hasNoElements(host->sizesOf(result));
      })) {
    for (Value result : fusion.getResults())
      host->setBuffer(result, host->destination(result));
    return success();
  }
  bool standsAlone =
      llvm::any_of(body, [](Operation &op) { return kiln::standsAlone(&op); });
  bool isSeveral = fusion.getNumResults() > 1 && !standsAlone;
  bool isAlone = fusion.getNumResults() == 1 || standsAlone ||
                 llvm::is_contained(
                     {prim::GroupKind::elementwise, prim::GroupKind::reduction},
                     fusion.getKind());
  StringRef kind = prim::stringifyGroupKind(fusion.getKind());
  if (isSeveral && isAlone)
    kind = fusion.getKind() == prim::GroupKind::elementwise
               ? StringRef(schedule::kSiblings)
               : StringRef(schedule::kRows);
  if (isAlone && succeeded(schedule(fusion, kind, nameOf(fusion))))
    return success();
  if (target::Report::of(func.getContext()).takeBroken(fusion))
    return failure();
  if (isSeveral && isAlone) {
    next = splitSiblings(fusion, retired);
    return success();
  }
  if (fusion.getKind() == prim::GroupKind::scatter &&
      !isa<prim::ScatterOp>(body.front())) {
    next = splitScatter(fusion, retired);
    return success();
  }
  // Again, one by one: what is a single operation already cannot be split.
  unsigned computing =
      llvm::count_if(body.without_terminator(),
                     [](Operation &op) { return !isClonable(&op); });
  if (computing <= 1 && isAlone)
    return target::emitUnsupported(fusion, "no schedule for " + nameOf(fusion));
  next = unwrap(fusion, retired);
  return success();
}

/// Whether an operation computes numbers such as sizes.
static bool isSize(Operation *op) {
  return isa<tensor::DimOp>(op) ||
         (isa_and_nonnull<arith::ArithDialect>(op->getDialect()) &&
          llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>));
}

LogicalResult FunctionConverter::convertClaim(prim::ClaimOp claim) {
  for (auto [argument, input] :
       llvm::zip(claim.getBody().getArguments(), claim.getInputs()))
    host->setAlias(argument, input);
  // Sizes that the claim computes for itself.
  for (Operation &op : claim.getBody().front())
    if (isSize(&op) && !host->hasIndex(op.getResult(0)) &&
        failed(sizes->visit(&op)))
      return failure();
  std::string kind = ("claim." + claim.getName()).str();
  if (succeeded(schedule(claim, kind, claim.getName())))
    return success();
  target::Report &report = target::Report::of(func.getContext());
  if (report.takeBroken(claim))
    return failure();
  // A schedule script asked for something, and an error said why not.
  if (claim->hasAttr(target::kAskedAttr))
    return failure();
  // Whoever claimed it cannot do it after all: it is put back.
  unsigned number = 0;
  func.walk<WalkOrder::PreOrder>([&](prim::ClaimOp other) {
    if (other == claim)
      return WalkResult::interrupt();
    ++number;
    return WalkResult::advance();
  });
  declinedClaim = number;
  return failure();
}

LogicalResult FunctionConverter::convert(Operation *op) {
  if (auto fusion = dyn_cast<prim::FusionOp>(op))
    return convertFusion(fusion);
  if (auto claim = dyn_cast<prim::ClaimOp>(op))
    return convertClaim(claim);
  if (auto ret = dyn_cast<func::ReturnOp>(op))
    return convertReturn(ret);
  if (auto branch = dyn_cast<prim::IfOp>(op); branch && !isOpTriviallyDead(op))
    return convertIf(branch);
  if (auto loop = dyn_cast<prim::WhileOp>(op); loop && !isOpTriviallyDead(op))
    return convertWhile(loop);
  // Whoever converts the region knows where its values go; conditions of sizes
  // were checked where these were known.
  if (isa<prim::YieldOp, cf::AssertOp>(op))
    return success();
  if (auto constant = dyn_cast<prim::ConstantOp>(op)) {
    host->setBuffer(constant.getResult(), host->constant(constant.getValue()));
    return success();
  }
  // Sizes were computed at the entry, but for what was in a group until now.
  if (isSize(op))
    return op->getNumResults() && host->hasIndex(op->getResult(0))
               ? success()
               : sizes->visit(op);
  if (isOpTriviallyDead(op))
    return success();
  if (auto rank = dyn_cast<prim::RankOp>(op))
    return convertRank(rank);
  if (prim::isCollective(op))
    return convertCollective(op);
  if (auto call = dyn_cast<HostOpInterface>(op))
    return convertHost(call);
  if (auto cat = dyn_cast<prim::CatOp>(op))
    return convertCat(cat);
  if (auto number = dyn_cast<prim::ToIndexOp>(op))
    return convertToIndex(number);
  if (isViewMovement(op) && !isClonable(op)) {
    Buffer view, from = host->buffer(op->getOperand(0));
    if (succeeded(host->viewThrough(op, from, view))) {
      host->setBuffer(op->getResult(0), view);
      return success();
    }
    // The operand may be a part of a larger buffer. A dense copy can take any
    // shape; a kernel may find no affine access.
    if (isa<prim::ReshapeOp>(op)) {
      FailureOr<Buffer> dense = copyOf(op->getOperand(0), op);
      if (failed(dense) || failed(host->viewThrough(op, *dense, view)))
        return failure();
      host->setBuffer(op->getResult(0), view);
      return success();
    }
  }
  if (isFusible(op)) {
    if (isClonable(op) && llvm::all_of(op->getUses(), [](OpOperand &use) {
          Operation *user = use.getOwner();
          return isClonable(user) || (isFusible(user) && !readsMemory(use) &&
                                      !isa<prim::CatOp>(user));
        }))
      return success();
    prim::FusionOp fusion = wrapOps(op, &retired);
    next = fusion;
    return success();
  }
  return op->emitError() << "unsupported: " << op->getName()
                         << " has no schedule and was not decomposed";
}

LogicalResult FunctionConverter::run() {
  if (func.isExternal() || !func.getBody().hasOneBlock())
    return func.emitError("unsupported: expected a function with one block");
  if (failed(makeProgram()))
    return failure();
  rewriter = std::make_unique<IRRewriter>(func.getContext());
  const target::TargetOptions &options = target ? target.options : noOptions;
  tiling = std::make_unique<tiling::Chooser>(
      target.target, target ? target.description : target::getDescription(func),
      options);
  ctx = std::make_unique<ScheduleContext>(
      *rewriter, options, target.description, *host, *tiling,
      target ? target.target->tileSizes(target.description, options)
             : target::getTileSizes(func));
  sizes = std::make_unique<HostSizes>(func, *host);
  retired.replaced = [&](Value before, Value now) {
    host->setAlias(before, now);
  };
  if (failed(sizes->run()) || host->math.failed())
    return failure();
  if (failed(convertBlock(func.getBody().front())))
    return failure();
  func.erase();
  return success();
}

LogicalResult FunctionConverter::convertBlock(Block &block) {
  llvm::SaveAndRestore<Operation *> outer(next);
  // Later ones first, so that a part of a part is known as such.
  for (Operation &op : llvm::reverse(block))
    if (auto cat = dyn_cast<prim::CatOp>(op);
        cat && !cat.use_empty() && !sizes->isLate(cat))
      planCat(cat);
  for (Operation *op = &block.front(); op; op = next) {
    next = op->getNextNode();
    host->math.setErrorLoc(op->getLoc());
    waitForOperands(op);
    if (failed(convert(op)) || host->math.failed())
      return failure();
  }
  return success();
}

LogicalResult PrimToTile::convert(func::FuncOp func,
                                  const target::BoundTarget &target) {
  ModuleOp module = getOperation();
  target::Report &report = target::Report::of(&getContext());
  while (true) {
    bool hasClaims =
        func.walk([](prim::ClaimOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    OwningOpRef<func::FuncOp> untouched;
    if (hasClaims)
      untouched = func.clone();
    DenseSet<Operation *> present;
    for (Operation &op : *module.getBody())
      present.insert(&op);
    size_t numRows = report.rows().size();
    SymbolTable symbols(module);
    FunctionConverter converter(func, target, symbols);
    if (succeeded(converter.run()))
      return success();
    if (!converter.declinedClaim)
      return failure();
    std::vector<target::Decline> declines;
    unsigned number = 0;
    func.walk<WalkOrder::PreOrder>([&](prim::ClaimOp claim) {
      if (number++ == *converter.declinedClaim)
        declines = report.pendingDeclines(claim);
    });
    // Undo it all, put the claim back in the original and start again.
    report.truncate(numRows);
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (!present.contains(&op)) {
        op.dropAllUses();
        op.erase();
      }
    func::FuncOp original = untouched.release();
    module.insert(func, original);
    func.erase();
    func = original;
    number = 0;
    prim::ClaimOp declined;
    func.walk<WalkOrder::PreOrder>([&](prim::ClaimOp claim) {
      if (number++ == *converter.declinedClaim)
        declined = claim;
    });
    for (const target::Decline &decline : declines)
      report.declined(declined, decline.name, decline.reason);
    report.chose(declined, "claim", target.options.name, "inlined");
    IRRewriter rewriter(declined);
    target::inlineClaim(declined, rewriter);
    OpPassManager again(func::FuncOp::getOperationName());
    if (failed(parsePassPipeline(
            "prim-decompose,prim-split-phases,prim-find-last-updates,"
            "prim-simplify,prim-fuse",
            again)) ||
        failed(runPipeline(again, func)))
      return failure();
  }
}

/// Canonicalisations that change bits: an integer that becomes f32 and then
/// bf16 is rounded twice, and MLIR makes one conversion of the two. A pattern
/// is named as the compiler that built MLIR writes its type.
static SmallVector<std::string> unfaithfulPatterns() {
  SmallVector<std::string> names;
  for (StringRef scope : {"(anonymous namespace)", "{anonymous}"})
    for (StringRef name : {"TruncFSIToFPToSIToFP", "TruncFUIToFPToUIToFP"})
      names.push_back((scope + "::" + name).str());
  return names;
}

void PrimToTile::runOnOperation() {
  ModuleOp module = getOperation();
  registerCoreSchedules();
  target::BoundTarget target =
      target::TargetRegistry::get().boundTarget(module);
  DenseSet<Operation *> present;
  for (auto kernel : module.getOps<tile::KernelOp>())
    present.insert(kernel);
  for (func::FuncOp func :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    // Private functions were inlined; what is left of them is not needed.
    if (func.isPrivate() && SymbolTable::symbolKnownUseEmpty(func, module)) {
      func.erase();
      continue;
    }
    if (failed(convert(func, target)))
      return signalPassFailure();
  }
  // Only functions can be called: a kernel made here serves its launch.
  for (auto kernel : module.getOps<tile::KernelOp>())
    if (!present.contains(kernel))
      SymbolTable::setSymbolVisibility(kernel,
                                       SymbolTable::Visibility::Private);
  OpPassManager cleanup(ModuleOp::getOperationName());
  cleanup.addPass(createCanonicalizerPass({}, unfaithfulPatterns()));
  cleanup.addPass(createCSEPass());
  cleanup.addPass(createLoopInvariantCodeMotionPass());
  cleanup.addPass(createCSEPass());
  if (failed(runPipeline(cleanup, module)))
    return signalPassFailure();
}
