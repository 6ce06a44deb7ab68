//===- Lowering.cpp - Ordering lowerings and recording declines -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/Lowering.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Interfaces/Names.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/PluginLoader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FormatVariadic.h"
#include <deque>
#include <thread>

using namespace mlir;
using namespace kiln::target;

namespace {
/// Everything that is registered, in the order it was loaded.
struct Tables {
  std::deque<Lowering> lowerings;
  std::deque<Schedule> schedules;
  std::deque<PrimClaim> claims;
};

Tables &tables() {
  static Tables *all = new Tables;
  return *all;
}

/// Whether an entry registered for `owner` counts for a target of this name
/// and family.
bool appliesTo(StringRef owner, const LoweringContext &ctx) {
  if (owner == ctx.options.name)
    return true;
  if (!ctx.family().empty() && owner == ctx.family())
    return true;
  return ctx.description && !ctx.description.getFamily().empty() &&
         owner == ctx.description.getFamily();
}

/// Higher priority first, the latest loaded among equals.
template <typename T> void order(std::vector<const T *> &entries) {
  llvm::sort(entries, [](const T *a, const T *b) {
    return std::make_pair(a->priority, a->order) >
           std::make_pair(b->priority, b->order);
  });
}

template <typename T>
std::vector<const T *> ofTarget(const std::deque<T> &all, StringRef target) {
  std::vector<const T *> found;
  for (const T &entry : all)
    if (entry.target == target || (target.empty()))
      found.push_back(&entry);
  order(found);
  return found;
}
} // namespace

LoweringContext::LoweringContext(RewriterBase &rewriter,
                                 const TargetOptions &options,
                                 TargetAttr description)
    : rewriter(rewriter), options(options), description(description) {}
LoweringContext::~LoweringContext() = default;

LogicalResult LoweringContext::decline(Operation *op, const Twine &reason) {
  hasDeclined = true;
  std::string text = reason.str();
  Report::of(op->getContext())
      .declined(op, current, text.empty() ? "without a reason" : text);
  return failure();
}

bool kiln::target::isLeftOut(StringRef name, const TargetOptions &options) {
  SmallVector<StringRef> names;
  options.get("without", "").split(names, '+');
  return llvm::is_contained(names, name);
}

LoweringRegistry &LoweringRegistry::get() {
  static LoweringRegistry registry;
  return registry;
}

bool kiln::target::takesKind(const Schedule &schedule, StringRef kind) {
  StringRef prefix = schedule.kind;
  return prefix == kind ||
         (prefix.consume_back("*") && kind.starts_with(prefix));
}

void LoweringRegistry::add(Lowering lowering) {
  lowering.order = tables().lowerings.size();
  tables().lowerings.push_back(std::move(lowering));
}
void LoweringRegistry::add(Schedule schedule) {
  schedule.order = tables().schedules.size();
  tables().schedules.push_back(std::move(schedule));
}
void LoweringRegistry::add(PrimClaim claim) {
  claim.order = tables().claims.size();
  tables().claims.push_back(std::move(claim));
}

namespace {
/// Counts the errors that the calling thread reports.
class ErrorCount {
public:
  explicit ErrorCount(MLIRContext *context)
      : handler(context, [this](Diagnostic &diag) {
          if (std::this_thread::get_id() == thread)
            count += diag.getSeverity() == DiagnosticSeverity::Error;
          return failure(); // whoever prints them is next
        }) {}
  unsigned count = 0;

private:
  std::thread::id thread = std::this_thread::get_id();
  ScopedDiagnosticHandler handler;
};
} // namespace

namespace {
/// What a lowering or a schedule must leave alone where it declines: the
/// operation with its regions, and that nothing with effects stands beside it
/// that was not there.
class LeftAlone : public RewriterBase::ForwardingListener {
public:
  LeftAlone(Operation *op, RewriterBase &rewriter)
      : ForwardingListener(rewriter.getListener()), rewriter(rewriter),
        outer(rewriter.getListener()), op(op), before(op->getPrevNode()),
        behind(op->getNextNode()), state(hash(op)) {
    rewriter.setListener(this);
  }
  ~LeftAlone() override { rewriter.setListener(outer); }

  /// Whether the operation is gone: nothing may look at it then.
  bool isErased() const { return erased; }
  bool holds() const {
    return !erased && state == hash(op) &&
           isHarmless(op->getPrevNode(), before) &&
           isHarmless(op->getNextNode(), behind);
  }

private:
  static llvm::hash_code hash(Operation *op) {
    llvm::hash_code code(0);
    op->walk([&](Operation *inner) {
      code = llvm::hash_combine(
          code, inner, inner->getName(), inner->getDiscardableAttrDictionary(),
          inner->hashProperties(),
          llvm::hash_combine_range(inner->result_type_begin(),
                                   inner->result_type_end()),
          inner->getNumSuccessors());
      for (Value operand : inner->getOperands())
        code = llvm::hash_combine(code, operand.getAsOpaquePointer());
    });
    return code;
  }

