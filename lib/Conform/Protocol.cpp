//===- Protocol.cpp - Conversations with a target's program ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Protocol.h"
#include "kiln/Isolated/IsolatedTarget.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace kiln;
using namespace kiln::conform;
using namespace kiln::isolated;
using llvm::StringRef;
namespace json = llvm::json;

/// Kernels that every program is shown; it may decline them.
static constexpr StringRef kKernels[] = {R"mlir(
tile.kernel @twice(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %b = arith.addf %a, %a : tensor<64xf32>
  tile.store %b, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}
)mlir",
                                         R"mlir(
tile.kernel @steps(%x: !tile.view<?x?xf16>, %n: i32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = arith.constant dense<[[1.0, -2.5], [0x7FC00000, 3.0]]> : tensor<2x2xf32>
  %r:2 = tile.program_id : index, index
  %d = tile.dim %x[1] : !tile.view<?x?xf16>
  %s = scf.for %i = %zero to %d step %one iter_args(%acc = %c) -> (tensor<2x2xf32>) {
    %a = tile.load %x[%r#0, %i] padding nan : !tile.view<?x?xf16> -> tensor<2x2xf16>
    %b = arith.extf %a : tensor<2x2xf16> to tensor<2x2xf32>
    %e = arith.mulf %b, %acc fastmath<contract> : tensor<2x2xf32>
    scf.yield %e : tensor<2x2xf32>
  }
  %t = arith.truncf %s : tensor<2x2xf32> to tensor<2x2xf16>
  tile.store %t, %x[%r#0, %r#1] combine add : tensor<2x2xf16>, !tile.view<?x?xf16>
}
)mlir"};

/// A function whose operations a program may claim.
static constexpr StringRef kFunction = R"mlir(
func.func @main(%x: tensor<4x64xf32>, %w: tensor<64x8xf32>) -> tensor<4x8xf32> {
  %0 = prim.softmax %x dim 1 : tensor<4x64xf32>
  %1 = prim.dot_general %0, %w batch [] x [] contract [1] x [0] : tensor<4x64xf32>, tensor<64x8xf32> -> tensor<4x8xf32>
  %2 = prim.sigmoid %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}
)mlir";

void ProtocolTally::judge(const std::string &problem) {
  if (problem.empty()) {
    ++passed;
    return;
  }
  ++failed;
  if (problems.size() < 10)
    problems.push_back(problem);
}

/// A kernel as the program gets it; empty where it does not read it.
static std::string wireOf(StringRef text, mlir::MLIRContext &context,
                          const WireReader &reader) {
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) {});
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  return module && succeeded(toWire(*module, reader)) ? printWire(*module) : "";
}

namespace {
/// Well-formed conversations.
class Manners {
public:
  Manners(const ProtocolOptions &options, mlir::MLIRContext &context,
          ProtocolSample &sample, ProtocolTallies &tallies)
      : options(options), context(context), sample(sample), tallies(tallies) {}

  void run() {
    greet();
    if (!program || sample.hello.name.empty())
      return;
    ask("describe", spec(), "");
    json::Object problem = spec();
    problem["problem"] = "contraction 512x512x512 f32*f32+f32 holds "
                         "0.2:32,2.1:32,0.1:32";
    if (sample.hello.has("tile"))
      ask("tile", std::move(problem), "");
    for (StringRef kernel : kKernels) {
      std::string wire = wireOf(kernel, context, sample.hello.reader);
      if (wire.empty())
        continue;
      if (sample.hello.has("accepts"))
        ask("accepts", spec(), wire);
      if (sample.hello.has("emit"))
        ask("emit", spec(), wire);
      compile(wire);
      sendOtherBytes(wire);
    }
    if (sample.hello.has("claims"))
      claim();
    mayMore();
    leave();
  }

private:
  json::Object spec() const {
    std::string chip =
        sample.hello.chips.empty() ? "" : sample.hello.chips.front().name;
    return json::Object{{"chip", chip}, {"options", json::Object{}}};
  }

  void greet() {
    auto started = Program::start(options.program);
    if (!started)
      return tallies["hello"].judge(started.message());
    program = std::move(*started);
    auto answer = program->ask("hello", helloParams(), "", startSeconds());
    if (!answer)
      return tallies["hello"].judge(answer.message());
    auto hello = parseHello(answer->result, targetOfProgram(options.program));
    tallies["hello"].judge(hello ? "" : hello.message());
    if (hello)
      sample.hello = *hello;
    sample.exchanges["hello"] = {helloParams(), "", std::move(*answer)};
    // A later release speaks more versions, and says more.
    json::Object later = helloParams();
    later["protocol"] = json::Array{1, 99};
    later["wire"] = 99;
    later["weather"] = json::Object{{"sun", true}};
    auto again = program->ask("hello", std::move(later), "", startSeconds());
    auto read = again ? parseHello(again->result, sample.hello.name)
                      : runtime::Expected<Hello>(again.takeError());
    tallies["hello to a later release"].judge(read ? "" : read.message());
  }

