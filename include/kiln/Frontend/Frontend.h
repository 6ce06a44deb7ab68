//===- Frontend.h - Readers of programs, by name ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A frontend converts programs of one kind to `prim` or `tile`. It states how
// its input is recognised, which dialects the input needs, and which registered
// passes convert it. Frontends of the core and of plug-ins are in one registry;
// plug-ins add theirs with `TargetRegistry::addFrontend`.
// docs/add-a-frontend.md has the checklist.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_FRONTEND_FRONTEND_H
#define KILN_FRONTEND_FRONTEND_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kiln::frontend {

/// A key that a frontend takes: `--frontend=NAME,KEY=VALUE`.
struct OptionInfo {
  std::string key;
  std::string value; ///< a hint, or all that is allowed: "zeros|random"
  std::string help;
};

/// The options of one frontend, from the command line.
struct Options {
  /// Functions to compile (--entry); empty: all public ones.
  std::vector<std::string> entries;
  std::vector<std::pair<std::string, std::string>> values;

  /// Returns the value of `key`, or `otherwise`. If the key was given several
  /// times, the last value counts.
  llvm::StringRef get(llvm::StringRef key,
                      llvm::StringRef otherwise = "") const;
};

/// The dialects and top-level operations of a module, collected once for all
/// frontends.
class Contents {
public:
  explicit Contents(mlir::ModuleOp module);

  mlir::ModuleOp module() const { return root; }
  /// Returns true if the module has an operation of this dialect, at any depth.
  bool uses(llvm::StringRef dialect) const {
    return dialects.contains(dialect);
  }
  /// Returns the first operation with this name directly in the module, or
  /// null.
  mlir::Operation *top(llvm::StringRef op) const { return tops.lookup(op); }
  /// Returns the names of the operations directly in the module, in order.
  llvm::ArrayRef<std::string> topNames() const { return order; }

private:
  mlir::ModuleOp root;
  llvm::StringSet<> dialects;
  llvm::StringMap<mlir::Operation *> tops;
  std::vector<std::string> order;
};

/// How well an input fits a frontend. The best match gets the input; two equal
/// matches are an error that names both frontends.
enum class Match {
  None,
  Shared, ///< it can read the input, and other frontends may, too
  Own,    ///< the input has operations that only this frontend reads
};

/// The dialect to which a frontend's pipeline converts.
enum class Level { Prim, Tile };

/// One kind of input. Only `name`, `level` and a way to recognise the input
/// (`dialects`, `match` or `magic`) are required.
struct Frontend {
  std::string name; ///< letters, digits, `_` and `-`
  std::string help; ///< one line for --list-targets
  Level level = Level::Prim;

  /// The names of the operations that are its functions or kernels, such as
  /// "func.func". Frontends that share none of these may read parts of one
  /// module.
  std::vector<std::string> functions;
  /// Dialects that only this frontend reads: an operation of one is a match. If
  /// `match` is set, it decides instead.
  std::vector<std::string> dialects;
  std::function<Match(const Contents &)> match;

  /// The first bytes of files in a format other than MLIR's. `read` parses
  /// these files. On an error it reports at a place in the buffer
  /// (`mlir::FileLineColLoc` with the buffer's identifier) and returns null.
  std::string magic;
  std::function<mlir::OwningOpRef<mlir::ModuleOp>(llvm::MemoryBufferRef,
                                                  mlir::MLIRContext *)>
      read;
  /// Suffixes of file names, such as ".tiny"; used in messages only.
  std::vector<std::string> suffixes;
  /// Called with MLIR text before it is parsed, to refuse forms that other
  /// tools write and no dialect here can parse. Returns such a refusal as
  /// "line:column: error: unsupported: ...", else nothing.
  std::function<std::optional<std::string>(llvm::StringRef)> refuse;

  /// Registers the dialects of the input.
  std::function<void(mlir::DialectRegistry &)> registerDialects;
  std::vector<OptionInfo> options;
  /// Returns the registered passes that convert the input to `level`, in the
  /// form of --pass-pipeline without `builtin.module(...)`. Empty: the input is
  /// at that level already.
  std::function<std::string(const Options &)> pipeline;
  /// Returns registered passes that optimise the result of `pipeline`, for
  /// targets that compile it. `reference` evaluates the program without them,
  /// so that `--check` tests these passes, too. Empty: none.
  std::function<std::string(const Options &)> improve;

  std::string plugin; ///< filled in by the registry
};

/// The frontends of the core and of all loaded plug-ins, in the order of
/// registration.
class FrontendRegistry {
public:
  static FrontendRegistry &get();

  /// Adds a frontend. Returns the message of a mistake in it, or "".
  std::string add(Frontend frontend);
  const Frontend *find(llvm::StringRef name) const;
  std::vector<const Frontend *> frontends() const;
  /// Returns the frontend whose magic bytes `input` begins with, or null. If
  /// several do, the longest magic counts.
  const Frontend *findByMagic(llvm::StringRef input) const;
  void registerDialects(mlir::DialectRegistry &registry) const;

  /// Returns the frontends that read the module, in the order of registration:
  /// one for each kind of function. `forced` (may be null) reads all functions
  /// of its kind. If no frontend, or several, can read a kind, this fails with
  /// an error that lists all frontends. A module without functions has none.
  mlir::FailureOr<std::vector<const Frontend *>>
  recognise(mlir::ModuleOp module, const Frontend *forced = nullptr) const;

  /// Returns the textual pipeline of several frontends, one after the other.
  /// `options` returns the options of each; it may be null.
  static std::string
  pipelineOf(llvm::ArrayRef<const Frontend *> frontends,
             llvm::function_ref<Options(const Frontend &)> options);
  /// Returns the same for the passes of `Frontend::improve`.
  static std::string
  improvementsOf(llvm::ArrayRef<const Frontend *> frontends,
                 llvm::function_ref<Options(const Frontend &)> options);

private:
  std::deque<Frontend> all; ///< only grows, so that pointers stay valid
};

/// "tosa, linalg, ..." for messages.
std::string listFrontends();

/// Registers the levels of the core as frontends: `prim` and `tile`, whose
/// pipelines are empty.
void registerLevels();

/// Adds every dialect that comes with MLIR, because all operations of a file
/// have to be parsed, also those that no frontend reads. A registered dialect
/// is loaded only if a file uses it.
void registerUpstreamDialects(mlir::DialectRegistry &registry);

} // namespace kiln::frontend

#endif // KILN_FRONTEND_FRONTEND_H
