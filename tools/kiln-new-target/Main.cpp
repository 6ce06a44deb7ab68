// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kiln-new-target NAME: a complete project for a target of one's own.
#include "Project.h"
#include "kiln/Runtime/StandardStreams.h"
#include <CLI/CLI.hpp>
#include <cstdio>

using namespace kiln;

/// The commands that build and test the project.
static void printNext(const std::string &folder) {
  std::string prefix = new_target::installedPrefix(), option;
  std::printf("\nNext:\n");
  if (prefix.empty()) {
    std::printf(
        "  cmake --install KILN_BUILD --prefix DIR   # this Kiln is not "
        "installed, and projects find an installation\n");
    option = " -DCMAKE_PREFIX_PATH=DIR";
  } else if (prefix != "/usr" && prefix != "/usr/local") {
    option = " -DCMAKE_PREFIX_PATH=" + prefix;
  }
  std::printf("  cd %s\n  cmake -S . -B build%s\n  cmake --build build\n"
              "  ctest --test-dir build\n",
              folder.c_str(), option.c_str());
}

int main(int argc, char **argv) {
  runtime::occupyStandardStreams();
  CLI::App app("Writes a project for a target outside of Kiln's tree.",
               "kiln-new-target");
  std::string name, folder;
  app.add_option("NAME", name,
                 "the name of the target in --target=NAME: lower-case letters "
                 "and digits")
      ->required();
  app.add_option("-o,--folder", folder,
                 "the folder to write, which must not exist (default: NAME)");
  std::string isolated;
  app.add_option("--isolated", isolated,
                 "the compiler's side is a program of its own, in python or "
                 "cpp (default: a library in C++ for this release)")
      ->check(CLI::IsMember({"python", "cpp"}));
  bool isGpu = false;
  app.add_flag("--gpu", isGpu,
               "a GPU on Kiln's code generator for GPUs, with description, "
               "lowering of threads and back end")
      ->excludes("--isolated");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &help) {
    return app.exit(help);
  } catch (const CLI::ParseError &error) {
    std::fprintf(stderr, "kiln-new-target: error: %s\n", error.what());
    return 2;
  }
  if (folder.empty())
    folder = name;
  std::vector<std::string> parts = {isGpu ? "gpu" : "target"};
  if (!isolated.empty())
    parts = {"isolated", "isolated-" + isolated};
  auto files = new_target::writeProject(parts, name, folder);
  if (!files) {
    std::fprintf(stderr, "kiln-new-target: error: %s\n",
                 files.message().c_str());
    return 1;
  }
  for (const std::string &file : *files)
    std::printf("%s/%s\n", folder.c_str(), file.c_str());
  printNext(folder);
  return std::fflush(stdout) == 0 ? 0 : 1;
}
