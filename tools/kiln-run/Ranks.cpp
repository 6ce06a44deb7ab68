// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several ranks of one program.
#include "Ranks.h"
#include "Runner.h"
#include "kiln/System/Process.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kiln::run;

namespace {

/// Replaces every "{rank}".
std::string forRank(std::string text, const std::string &number) {
  const std::string place = "{rank}";
  for (size_t at = text.find(place); at != text.npos;
       at = text.find(place, at + number.size()))
    text.replace(at, place.size(), number);
  return text;
}

/// Prints whole lines of one rank.
class Lines {
public:
  Lines(std::string prefix, std::FILE *to)
      : prefix(std::move(prefix)), to(to) {}

  bool take(const char *bytes, size_t size) {
    rest.append(bytes, size);
    for (size_t end = rest.find('\n'); end != rest.npos;
         end = rest.find('\n')) {
      print(rest.substr(0, end + 1));
      rest.erase(0, end + 1);
    }
    return true;
  }
  ~Lines() {
    if (!rest.empty())
      print(rest + "\n");
  }

private:
  void print(const std::string &line) {
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    std::fputs((prefix + line).c_str(), to);
    std::fflush(to);
  }

  std::string prefix, rest;
  std::FILE *to;
};

/// One rank as a process.
struct Child {
  pid_t pid = -1;
  int out = -1, err = -1;
};

void execRank(int argc, char **argv, const std::string &number, int out,
              int err) {
  std::vector<std::string> texts = {"kiln-run"};
  for (int i = 1; i < argc; ++i)
    texts.push_back(forRank(argv[i], number));
  texts.push_back("--rank=" + number);
  std::vector<char *> words;
  for (std::string &text : texts)
    words.push_back(text.data());
  words.push_back(nullptr);
  dup2(out, 1);
  dup2(err, 2);
  execv("/proc/self/exe", words.data());
  _exit(127);
}

} // namespace

std::string kiln::run::becomeRank(const Options &options) {
  if (options.rank < 0)
    return "";
  int64_t ranks = options.ranks;
  if (options.rank >= ranks)
    return "--rank=" + std::to_string(options.rank) +
           ": expected a number below that of --ranks";
  if (ranks > 1 && options.rendezvous.empty() && !getenv("KILN_RENDEZVOUS"))
    return "--rank needs --rendezvous=file:FOLDER or tcp:HOST:PORT, where the "
           "ranks meet";
  setenv("KILN_RANK", std::to_string(options.rank).c_str(), 1);
  setenv("KILN_RANKS", std::to_string(ranks).c_str(), 1);
  if (!options.rendezvous.empty())
    setenv("KILN_RENDEZVOUS", options.rendezvous.c_str(), 1);
  return "";
}

int kiln::run::runRanks(int argc, char **argv, const Options &options) {
  std::string folder =
      (std::filesystem::temp_directory_path() / "kiln-ranks-XXXXXX").string();
  if (options.rendezvous.empty()) {
    if (!mkdtemp(folder.data())) {
      printError(folder + ": " + std::strerror(errno));
      return 1;
    }
    setenv("KILN_RENDEZVOUS", ("file:" + folder).c_str(), 1);
  }
  std::vector<Child> children(size_t(options.ranks));
  std::fflush(nullptr);
  for (size_t rank = 0; rank < children.size(); ++rank) {
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) {
      printError(std::string("cannot make a pipe: ") + std::strerror(errno));
      return 1;
    }
    Child &child = children[rank];
    child.pid = fork();
    if (child.pid == 0)
      execRank(argc, argv, std::to_string(rank), out[1], err[1]);
    close(out[1]);
    close(err[1]);
    child.out = out[0];
    child.err = err[0];
  }
  std::vector<std::thread> readers;
  for (size_t rank = 0; rank < children.size(); ++rank)
    for (auto [fd, to] : {std::pair(children[rank].out, stdout),
                          std::pair(children[rank].err, stderr)})
      readers.emplace_back([rank, fd = fd, to = to] {
        Lines lines("[" + std::to_string(rank) + "] ", to);
        kiln::runtime::readUntilEnd(fd, 0, [&](const char *bytes, size_t size) {
          return lines.take(bytes, size);
        });
        close(fd);
      });
  for (std::thread &reader : readers)
    reader.join();
  int status = 0;
  for (size_t rank = 0; rank < children.size(); ++rank) {
    kiln::runtime::Ending ending = kiln::runtime::awaitEnd(children[rank].pid);
    if (ending.signal)
      printError("rank " + std::to_string(rank) + ": " + ending.describe());
    if (!status)
      status = ending.signal ? 1 : ending.status;
  }
  if (options.rendezvous.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  return status;
}
