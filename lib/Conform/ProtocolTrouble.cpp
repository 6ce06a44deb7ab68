//===- ProtocolTrouble.cpp - Both sides of the protocol, played wrong -----===//
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

/// How long a program may take for an answer here.
static constexpr double kAnswerSeconds = 20;
/// How long the compiler waits for a part that is damaged.
static constexpr double kDamagedSeconds = 0.1;

//===----------------------------------------------------------------------===//
// Damage
//===----------------------------------------------------------------------===//

void Mutator::changeBytes(std::string &bytes) {
  for (uint64_t i = 0, count = 1 + below(4); i < count; ++i) {
    size_t at = below(bytes.size() + 1), length = below(16);
    switch (below(5)) {
    case 0:
      if (at < bytes.size())
        bytes[at] = char(below(256));
      break;
    case 1:
      bytes.erase(std::min(at, bytes.size()), length);
      break;
    case 2:
      bytes.insert(at, bytes.substr(below(bytes.size() + 1), length));
      break;
    case 3:
      bytes.insert(at, length, "\"{[<(%\0\xff"[below(8)]);
      break;
    default:
      if (at < bytes.size())
        bytes[at] = char(bytes[at] ^ (1 << below(8)));
    }
  }
}

json::Value Mutator::anyValue(unsigned depth) {
  switch (below(10)) {
  case 0:
    return nullptr;
  case 1:
    return isOneOf(2);
  case 2:
    return int64_t(below(1 << 16)) - 100;
  case 3:
    return int64_t(below(~0ull));
  case 4:
    return 1e300;
  case 5:
    return std::string(below(1000), 'x');
  case 6:
    return "\xe2\x82\xac\n\x01 ../../%s";
  case 7:
  case 8: {
    json::Array list;
    for (uint64_t i = below(4); depth && i-- > 0;)
      list.push_back(anyValue(depth - 1));
    return list;
  }
  default: {
    json::Object object;
    for (uint64_t i = below(4); depth && i-- > 0;)
      object[std::string(1 + below(3), char('a' + below(26)))] =
          anyValue(depth - 1);
    return object;
  }
  }
}

void Mutator::changeValue(json::Value &value) {
  json::Object *object = value.getAsObject();
  json::Array *list = value.getAsArray();
  size_t size = object ? object->size() : list ? list->size() : 0;
  if (!size || isOneOf(6)) {
    value = anyValue(3);
    return;
  }
  size_t at = below(size);
  if (list) {
    if (isOneOf(4))
      list->erase(list->begin() + at);
    else if (isOneOf(4))
      list->push_back((*list)[at]);
    else
      changeValue((*list)[at]);
    return;
  }
  // The order of an object is its own; a choice is repeatable all the same.
  std::vector<std::string> keys;
  for (const auto &entry : *object)
    keys.push_back(entry.first.str());
  llvm::sort(keys);
  if (isOneOf(4))
    object->erase(keys[at]);
  else
    changeValue((*object)[keys[at]]);
}

static void judge(ProtocolTally &tally, const std::string &problem) {
  if (problem.empty()) {
    ++tally.passed;
    return;
  }
  ++tally.failed;
  if (tally.problems.size() < 10)
    tally.problems.push_back(problem);
}

//===----------------------------------------------------------------------===//
// A compiler that talks nonsense
//===----------------------------------------------------------------------===//

namespace {
class BadCompiler {
public:
  BadCompiler(const ProtocolOptions &options, const ProtocolSample &sample)
      : options(options), sample(sample) {
    for (const auto &[method, exchange] : sample.exchanges)
      methods.push_back(method);
  }

  /// Holds one conversation. Returns what is wrong with the answers.
  std::string converse(Mutator &mutate) {
    this->mutate = &mutate;
    if (std::string problem = greet(); !problem.empty())
      return problem;
    for (uint64_t i = 1 + mutate.below(3);
         i-- > 0 && program && program->isAlive();)
      if (std::string problem = mutate.isOneOf(12) ? sayNonsense() : askOddly();
          !problem.empty()) {
        program.reset();
        return problem;
      }
    return "";
  }

private:
  /// Has a program that listens; one that was not hurt is talked to again.
  std::string greet() {
    if (program && program->isAlive())
      return "";
    auto started = Program::start(options.program);
    if (!started)
      return started.message();
    program = std::move(*started);
    number = 1000;
    auto answer = program->ask("hello", helloParams(), "", kAnswerSeconds);
    return answer ? "" : answer.message();
  }

