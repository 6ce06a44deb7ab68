// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kiln-amd-sim: launches a kernel of any code object on the simulated device.
#include "Launch.h"
#include "Table.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>

using namespace kiln::amd::sim;

namespace {
constexpr const char *kUsage =
    R"(usage: kiln-amd-sim FILE [options]

Runs a kernel of a code object (of Kiln, hipcc, Triton, or llvm-mc and ld.lld) on
a simulated AMD GPU, and prints what its buffers hold then.

  --kernel=NAME         the kernel (default: the only one)
  --grid=X[,Y[,Z]]      workgroups (default: 1)
  --threads=X[,Y[,Z]]   threads of a workgroup (default: what the code requires)
  --lds=BYTES           dynamic LDS
  --arg=TYPE:VALUE      i8 to i64, f32 or f64, as often as there are arguments;
                        the parts of a structure follow each other
  --arg=buffer:BYTES    zeros, printed as words when the kernel has ended
  --arg=file:PATH[+N]   the address of byte N of a file, which gets the kernel's
                        results; a file that is named twice is there once
  --seed=N              draws the order in which waves run
  --checks=0|1          whether accesses and waits are checked (default: 1)
  --float8=ocp|fnuz     the 8-bit floats that buffers hold: an instruction for
                        the others is reported
  --stale=0|1           whether reads of old values of LDS among new ones are
                        reported: for kernels that write tiles whole (default: 0)
  --list                prints the kernels and their arguments
  --instructions        prints the names of all instructions that are simulated
  --counters            prints what was counted
)";

struct Argument {
  uint64_t word = 0;
  unsigned size = 8; ///< bytes of the word
  std::string path;
  bool isPrinted = false;
  uint64_t offset = 0;
  std::shared_ptr<std::vector<uint8_t>> bytes;
};

int fail(const std::string &what) {
  std::fprintf(stderr, "error: %s\n", what.c_str());
  return 1;
}
bool readFile(const std::string &path, std::vector<uint8_t> &bytes) {
  std::ifstream file(path, std::ios::binary);
  bytes.assign(std::istreambuf_iterator<char>(file), {});
  return file.good() || file.eof();
}
void readExtents(const std::string &text, uint32_t (&extents)[3]) {
  const char *at = text.c_str();
  for (uint32_t &extent : extents) {
    char *end = nullptr;
    extent = uint32_t(std::strtoul(at, &end, 10));
    if (*end != ',')
      break;
    at = end + 1;
  }
}

bool readArgument(const std::string &text, const std::vector<Argument> &others,
                  Argument &argument) {
  size_t colon = text.find(':');
  if (colon == std::string::npos)
    return false;
  std::string type = text.substr(0, colon), value = text.substr(colon + 1);
  for (auto [name, size] :
       {std::pair("i8", 1), {"i16", 2}, {"i32", 4}, {"i64", 8}})
    if (type == name) {
      argument.word = uint64_t(std::strtoll(value.c_str(), nullptr, 0));
      argument.size = unsigned(size);
      return true;
    }
  if (type == "f32") {
    float number = std::strtof(value.c_str(), nullptr);
    std::memcpy(&argument.word, &number, sizeof number);
    argument.size = sizeof number;
    return true;
  }
  if (type == "f64") {
    double number = std::strtod(value.c_str(), nullptr);
    std::memcpy(&argument.word, &number, sizeof number);
    return true;
  }
  argument.bytes = std::make_shared<std::vector<uint8_t>>();
  if (type == "buffer") {
    argument.bytes->assign(std::strtoul(value.c_str(), nullptr, 0), 0);
    argument.isPrinted = true;
    return true;
  }
  if (size_t plus = value.rfind('+'); plus != std::string::npos) {
    argument.offset = std::strtoull(value.c_str() + plus + 1, nullptr, 10);
    value.resize(plus);
  }
  argument.path = value;
  for (const Argument &other : others)
    if (other.path == value) {
      argument.bytes = other.bytes;
      return type == "file";
    }
  return type == "file" && readFile(value, *argument.bytes);
}

/// Whether a structure is passed by value: its parts are arguments here.
bool hasStructure(const KernelInfo &kernel) {
  return std::any_of(kernel.arguments.begin(), kernel.arguments.end(),
                     [](const KernelArgument &argument) {
                       return argument.kind == "by_value" && argument.size > 8;
                     });
}

std::vector<BareArgument> partsOf(const std::vector<Argument> &arguments) {
  std::vector<BareArgument> parts;
  for (const Argument &argument : arguments)
    parts.push_back({argument.word, argument.size,
                     argument.bytes ? "an array" : "a number"});
  return parts;
}

