//===- IsolatedTarget.cpp - Targets in programs of their own --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Isolated/IsolatedTarget.h"
#include "ServerProcess.h"
#include "StartAhead.h"
#include "kiln/Target/PluginLoader.h"
#include "kiln/Target/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace kiln;
using namespace kiln::isolated;
using namespace kiln::target;
using llvm::StringRef;
using runtime::Error;
using runtime::Expected;
namespace json = llvm::json;

IsolatedTarget::IsolatedTarget(std::string name, std::string path)
    : targetName(std::move(name)), path(std::move(path)) {}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Program>>
IsolatedTarget::takeProgram(bool isAlone) const {
  std::unique_lock<std::mutex> lock(mutex);
  if (owner != getpid()) {
    // A fork has copied what another process started.
    idle.clear();
    serving.reset();
    running = 0;
    isStarting = false;
    owner = getpid();
  }
  unsigned most = known ? known->jobs : 1;
  bool isShared = known && known->conversations && !isAlone;
  freed.wait(lock, [&] {
    // The end of a shared process is no fault of its idle conversations.
    llvm::erase_if(idle, [](const std::unique_ptr<Program> &program) {
      const ServerProcess &process = *program->sharedProcess();
      return process.isShared() && process.hasEnded();
    });
    return (!idle.empty() && !isAlone) ||
           (running < most && !(isShared && isStarting));
  });
  ++running;
  if (!idle.empty() && !isAlone) {
    std::unique_ptr<Program> program = std::move(idle.back());
    idle.pop_back();
    // The one that said `hello` was given back before that was read.
    if (isShared && serving.expired())
      serving = program->sharedProcess();
    return program;
  }
  if (isShared)
    if (std::shared_ptr<ServerProcess> process = serving.lock())
      if (std::unique_ptr<Program> program = Program::open(path, process))
        return program;
  isStarting |= isShared;
  lock.unlock();
  Expected<std::unique_ptr<Program>> program = takeStartedAhead(path);
  if (!*program)
    program = Program::start(path);
  if (isShared) {
    lock.lock();
    isStarting = false;
    if (program)
      serving = (*program)->sharedProcess();
    freed.notify_all();
  }
  return program;
}

void IsolatedTarget::giveBack(std::unique_ptr<Program> program) const {
  std::lock_guard<std::mutex> lock(mutex);
  --running;
  if (program && program->isAlive()) {
    if (known && known->conversations && serving.expired())
      serving = program->sharedProcess();
    idle.push_back(std::move(program));
  }
  freed.notify_one();
}

Expected<Answer> IsolatedTarget::ask(StringRef method, json::Object params,
                                     StringRef body, double seconds) const {
  bool isRepeated = false;
  Expected<Answer> answer =
      askOnce(method, params, body, seconds, /*isAlone=*/false, isRepeated);
  // Another conversation may have ended the process. Where there is no other,
  // the one that does so is found.
  if (!answer && isRepeated)
    return askOnce(method, std::move(params), body, seconds, /*isAlone=*/true,
                   isRepeated);
  return answer;
}

Expected<Answer> IsolatedTarget::askOnce(StringRef method, json::Object params,
                                         StringRef body, double seconds,
                                         bool isAlone,
                                         bool &mayOthersHaveEndedIt) const {
  Expected<std::unique_ptr<Program>> program = takeProgram(isAlone);
  if (!program) {
    giveBack(nullptr);
    return program.takeError();
  }
  auto converse = [&]() -> Expected<Answer> {
    // Every conversation begins with `hello`.
    if (!(*program)->hasSaidHello && method != "hello") {
      Expected<Answer> greeting =
          (*program)->ask("hello", helloParams(), "", startSeconds());
      if (!greeting)
        return greeting;
    }
    (*program)->hasSaidHello = true;
    return (*program)->ask(method, std::move(params), body, seconds);
  };
  Expected<Answer> answer = converse();
  mayOthersHaveEndedIt = (*program)->mayOthersHaveEndedIt();
  giveBack(std::move(*program));
  return answer;
}

void IsolatedTarget::endPrograms() const {
  std::lock_guard<std::mutex> lock(mutex);
  if (owner == getpid())
    for (std::unique_ptr<Program> &program : idle)
      program->end();
  idle.clear();
}

//===----------------------------------------------------------------------===//
// What the program says about itself
//===----------------------------------------------------------------------===//

Expected<Hello> IsolatedTarget::askHello() const {
  if (fileState(path).empty())
    return Error("cannot be started: there is no such file");
  if (std::optional<Hello> kept = findKeptHello(path, targetName))
    return std::move(*kept);
  Expected<Answer> answer = ask("hello", helloParams(), "", startSeconds());
  if (!answer)
    return answer.takeError();
  Expected<Hello> said = parseHello(answer->result, targetName);
  if (said)
    keepHello(path, *said, std::move(answer->result));
  return said;
}

const Hello *IsolatedTarget::hello() const {
  std::lock_guard<std::mutex> lock(helloMutex);
  if (!known && unusable.empty()) {
    Expected<Hello> said = askHello();
    std::lock_guard<std::mutex> programs(mutex);
    if (said)
      known = std::move(*said);
    else
      unusable = said.message();
    if (known && known->has("claims"))
      registerClaims();
  }
  return known ? &*known : nullptr;
}

std::string IsolatedTarget::whyUnusable() const {
  return hello() ? "" : unusable;
}

StringRef IsolatedTarget::help() const {
  if (const Hello *said = hello())
    return said->help;
  return "(its program cannot be used)";
}

std::vector<ChipInfo> IsolatedTarget::chips() const {
  const Hello *said = hello();
  return said ? said->chips : std::vector<ChipInfo>();
}

std::vector<OptionInfo> IsolatedTarget::options() const {
  const Hello *said = hello();
  return said ? said->options : std::vector<OptionInfo>();
}

std::string IsolatedTarget::deviceName() const {
  const Hello *said = hello();
  return said && !said->device.empty() ? said->device : targetName;
}

bool IsolatedTarget::lowersInParallel() const {
  const Hello *said = hello();
  return said && said->jobs > 1;
}

void IsolatedTarget::keepFailure(std::string what) const {
  std::lock_guard<std::mutex> lock(mutex);
  if (earlier.empty())
    earlier = std::move(what);
}

std::string IsolatedTarget::takeFailure() const {
  std::lock_guard<std::mutex> lock(mutex);
  return std::exchange(earlier, "");
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

std::string kiln::isolated::targetOfProgram(StringRef path) {
  StringRef name = llvm::sys::path::filename(path);
  return name.consume_front("kiln-target-") ? name.str() : "";
}

/// The targets that were loaded; they live as long as the process.
static std::vector<const IsolatedTarget *> &loaded() {
  static auto *all = new std::vector<const IsolatedTarget *>;
  return *all;
}

void kiln::isolated::endPrograms() {
  dropStartedAhead();
  for (const IsolatedTarget *target : loaded())
    target->endPrograms();
}

void kiln::isolated::registerIsolatedTargets() {
  setProgramLoader(
      {targetOfProgram,
       [](std::string name, std::string path) -> std::unique_ptr<Target> {
         auto target =
             std::make_unique<IsolatedTarget>(std::move(name), std::move(path));
         loaded().push_back(target.get());
         return target;
       },
       [](const Target &target) {
         return static_cast<const IsolatedTarget &>(target).whyUnusable();
       },
       startAhead});
}
