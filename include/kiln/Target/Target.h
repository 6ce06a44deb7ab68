//===- Target.h - What a target supplies ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target is a subclass of `Target`, which a plug-in registers. Only `name`
// and `description` must be overridden. Every other function has a default,
// with which kernels run on the host target. docs/plugins.md lists what a
// plug-in can bring, from least to most.
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
  /// Properties of its launches beyond arguments and grid: threads, clusters,
  /// dynamic local memory, … Values are integers or expressions over the
  /// kernel's arguments (kiln/Runtime/Expression.h).
  std::vector<runtime::LaunchAttribute> attributes;
  /// Parameters that the driver computes from a view at each launch, such as a
  /// descriptor for a copy unit.
  std::vector<runtime::Recipe> recipes;
  /// Memory that the runtime allocates for the time of a launch; its address
  /// is passed behind the arguments.
  std::optional<runtime::Workspace> workspace;
  /// Any bytes; only the device driver reads them.
  std::string metadata;
  /// Facts for people who inspect the package.
  std::vector<std::pair<std::string, std::string>> notes;
};

/// What a serialiser returns: byte strings and the kernels within them.
struct Executable {
  std::vector<std::string> blobs;
  std::vector<CompiledKernel> kernels;
  /// Features that a machine must have to run the code, by names that the
  /// device driver knows. The runtime asks the driver for them before it loads
  /// any code. A name has letters, digits, `.`, `-` and `_`.
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

/// The texts that `Target::emit` can print.
enum class EmitKind { LLVM, Assembly };

/// A compilation target.
class Target {
public:
  virtual ~Target();

  /// Name in SPECs: letters, digits, `_` and `-`.
  virtual llvm::StringRef name() const = 0;
  /// One line for --list-targets.
  virtual llvm::StringRef help() const { return ""; }

  /// Returns the chip as data. Returns null after reporting through
  /// `emitError(UnknownLoc)` if the chip or an option is unknown.
  virtual TargetAttr description(mlir::MLIRContext *context,
                                 const TargetOptions &options) const = 0;

  /// Returns the chips by name, the default first. "*" accepts any name, which
  /// `description` then judges.
  virtual std::vector<ChipInfo> chips() const { return {}; }
  /// Returns the keys of a SPEC. Kiln refuses keys that neither the target nor
  /// a plug-in lists.
  virtual std::vector<OptionInfo> options() const { return {}; }
  /// The device driver's name (libkiln-device-NAME.so).
  virtual std::string deviceName() const { return name().str(); }
  /// A target above 0 makes code for the host. Of these, the one with the
  /// highest number is the host target: it gets the kernels that other targets
  /// decline.
  virtual int fallbackPriority() const { return 0; }
  /// The level of the programs that the target compiles.
  virtual InputLevel inputLevel() const { return InputLevel::Tile; }

  /// Dialects that its pipeline produces or parses.
  virtual void registerDialects(mlir::DialectRegistry &registry) const {}

  /// Returns the model that chooses block sizes. Null: the model of
  /// kiln/Tiling/Tiling.h, which reads the description and `tileSizes`.
  virtual std::unique_ptr<TilingModel>
  tilingModel(TargetAttr description, const TargetOptions &options) const {
    return nullptr;
  }
  /// Preferred tile sizes; by default those of the description.
  virtual TileSizes tileSizes(TargetAttr description,
                              const TargetOptions &options) const {
    return TileSizes::fromDescription(description);
  }

  /// Returns true if the target can compile a kernel (a tile.kernel). Otherwise
  /// it sets `reason`, and the whole kernel runs on the host target. A target
  /// that accepts a kernel may still decline it later, by an error that begins
  /// with "unsupported: ".
  virtual bool accepts(mlir::Operation *kernel, TargetAttr description,
                       const TargetOptions &options,
                       std::string &reason) const {
    return true;
  }

  /// Returns true if the target has a pipeline. Without one, and without a
  /// family that has one, kernels run on the host target.
  virtual bool hasPipeline() const { return false; }
  /// Adds the passes from a module of tile.kernel operations to the input of
  /// `serialize`. The pass manager is anchored on builtin.module. Called for
  /// every compilation. Call `runExtensionPoint` at each of `extensionPoints`.
  virtual void buildPipeline(mlir::OpPassManager &pm,
                             const TargetOptions &options) const {}
  /// Whether the pipeline and `serialize` may work on several modules of one
  /// context at once. Pipelines are always built one after the other; their
  /// passes, the lowerings they apply and `serialize` run on several threads, a
  /// module on one thread at a time, so what they share beyond the module must
  /// be constant or locked. False: one module after the other.
  virtual bool lowersInParallel() const { return true; }
  /// Returns the extension points of the pipeline, in order.
  virtual std::vector<ExtensionPoint> extensionPoints() const { return {}; }

  /// Turns the module that the pipeline produced into bytes. Reports through
  /// `emitError` on failure. A program of many kernels comes as several
  /// modules, whose cuts depend on the number of kernels only. The same module
  /// must give the same bytes.
  virtual mlir::LogicalResult serialize(mlir::ModuleOp module,
                                        const TargetOptions &options,
                                        Executable &result) const;
  /// Prints the lowered module to `os`, for --emit=llvm and --emit=asm. Fails
  /// with an `unsupported` error at the module if the target has no such form,
  /// which is the default.
  virtual mlir::LogicalResult emit(mlir::ModuleOp module, EmitKind kind,
                                   const TargetOptions &options,
                                   llvm::raw_ostream &os) const;

  /// Rewrites the host programs of `module` (sequences of launches, the memory
  /// plan) before kernels are lowered. The default changes nothing.
  virtual mlir::LogicalResult claimProgram(mlir::ModuleOp module,
                                           const TargetOptions &options) const {
    return mlir::success();
  }
};

} // namespace kiln::target

#endif // KILN_TARGET_TARGET_H
