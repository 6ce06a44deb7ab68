//===- Hello.h - What a target's program says about itself ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_ISOLATED_HELLO_H
#define KILN_ISOLATED_HELLO_H

#include "kiln/Isolated/Wire.h"
#include "kiln/System/Error.h"
#include "kiln/Target/Target.h"

namespace kiln::isolated {

/// The versions of the protocol that this build speaks.
constexpr int64_t kOldestProtocol = 1, kNewestProtocol = 1;

/// The answer to `hello`.
struct Hello {
  std::string name, version, build, help, device;
  std::vector<target::ChipInfo> chips;
  std::vector<target::OptionInfo> options;
  llvm::StringSet<> methods; ///< those beside hello, describe, compile, bye
  std::vector<std::string> files; ///< what `build` depends on
  WireReader reader;
  unsigned jobs = 1;
  bool conversations = false; ///< whether one process holds several

  bool has(llvm::StringRef method) const { return methods.contains(method); }
};

/// The parameters of `hello`.
llvm::json::Object helloParams();

/// Reads the answer of the program of target `name`. A failure says what was
/// expected and found.
runtime::Expected<Hello> parseHello(const llvm::json::Object &result,
                                    llvm::StringRef name);

/// By which instruction a program computes an operation of a kernel.
struct Lowered {
  std::string kernel, name;
  int64_t op = 0; ///< the number of the operation
};

/// Reads the answer to `compile`, whose kernels and byte strings become an
/// executable; what it says of operations is added to `lowered`.
runtime::Expected<target::Executable>
parseExecutable(const llvm::json::Object &result, llvm::StringRef body,
                std::vector<Lowered> *lowered = nullptr);

/// A kernel that the program does not take.
struct Declined {
  std::string kernel, reason;
  int64_t op = 0; ///< the number of the operation; 0: the kernel
};

/// Reads `declined` of an answer, if it is there.
runtime::Expected<std::optional<Declined>>
parseDeclined(const llvm::json::Object &result);

/// Operations that the program takes whole.
struct Claim {
  std::string name;
  std::vector<int64_t> ops; ///< their numbers within the function
};

/// Reads the answer to `claims` about a function whose operations are numbered
/// 0 (itself) to `numOps` - 1. No operation is named twice.
runtime::Expected<std::vector<Claim>>
parseClaims(const llvm::json::Object &result, int64_t numOps);

} // namespace kiln::isolated

#endif // KILN_ISOLATED_HELLO_H
