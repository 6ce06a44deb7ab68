// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler, loaded when it is needed.
#include "Compiler.h"
#include "kiln/Runtime/Plugin.h"
#include <dlfcn.h>

using namespace kiln::conform;
using namespace kiln::runtime;

namespace {

void addLine(const char *message, void *user) {
  auto &lines = *static_cast<std::string *>(user);
  lines += message;
  if (!lines.empty() && lines.back() != '\n')
    lines += '\n';
}

void addRow(const KilnReportRow *row, void *user) {
  auto &declined = *static_cast<std::map<std::string, std::string> *>(user);
  // A schedule, a lowering or another decision that was taken has no reasons
  // for the host: only those of rows that nothing took count, and of the
  // placement, which the host takes.
  if (*row->chosen && std::string(row->stage) != "placement")
    return;
  for (size_t i = 0; i < row->numDeclines; ++i)
    for (const char *owner : {row->kernel, row->function})
      if (*owner) {
        std::string &chain = declined[owner];
        std::string reason =
            std::string(row->declines[i].name) + ": " + row->declines[i].reason;
        if (chain.find(reason) == std::string::npos)
          chain += (chain.empty() ? "" : "; ") + reason;
      }
}

} // namespace

Expected<Compiler> Compiler::load() {
  Expected<void *> library = loadCompilerLibrary();
  if (!library)
    return Error("the compiler cannot be loaded, and cases must be prepared: " +
                 library.message());
  Compiler compiler;
  compiler.compileFn = reinterpret_cast<decltype(compiler.compileFn)>(
      dlsym(*library, "kilnCompile"));
  compiler.freeFn = reinterpret_cast<decltype(compiler.freeFn)>(
      dlsym(*library, "kilnFreeBytes"));
  compiler.conformFn = reinterpret_cast<decltype(compiler.conformFn)>(
      dlsym(*library, "kilnConform"));
  if (!compiler.compileFn || !compiler.freeFn || !compiler.conformFn)
    return Error("libKiln.so lacks the functions of kiln-c/Conform.h");
  return compiler;
}

Compiled Compiler::compile(std::string_view text, const std::string &name,
                           const std::vector<std::string> &args) const {
  Compiled compiled;
  std::vector<const char *> words;
  for (const std::string &arg : args)
    words.push_back(arg.c_str());
  KilnCompileOptions options = {};
  options.structSize = sizeof options;
  options.diagnostic = addLine;
  options.diagnosticUser = &compiled.diagnostics;
  options.report = addRow;
  options.reportUser = &compiled.declined;
  void *bytes = nullptr;
  size_t size = 0;
  if (compileFn(name.c_str(), text.data(), text.size(), words.size(),
                words.data(), &options, &bytes, &size) == 0)
    compiled.package.assign(static_cast<const char *>(bytes), size);
  freeFn(bytes);
  return compiled;
}

Expected<std::string>
Compiler::ask(const std::vector<std::string> &args) const {
  std::vector<const char *> words;
  for (const std::string &arg : args)
    words.push_back(arg.c_str());
  std::string text, errors;
  auto take = [](const char *bytes, size_t size, void *user) {
    static_cast<std::string *>(user)->append(bytes, size);
  };
  if (conformFn(words.size(), words.data(), take, &text, addLine, &errors))
    return Error(errors.empty() ? "failed without saying why"
                                : errors.substr(0, errors.size() - 1));
  return text;
}
