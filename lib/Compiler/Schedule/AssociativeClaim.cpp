//===- AssociativeClaim.cpp - Claims scans with any function --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The claim keeps the recursion as its body, and has the function as an
// attribute: passes that simplify the body may hide the recursion. The schedule
// groups elements in other ways than the recursion does, so that a function is
// claimed only if it is found to be associative.
//
//===----------------------------------------------------------------------===//

#include "AssociativeScan.h"
#include "ScanFunction.h"
#include "VerifyAssociativity.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Interfaces/Movement.h"
#include "kiln/Schedule/AccessMap.h"
#include "kiln/Schedule/GroupPlan.h"
#include "kiln/Target/TargetRegistry.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

namespace {
/// The operations of a scan, with the reversals around it.
struct ScanGroup {
  llvm::SetVector<Operation *> operations;
  SmallVector<Value> elements; ///< of each component
  SmallVector<std::pair<Value, unsigned>> results;
  bool reverse = false;
};
} // namespace

/// The reversal of `dim` that an operation is.
static ReversalOpInterface reversal(Operation *op, unsigned dim) {
  auto rev = dyn_cast_or_null<ReversalOpInterface>(op);
  bool isOne = rev && rev.getReversedDims().size() == 1 &&
               rev.getReversedDims().front() == static_cast<int64_t>(dim);
  return isOne ? rev : ReversalOpInterface();
}

/// Takes the reversals of all elements and results into the group.
static void addReversals(ScanGroup &group, unsigned dim) {
  SmallVector<Value> elements;
  SmallVector<std::pair<Value, unsigned>> results;
  for (Value value : group.elements) {
    ReversalOpInterface rev = reversal(value.getDefiningOp(), dim);
    if (!rev)
      return;
    elements.push_back(rev.getMoved());
  }
  for (auto [value, component] : group.results) {
    for (Operation *user : value.getUsers()) {
      if (group.operations.contains(user))
        continue;
      ReversalOpInterface rev = reversal(user, dim);
      if (!rev || rev->getBlock() != value.getParentBlock())
        return;
      results.push_back({rev->getResult(0), component});
    }
  }
  for (Value value : group.elements)
    group.operations.insert(value.getDefiningOp());
  for (auto [value, component] : results)
    group.operations.insert(value.getDefiningOp());
  group.elements = std::move(elements);
  group.results = std::move(results);
  group.reverse = true;
}

/// Gives other users of what the group reads first, and of constants, the
/// operations, and the group copies of them. Fails where something else in the
/// middle is used elsewhere.
static LogicalResult detach(ScanGroup &group, unsigned dim,
                            RewriterBase &rewriter) {
  SmallVector<Operation *> shared;
  for (Operation *op : group.operations) {
    bool isResult = llvm::any_of(group.results, [&](auto &result) {
      return result.first.getDefiningOp() == op;
    });
    if (isResult || llvm::all_of(op->getUsers(), [&](Operation *user) {
          return group.operations.contains(user);
        }))
      continue;
    bool isOfElements = llvm::all_of(op->getOperands(), [&](Value operand) {
      Operation *source = operand.getDefiningOp();
      return !source || !group.operations.contains(source) ||
             reversal(source, dim);
    });
    if (!isOfElements ||
        !(isViewMovement(op) || reversal(op, dim) || splatValue(op)))
      return failure();
    shared.push_back(op);
  }
  for (Operation *op : shared) {
    rewriter.setInsertionPointAfter(op);
    Operation *copy = rewriter.clone(*op);
    rewriter.replaceOpUsesWithIf(op, copy->getResults(), [&](OpOperand &use) {
      return group.operations.contains(use.getOwner());
    });
    group.operations.remove(op);
    group.operations.insert(copy);
  }
  return success();
}