  /// A frame as it should be, with contents that should not: it is answered.
  std::string askOddly() {
    const std::string &method = methods[mutate->below(methods.size())];
    const ProtocolSample::Exchange &exchange = sample.exchanges.at(method);
    json::Value params(json::Object(exchange.params));
    std::string body = exchange.body;
    if (mutate->isOneOf(3))
      mutate->changeValue(params);
    if (!body.empty() && !mutate->isOneOf(3))
      mutate->changeBytes(body);
    std::string wanted = method;
    if (mutate->isOneOf(10))
      mutate->changeBytes(wanted);
    if (!json::isUTF8(wanted) || wanted == "bye" || wanted == "cancel")
      wanted = method;
    std::string sent;
    // What is no question gets no answer.
    if (mutate->isOneOf(8))
      sent = writeFrame(json::Object{{"method", "cancel"},
                                     {"params", json::Object{{"id", number}}}});
    json::Object head{{"id", ++number}, {"method", wanted}};
    if (!mutate->isOneOf(20))
      head["params"] = std::move(params);
    return expectAnswer(sent + writeFrame(head, body), wanted);
  }

  std::string expectAnswer(const std::string &sent, const std::string &method) {
    std::string error;
    auto frame = program->send(sent, kAnswerSeconds, error);
    if (!error.empty())
      return "answers '" + quoteForeign(method, 40) + "' wrongly: " + error;
    if (!frame)
      return "does not answer '" + quoteForeign(method, 40) +
             "' that is odd: " + how();
    auto id = frame->head.getInteger("id");
    if (!id || *id != number)
      return "answers another request than the last";
    const json::Object *refusal = frame->head.getObject("error");
    if (bool(refusal) == bool(frame->head.getObject("result")))
      return "answers without a result or an error";
    if (refusal && !refusal->getString("message"))
      return "answers with an error without a message";
    return "";
  }

  /// Bytes that are no frame: it ends, or says what is wrong. It must not crash
  /// or stay.
  std::string sayNonsense() {
    std::string bytes = writeFrame(json::Object{{"id", ++number},
                                                {"method", "describe"},
                                                {"params", json::Object{}}},
                                   "body");
    switch (mutate->below(4)) {
    case 0:
      bytes.resize(mutate->below(bytes.size())); // and no more comes
      break;
    case 1:
      bytes.replace(0, 4, "HTTP");
      break;
    case 2:
      bytes.replace(4, 12, 12, '\xff');
      break;
    default:
      mutate->changeBytes(bytes);
    }
    std::string error;
    (void)program->send(bytes, 0.05, error);
    std::string end = program->isAlive() ? program->close(3) : "status 0";
    program.reset();
    if (end.empty())
      return "stays after its input has ended in what is no frame";
    if (!StringRef(end).starts_with("status"))
      return "crashes on what is no frame: " + end;
    return error.empty() ? "" : "answers what is no frame wrongly: " + error;
  }

  std::string how() {
    std::string end = program->close(2);
    return end.empty() ? "it is still running" : "it ended with " + end;
  }

  const ProtocolOptions &options;
  const ProtocolSample &sample;
  std::vector<std::string> methods;
  std::unique_ptr<Program> program;
  Mutator *mutate = nullptr;
  int64_t number = 0;
};

//===----------------------------------------------------------------------===//
// A program that talks nonsense
//===----------------------------------------------------------------------===//

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
    for (const char *method :
         {"hello", "describe", "accepts", "tile", "compile", "emit"}) {
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

void kiln::conform::troubleProgram(const ProtocolOptions &options,
                                   const ProtocolSample &sample,
                                   ProtocolTallies &tallies) {
  BadCompiler compiler(options, sample);
  for (unsigned i = 0; i < options.conversations; ++i) {
    Mutator mutate(options.seed * 1000003 + i);
    std::string problem = compiler.converse(mutate);
    judge(tallies["odd requests"],
          problem.empty()
              ? ""
              : "conversation " + std::to_string(i) + ": " + problem);
  }
}

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
    judge(tallies["odd answers"],
          problem.empty()
              ? ""
              : "conversation " + std::to_string(i) + ": " + problem);
  }
}
