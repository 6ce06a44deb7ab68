// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Targets of Kiln as programs with an MLIR of their own, from 19 on: reads kernels in the wire form and speaks the protocol
// of docs/isolated-targets.md. A project has its own copy; later releases of Kiln speak this version, too.
//
// Operations of `arith`, `math` and `scf` are MLIR's. Those of `tile` are read as they are written, without a definition:
// `op->getName().getStringRef()`, attributes by `attribute`, and `viewOf` for the type of a view.
#ifndef KILN_ISOLATED_H
#define KILN_ISOLATED_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/JSON.h"
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace isolated {

/// The chip and the options of --target=NAME:CHIP,KEY=VALUE.
struct Spec {
  std::string chip;
  std::map<std::string, std::string> options;
};

/// The compiled form of a kernel.
struct Code {
  std::string data;     ///< bytes that the device driver loads
  std::string symbol;   ///< empty: the kernel's name
  std::string metadata; ///< more bytes for the driver
  int64_t scratch = 0;  ///< bytes per thread
  std::map<std::string, std::vector<int64_t>> attributes; ///< {"threads", {128}}
  std::map<std::string, std::string> notes;
  std::optional<int64_t> workspace;      ///< bytes of global memory that a launch needs for itself
  std::vector<std::string> requirements; ///< what a machine must have, by names that the driver knows
  /// Operations and the instructions that compute them, which `--explain` prints.
  std::vector<std::pair<mlir::Operation *, std::string>> lowerings;
};

/// An operation that the target cannot take, and the reason. The compiler prints
/// both, with the location of the operation, and tries the next target.
struct Declined {
  mlir::Operation *op = nullptr;
  std::string reason;
};

/// The base class of your target. A target must define `describe` and `compile`;
/// all else is optional.
class Target {
public:
  virtual ~Target() = default;
  std::string name; ///< as in the name of the program, kiln-target-NAME
  std::string version = "0.1", help, device;
  std::vector<std::pair<std::string, std::string>> chips; ///< name and help, the default first
  struct Option {
    std::string key, value, help;
  };
  std::vector<Option> options;
  /// Names of the operations that the target takes, such as "arith.addf". If empty, every kernel reaches `compile`, which may
  /// decline it.
  std::vector<std::string> operations;
  /// Types of tiles, views and numbers that the target takes, such as "f32". If empty, the same holds.
  std::vector<std::string> types;
  /// Paths of files that answers depend on, such as one with the description: kept answers end when they change.
  std::vector<std::string> files;

  /// Returns the description of the chip as text: #kiln.target<...>.
  virtual std::string describe(const Spec &spec) = 0;
  /// Compiles a tile.kernel. To decline it, sets `declined` and returns nothing.
  virtual std::optional<Code> compile(mlir::Operation *kernel, const Spec &spec, Declined &declined) = 0;
  /// Returns the groups of prim operations of a func.func that the target computes whole, each with a name. Called if
  /// `takesClaims`. Each group becomes a tile.kernel with one prim.claim, whose region holds the operations.
  virtual std::vector<std::pair<std::string, std::vector<mlir::Operation *>>> claims(mlir::Operation *function, const Spec &spec) {
    return {};
  }
  bool takesClaims = false;
  /// Returns block sizes for a problem, the best first, each with one size for each dimension. `problem` is the line that
  /// `--explain` shows. Called if `choosesBlocks`.
  virtual std::vector<std::vector<int64_t>> tile(llvm::StringRef problem, const Spec &spec) { return {}; }
  bool choosesBlocks = false;
  /// Returns whether `compile` would take a kernel, much faster than `compile`; else sets `declined`. Called if `answersAccepts`.
  virtual bool accepts(mlir::Operation *kernel, const Spec &spec, Declined &declined) { return true; }
  bool answersAccepts = false;
  /// Returns the code of a kernel as text, for --emit=asm. Called if `printsAssembly`.
  virtual std::optional<std::string> assembly(mlir::Operation *kernel, const Spec &spec, Declined &declined) {
    return std::nullopt;
  }
  bool printsAssembly = false;
};

/// The sizes and the element type of a view; a size that only a launch knows is ShapedType::kDynamic.
struct View {
  std::vector<int64_t> shape;
  mlir::Type element;
};
/// Reads a type `!tile.view<...>`; returns nothing for another type.
std::optional<View> viewOf(mlir::Type type);

/// Returns an attribute of an operation, inherent or discardable; null if it is absent or has its default. If operations of this
/// kind have no attribute of that name, the program exits with a message.
mlir::Attribute attribute(mlir::Operation *op, llvm::StringRef name);
/// Returns an integer attribute, or `otherwise` if it is absent.
int64_t integer(mlir::Operation *op, llvm::StringRef name, int64_t otherwise = 0);
/// Returns the operands in the groups of the operation's definition, such as a view, its offsets and a mask.
std::vector<mlir::OperandRange> segments(mlir::Operation *op);
/// Returns the bits of the element that a tile.load reads outside of its view; nothing if only a launch knows them.
std::optional<llvm::APInt> padding(mlir::Operation *load);
/// Returns the name of a kernel.
std::string symbol(mlir::Operation *kernel);

/// Answers the compiler's requests on the standard input and output until it ends the conversation. Text that the program
/// prints goes to the standard error. Returns the exit status.
int serve(Target &target);

} // namespace isolated

#endif