/// Wraps the operations of a scan, and says at the claim what they compute.
static LogicalResult claimScan(const ScanRecursion &scan,
                               target::LoweringContext &ctx) {
  ScanGroup group;
  group.operations = scan.operations();
  group.elements = scan.elements;
  group.results = scan.results;
  Value first = scan.results.front().first;
  Block *block = first.getParentBlock();
  for (Operation *op : group.operations)
    if (op->getBlock() != block)
      return ctx.decline(op, "parts of a scan are in several blocks");
  Operation *last = first.getDefiningOp();
  // The numerics modes of the command line may be without `reassoc`.
  bool keepsOrder =
      target::findAsked(last->getParentOfType<ModuleOp>(), "keep_order")
          .has_value();
  if (keepsOrder && llvm::any_of(scan.elements, [](Value tensor) {
        return isa<FloatType>(getElementTypeOrSelf(tensor));
      }))
    return ctx.decline(last, "the numerics modes keep the order of floats");
  if (StringRef reason = whyNotAssociative(scan); !reason.empty())
    return ctx.decline(last, reason);
  addReversals(group, scan.dim);
  if (failed(detach(group, scan.dim, ctx.rewriter)))
    return ctx.decline(last, "values inside of a scan are used elsewhere");
  // A claim returns its results in the order of their operations.
  llvm::sort(group.results, [](const auto &a, const auto &b) {
    return a.first.getDefiningOp()->isBeforeInBlock(b.first.getDefiningOp());
  });
  SmallVector<int64_t> inputs, components;
  for (auto &[value, component] : group.results)
    components.push_back(component);
  // The claim has copies of the operations.
  DictionaryAttr function = encodeFunction(scan);
  FailureOr<Operation *> made =
      target::claimOps(group.operations.getArrayRef(), "associative_scan",
                       ctx.options.name, ctx);
  if (failed(made))
    return failure();
  auto claim = cast<prim::ClaimOp>(*made);
  for (Value value : group.elements)
    inputs.push_back(llvm::find(claim.getInputs(), value) -
                     claim.getInputs().begin());
  Builder b(claim.getContext());
  claim.setConfigAttr(b.getDictionaryAttr(
      {b.getNamedAttr("adds_zero", b.getBoolAttr(scan.addsZero)),
       b.getNamedAttr("dim", b.getI64IntegerAttr(scan.dim)),
       b.getNamedAttr("function", function),
       b.getNamedAttr("inputs", b.getDenseI64ArrayAttr(inputs)),
       b.getNamedAttr("results", b.getDenseI64ArrayAttr(components)),
       b.getNamedAttr("reverse", b.getBoolAttr(group.reverse))}));
  return success();
}

/// Operations of a function whose results take turns between two tensors, in
/// order.
static SmallVector<Operation *> findInterleaved(Operation *func) {
  SmallVector<Operation *> found;
  func->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto group = dyn_cast<prim::GroupOpInterface>(op);
        group && group.isClaim())
      return WalkResult::skip();
    if (op->getNumResults() == 1 && interleavedOf(op->getResult(0)))
      found.push_back(op);
    return WalkResult::advance();
  });
  return found;
}

LogicalResult
kiln::schedule::claimAssociativeScan(Operation *func,
                                     target::LoweringContext &ctx) {
  if (!ctx.description)
    return success();
  SmallVector<Operation *> all = findInterleaved(func);
  llvm::DenseSet<Operation *> claimed;
  // The whole recursion ends last.
  for (Operation *op : llvm::reverse(all)) {
    if (claimed.contains(op))
      continue;
    auto scan = ScanRecursion::find(op->getResult(0));
    if (!scan)
      continue;
    for (Operation *other : all)
      if (other != op && !claimed.contains(other) && !other->use_empty() &&
          other->getBlock() == op->getBlock())
        scan->addResult(other->getResult(0));
    llvm::SetVector<Operation *> operations = scan->operations();
    if (succeeded(claimScan(*scan, ctx)))
      claimed.insert(operations.begin(), operations.end());
  }
  return success();
}