  static bool isHarmless(Operation *now, Operation *then) {
    return now == then || !now || isMemoryEffectFree(now);
  }

  void notifyOperationErased(Operation *gone) override {
    erased |= gone == op;
    ForwardingListener::notifyOperationErased(gone);
  }

  RewriterBase &rewriter;
  OpBuilder::Listener *outer;
  Operation *op, *before, *behind;
  llvm::hash_code state;
  bool erased = false;
};
} // namespace

/// Offers `op` to one entry. What fails must have declined.
template <typename Fn>
LoweringRegistry::Offer
LoweringRegistry::offer(Operation *op, LoweringContext &ctx, StringRef kind,
                        StringRef name, StringRef plugin, Fn &&run) {
  std::string outer = std::exchange(ctx.current, name.str());
  bool outerDeclined = std::exchange(ctx.hasDeclined, false);
  llvm::scope_exit restore([&] {
    ctx.current = std::move(outer);
    ctx.hasDeclined = outerDeclined;
  });
  OpBuilder::InsertionGuard guard(ctx.rewriter);
  std::string owner = describeOwner(kind, name, plugin);
  Location loc = op->getLoc();
  ErrorCount errors(op->getContext());
  Report &report = Report::of(op->getContext());
  // A claim may take one thing of a function and decline another.
  std::optional<LeftAlone> leftAlone;
  if (kind != "claim" && !isOwnPlugin(plugin))
    leftAlone.emplace(op, ctx.rewriter);
  if (succeeded(runGuardedActivity(owner, op, run))) {
    // The operation may be gone; the error of one that goes on ends the pass.
    if (errors.count)
      report.broke(nullptr, owner);
    ctx.takenBy = std::move(owner);
    return Offer::taken;
  }
  bool isDeclined = ctx.hasDeclined && !errors.count;
  bool isChanged = isDeclined && leftAlone && !leftAlone->holds();
  if (isDeclined && !isChanged)
    return Offer::declined;
  if (isChanged)
    emitError(loc) << owner
                   << " changed the operation and declined it then: it has to "
                      "leave it as it was";
  else if (!errors.count)
    emitError(loc) << owner
                   << " failed without a reason: it has to do its work, or to "
                      "leave the operation as it was and return "
                      "decline(op, reason)";
  if (!leftAlone || !leftAlone->isErased())
    report.broke(op, owner);
  return Offer::broken;
}

/// Whether a lowering is for operations of this name or kind.
static bool isFor(const Lowering &lowering, Operation *op) {
  return lowering.op == op->getName().getStringRef() ||
         kiln::isOfKind(op, lowering.op);
}

/// Whether a context asks a lowering for an operation.
static bool isAsked(const Lowering &lowering, Operation *op,
                    const LoweringContext &ctx) {
  return lowering.form == ctx.form() && isFor(lowering, op) &&
         appliesTo(lowering.target, ctx) &&
         !isLeftOut(lowering.name, ctx.options);
}

std::vector<const Lowering *>
LoweringRegistry::candidates(Operation *op, const LoweringContext &ctx) const {
  std::vector<const Lowering *> found;
  for (const Lowering &lowering : tables().lowerings)
    if (isAsked(lowering, op, ctx))
      found.push_back(&lowering);
  order(found);
  return found;
}

FailureOr<bool> LoweringRegistry::applyOne(const Lowering &lowering,
                                           Operation *op,
                                           LoweringContext &ctx) {
  Offer result = offer(op, ctx, "lowering", lowering.name, lowering.plugin,
                       [&] { return lowering.lower(op, ctx); });
  if (result == Offer::broken)
    return failure();
  return result == Offer::taken;
}

LogicalResult LoweringRegistry::apply(Operation *op, LoweringContext &ctx) {
  Report &report = Report::of(op->getContext());
  ReportRow subject = report.describe(op);
  StringRef target = ctx.options.name;
  for (const Lowering *lowering : candidates(op, ctx)) {
    FailureOr<bool> taken = applyOne(*lowering, op, ctx);
    if (failed(taken))
      return failure();
    if (!*taken)
      continue;
    report.chose(subject, op, "lowering", target, lowering->name);
    return success();
  }
  return failure();
}

bool LoweringRegistry::knows(Operation *op, const LoweringContext &ctx) const {
  return llvm::any_of(tables().lowerings, [&](const Lowering &lowering) {
    return isAsked(lowering, op, ctx);
  });
}