void list(const Code &code) {
  std::printf("%s, waves of %u lanes\n", code.isa().chip.c_str(),
              code.isa().lanes);
  for (const KernelInfo &kernel : code.kernels()) {
    std::printf("kernel %s: %u vector registers, %u bytes of LDS, %u of "
                "scratch\n",
                kernel.name.c_str(), kernel.vectorRegisters, kernel.ldsBytes,
                kernel.scratchBytes);
    for (const KernelArgument &argument : kernel.arguments)
      std::printf("  %u bytes at %u: %s\n", argument.size, argument.offset,
                  argument.kind.c_str());
  }
}
/// What the command line asks for.
struct Request {
  std::string path, name;
  std::vector<Argument> arguments;
  LaunchOptions options;
  bool lists = false, counts = false, hasThreads = false;
  bool listsInstructions = false;

  /// Returns whether the flag is known and right.
  bool read(const std::string &flag) {
    auto value = [&](const char *key) -> const char * {
      size_t size = std::strlen(key);
      return flag.compare(0, size, key) == 0 ? flag.c_str() + size : nullptr;
    };
    if (const char *v = value("--kernel="))
      name = v;
    else if (const char *v = value("--grid="))
      readExtents(v, options.grid);
    else if (const char *v = value("--threads=")) {
      readExtents(v, options.threads);
      hasThreads = true;
    } else if (const char *v = value("--lds="))
      options.dynamicLds = uint32_t(std::strtoul(v, nullptr, 0));
    else if (const char *v = value("--seed="))
      options.seed = std::strtoull(v, nullptr, 0);
    else if (const char *v = value("--checks="))
      options.checks = *v != '0';
    else if (const char *v = value("--float8="))
      return readFloat8Kind(v, options.float8);
    else if (const char *v = value("--stale="))
      options.findsOld = *v != '0';
    else if (flag == "--list")
      lists = true;
    else if (flag == "--instructions")
      listsInstructions = true;
    else if (flag == "--counters")
      counts = true;
    else if (const char *v = value("--arg=")) {
      Argument argument;
      if (!readArgument(v, arguments, argument))
        return false;
      arguments.push_back(std::move(argument));
      return true;
    } else if (flag.rfind("--", 0) == 0 || !path.empty())
      return false;
    else
      path = flag;
    return true;
  }
};

/// Writes results back to files, and prints buffers.
void giveResults(const std::vector<Argument> &arguments) {
  for (const Argument &argument : arguments) {
    if (!argument.path.empty()) {
      std::ofstream file(argument.path, std::ios::binary);
      file.write(reinterpret_cast<const char *>(argument.bytes->data()),
                 std::streamsize(argument.bytes->size()));
    }
    if (!argument.isPrinted)
      continue;
    constexpr size_t kWordsOfLine = 8;
    size_t words = argument.bytes->size() / 4;
    for (size_t i = 0; i < words; ++i) {
      uint32_t word;
      std::memcpy(&word, argument.bytes->data() + 4 * i, 4);
      bool isLast = i % kWordsOfLine == kWordsOfLine - 1 || i + 1 == words;
      std::printf("%08x%s", word, isLast ? "\n" : " ");
    }
  }
}

int run(Request &request) {
  std::vector<uint8_t> bytes;
  if (!readFile(request.path, bytes) || bytes.empty())
    return fail("cannot read '" + request.path + "'");
  AddressMap memory;
  std::string problem;
  std::unique_ptr<Code> code =
      Code::load(bytes.data(), bytes.size(), memory, problem);
  if (!code)
    return fail(request.path + ": " + problem);
  if (request.lists) {
    list(*code);
    return 0;
  }
  const KernelInfo *kernel = request.name.empty() && code->kernels().size() == 1
                                 ? &code->kernels()[0]
                                 : code->kernel(request.name);
  if (!kernel)
    return fail("expected --kernel=NAME with one that --list prints, found '" +
                request.name + "'");
  if (!request.hasThreads && kernel->workgroupSize)
    request.options.threads[0] = kernel->workgroupSize;
  std::vector<uint64_t> words;
  for (Argument &argument : request.arguments) {
    if (argument.bytes) {
      memory.add(argument.bytes->data(), argument.bytes->size(), "buffer");
      argument.word =
          reinterpret_cast<uint64_t>(argument.bytes->data()) + argument.offset;
    }
    words.push_back(argument.word);
  }
  std::vector<uint8_t> kernarg;
  problem = hasStructure(*kernel)
                ? packBare(*kernel, partsOf(request.arguments), kernarg)
                : packArguments(*kernel, words, kernarg);
  Counters counters;
  if (problem.empty())
    problem = runKernel(*code, *kernel, std::move(kernarg), memory,
                        request.options, counters);
  if (request.counts)
    printCounters(kernel->name, counters);
  if (!problem.empty())
    return fail("kernel '" + kernel->name + "': " + problem);
  giveResults(request.arguments);
  return 0;
}
} // namespace

int main(int count, char **values) {
  Request request;
  for (int i = 1; i < count; ++i)
    if (!request.read(values[i])) {
      std::fprintf(stderr, "error: unexpected '%s'\n%s", values[i], kUsage);
      return 2;
    }
  if (request.listsInstructions) {
    for (const std::string &name : Table::get().names())
      std::printf("%s\n", name.c_str());
    return 0;
  }
  if (request.path.empty()) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  return run(request);
}
