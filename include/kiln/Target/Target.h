//===- Target.h - What a target supplies ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target is a subclass of `Target`, registered by a plug-in. Only `name` and
// `description` must be supplied; each further function is one more level of
// docs/plugins.md and has a default that works without it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_TARGET_H
#define KILN_TARGET_TARGET_H

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Runtime/Launch.h"
#include "kiln/Target/ExtensionPoint.h"
#include "kiln/Target/TargetOptions.h"
#include "kiln/Target/TilingModel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kiln::target {

/// A chip that a target knows by name.
struct ChipInfo {
  std::string name;
  std::string help;
};

/// A key that a target (or a plug-in that extends it) takes in its SPEC.
struct OptionInfo {
  std::string key;
  std::string value; ///< a hint such as "N", or all that is allowed: "on|off"
  std::string help;
};

/// One kernel of the serialised code.
struct CompiledKernel {
  std::string name;         ///< the tile.kernel's symbol
  std::string symbol;       ///< entry symbol within the bytes
  unsigned blob = 0;        ///< index into Executable::blobs
  int64_t scratchBytes = 0; ///< per thread, 64-byte aligned
  /// What its launches have beyond arguments and grid: threads, clusters,
  /// dynamic local memory, … Values are numbers or expressions over the
  /// kernel's arguments (kiln/Runtime/Expression.h).
  std::vector<runtime::LaunchAttribute> attributes;
  /// Views that the driver encodes whole.
  std::vector<runtime::Recipe> recipes;
  /// Memory for the time of a launch; it comes behind the arguments.
  std::optional<runtime::Workspace> workspace;
  /// Any bytes, for the device driver alone.
  std::string metadata;
  /// Facts for people who inspect the package.
  std::vector<std::pair<std::string, std::string>> notes;
};

/// What a serialiser returns: byte strings and the kernels within them.
struct Executable {
  std::vector<std::string> blobs;
  std::vector<CompiledKernel> kernels;
  /// What a machine must have to run the code, by names that the device driver
  /// knows: it is asked for them before any code is loaded. Letters, digits,
  /// `.`, `-` and `_`.
  std::vector<std::string> requirements;
};

/// The level at which a target takes a program over.
///
/// With `Tile` every tile.kernel becomes a kernel, and Kiln compiles the host
/// program. With `Prim` every public func.func of prim becomes a kernel too, as
/// it comes from the frontend's conversion (not raised, fused or decomposed):
/// symbol NAME takes the function's arguments, then one buffer per result,
/// row-major. A function with dynamic result sizes needs a second symbol,
/// NAME:sizes, that takes the arguments and one i64 buffer of shape [n] for the
/// n dynamic result sizes, in order; it runs before NAME. Modules of tile and
/// program are handled alike by both kinds.
enum class InputLevel {
  Prim, ///< whole prim functions
  Tile, ///< tile kernels
};

/// What `Target::emit` is asked for.
enum class EmitKind { LLVM, Assembly };

/// A compilation target.
class Target {
public:
  virtual ~Target();

  /// Name in SPECs: letters, digits, `_` and `-`.
  virtual llvm::StringRef name() const = 0;
  /// One line for --list-targets.
  virtual llvm::StringRef help() const { return ""; }

  /// Level 1: the chip as data. Returns null after reporting through
  /// `emitError(UnknownLoc)` when the chip or an option is not known.
  virtual TargetAttr description(mlir::MLIRContext *context,
                                 const TargetOptions &options) const = 0;

  /// The chips by name, the default first; "*" stands for names that are passed
  /// on unseen.
  virtual std::vector<ChipInfo> chips() const { return {}; }
  /// Option keys; a key not listed by the target or a plug-in is refused.
  virtual std::vector<OptionInfo> options() const { return {}; }
  /// The device driver's name (libkiln-device-NAME.so).
  virtual std::string deviceName() const { return name().str(); }
  /// Above 0: kernels of this target run on the compiling machine's kind of
  /// host, and it may take what other targets decline; the highest is used.
  virtual int fallbackPriority() const { return 0; }
  /// Where the target takes over.
  virtual InputLevel inputLevel() const { return InputLevel::Tile; }

  /// Dialects that its pipeline produces or parses.
  virtual void registerDialects(mlir::DialectRegistry &registry) const {}

  /// What picks the sizes of blocks. Null: the model of kiln/Tiling/Tiling.h,
  /// which reads the description, with the preferences of `tileSizes`.
  virtual std::unique_ptr<TilingModel>
  tilingModel(TargetAttr description, const TargetOptions &options) const {
    return nullptr;
  }
  /// Preferred tile sizes; by default those of the description.
  virtual TileSizes tileSizes(TargetAttr description,
                              const TargetOptions &options) const {
    return TileSizes::fromDescription(description);
  }

  /// Whether one kernel (a tile.kernel) is within what the target does. A
  /// kernel that is not (`reason` says why) runs on the host target, whole.
  virtual bool accepts(mlir::Operation *kernel, TargetAttr description,
                       const TargetOptions &options,
                       std::string &reason) const {
    return true;
  }

  /// Level 3: whether it has a pipeline of its own; without one (and without a
  /// family that has one) the kernels run on the host target.
  virtual bool hasPipeline() const { return false; }
  /// Adds the passes from a module of tile.kernel operations down to what
  /// `serialize` takes. The pass manager is anchored on builtin.module. Called
  /// again for every compilation. Call `runExtensionPoint` where it has one.
  virtual void buildPipeline(mlir::OpPassManager &pm,
                             const TargetOptions &options) const {}
  /// Whether the pipeline and `serialize` may work on several modules of one
  /// context at once. Pipelines are always built one after the other; their
  /// passes, the lowerings they apply and `serialize` run on several threads, a
  /// module on one thread at a time, so what they share beyond the module must
  /// be constant or locked. False: one module after the other.
  virtual bool lowersInParallel() const { return true; }
  /// Extension points of the pipeline, in order.
  virtual std::vector<ExtensionPoint> extensionPoints() const { return {}; }

  /// Level 6: turns the module that the pipeline produced into bytes. Reports
  /// through `emitError` on failure. A program of many kernels comes as several
  /// modules, cut by the number of its kernels alone; the same module must give
  /// the same bytes.
  virtual mlir::LogicalResult serialize(mlir::ModuleOp module,
                                        const TargetOptions &options,
                                        Executable &result) const;
  /// Prints the module for --emit=llvm and --emit=asm. `unsupported` error by
  /// default.
  virtual mlir::LogicalResult emit(mlir::ModuleOp module, EmitKind kind,
                                   const TargetOptions &options,
                                   llvm::raw_ostream &os) const;

  /// Level 5: may rewrite the program level of `module` (sequences of launches,
  /// the memory plan) before kernels are lowered.
  virtual mlir::LogicalResult claimProgram(mlir::ModuleOp module,
                                           const TargetOptions &options) const {
    return mlir::success();
  }
};

} // namespace kiln::target

#endif // KILN_TARGET_TARGET_H
