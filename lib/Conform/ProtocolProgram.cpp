//===- ProtocolProgram.cpp - A compiler that talks nonsense ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Protocol.h"

using namespace kiln;
using namespace kiln::conform;
using namespace kiln::isolated;
using llvm::StringRef;
namespace json = llvm::json;

/// How long a program may take for an answer here.
static constexpr double kAnswerSeconds = 20;

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
      return "does not exit after its input has ended in bytes that are no "
             "frame";
    if (!StringRef(end).starts_with("status"))
      return "crashes on bytes that are no frame: " + end;
    return error.empty()
               ? ""
               : "answers wrongly to bytes that are no frame: " + error;
  }

  std::string how() {
    std::string end = program->close(2);
    std::string printed = program->lastPrinted();
    return (end.empty() ? "it is still running" : "it ended with " + end) +
           (printed.empty() ? "" : "; it printed: " + printed);
  }

  const ProtocolOptions &options;
  const ProtocolSample &sample;
  std::vector<std::string> methods;
  std::unique_ptr<Program> program;
  Mutator *mutate = nullptr;
  int64_t number = 0;
};
} // namespace

void kiln::conform::troubleProgram(const ProtocolOptions &options,
                                   const ProtocolSample &sample,
                                   ProtocolTallies &tallies) {
  BadCompiler compiler(options, sample);
  for (unsigned i = 0; i < options.conversations; ++i) {
    Mutator mutate(options.seed * 1000003 + i);
    std::string problem = compiler.converse(mutate);
    tallies["odd requests"].judge(
        problem.empty() ? ""
                        : "conversation " + std::to_string(i) + ": " + problem);
  }
}
