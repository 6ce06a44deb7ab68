//===- Server.h - A target in C++ as an isolated one ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers the protocol of docs/isolated-targets.md for a target that this
// process has loaded.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_ISOLATE_SERVER_H
#define KILN_TOOLS_KILN_ISOLATE_SERVER_H

#include "kiln/Isolated/Frame.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/IR/OwningOpRef.h"

namespace kiln::isolate {

/// Reads requests from one descriptor and writes answers to another.
class Server {
public:
  /// `name` is the target's name in answers. `build` changes when the program
  /// or the files that its answers depend on change. `several` tells whether
  /// this process holds several conversations.
  Server(const target::Target &target, std::string name, std::string build,
         bool several, mlir::MLIRContext &context)
      : target(target), name(std::move(name)), build(std::move(build)),
        several(several), context(context) {}

  /// Answers until `bye`, the end of the input, or bytes that are no frame.
  void serve(int input, int output);

private:
  struct Reply {
    llvm::json::Object result;
    std::string body, error;
  };

  Reply answer(llvm::StringRef method, const llvm::json::Object &params,
               llvm::StringRef body);
  llvm::json::Object hello() const;
  Reply describe(const target::BoundTarget &bound) const;
  static bool accepts(const target::BoundTarget &bound, mlir::ModuleOp module,
                      Reply &reply);
  /// Lowers kernels, then hands them to the serialiser, or prints them.
  Reply compile(const target::BoundTarget &bound, llvm::StringRef text,
                bool asText);
  mlir::OwningOpRef<mlir::ModuleOp> read(llvm::StringRef text) const;

  const target::Target &target;
  std::string name, build;
  bool several;
  mlir::MLIRContext &context;
  /// What the last SPEC names: a host's features take longer than a kernel.
  std::string boundSpec;
  target::BoundTarget bound;
  /// Of the request: the first error, and the operation that it is about.
  std::string problem;
  mlir::Location place = mlir::UnknownLoc::get(&context);
};

} // namespace kiln::isolate

#endif // KILN_TOOLS_KILN_ISOLATE_SERVER_H
