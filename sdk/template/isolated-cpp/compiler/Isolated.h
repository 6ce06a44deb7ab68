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

/// What --target= said.
struct Spec {
  std::string chip;
  std::map<std::string, std::string> options;
};

/// What a kernel was compiled to.
struct Code {
  std::string data;     ///< for the device driver
  std::string symbol;   ///< empty: the kernel's name
  std::string metadata; ///< more bytes for the driver
  int64_t scratch = 0;  ///< bytes per thread
  std::map<std::string, std::vector<int64_t>> attributes; ///< {"threads", {128}}
  std::map<std::string, std::string> notes;
  /// Operations and the instructions that compute them, which `--explain` prints.
  std::vector<std::pair<mlir::Operation *, std::string>> lowerings;
};

/// What is declined, and why. The compiler shows the place of the operation.
struct Declined {
  mlir::Operation *op = nullptr;
  std::string reason;
};

/// Derive from it. `compile` is all that a target must do.
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
  std::vector<std::string> operations; ///< what is taken; empty: any, and `compile` declines

  /// The chip as text: #kiln.target<...>.
  virtual std::string describe(const Spec &spec) = 0;
  /// Compiles a tile.kernel; nothing after `declined` was set.
  virtual std::optional<Code> compile(mlir::Operation *kernel, const Spec &spec, Declined &declined) = 0;
  /// What it computes whole, where `takesClaims`: names, and operations of prim of a func.func. Each becomes a tile.kernel with
  /// one prim.claim, whose region holds the operations.
  virtual std::vector<std::pair<std::string, std::vector<mlir::Operation *>>> claims(mlir::Operation *function, const Spec &spec) {
    return {};
  }
  bool takesClaims = false;
  /// Its code as text, where `printsAssembly`.
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
/// What a type `!tile.view<...>` is; nothing for another type.
std::optional<View> viewOf(mlir::Type type);

/// An attribute of an operation, wherever it stands; null where it is not there, or has its default. A name that no operation of
/// its kind has ends the program with a message.
mlir::Attribute attribute(mlir::Operation *op, llvm::StringRef name);
/// An integer attribute, or its default.
int64_t integer(mlir::Operation *op, llvm::StringRef name, int64_t otherwise = 0);
/// The operands in the groups that the operation's definition gives them.
std::vector<mlir::OperandRange> segments(mlir::Operation *op);
/// The bits of what a tile.load reads outside of its view; nothing where only a launch knows them.
std::optional<llvm::APInt> padding(mlir::Operation *load);
/// The name of a kernel.
std::string symbol(mlir::Operation *kernel);

/// Answers the compiler until it says goodbye. What is printed goes to the standard error. Returns the exit status.
int serve(Target &target);

} // namespace isolated

#endif
