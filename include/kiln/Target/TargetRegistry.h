//===- TargetRegistry.h - Targets by name, plug-ins by path -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that plug-ins bring ends here. A plug-in's register function gets
// the registry and adds targets, lowerings, schedules, claims, extension passes
// and option keys.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_TARGETREGISTRY_H
#define KILN_TARGET_TARGETREGISTRY_H

#include "kiln/Frontend/Frontend.h"
#include "kiln/Target/Lowering.h"
#include "kiln/Target/Target.h"
#include <memory>
#include <string>
#include <vector>

namespace kiln::target {

/// A loaded plug-in.
struct PluginInfo {
  std::string name;
  std::string version;
  std::string path; ///< empty: built into the core
};

/// A target together with the parsed SPEC it was asked for with.
struct BoundTarget {
  const Target *target = nullptr;
  TargetOptions options;
  TargetAttr description;
  explicit operator bool() const { return target != nullptr; }
};

/// A code generator that descriptions can name as their family: gives a
/// pipeline and a serialiser to targets that have none of their own.
struct Family {
  std::string name;
  std::function<void(mlir::OpPassManager &, const TargetOptions &)>
      buildPipeline;
  std::function<mlir::LogicalResult(mlir::ModuleOp, const TargetOptions &,
                                    Executable &)>
      serialize;
  /// Extension points that the pipeline has for every target of the family:
  /// "tile" stands for "TARGET.tile".
  std::vector<ExtensionPoint> points = {};
};

/// The process-wide table of what is loaded.
class TargetRegistry {
public:
  static TargetRegistry &get();

  // What plug-ins call.
  void addTarget(std::unique_ptr<Target> target);
  /// Level 1 only: a target that is nothing but the text of a description.
  void addDescribedTarget(std::string description);
  void addLowering(Lowering lowering);
  void addSchedule(Schedule schedule);
  void addPrimClaim(PrimClaim claim);
  void addExtensionPoint(ExtensionPoint point);
  void addPass(
      std::string point, std::string name,
      std::function<void(mlir::OpPassManager &, const TargetOptions &)> build);
  /// A further SPEC key for another vendor's target.
  void addOption(std::string target, OptionInfo option);
  void addFamily(Family family);
  /// A reader of programs; its input selects it, without a name.
  void addFrontend(frontend::Frontend frontend);
  /// Dialects that kiln-opt and kiln-compile shall parse.
  void addDialects(std::function<void(mlir::DialectRegistry &)> fn);
  /// For the core alone: its dialects, and the kinds that prim.fusion groups
  /// have, so that what plug-ins say about operations and groups can be
  /// checked.
  void setCoreDialects(void (*fn)(mlir::DialectRegistry &));
  void setGroupKinds(llvm::ArrayRef<llvm::StringRef> kinds);

  // What the core asks.
  const Target *find(llvm::StringRef name) const;
  const Family *findFamily(llvm::StringRef name) const;
  std::vector<const Target *> targets() const;
  std::vector<OptionInfo> optionsOf(const Target &target) const;
  std::vector<ExtensionPoint> pointsOf(llvm::StringRef target) const;
  std::vector<const ExtensionPass *> passesAt(llvm::StringRef point) const;
  std::vector<PluginInfo> plugins() const;

  /// Parses SPEC, finds the target, checks chip and keys and builds the
  /// description (from the file of `description=FILE` where given). Reports at
  /// an unknown location and returns an empty value on failure.
  BoundTarget bind(llvm::StringRef spec, mlir::MLIRContext *context) const;
  /// The target that `kiln.spec` of the enclosing module names; empty without
  /// a diagnostic when there is none.
  BoundTarget boundTarget(mlir::Operation *op) const;

  /// Dialects of the core and of everything loaded.
  void registerDialects(mlir::DialectRegistry &registry) const;

  struct Impl;
  Impl &impl() const { return *state; }

private:
  TargetRegistry();
  ~TargetRegistry();
  const ExtensionPoint *findPoint(llvm::StringRef name) const;
  std::unique_ptr<Impl> state;
};

/// The target that runs kernels which others decline, or null.
const Target *findHostTarget();
/// The plug-in that registered a target; empty for those of the core.
std::string pluginOf(const Target &target);
/// "target 'tiny' of plug-in 'tiny'", for messages; `what` is what of it:
/// "serialiser of".
std::string describeTarget(const Target &target, llvm::StringRef what = "");

/// Sets `kiln.spec` and `kiln.target` on a module.
void setTarget(mlir::ModuleOp module, const BoundTarget &target);

/// Wraps operations of one block, which must form a convex group, into a
/// prim.claim named `name`. The claim keeps them as its region.
mlir::FailureOr<mlir::Operation *>
claimOps(llvm::ArrayRef<mlir::Operation *> ops, llvm::StringRef name,
         llvm::StringRef target, LoweringContext &ctx);

/// Puts the operations of a prim.claim back in its place.
void inlineClaim(mlir::Operation *claim, mlir::RewriterBase &rewriter);

} // namespace kiln::target

#endif // KILN_TARGET_TARGETREGISTRY_H
