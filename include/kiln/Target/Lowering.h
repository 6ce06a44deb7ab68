//===- Lowering.h - Named lowerings and schedules ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowerings turn one operation into a target's or a family's form; schedules
// turn a fused group of prim operations into tile kernels. Kiln orders them
// itself (higher priority first, the latest loaded among equals) and records
// every choice and every decline in the report.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_LOWERING_H
#define KILN_TARGET_LOWERING_H

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Target/TargetOptions.h"
#include "mlir/IR/PatternMatch.h"
#include <functional>
#include <string>

namespace kiln::target {

/// What every lowering and schedule gets to work with. Families derive from it
/// and set `family` to a name of their own; `as<T>()` gets back to them.
class LoweringContext {
public:
  LoweringContext(mlir::RewriterBase &rewriter, const TargetOptions &options,
                  TargetAttr description);
  virtual ~LoweringContext();

  mlir::RewriterBase &rewriter;
  const TargetOptions &options;
  TargetAttr description; ///< may be null when a module names no target

  /// Records that the current lowering does not take `op`. Returns failure, so
  /// that `return ctx.decline(op, "why")` reads well. The operation must be
  /// left as it was.
  mlir::LogicalResult decline(mlir::Operation *op, const llvm::Twine &reason);

  /// Name of the family whose context this is; empty for the base class.
  virtual llvm::StringRef family() const { return ""; }
  /// The form of operations that is lowered, where a family has several; only
  /// lowerings with this `form` are asked.
  virtual llvm::StringRef form() const { return ""; }
  /// This context as that of family T (`T::kFamily`), or null.
  template <typename T> T *as() {
    return family() == llvm::StringRef(T::kFamily) ? static_cast<T *>(this)
                                                   : nullptr;
  }

  /// Whose lowering or schedule took something last, for messages: "lowering
  /// 'mine.dot' of plug-in 'mine'".
  std::string takenBy;

private:
  friend class LoweringRegistry;
  std::string current; ///< name of the lowering being tried
  bool hasDeclined = false;
};

/// A registered way to lower one kind of operation. To fail without declining
/// is an error: of the lowering's own diagnostic, else one that names it. So is
/// what it throws. No other lowering is tried then.
struct Lowering {
  std::string name;   ///< "mine.dot.fast"
  std::string target; ///< name of a target or of a family
  std::string op;     ///< "tile.dot", or a kind of Interfaces/Names.h
  int priority = 0;   ///< core and families use 0 to 100
  /// Lowers the operation, or declines it through the context.
  std::function<mlir::LogicalResult(mlir::Operation *, LoweringContext &)>
      lower;
  std::string plugin; ///< filled in by the registry
  unsigned order = 0; ///< filled in by the registry
  /// A form of operations that the family has a name for; families add such
  /// lowerings by functions of their own.
  std::string form = {};
};

/// A registered way to turn a fusion group into tile kernels.
struct Schedule {
  std::string name;   ///< "generic.reduction"
  std::string kind;   ///< the group's kind: "elementwise", "reduction",
                      ///< "contraction", "convolution", "scan", "sort" or
                      ///< "gather"; "claim.NAME" for a prim.claim, where
                      ///< "claim.PREFIX*" stands for all that begin so
  std::string target; ///< name of a target or family; empty: any
  int priority = 0;
  /// Emits kernels and launches in place of the group, or declines through the
  /// context. The context is the one of the pass that runs schedules.
  std::function<mlir::LogicalResult(mlir::Operation *, LoweringContext &)> emit;
  /// Estimated seconds; a schedule with a lower cost goes first among those of
  /// one priority. May be empty.
  std::function<double(mlir::Operation *, const LoweringContext &)> cost;
  std::string plugin;
  unsigned order = 0;
};

/// A registered claim at prim level: walks a function and wraps what the target
/// does itself into prim.claim operations with `claimOps`.
struct PrimClaim {
  std::string name;
  std::string target;
  int priority = 0;
  std::function<mlir::LogicalResult(mlir::Operation *func, LoweringContext &)>
      claim;
  std::string plugin;
  unsigned order = 0;
};

/// Whether a schedule is one for groups of `kind`.
bool takesKind(const Schedule &schedule, llvm::StringRef kind);

/// Whether the option `without=NAME+NAME` of a SPEC has this name of a
/// lowering, schedule or claim. The registry does not offer anything to those.
bool isLeftOut(llvm::StringRef name, const TargetOptions &options);

/// The lowerings, schedules and claims of everything that is loaded.
class LoweringRegistry {
public:
  static LoweringRegistry &get();

  void add(Lowering lowering);
  void add(Schedule schedule);
  void add(PrimClaim claim);

  /// Offers `op` to the lowerings of the context's target and of its family,
  /// best first, until one takes it. Succeeds when one did. A failure leaves
  /// the declines in the report; the caller says what is unsupported, usually
  /// with `emitUnsupported`. Pipelines of a vendor's own call it from a pass:
  ///
  ///   LoweringContext ctx(rewriter, bound.options, bound.description);
  ///   if (failed(LoweringRegistry::get().apply(op, ctx)))
  ///     return emitUnsupported(op, "no lowering for " + name);
  mlir::LogicalResult apply(mlir::Operation *op, LoweringContext &ctx);

  /// The lowerings that `apply` asks, in this order.
  std::vector<const Lowering *> candidates(mlir::Operation *op,
                                           const LoweringContext &ctx) const;

  /// Offers `op` to one lowering, without a row in the report: whether it took
  /// it. Fails where the lowering went wrong, which was said.
  mlir::FailureOr<bool> applyOne(const Lowering &lowering, mlir::Operation *op,
                                 LoweringContext &ctx);

  /// The same for a fusion group. The option `schedule=NAME` of the SPEC or a
  /// schedule script forces one.
  mlir::LogicalResult schedule(mlir::Operation *group, llvm::StringRef kind,
                               LoweringContext &ctx);

  /// Runs one claim on a function.
  mlir::LogicalResult claim(mlir::Operation *func, const PrimClaim &claim,
                            LoweringContext &ctx);

  /// Whether any lowering is registered for `op` in this context.
  bool knows(mlir::Operation *op, const LoweringContext &ctx) const;

  std::vector<const Lowering *> lowerings(llvm::StringRef target) const;
  std::vector<const Schedule *> schedules(llvm::StringRef target) const;
  std::vector<const PrimClaim *> claims(llvm::StringRef target) const;

private:
  enum class Offer { taken, declined, broken };
  template <typename Fn>
  Offer offer(mlir::Operation *op, LoweringContext &ctx, llvm::StringRef kind,
              llvm::StringRef name, llvm::StringRef plugin, Fn &&run);
};

/// The operations that lowerings of a target, or of its family, are registered
/// for by name, in one form.
std::vector<std::string> loweredOperations(const TargetOptions &options,
                                           llvm::StringRef family,
                                           llvm::StringRef form = "");

/// Emits `unsupported: <what>` on `op`, with one note per decline recorded for
/// it or for an operation in it, and returns failure. An error that begins so
/// lets the kernel go to the next target; any other one ends the compilation.
/// Says nothing where a lowering went wrong, which was said.
mlir::LogicalResult emitUnsupported(mlir::Operation *op,
                                    const llvm::Twine &what);

} // namespace kiln::target

#endif // KILN_TARGET_LOWERING_H
