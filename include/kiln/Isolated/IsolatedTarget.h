//===- IsolatedTarget.h - Targets in programs of their own ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target whose code is in a program `kiln-target-NAME`, which speaks the
// protocol of docs/isolated-targets.md. It shares no memory, no LLVM and no C++
// with the compiler, so it works with later releases and cannot crash them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISOLATED_ISOLATEDTARGET_H
#define KILN_ISOLATED_ISOLATEDTARGET_H

#include "kiln/Isolated/Cache.h"
#include "kiln/Isolated/Hello.h"
#include "kiln/Target/Lowering.h"
#include <condition_variable>
#include <mutex>

namespace kiln::isolated {

/// Forwards the functions of `Target` to the program, which it starts when it
/// is first needed.
class IsolatedTarget : public target::Target {
public:
  IsolatedTarget(std::string name, std::string path);

  /// Returns why the program cannot be used; "" if it has answered `hello`.
  std::string whyUnusable() const;
  /// Ends all idle programs of this target by `bye`.
  void endPrograms() const;

  llvm::StringRef name() const override { return targetName; }
  llvm::StringRef help() const override;
  target::TargetAttr
  description(mlir::MLIRContext *context,
              const target::TargetOptions &options) const override;
  std::vector<target::ChipInfo> chips() const override;
  std::vector<target::OptionInfo> options() const override;
  std::string deviceName() const override;
  std::unique_ptr<target::TilingModel>
  tilingModel(target::TargetAttr description,
              const target::TargetOptions &options) const override;
  bool accepts(mlir::Operation *kernel, target::TargetAttr description,
               const target::TargetOptions &options,
               std::string &reason) const override;
  bool hasPipeline() const override { return true; }
  void buildPipeline(mlir::OpPassManager &pm,
                     const target::TargetOptions &options) const override;
  bool lowersInParallel() const override;
  mlir::LogicalResult serialize(mlir::ModuleOp module,
                                const target::TargetOptions &options,
                                target::Executable &result) const override;
  mlir::LogicalResult emit(mlir::ModuleOp module, target::EmitKind kind,
                           const target::TargetOptions &options,
                           llvm::raw_ostream &os) const override;

  /// Asks the program which operations of a function (of prim) it takes whole,
  /// and wraps them into claims.
  mlir::LogicalResult claim(mlir::Operation *func,
                            target::LoweringContext &ctx) const;
  /// Emits a kernel of one program instance for a claim: it loads the operands
  /// whole, computes the claim and stores the results. Declines what the
  /// program declines.
  mlir::LogicalResult emitClaim(mlir::Operation *claim,
                                target::LoweringContext &ctx) const;

  /// Sends a request to an idle program, or to a new one, and waits up to
  /// `seconds` for the answer. The message of a failure continues a sentence
  /// about the target. If a process ends that holds several conversations, each
  /// of them asks a second time.
  runtime::Expected<Answer> ask(llvm::StringRef method,
                                llvm::json::Object params, llvm::StringRef body,
                                double seconds) const;
  /// The same for an answer that the cache may hold. Sets `isCached` to whether
  /// the answer came from the cache.
  runtime::Expected<Answer> askCached(llvm::StringRef method,
                                      llvm::json::Object params,
                                      llvm::StringRef body,
                                      bool &isCached) const;

  /// Keeps a failure that the caller cannot report, for `serialize` to report.
  void keepFailure(std::string what) const;

private:
  /// Asks `accepts` or `compile` about one kernel. The failure of a program is
  /// no decline; `serialize` reports it.
  bool takes(llvm::StringRef method, mlir::Operation *kernel,
             const target::TargetOptions &options, std::string &reason) const;
  /// Registers the claims and schedules of a program that answers `claims`.
  void registerClaims() const;
  std::string takeFailure() const;
  /// Returns the answer to `hello`; null if the program cannot be used.
  const Hello *hello() const;
  runtime::Expected<Hello> askHello() const;
  /// Asks once, with `isAlone` in a process without other conversations. Sets
  /// `mayOthersHaveEndedIt` if a failure may be the fault of another
  /// conversation.
  runtime::Expected<Answer> askOnce(llvm::StringRef method,
                                    llvm::json::Object params,
                                    llvm::StringRef body, double seconds,
                                    bool isAlone,
                                    bool &mayOthersHaveEndedIt) const;
  /// A conversation for the caller's exclusive use until `giveBack`.
  runtime::Expected<std::unique_ptr<Program>> takeProgram(bool isAlone) const;
  void giveBack(std::unique_ptr<Program> program) const;

  std::string targetName, path;
  mutable std::mutex mutex; ///< of the following
  mutable std::condition_variable freed;
  mutable std::vector<std::unique_ptr<Program>> idle;
  mutable unsigned running = 0;
  /// The process that new conversations go to, where one holds several.
  mutable std::weak_ptr<ServerProcess> serving;
  mutable bool isStarting = false; ///< one that will hold several
  mutable std::string earlier;     ///< a failure that was not reported yet
  mutable pid_t owner = 0; ///< the process that `idle` and `running` are of
  mutable std::mutex helloMutex; ///< of the following
  mutable std::optional<Hello> known;
  mutable std::string unusable;
  mutable std::mutex seenMutex;                      ///< of the following
  mutable llvm::StringMap<std::string> descriptions; ///< by SPEC
  mutable llvm::StringSet<> seen; ///< questions that this process has asked
};

/// The name of the target whose program a file is, by the file's name:
/// `kiln-target-NAME`. Empty: none.
std::string targetOfProgram(llvm::StringRef path);

/// Ends the programs of all targets, at the end of a process.
void endPrograms();

/// Lets plug-ins that are programs be loaded.
void registerIsolatedTargets();

} // namespace kiln::isolated

#endif // KILN_ISOLATED_ISOLATEDTARGET_H