/// What a group holds, for the report: "dot_general, add, silu".
static std::string contentOf(Operation *group) {
  llvm::MapVector<StringRef, unsigned> names;
  for (Region &region : group->getRegions())
    for (Block &block : region)
      for (Operation &op : block.without_terminator())
        ++names[op.getName().stripDialect()];
  std::string text;
  for (const auto &[name, count] : names) {
    text += (text.empty() ? "" : ", ") + name.str();
    if (count > 1)
      text += " x" + std::to_string(count);
  }
  return text.empty() ? text : "(" + text + ")";
}

/// ": REASON" of what declined a group; empty without one.
static std::string whyDeclined(const Report &report, Operation *group,
                               StringRef name) {
  for (const Decline &decline : report.pendingDeclines(group))
    if (decline.name == name)
      return ": " + decline.reason;
  return "";
}

LogicalResult LoweringRegistry::schedule(Operation *group, StringRef kind,
                                         LoweringContext &ctx) {
  std::vector<const Schedule *> candidates;
  for (const Schedule &schedule : tables().schedules)
    if (takesKind(schedule, kind) &&
        (schedule.target.empty() || appliesTo(schedule.target, ctx)) &&
        !isLeftOut(schedule.name, ctx.options))
      candidates.push_back(&schedule);
  order(candidates);
  // A forced schedule goes first; whatever it declines is still scheduled.
  std::string forced = ctx.options.get("schedule", "").str();
  std::optional<Asked> asked = findAsked(group, "schedule");
  if (asked)
    forced = cast<StringAttr>(asked->value).getValue().str();
  // Costs only rank schedules of one priority.
  std::vector<std::pair<double, const Schedule *>> ranked;
  for (const Schedule *schedule : candidates)
    ranked.emplace_back(schedule->cost ? schedule->cost(group, ctx) : 0.0,
                        schedule);
  llvm::sort(ranked, [&](const auto &a, const auto &b) {
    auto key = [&](const auto &entry) {
      const Schedule &schedule = *entry.second;
      return std::make_tuple(schedule.name != forced, -schedule.priority,
                             entry.first, -static_cast<int>(schedule.order));
    };
    return key(a) < key(b);
  });

  Report &report = Report::of(group->getContext());
  ReportRow subject = report.describe(group);
  std::string content = contentOf(group);
  for (const auto &[cost, schedule] : ranked) {
    // A schedule script is not followed halfway.
    if (asked && schedule->name != forced)
      break;
    Offer result =
        offer(group, ctx, "schedule", schedule->name, schedule->plugin,
              [&, s = schedule] { return s->emit(group, ctx); });
    if (result == Offer::broken)
      return failure();
    if (result == Offer::declined)
      continue;
    std::string detail = content;
    if (schedule->cost)
      detail += llvm::formatv(", cost {0:f2} us", cost * 1e6).str();
    report.chose(subject, group, "schedule", ctx.options.name, schedule->name,
                 detail);
    return success();
  }
  if (asked)
    return emitUnmet(*asked, "schedule '" + forced +
                                 "' does not take the group at " +
                                 locationString(group->getLoc()) +
                                 whyDeclined(report, group, forced));
  return failure();
}

LogicalResult LoweringRegistry::claim(Operation *func, const PrimClaim &claim,
                                      LoweringContext &ctx) {
  // A claim that finds nothing, and says why, is no failure.
  return success(offer(func, ctx, "claim", claim.name, claim.plugin, [&] {
                   return claim.claim(func, ctx);
                 }) != Offer::broken);
}

std::vector<const Lowering *>
LoweringRegistry::lowerings(StringRef target) const {
  return ofTarget(tables().lowerings, target);
}
std::vector<const Schedule *>
LoweringRegistry::schedules(StringRef target) const {
  return ofTarget(tables().schedules, target);
}
std::vector<const PrimClaim *>
LoweringRegistry::claims(StringRef target) const {
  std::vector<const PrimClaim *> found;
  for (const PrimClaim &claim : tables().claims)
    if (target.empty() || claim.target.empty() || claim.target == target)
      found.push_back(&claim);
  order(found);
  return found;
}

std::vector<std::string>
kiln::target::loweredOperations(const TargetOptions &options, StringRef family,
                                StringRef form) {
  std::vector<std::string> names;
  for (const Lowering &lowering : tables().lowerings)
    if ((lowering.target == options.name || lowering.target == family) &&
        lowering.form == form && !isLeftOut(lowering.name, options))
      names.push_back(lowering.op);
  return names;
}

LogicalResult kiln::target::emitUnsupported(Operation *op, const Twine &what) {
  Report &report = Report::of(op->getContext());
  if (report.takeBroken(op))
    return failure();
  auto diag = op->emitError() << "unsupported: " << what;
  // What an operation in it lacks is why the whole does.
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    for (const Decline &decline : report.pendingDeclines(inner))
      diag.attachNote(inner->getLoc())
          << decline.name << " declined: " << decline.reason;
  });
  return diag;
}
