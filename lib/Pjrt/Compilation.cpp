// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a program to a package, by the compiler's library, which is loaded when
// there is something to compile: what is cached runs without it.
#include "Objects.h"
#include "kiln-c/Compiler.h"
#include <dlfcn.h>

using namespace kiln::pjrt;

namespace {

struct Compiler {
  decltype(&kilnCompileBuffer) compile = nullptr;
  decltype(&kilnFreeBytes) release = nullptr;
  std::string problem;
};

/// libKiln beside this library.
Compiler openCompiler() {
  Compiler compiler;
  Dl_info here;
  std::string folder;
  if (dladdr(reinterpret_cast<void *>(&openCompiler), &here)) {
    folder = here.dli_fname;
    folder.resize(folder.rfind('/') + 1);
  }
  void *library = dlopen((folder + "libKiln.so.0").c_str(),
                         RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (!library) {
    compiler.problem = std::string("there is no compiler: ") + dlerror();
    return compiler;
  }
  compiler.compile = reinterpret_cast<decltype(compiler.compile)>(
      dlsym(library, "kilnCompileBuffer"));
  compiler.release = reinterpret_cast<decltype(compiler.release)>(
      dlsym(library, "kilnFreeBytes"));
  if (!compiler.compile || !compiler.release)
    compiler.problem = folder + "libKiln.so.0 is not Kiln's compiler";
  return compiler;
}

void keepDiagnostic(const char *message, void *user) {
  auto &text = *static_cast<std::string *>(user);
  if (!text.empty())
    text += '\n';
  text += message;
}

} // namespace

Error *kiln::pjrt::compileProgram(const Client &client,
                                  const std::string &program,
                                  std::string &package) {
  static const Compiler compiler = openCompiler();
  if (!compiler.problem.empty())
    return fail(Code::Internal, compiler.problem);
  std::string target = "--target=" + client.target;
  // Functions without operations look like anybody's. The derivative of JAX's
  // gathers counts on what XLA does with windows that are partly outside.
  std::vector<const char *> arguments = {target.c_str(),
                                         "--frontend=stablehlo,windows=whole",
                                         // The host has written it.
                                         "--trust-input"};
  for (const std::string &argument : client.arguments)
    arguments.push_back(argument.c_str());
  std::string diagnostics;
  void *bytes = nullptr;
  size_t size = 0;
  if (compiler.compile(program.data(), program.size(), "program",
                       arguments.size(), arguments.data(), keepDiagnostic,
                       &diagnostics, &bytes, &size))
    return fail(diagnostics.find("unsupported: ") == std::string::npos
                    ? Code::InvalidArgument
                    : Code::Unimplemented,
                diagnostics);
  package.assign(static_cast<const char *>(bytes), size);
  compiler.release(bytes);
  return nullptr;
}
