//===- StartAhead.cpp - Programs that start before they are asked ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StartAhead.h"
#include "kiln/Isolated/Cache.h"
#include "kiln/Isolated/IsolatedTarget.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>
#include <unistd.h>

using namespace kiln;
using namespace kiln::isolated;
using llvm::StringRef;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Answers to `hello` that are kept
//===----------------------------------------------------------------------===//

/// What was said holds as long as the program and its files are what they were.
/// Empty: there is no such program.
static std::string helloKey(StringRef path) {
  std::string state = fileState(path.str());
  if (state.empty())
    return "";
  llvm::SmallString<256> whole(path);
  (void)llvm::sys::fs::make_absolute(whole);
  std::string asked;
  llvm::raw_string_ostream(asked) << json::Value(helloParams());
  return cacheKey({"hello", whole, state, asked});
}

static std::string statesOf(const Hello &hello) {
  std::string text;
  for (const std::string &file : hello.files)
    text += fileState(file) + "\n";
  return text;
}

std::optional<Hello> kiln::isolated::findKeptHello(StringRef path,
                                                   StringRef target) {
  std::string key = helloKey(path);
  std::optional<Answer> kept = key.empty() ? std::nullopt : findCached(key);
  if (!kept)
    return std::nullopt;
  auto old = parseHello(kept->result, target.str());
  if (!old || kept->body != statesOf(*old))
    return std::nullopt;
  return std::move(*old);
}

void kiln::isolated::keepHello(StringRef path, const Hello &said,
                               json::Object answer) {
  if (!said.build.empty())
    keepCached(helloKey(path), {std::move(answer), statesOf(said)});
}

//===----------------------------------------------------------------------===//
// Programs that run already
//===----------------------------------------------------------------------===//

namespace {
struct Started {
  std::mutex mutex; ///< of the following
  pid_t owner = 0;  ///< the process that has them; a fork has copies
  llvm::StringMap<std::unique_ptr<Program>> programs; ///< by path

  static Started &get() {
    // Never destroyed: threads may still compile when the process ends.
    static auto *started = new Started;
    return *started;
  }
  /// The programs of this process. The caller holds the lock.
  llvm::StringMap<std::unique_ptr<Program>> &own() {
    if (owner != getpid())
      programs.clear();
    owner = getpid();
    return programs;
  }
};
} // namespace

void kiln::isolated::startAhead(const std::string &path) {
  if (findKeptHello(path, targetOfProgram(path)))
    return;
  Started &started = Started::get();
  std::lock_guard<std::mutex> lock(started.mutex);
  std::unique_ptr<Program> &program = started.own()[path];
  if (program)
    return;
  // Who asks it starts it again, and reports why it cannot be.
  if (auto begun = Program::start(path))
    program = std::move(*begun);
}

std::unique_ptr<Program>
kiln::isolated::takeStartedAhead(const std::string &path) {
  Started &started = Started::get();
  std::lock_guard<std::mutex> lock(started.mutex);
  auto &programs = started.own();
  auto found = programs.find(path);
  if (found == programs.end())
    return nullptr;
  std::unique_ptr<Program> program = std::move(found->second);
  programs.erase(found);
  return program;
}

void kiln::isolated::dropStartedAhead() {
  Started &started = Started::get();
  std::lock_guard<std::mutex> lock(started.mutex);
  started.own().clear();
}
