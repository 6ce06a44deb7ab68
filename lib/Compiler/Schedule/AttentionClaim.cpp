//===- AttentionClaim.cpp - Attention as one kernel -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps attention from being decomposed where it can be one kernel, together
// with the movements of its operands, with what makes its mask, and with the
// movements and elementwise operations of its result, so that none of them has
// to be in memory.
//
//===----------------------------------------------------------------------===//

#include "AttentionParts.h"
#include "ResultOrder.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Interfaces/Movement.h"
#include "kiln/Target/TargetRegistry.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Whether scores of all queries are still in a cache when they are read again.
static bool hasFewQueries(RankedTensorType query, int64_t few = 16) {
  int64_t rows = query.getDimSize(query.getRank() - 2);
  return !ShapedType::isDynamic(rows) && rows < few;
}

namespace {

/// Collects what goes into one claim.
class Claimer {
public:
  explicit Claimer(prim::AttentionOp op)
      : op(op), root(op.getResult()), maskNumber(3),
        // Of joined keys a mask would not tell which blocks it excludes.
        takesPieces(!op.getMask() || hasFewQueries(op.getQuery().getType())) {
    ops.insert(op);
  }
  explicit Claimer(prim::AttentionBackwardOp op)
      : op(op), root(op.getQueryGradient()), maskNumber(6), takesPieces(false) {
    ops.insert(op);
  }

  LogicalResult run() {
    if (!isPlanned())
      return failure();
    if (isa<prim::AttentionOp>(op))
      growDown();
    growUp(op, /*isMask=*/false, /*isKeys=*/false);
    return success();
  }
  ArrayRef<Operation *> group() const { return ops.getArrayRef(); }
  std::string reason;

private:
  /// Whether what is in the group so far has dimensions that a kernel takes.
  bool isPlanned() {
    index::Math math;
    auto dimOf = [&](Value value, unsigned dim) -> Extent {
      auto type = cast<RankedTensorType>(value.getType());
      if (!type.isDynamicDim(dim))
        return type.getDimSize(dim);
      return math.symbols.of(value.getAsOpaquePointer(), dim);
    };
    GroupPlan plan(math, dimOf,
                   [&](Operation *one) { return ops.contains(one); });
    if (failed(plan.run(root))) {
      reason = plan.reason;
      return false;
    }
    FailureOr<AttentionDims> dims = findAttentionDims(plan, reason);
    return succeeded(dims) &&
           (!isa<prim::AttentionOp>(op) ||
            succeeded(findKeyPieces(
                plan, [&](Operation *one) { return ops.contains(one); }, *dims,
                reason)));
  }

  /// Takes the movements and elementwise operations that are all that uses the
  /// result, and what computes the conditions of the latter while that is
  /// cheap.
  void growDown() {
    while (root.hasOneUse()) {
      Operation *user = *root.user_begin();
      bool isMoved = isa<PermutationOpInterface, ReshapeOpInterface>(user);
      if (user->getBlock() != op->getBlock() ||
          !(isMoved || (isElementwisePrim(user) && canFollow(user))))
        return;
      Value before = root;
      ops.insert(user);
      root = user->getResult(0);
      if (isPlanned()) {
        if (!isMoved)
          growUp(user, /*isMask=*/true, /*isKeys=*/false);
        continue;
      }
      ops.remove(user);
      root = before;
      return;
    }
  }

  /// Whether an elementwise operation can be computed where the result is
  /// stored. Few queries share a tile with the queries of other heads, which
  /// holds nothing else. What else the operation reads must not depend on
  /// attention.
  bool canFollow(Operation *user) {
    if (hasFewQueries(cast<RankedTensorType>(op->getOperand(0).getType())))
      return false;
    constexpr size_t kMostOps = 64;
    llvm::SetVector<Operation *> sources;
    auto add = [&](Operation *one) {
      for (Value operand : one->getOperands())
        if (Operation *source = operand.getDefiningOp();
            source && source->getBlock() == op->getBlock() &&
            op->isBeforeInBlock(source) && !ops.contains(source))
          sources.insert(source);
    };
    add(user);
    for (size_t i = 0; i < sources.size(); ++i) {
      if (sources.size() > kMostOps || sources[i]->getNumRegions() ||
          llvm::any_of(sources[i]->getOperands(), [&](Value operand) {
            return ops.contains(operand.getDefiningOp());
          }))
        return false;
      add(sources[i]);
    }
    return true;
  }

