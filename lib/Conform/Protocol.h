//===- Protocol.h - Conversations with a target's program -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plays both sides of the protocol of docs/isolated-targets.md wrong: what a
// program must survive, and what the compiler must.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONFORM_PROTOCOL_H
#define KILN_LIB_CONFORM_PROTOCOL_H

#include "kiln/Isolated/Hello.h"
#include "kiln/Isolated/Program.h"
#include "mlir/IR/MLIRContext.h"
#include <map>
#include <random>

namespace kiln::conform {

struct ProtocolOptions {
  std::string program;
  unsigned conversations = 1000; ///< of each side
  uint64_t seed = 1;
};

/// What became of the conversations of one kind.
struct ProtocolTally {
  unsigned passed = 0, failed = 0;
  std::vector<std::string> problems; ///< the first of them

  /// Counts a conversation; an empty problem is none.
  void judge(const std::string &problem);
};
using ProtocolTallies = std::map<std::string, ProtocolTally>;

/// What a program answered to well-formed questions.
struct ProtocolSample {
  isolated::Hello hello;
  /// By method: parameters, body and answer.
  struct Exchange {
    llvm::json::Object params;
    std::string body;
    isolated::Answer answer;
  };
  std::map<std::string, Exchange> exchanges;
  /// Operations of the function that `claims` was about, with itself.
  static constexpr int64_t kFunctionOps = 5;
};

/// Changes bytes and JSON at random.
class Mutator {
public:
  explicit Mutator(uint64_t seed) : random(seed) {}

  uint64_t below(uint64_t count) { return count ? random() % count : 0; }
  bool isOneOf(unsigned count) { return below(count) == 0; }
  /// Changes, takes away, doubles or adds some bytes.
  void changeBytes(std::string &bytes);
  /// Changes a value somewhere within: its type, its size, its name.
  void changeValue(llvm::json::Value &value);

private:
  llvm::json::Value anyValue(unsigned depth);
  std::mt19937_64 random;
};

/// Holds well-formed conversations; what it answers is in `sample`.
void checkManners(const ProtocolOptions &options, mlir::MLIRContext &context,
                  ProtocolSample &sample, ProtocolTallies &tallies);
/// Talks nonsense to the program.
void troubleProgram(const ProtocolOptions &options,
                    const ProtocolSample &sample, ProtocolTallies &tallies);
/// Lets the program's answers arrive damaged at the compiler.
void troubleCompiler(const ProtocolOptions &options, mlir::MLIRContext &context,
                     const ProtocolSample &sample, ProtocolTallies &tallies);

/// All of them.
ProtocolTallies checkProtocol(const ProtocolOptions &options,
                              mlir::MLIRContext &context);

} // namespace kiln::conform

#endif // KILN_LIB_CONFORM_PROTOCOL_H
