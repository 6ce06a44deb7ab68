//===- Program.h - A running program of a target ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the process that a target's code runs in: starts it with an environment
// of known variables and limits, sends it requests, and ends it. Whatever the
// process does, `ask` returns an answer or one line that says what happened.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISOLATED_PROGRAM_H
#define KILN_ISOLATED_PROGRAM_H

#include "kiln/Isolated/Frame.h"
#include "kiln/System/Error.h"
#include <memory>
#include <optional>
#include <sys/types.h>
#include <vector>

namespace kiln::isolated {

/// The result of a request, and its bytes.
struct Answer {
  llvm::json::Object result;
  std::string body;
};

/// A target's program that runs: owns the process and its pipes. Conversations
/// with it use this class.
class Program {
public:
  /// Starts the program. A failure is "cannot be started: ...".
  static runtime::Expected<std::unique_ptr<Program>>
  start(const std::string &path);
  /// Takes over a process that leads its group, with the other ends of its
  /// standard streams: for tests of this side.
  static std::unique_ptr<Program> adopt(std::string path, pid_t pid, int input,
                                        int output, int errors);
  /// Kills what is left of the process and of its group.
  ~Program();
  Program(const Program &) = delete;

  /// Sends a request and waits for its answer. A failure continues a sentence
  /// about the program: "crashes: Segmentation fault". Only after "reports an
  /// error: ..." may the program be asked again.
  runtime::Expected<Answer> ask(llvm::StringRef method,
                                llvm::json::Object params, llvm::StringRef body,
                                double seconds);
  /// Sends bytes that may be no frame, and reads what comes back until a frame
  /// is whole or `seconds` have passed; nothing then. For tests of the program.
  std::optional<Frame> send(llvm::StringRef bytes, double seconds,
                            std::string &error);
  /// Closes its input, and says how it ended: "status 0"; empty where it did
  /// not within `seconds`.
  std::string close(double seconds);
  /// Says `bye`, and kills a program that has not ended soon after.
  void end();

  /// Whether it can be asked.
  bool isAlive() const { return pid > 0; }
  /// For its owner: whether it was greeted.
  bool hasSaidHello = false;

  /// Whether this process started it: a child made by fork must not talk to it.
  bool isOurs() const;

private:
  Program() = default;
  /// Writes what is left of `unsent` and reads what has arrived, waiting for at
  /// most `milliseconds`. False where the output has ended.
  bool exchange(int milliseconds);
  bool readOutput();
  void readErrors();
  void forwardErrors();
  /// Checks that a frame answers request `id`.
  runtime::Expected<Answer> open(Frame frame, int64_t id);
  /// Why no answer came, once the output has ended or the process is gone.
  std::string describeEnd(llvm::StringRef method);
  void kill();
  void trace(const char *direction, const llvm::json::Object &head,
             size_t bodyBytes);

  std::string path;
  pid_t pid = -1, owner = -1;
  int input = -1, output = -1, errors = -1;
  int64_t numRequests = 0;
  std::string unsent;
  FrameReader reader;
  std::string printed; ///< the end of what it wrote to its standard error
};

/// Seconds that a program has for its first answers: KILN_TRIAL_SECONDS, else
/// 30.
double startSeconds();
/// Seconds that a program has for one kernel or module: KILN_STEP_SECONDS, else
/// 600.
double stepSeconds();

/// What a program inherits: the variables of `kInherited`, those that begin
/// with `KILN_TARGET_`, and those that KILN_ISOLATED_ENV lists, separated by
/// colons.
std::vector<std::string> programEnvironment();

} // namespace kiln::isolated

#endif // KILN_ISOLATED_PROGRAM_H
