//===- Claims.cpp - Operations that a program takes whole -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with `claims` sees each function of prim and names groups of its
// operations. Each becomes a prim.claim, and that a kernel of its own.
//
//===----------------------------------------------------------------------===//

#include "Questions.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Interfaces/OwnDiagnostics.h"
#include "kiln/Schedule/Schedules.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::isolated;
using namespace kiln::target;
using runtime::Expected;

/// Constants of more elements are parameters of the function on the wire: no
/// program chooses by weights, and they are most of a model.
static constexpr int64_t kMostConstantElements = 1024;

namespace {
/// A function as the program gets it.
class FunctionQuestion {
public:
  explicit FunctionQuestion(Operation *func)
      : module(isolateKernel(func)), copy(&module->getBody()->front()) {
    func->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    hideConstants();
  }

  /// The function in the wire form; a reason where it has none.
  Expected<std::string> text(unsigned version) {
    std::string reason;
    // Only kernels are bound to what the program names.
    WireReader reader;
    reader.version = version;
    OwnDiagnostics handler(copy->getContext(), [&](Diagnostic &diag) {
      if (reason.empty())
        reason = diag.str();
      return success();
    });
    if (succeeded(toWire(*module, reader)))
      return printWire(*module);
    StringRef shown = reason;
    shown.consume_front("unsupported: ");
    return runtime::Error(shown.str());
  }

  /// The operations of the function, by the numbers of the text.
  ArrayRef<Operation *> operations() const { return ops; }

private:
  void hideConstants() {
    auto function = cast<FunctionOpInterface>(copy);
    SmallVector<Operation *> copies, shown;
    copy->walk<WalkOrder::PreOrder>(
        [&](Operation *op) { copies.push_back(op); });
    for (auto [original, op] : llvm::zip_equal(ops, copies)) {
      ElementsAttr value;
      bool isLarge = matchPattern(op, m_Constant(&value)) && !value.isSplat() &&
                     value.getNumElements() > kMostConstantElements;
      if (!isLarge) {
        shown.push_back(original);
        continue;
      }
      unsigned number = function.getNumArguments();
      if (failed(function.insertArgument(number, op->getResult(0).getType(),
                                         DictionaryAttr(), op->getLoc())))
        continue;
      op->getResult(0).replaceAllUsesWith(function.getArgument(number));
      op->erase();
    }
    ops = std::move(shown);
  }

  OwningOpRef<ModuleOp> module;
  Operation *copy;
  SmallVector<Operation *> ops;
};
} // namespace

/// Why operations cannot be claimed; empty: they can.
static std::string objection(ArrayRef<Operation *> group) {
  for (Operation *op : group) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      return "it ends a region";
    if (!isMemoryEffectFree(op))
      return "it has effects";
    for (Value result : op->getResults())
      if (auto type = dyn_cast<ShapedType>(result.getType());
          !type || !type.hasStaticShape())
        return "a result has no known size";
  }
  return "";
}

LogicalResult IsolatedTarget::claim(Operation *func,
                                    LoweringContext &ctx) const {
  const Hello *said = hello();
  if (!said || !said->has("claims"))
    return success();
  auto fails = [&](StringRef what) {
    auto symbol = func->getAttrOfType<StringAttr>("sym_name");
    return func->emitError(
        sentence(*this, what, "function '" + symbol.getValue() + "'"));
  };
  FunctionQuestion question(func);
  Expected<std::string> text = question.text(said->reader.version);
  if (!text) {
    (void)ctx.decline(func, text.message());
    return success();
  }
  bool isCached;
  Expected<Answer> answer =
      askCached("claims", specOf(ctx.options), *text, isCached);
  if (!answer)
    return fails(answer.message());
  ArrayRef<Operation *> ops = question.operations();
  Expected<std::vector<Claim>> claims =
      parseClaims(answer->result, int64_t(ops.size()));
  if (!claims)
    return fails(claims.message());
  // A claim replaces what is in its operations, which no other one may name.
  llvm::DenseSet<Operation *> named;
  for (const Claim &claim : *claims)
    for (int64_t number : claim.ops)
      named.insert(ops[number]);
  for (const Claim &claim : *claims) {
    SmallVector<Operation *> group;
    for (int64_t number : claim.ops) {
      group.push_back(ops[number]);
      for (Operation *outer = ops[number]->getParentOp(); outer != func;
           outer = outer->getParentOp())
        if (named.contains(outer))
          return fails("breaks the protocol: claim '" + claim.name +
                       "' has operation " + std::to_string(number) +
                       ", which is within another one that is claimed");
    }
    std::string reason = objection(group);
    bool isClaimed =
        reason.empty()
            ? succeeded(claimOps(group, targetName + "." + claim.name,
                                 targetName, ctx))
            : succeeded(ctx.decline(group.front(), reason));
    if (isClaimed)
      continue;
    Report &report = Report::of(func->getContext());
    for (Operation *op : group)
      if (!report.pendingDeclines(op).empty())
        report.chose(op, "claim", targetName, "not claimed");
  }
  return success();
}