  /// Asks, and keeps the first answer.
  std::optional<Answer> ask(const std::string &method, json::Object params,
                            const std::string &body) {
    if (!program->isAlive())
      return std::nullopt;
    auto answer =
        program->ask(method, json::Object(params), body, stepSeconds());
    tallies[method].judge(answer ? "" : answer.message());
    if (!answer)
      return std::nullopt;
    auto declined = parseDeclined(answer->result);
    if (!declined)
      tallies[method].judge(declined.message());
    bool isKept = !sample.exchanges.count(method) ||
                  sample.exchanges[method].answer.result.get("declined");
    if (isKept)
      sample.exchanges[method] = {std::move(params), body, *answer};
    return *answer;
  }

  void compile(const std::string &wire) {
    json::Object params = spec();
    std::optional<Answer> first = ask("compile", json::Object(params), wire);
    std::optional<Answer> second = ask("compile", std::move(params), wire);
    if (!first || !second)
      return;
    bool isSame = json::Value(json::Object(first->result)) ==
                      json::Value(json::Object(second->result)) &&
                  first->body == second->body;
    tallies["compile twice"].judge(
        isSame ? "" : "expected the same answer to the same kernel");
    if (first->result.get("declined"))
      return;
    auto code = parseExecutable(first->result, first->body);
    tallies["code"].judge(code ? "" : code.message());
  }

  /// A body is any bytes: a program answers names in it that are no UTF-8,
  /// though its answer must be.
  void sendOtherBytes(const std::string &wire) {
    if (!program->isAlive())
      return;
    for (StringRef name : {"sym_name = \"", "\"tile.", "!tile.view<"}) {
      size_t at = wire.find(name);
      if (at == std::string::npos)
        continue;
      auto other = Program::start(options.program);
      if (!other || !(*other)->ask("hello", helloParams(), "", startSeconds()))
        return; // judged by others
      std::string damaged = wire;
      damaged[at + name.size()] = '\xff';
      auto answer = (*other)->ask("compile", spec(), damaged, stepSeconds());
      bool isAnswered = answer || isRefusal(answer.message());
      tallies["text that is no UTF-8"].judge(isAnswered ? ""
                                                        : answer.message());
    }
  }

  static bool isRefusal(StringRef message) {
    return message.starts_with("reports an error: ");
  }

  void claim() {
    WireReader reader;
    reader.version = sample.hello.reader.version;
    std::string wire = wireOf(kFunction, context, reader);
    if (wire.empty())
      return tallies["claims"].judge(
          "expected version 2 of the wire form for 'claims', found " +
          std::to_string(reader.version));
    std::optional<Answer> answer = ask("claims", spec(), wire);
    if (!answer)
      return;
    auto claims = parseClaims(answer->result, ProtocolSample::kFunctionOps);
    tallies["claims"].judge(claims ? "" : claims.message());
  }

  /// What later versions add is refused by an answer.
  void mayMore() {
    if (!program->isAlive())
      return;
    auto answer = program->ask("sing", json::Object{}, "la", startSeconds());
    bool isRefused = !answer && isRefusal(answer.message());
    tallies["unknown method"].judge(
        isRefused ? ""
                  : "expected an error as the answer to a method that "
                    "there is not, found " +
                        (answer ? "a result" : answer.message()));
  }

  /// Checks that the program exits after `bye`, and at the end of its input.
  void leave() {
    if (program->isAlive())
      (void)program->ask("bye", json::Object{}, "", startSeconds());
    std::string how = program->isAlive() ? program->close(2) : "";
    tallies["bye"].judge(how == "status 0"
                             ? ""
                             : "expected the end with status 0 after 'bye', "
                               "found " +
                                   (how.empty() ? "none" : how));
    auto left = Program::start(options.program);
    if (!left)
      return;
    (void)(*left)->ask("hello", helloParams(), "", startSeconds());
    how = (*left)->isAlive() ? (*left)->close(2) : "status 0";
    tallies["end of input"].judge(
        how.empty() ? "expected it to end with its input, found it running"
                    : "");
  }

  const ProtocolOptions &options;
  mlir::MLIRContext &context;
  ProtocolSample &sample;
  ProtocolTallies &tallies;
  std::unique_ptr<Program> program;
};
} // namespace

void kiln::conform::checkManners(const ProtocolOptions &options,
                                 mlir::MLIRContext &context,
                                 ProtocolSample &sample,
                                 ProtocolTallies &tallies) {
  Manners(options, context, sample, tallies).run();
}

ProtocolTallies kiln::conform::checkProtocol(const ProtocolOptions &options,
                                             mlir::MLIRContext &context) {
  ProtocolTallies tallies;
  ProtocolSample sample;
  checkManners(options, context, sample, tallies);
  if (sample.hello.name.empty())
    return tallies;
  troubleProgram(options, sample, tallies);
  troubleCompiler(options, context, sample, tallies);
  return tallies;
}
