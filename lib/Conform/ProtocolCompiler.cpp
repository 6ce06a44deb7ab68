//===- ProtocolCompiler.cpp - A program that talks nonsense ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Protocol.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/System/Process.h"
#include "mlir/IR/Diagnostics.h"
#include <csignal>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::conform;
using namespace kiln::isolated;
using llvm::StringRef;
namespace json = llvm::json;

/// How long the compiler waits for a part that is damaged.
static constexpr double kDamagedSeconds = 0.1;

namespace {
/// Plays the program in a child process; does not return.
class BadProgram {
public:
  BadProgram(const ProtocolSample &sample, Mutator &mutate, int input,
             int output)
      : sample(sample), mutate(mutate), input(input), output(output),
        bad(mutate.below(4)) {}

  [[noreturn]] void run() {
    FrameReader reader;
    char buffer[4096];
    std::string error;
    while (true) {
      ssize_t got = read(input, buffer, sizeof buffer);
      if (got <= 0)
        _exit(0);
      reader.take(StringRef(buffer, size_t(got)));
      while (auto frame = reader.next(error))
        answer(*frame);
    }
  }

private:
  void answer(const Frame &request) {
    std::string method = request.head.getString("method").value_or("").str();
    auto found = sample.exchanges.find(method);
    json::Value head(json::Object{
        {"id", request.head.getInteger("id").value_or(0)},
        {"result", found == sample.exchanges.end()
                       ? json::Object{}
                       : json::Object(found->second.answer.result)}});
    std::string body =
        found == sample.exchanges.end() ? "" : found->second.answer.body;
    if (count++ != bad)
      return write(writeFrame(*head.getAsObject(), body));
    misbehave(std::move(head), std::move(body));
  }

  void misbehave(json::Value head, std::string body) {
    std::string bytes = writeFrame(*head.getAsObject(), body);
    switch (mutate.below(9)) {
    case 0: // a wrong answer in a right frame
    case 1:
    case 2:
      mutate.changeValue(*head.getAsObject()->get("result"));
      return write(writeFrame(*head.getAsObject(), body));
    case 3:
      mutate.changeValue(head);
      if (!head.getAsObject())
        return write("KTP1");
      return write(writeFrame(*head.getAsObject(), body));
    case 4:
      mutate.changeBytes(body);
      return write(writeFrame(*head.getAsObject(), body));
    case 5: // a wrong frame
      mutate.changeBytes(bytes);
      return write(bytes);
    case 6: // half of it, and the end
      write(StringRef(bytes).take_front(mutate.below(bytes.size())));
      _exit(int(mutate.below(3)));
    case 7:
      kill(getpid(), SIGKILL);
      _exit(0);
    default: // it in small pieces, twice
      for (StringRef rest = bytes; !rest.empty();
           rest = rest.drop_front(std::min<size_t>(rest.size(), 100)))
        write(rest.take_front(100));
      write(bytes);
    }
  }

  void write(StringRef bytes) {
    (void)runtime::writeFully(output, bytes.data(), bytes.size());
  }

  const ProtocolSample &sample;
  Mutator &mutate;
  int input, output;
  uint64_t bad, count = 0; ///< the answer that goes wrong
};

/// Starts a child that plays the program.
std::unique_ptr<Program> startBadProgram(const ProtocolSample &sample,
                                         Mutator &mutate) {
  int in[2], out[2], err[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) ||
      pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
    return nullptr;
  pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    std::signal(SIGPIPE, SIG_IGN);
    for (int fd : {in[0], out[0], err[0]})
      close(fd);
    BadProgram(sample, mutate, in[1], out[1]).run();
  }
  for (int fd : {in[1], out[1], err[1]})
    close(fd);
  if (child < 0) {
    for (int fd : {in[0], out[0], err[0]})
      close(fd);
    return nullptr;
  }
  setpgid(child, child);
  return Program::adopt("bad", child, in[0], out[0], err[0]);
}

/// What the compiler does with a program that goes wrong at some place: each
/// answer is read, or there is one sentence that says why not.
class Compiler {
public:
  Compiler(mlir::MLIRContext &context, const ProtocolSample &sample)
      : context(context), sample(sample) {}

  std::string converse(Program &program) {
    for (const char *method : {"hello", "describe", "claims", "accepts", "tile",
                               "compile", "emit"}) {
      auto found = sample.exchanges.find(method);
      if (found == sample.exchanges.end())
        continue;
      if (!program.isAlive())
        return "";
      auto answer = program.ask(method, json::Object(found->second.params),
                                found->second.body, kDamagedSeconds);
      std::string problem = answer ? read(method, *answer) : answer.message();
      if (problem.empty())
        continue;
      if (problem.size() > 4096 || problem.find('\n') != problem.npos)
        return "the compiler's message is not one line: " +
               quoteForeign(problem, 100);
      static constexpr StringRef kBegins[] = {"breaks the protocol: ",
                                              "answers 'hello' wrongly: ",
                                              "ends with ",
                                              "crashes: ",
                                              "hangs: ",
                                              "closes its output",
                                              "reports an error: ",
                                              "has no description: "};
      bool isKnown = llvm::any_of(kBegins, [&](StringRef begin) {
        return StringRef(problem).starts_with(begin);
      });
      return isKnown ? "" : "the compiler says: " + problem;
    }
    return "";
  }

private:
  std::string read(StringRef method, const Answer &answer) {
    auto declined = parseDeclined(answer.result);
    if (!declined)
      return declined.message();
    if (*declined)
      return "";
    if (method == "hello") {
      auto hello = parseHello(answer.result, sample.hello.name);
      return hello ? "" : hello.message();
    }
    if (method == "claims") {
      auto claims = parseClaims(answer.result, ProtocolSample::kFunctionOps);
      return claims ? "" : claims.message();
    }
    if (method == "compile") {
      auto code = parseExecutable(answer.result, answer.body);
      return code ? "" : code.message();
    }
    if (method != "describe")
      return "";
    auto text = answer.result.getString("description");
    if (!text)
      return "breaks the protocol: expected a string 'description'";
    std::string why;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
      why = d.str();
      return mlir::success();
    });
    return target::parseDescription(*text, &context, sample.hello.name)
               ? ""
               : "has no description: " + quoteForeign(why, 1000);
  }

  mlir::MLIRContext &context;
  const ProtocolSample &sample;
};
} // namespace

void kiln::conform::troubleCompiler(const ProtocolOptions &options,
                                    mlir::MLIRContext &context,
                                    const ProtocolSample &sample,
                                    ProtocolTallies &tallies) {
  Compiler compiler(context, sample);
  for (unsigned i = 0; i < options.conversations; ++i) {
    Mutator mutate(options.seed * 7777777 + i);
    std::unique_ptr<Program> program = startBadProgram(sample, mutate);
    std::string problem =
        program ? compiler.converse(*program) : "a process cannot be started";
    tallies["odd answers"].judge(
        problem.empty() ? ""
                        : "conversation " + std::to_string(i) + ": " + problem);
  }
}