/// Whether a kernel may hold a tensor as one tile.
static bool isTile(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() > 0 &&
         tile::isElementType(tensor.getElementType());
}

LogicalResult IsolatedTarget::emitClaim(Operation *op,
                                        LoweringContext &base) const {
  auto *ctx = base.as<schedule::ScheduleContext>();
  if (!ctx)
    return base.decline(op, "it needs the context of convert-prim-to-tile");
  auto claim = cast<prim::ClaimOp>(op);
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types)
    if (!isTile(type)) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return ctx->decline(op, "no kernel has a tile of type " + text);
    }
  schedule::HostProgramBuilder &host = ctx->host;
  schedule::KernelBuilder kernel(host, op->getLoc(), ctx->kernelName);
  kernel.placeGrid();
  Value zero = kernel.constant(0);
  IRMapping map;
  auto origin = [&](const schedule::Buffer &buffer) {
    return SmallVector<Value>(buffer.rank(), zero);
  };
  for (Value input : claim.getInputs()) {
    const schedule::Buffer &buffer = host.buffer(input);
    Value whole = tile::LoadOp::create(
        kernel.b, op->getLoc(), cast<RankedTensorType>(input.getType()),
        kernel.view(buffer, false), origin(buffer), /*pad=*/Value(),
        /*element_offsets=*/false, tile::Padding::zero, /*step=*/nullptr);
    map.map(input, whole);
  }
  Operation *computed = kernel.b.clone(*op, map);
  SmallVector<schedule::Buffer, 1> outs;
  for (auto [result, value] :
       llvm::zip(claim.getResults(), computed->getResults())) {
    schedule::Buffer out = host.destination(result);
    tile::StoreOp::create(kernel.b, op->getLoc(), value, kernel.view(out, true),
                          origin(out),
                          /*element_offsets=*/false, tile::Combine::assign,
                          /*step=*/nullptr);
    outs.push_back(std::move(out));
  }
  kernel.kernel.setType(kernel.b.getFunctionType(
      kernel.kernel.getBody().front().getArgumentTypes(), {}));
  std::string reason;
  StringRef method = hello()->has("accepts") ? "accepts" : "compile";
  if (!takes(method, kernel.kernel, ctx->options, reason)) {
    kernel.abandon();
    return ctx->decline(op, reason);
  }
  kernel.finish(claim.getName());
  for (auto [result, out] : llvm::zip(claim.getResults(), outs))
    host.setBuffer(result, out);
  return success();
}

void IsolatedTarget::registerClaims() const {
  PrimClaim claim;
  claim.name = targetName + ".claims";
  claim.target = targetName;
  claim.priority = 50;
  claim.plugin = targetName;
  claim.claim = [this](Operation *func, LoweringContext &ctx) {
    return this->claim(func, ctx);
  };
  LoweringRegistry::get().add(std::move(claim));
  Schedule schedule;
  schedule.name = targetName + ".claims";
  schedule.kind = "claim." + targetName + ".*";
  schedule.target = targetName;
  schedule.priority = 50;
  schedule.plugin = targetName;
  schedule.emit = [this](Operation *op, LoweringContext &ctx) {
    return emitClaim(op, ctx);
  };
  LoweringRegistry::get().add(std::move(schedule));
}
