//===- Activity.h - Whose code a thread runs --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes, lowerings, schedules, claims and serialisers may come from a plug-in.
// While one of them runs, an activity says whose code it is and what it works
// on, so that a crash, an exception or a hang ends as one message that names
// it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_ACTIVITY_H
#define KILN_TARGET_ACTIVITY_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace kiln::target {

/// What every such message ends with: how to see a stack.
inline constexpr llvm::StringLiteral kStackAdvice =
    "KILN_NO_CHILD=1 shows the stack";

/// "lowering 'mine.dot' of plug-in 'mine'"; no plug-in: the core's.
std::string describeOwner(llvm::StringRef kind, llvm::StringRef name,
                          llvm::StringRef plugin);

/// The kernels that `op` is, lies in or holds: "kernel 'a'", "kernels 'a',
/// 'b'"; empty where there is none.
std::string describeKernels(mlir::Operation *op);

/// "file:line:column" of `op`, of the first kernel where it is a module; empty
/// where it is not known.
std::string placeOf(mlir::Operation *op);

/// Says what the calling thread does while it lives. Activities nest.
class Activity {
public:
  /// `owner` as from `describeOwner`. `op` (may be null) is only looked at
  /// here.
  Activity(llvm::StringRef owner, mlir::Operation *op);
  ~Activity();
  Activity(const Activity &) = delete;

  // For callers that cannot keep an object, such as hooks around passes.
  static void begin(llvm::StringRef owner, mlir::Operation *op);
  /// Ends the innermost activity of the calling thread.
  static void end();
  /// How deep the calling thread's activities are nested.
  static unsigned depth();
  /// Ends activities until that many are left.
  static void endDownTo(unsigned depth);
};

/// Runs `body` as an activity, and turns what it throws into an error at `op`
/// that names the owner. Running out of memory has no owner and propagates.
mlir::LogicalResult
runGuardedActivity(llvm::StringRef owner, mlir::Operation *op,
                   llvm::function_ref<mlir::LogicalResult()> body);

/// Where the message about a process that is about to end goes: a whole line
/// without its end. Called in signal handlers: it may only write to
/// descriptors.
using LastWordsFn = void (*)(const char *line, size_t size);

/// In a process of the compiler's own (never in a host's): crashes, exceptions
/// that no handler catches, calls of `exit` and, once `limitSteps` was called,
/// hangs give one message and end the process with status 1. `input` stands in
/// for unknown places.
void reportLostActivities(llvm::StringRef input, LastWordsFn say);

/// The same for calls of `exit` alone, where crashes are to be crashes.
void reportExits(llvm::StringRef input, LastWordsFn say);

/// Where `reportLostActivities` was called: an activity that makes no progress
/// for that many seconds makes the process exit; 0: never. Progress is the
/// beginning or the end of any activity of any thread.
void limitSteps(double seconds);

/// KILN_STEP_SECONDS, else 600.
double defaultStepSeconds();

/// The message about the calling thread's innermost activity, which `what`
/// ("crashes: Segmentation fault") ends; empty when it has none.
std::string activityMessage(const llvm::Twine &what);

/// The plug-in that holds the code at `address`; empty for the core.
std::string pluginOfCode(const void *address);

} // namespace kiln::target

#endif // KILN_TARGET_ACTIVITY_H