  static bool isCheap(Operation *source, bool isMask, bool isKeys) {
    if (isViewMovement(source))
      return true;
    // A cache and what is new need not lie beside each other.
    if (isKeys && isa<ConcatenationOpInterface>(source))
      return true;
    return isMask && (splatValue(source) || isOfMask(source));
  }

  /// Whether masks are computed so, from indices and lengths.
  static bool isOfMask(Operation *source) {
    // Kernels of attention compute operations of prim.
    if (!isa_and_nonnull<prim::PrimDialect>(source->getDialect()))
      return false;
    if (auto creation = dyn_cast<prim::CreationOpInterface>(source))
      return creation.getCountedDim().has_value();
    if (isa<prim::ElementConversionOpInterface>(source))
      return true;
    prim::ElementFunction function = prim::getElementFunction(source);
    return function != prim::ElementFunction::Other &&
           function != prim::ElementFunction::Exponential;
  }

  /// Takes what computes the operands of `user` while that is cheap. What
  /// others use, too, is there twice then.
  void growUp(Operation *user, bool isMask, bool isKeys) {
    constexpr size_t kMostOps = 32;
    for (OpOperand &operand : user->getOpOperands()) {
      Value value = operand.get();
      Operation *source = value.getDefiningOp();
      unsigned number = operand.getOperandNumber();
      bool inMask = isMask || (user == op && number == maskNumber);
      bool inKeys = (isKeys && !isa<ConcatenationOpInterface>(user)) ||
                    (user == op && (number == 1 || number == 2) && takesPieces);
      if (!source || ops.contains(source) || ops.size() >= kMostOps ||
          source->getBlock() != op->getBlock() ||
          !isa<RankedTensorType>(value.getType()) ||
          !isCheap(source, inMask, inKeys))
        continue;
      Operation *own = source;
      if (!value.hasOneUse()) {
        OpBuilder builder(user);
        own = builder.clone(*source);
        operand.set(own->getResult(0));
      }
      ops.insert(own);
      if (isPlanned()) {
        growUp(own, inMask, inKeys);
        continue;
      }
      ops.remove(own);
      if (own != source) {
        operand.set(value);
        own->erase();
      }
    }
  }

  Operation *op;
  Value root;
  unsigned maskNumber; ///< of the operand, if there is one
  bool takesPieces;    ///< keys that a `prim.cat` joins
  llvm::SetVector<Operation *> ops;
};

} // namespace

/// How the threads of a machine compute attention, or its gradients.
enum class Threaded {
  None,
  OneByOne, ///< each multiplies for itself
  Together, ///< a matrix unit multiplies, and instances share out keys
};

/// Why attention, or its gradients, of these types is no kernel, or nothing.
template <typename Op>
static std::string objectionTo(Op op, Threaded threaded) {
  constexpr int64_t kWidestHead = 512;
  RankedTensorType query = op.getQuery().getType();
  Type element = query.getElementType();
  if (!element.isF32() && !element.isF64() && !element.isF16() &&
      !element.isBF16())
    return "its elements are neither f16, bf16, f32 nor f64";
  for (RankedTensorType type : {query, op.getValue().getType()})
    if (ShapedType::isDynamic(type.getShape().back()))
      return "only a launch knows how many elements a head has";
    else if (type.getShape().back() > kWidestHead)
      return "a head has more elements than a tile";
  // A thread that has few of them reads as many elements as it multiplies.
  // Where a launch says how many there are, it may be one, which computes 64.
  constexpr int64_t kFewForThreads = 64;
  ArrayRef<int64_t> shape = query.getShape();
  if (threaded == Threaded::OneByOne &&
      ShapedType::isDynamic(shape[shape.size() - 2]))
    return "only a launch knows how many queries there are";
  if (threaded == Threaded::OneByOne
          ? hasFewQueries(query, kFewForThreads)
          : threaded == Threaded::None && hasFewQueries(query))
    return "there are few queries";
  return "";
}

bool kiln::schedule::multipliesWithThreads(target::TargetAttr description,
                                           const target::TilingModel &model,
                                           Type element) {
  if (!description || !model.sharesTiles() ||
      element.getIntOrFloatBitWidth() != 16)
    return false;
  return llvm::any_of(
      description.getMatrixInstructions(),
      [&](target::MatrixInstructionAttr row) {
        return llvm::is_contained(row.getLhs().getTypes(), element) &&
               llvm::is_contained(row.getRhs().getTypes(), element);
      });
}

