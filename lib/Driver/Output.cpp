//===- Output.cpp - Writing files whole or not at all ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Driver/Driver.h"
#include "kiln/Runtime/Package.h"
#include "llvm/Support/raw_ostream.h"

using llvm::StringRef;

bool kiln::driver::writeOutput(StringRef path, StringRef bytes,
                               std::string &error) {
  if (path == "-") {
    llvm::outs() << bytes;
    llvm::outs().flush();
    if (!llvm::outs().has_error())
      return true;
    error =
        "cannot write to standard output: " + llvm::outs().error().message();
    llvm::outs().clear_error();
    return false;
  }
  // What waits for the standard output comes before what /dev/stdout gets.
  llvm::outs().flush();
  runtime::Error failure =
      runtime::writeFile(path.str(), bytes.data(), bytes.size());
  if (failure)
    error = failure.message();
  return !failure;
}
