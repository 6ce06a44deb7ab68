//===- Frontend.h - Readers of programs, by name ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A frontend brings programs of one kind to `prim` or `tile`: it says how its
// input is recognised, which dialects that takes, and which registered passes
// lead on. Frontends of the core and of plug-ins are in one registry; plug-ins
// add theirs with `TargetRegistry::addFrontend`. docs/add-a-frontend.md has the
// checklist.
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

/// What the command line says to one frontend.
struct Options {
  /// Functions that are compiled for their own sake; empty: all public ones.
  std::vector<std::string> entries;
  std::vector<std::pair<std::string, std::string>> values;

  /// The value of `key`; the last of several counts.
  llvm::StringRef get(llvm::StringRef key,
                      llvm::StringRef otherwise = "") const;
};

/// What a module holds, looked up once for all frontends.
class Contents {
public:
  explicit Contents(mlir::ModuleOp module);

  mlir::ModuleOp module() const { return root; }
  /// Whether an operation of this dialect stands anywhere in it.
  bool uses(llvm::StringRef dialect) const {
    return dialects.contains(dialect);
  }
  /// The first operation directly in the module with this name, or null.
  mlir::Operation *top(llvm::StringRef op) const { return tops.lookup(op); }
  /// The names of all of them, in order.
  llvm::ArrayRef<std::string> topNames() const { return order; }

private:
  mlir::ModuleOp root;
  llvm::StringSet<> dialects;
  llvm::StringMap<mlir::Operation *> tops;
  std::vector<std::string> order;
};

/// How well an input fits a frontend. The best one gets it; two of the same
/// worth are an error that names both.
enum class Match {
  None,
  Shared, ///< nothing speaks against it: several frontends read this input
  Own,    ///< it has what only this frontend reads
};

/// Where a frontend's pipeline ends.
enum class Level { Prim, Tile };

/// One kind of input. Only `name`, `level` and a way to recognise the input
/// must be there.
struct Frontend {
  std::string name; ///< letters, digits, `_` and `-`
  std::string help; ///< one line for --list-targets
  Level level = Level::Prim;

  /// The operations that are functions or kernels of it, such as "func.func".
  /// Frontends that share none read side by side what one module holds.
  std::vector<std::string> functions;
  /// Dialects of its own: an operation of theirs is a match. `match`, where it
  /// is set, decides in their place.
  std::vector<std::string> dialects;
  std::function<Match(const Contents &)> match;

  /// A format of its own: files that begin with these bytes are given to `read`
  /// instead of to MLIR's parser. It reports errors at places in the buffer
  /// (`mlir::FileLineColLoc` with its identifier) and then returns null.
  std::string magic;
  std::function<mlir::OwningOpRef<mlir::ModuleOp>(llvm::MemoryBufferRef,
                                                  mlir::MLIRContext *)>
      read;
  /// Ends of file names, such as ".tiny"; a hint in messages, nothing else.
  std::vector<std::string> suffixes;
  /// Looks at MLIR text before it is parsed, which others of its family may
  /// write in forms that no dialect here has. What it cannot take:
  /// "line:column: error: unsupported: ...", or nothing.
  std::function<std::optional<std::string>(llvm::StringRef)> refuse;

  /// Dialects that its input or its passes need.
  std::function<void(mlir::DialectRegistry &)> registerDialects;
  std::vector<OptionInfo> options;
  /// The registered passes that lead to its level, in the form of
  /// --pass-pipeline without `builtin.module(...)`; empty: it is there already.
  std::function<std::string(const Options &)> pipeline;
  /// Registered passes that make better programs of what `pipeline` leaves, for
  /// targets that compile it. `reference` evaluates it without them, so that it
  /// judges them, too. Empty: none.
  std::function<std::string(const Options &)> improve;

  std::string plugin; ///< filled in by the registry
};

/// The frontends of everything that is loaded, in the order of registration.
class FrontendRegistry {
public:
  static FrontendRegistry &get();

  /// Returns what is wrong with it, or nothing.
  std::string add(Frontend frontend);
  const Frontend *find(llvm::StringRef name) const;
  std::vector<const Frontend *> frontends() const;
  /// The one whose magic bytes `input` begins with, the longest; or null.
  const Frontend *findByMagic(llvm::StringRef input) const;
  void registerDialects(mlir::DialectRegistry &registry) const;

  /// The frontends whose input the module holds, in the order of registration:
  /// one for each kind of function. `forced` (may be null) takes its functions
  /// whatever they look like. Fails with an error that lists all frontends
  /// where none, or several, take it. A module without functions has none.
  mlir::FailureOr<std::vector<const Frontend *>>
  recognise(mlir::ModuleOp module, const Frontend *forced = nullptr) const;

  /// The textual pipeline of several frontends in a row. `options` has what
  /// each takes of the command line; null stands for none.
  static std::string
  pipelineOf(llvm::ArrayRef<const Frontend *> frontends,
             llvm::function_ref<Options(const Frontend &)> options);
  /// The same of what improves their programs afterwards.
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

/// Adds every dialect that comes with MLIR: whatever stands in a file beside
/// what a frontend reads has to be parsed. One that is only registered costs
/// nothing until a file names it.
void registerUpstreamDialects(mlir::DialectRegistry &registry);

} // namespace kiln::frontend

#endif // KILN_FRONTEND_FRONTEND_H