int64_t kiln::schedule::rowsOfThreadProducts(target::TargetAttr description,
                                             const target::TilingModel &model,
                                             Type element, int64_t head) {
  // More rows would leave a core without a second instance, which computes
  // while the first one waits.
  constexpr int64_t kWidest = 128, kRows = 64, kPad = 16;
  auto takesElement = [&](target::MatrixInstructionAttr row) {
    return llvm::is_contained(row.getLhs().getTypes(), element);
  };
  target::MemoryAttr shared =
      description ? description.getSharedMemory() : target::MemoryAttr();
  if (!shared || !model.sharesTiles() || !element.isF32() || head > kWidest ||
      llvm::any_of(description.getMatrixInstructions(), takesElement))
    return 0;
  int64_t row = llvm::PowerOf2Ceil(head) * 4 + kPad;
  return 2 * (kRows + kKeysOfTile) * row <= shared.getSize() ? kRows : 0;
}

static Threaded threadedOf(prim::AttentionOp op, target::TargetAttr description,
                           const target::TilingModel &model) {
  int64_t head = std::max(op.getQuery().getType().getShape().back(),
                          op.getValue().getType().getShape().back());
  Type element = getElementTypeOrSelf(op.getQuery().getType());
  return multipliesWithThreads(description, model, element) ? Threaded::Together
         : !ShapedType::isDynamic(head) &&
                 rowsOfThreadProducts(description, model, element, head)
             ? Threaded::OneByOne
             : Threaded::None;
}

/// Of the gradients all products are by a matrix unit.
static Threaded threadedOf(prim::AttentionBackwardOp op,
                           target::TargetAttr description,
                           const target::TilingModel &model) {
  Type element = getElementTypeOrSelf(op.getQuery().getType());
  return multipliesWithThreads(description, model, element) ? Threaded::Together
                                                            : Threaded::None;
}

/// Why threads that multiply one by one had better not compute attention. They
/// multiply the padding of heads, too, and read padded tiles in parts: only
/// tiles that a mask lets them skip make up for that.
static std::string objectionToPadding(prim::AttentionOp op) {
  auto isPadded = [](RankedTensorType type) {
    return !llvm::isPowerOf2_64(type.getShape().back());
  };
  if (op.getMask() || (!isPadded(op.getQuery().getType()) &&
                       !isPadded(op.getValue().getType())))
    return "";
  return "tiles would pad its heads";
}
static std::string objectionToPadding(prim::AttentionBackwardOp) { return ""; }

template <typename Op>
static LogicalResult claimAll(Operation *func, StringRef name,
                              target::LoweringContext &ctx) {
  SmallVector<Op> all;
  func->walk([&](Op op) {
    if (!prim::isClaimed(op))
      all.push_back(op);
  });
  if (all.empty())
    return success();
  target::BoundTarget bound = target::TargetRegistry::get().boundTarget(
      func->getParentOfType<ModuleOp>());
  tiling::Chooser tiling(bound.target, ctx.description, ctx.options);
  for (Op op : all) {
    Threaded threaded = threadedOf(op, ctx.description, tiling.model());
    std::string reason = objectionTo(op, threaded);
    if (reason.empty() && threaded == Threaded::OneByOne)
      reason = objectionToPadding(op);
    if (threaded == Threaded::None &&
        !computesFromCaches(ctx.description, tiling.model()))
      reason = "the machine has a memory for tiles, or threads that multiply "
               "these elements one by one";
    if (ctx.options.get("attention") == "decomposed")
      reason = "the option 'attention' says so";
    if (reason.empty() && isa<prim::AttentionOp>(op.getOperation()) &&
        op->getResult(0).use_empty())
      reason = "its result is not read";
    Claimer claimer(op);
    if (reason.empty() && failed(claimer.run()))
      reason = claimer.reason;
    if (!reason.empty()) {
      (void)ctx.decline(op, reason);
      target::Report::of(op.getContext())
          .chose(op, "claim", ctx.options.name, "decomposed");
      continue;
    }
    if (failed(target::claimOps(claimer.group(), name, ctx.options.name, ctx)))
      return failure();
  }
  return success();
}

LogicalResult kiln::schedule::claimAttention(Operation *func,
                                             target::LoweringContext &ctx) {
  return claimAll<prim::AttentionOp>(func, "attention", ctx);
}

LogicalResult
kiln::schedule::claimAttentionBackward(Operation *func,
                                       target::LoweringContext &ctx) {
  return claimAll<prim::AttentionBackwardOp>(func, "attention_backward", ctx);
}
