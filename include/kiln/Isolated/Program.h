//===- Program.h - A running program of a target ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A conversation with the process that a target's code runs in: starts it with
// an environment of known variables and limits, sends it requests, and ends it.
// Whatever the process does, `ask` returns an answer or one line that says what
// happened.
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

class ServerProcess;

/// A conversation with a target's program: owns its pipes, and the process
/// together with other conversations.
class Program {
public:
  /// Starts the program. A failure is "cannot be started: ...".
  static runtime::Expected<std::unique_ptr<Program>>
  start(const std::string &path);
  /// Opens one more conversation with a process that holds several; null where
  /// the process takes no more. Conversations may go on in several threads.
  static std::unique_ptr<Program>
  open(std::string path, const std::shared_ptr<ServerProcess> &process);
  /// Takes over a process that leads its group, with the other ends of its
  /// standard streams: for tests of this side.
  static std::unique_ptr<Program> adopt(std::string path, pid_t pid, int input,
                                        int output, int errors,
                                        int control = -1);
  /// The last conversation kills what is left of the process and of its group.
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
  /// Takes what the program has printed to its standard error, and returns the
  /// last line, quoted and at most 240 bytes long; empty where there is none.
  std::string lastPrinted();
  /// Says `bye`, and kills a program that has not ended soon after. A
  /// conversation that `open` began is closed only.
  void end();

  /// Whether it can be asked.
  bool isAlive() const { return input >= 0; }
  /// Whether the process ended or was killed during the last request, and
  /// another conversation may be to blame.
  bool mayOthersHaveEndedIt() const { return isEndedByAny; }
  /// For its owner: whether it was greeted.
  bool hasSaidHello = false;

  /// What `open` takes.
  const std::shared_ptr<ServerProcess> &sharedProcess() const {
    return process;
  }

private:
  Program() = default;
  /// Writes what is left of `unsent` and reads what has arrived, waiting for at
  /// most `milliseconds`. False where the output has ended.
  bool exchange(int milliseconds);
  bool readOutput();
  void forwardErrors();
  /// The next frame that is no notification, if it is whole.
  std::optional<Frame> nextAnswer(std::string &error);
  /// Checks that a frame answers request `id`.
  runtime::Expected<Answer> unpack(Frame frame, int64_t id);
  /// Why no answer came, once the output has ended or the process is gone.
  std::string describeEnd(llvm::StringRef method);
  void kill();
  void closeEnds();
  void trace(const char *direction, const llvm::json::Object &head,
             size_t bodyBytes);

  std::string path;
  std::shared_ptr<ServerProcess> process;
  int input = -1, output = -1;
  bool isFirst = true;       ///< begun with the process
  bool isEndedByAny = false; ///< see mayOthersHaveEndedIt
  int64_t numRequests = 0;
  std::string unsent;
  FrameReader reader;
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
