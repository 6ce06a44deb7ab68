// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kiln-conform --protocol: the compiler holds the conversations, this prints.
#include "Protocol.h"
#include "Compiler.h"
#include "Values.h"
#include "kiln/Runtime/Package.h"
#include "kiln/System/Process.h"
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

using namespace kiln::conform;
using namespace kiln::runtime;

static int fail(const std::string &message) {
  std::fprintf(
      stderr, "kiln-conform: %s%s\n",
      message.rfind("error: ", 0) == 0 ? "" : "error: ", message.c_str());
  return 1;
}

int kiln::conform::checkProtocol(const std::string &program,
                                 unsigned conversations, uint64_t seed,
                                 const std::string &json) {
  declareOwnProcess();
  Expected<Compiler> compiler = Compiler::load();
  if (!compiler)
    return fail(compiler.message());
  std::string path =
      program.find('/') == std::string::npos ? "./" + program : program;
  Expected<std::string> text =
      compiler->ask({"protocol", "--program=" + path,
                     "--conversations=" + std::to_string(conversations),
                     "--seed=" + std::to_string(seed)});
  if (!text)
    return fail(text.message());
  if (!json.empty())
    if (Error error = writeFile(json, text->data(), text->size()))
      return fail(error.message());
  uint64_t passed = 0, failed = 0;
  nlohmann::json tallies = nlohmann::json::parse(*text);
  for (const auto &[name, tally] : tallies.items()) {
    passed += tally["passed"].get<uint64_t>();
    failed += tally["failed"].get<uint64_t>();
    for (const nlohmann::json &problem : tally["problems"])
      std::printf("FAILED %s: %s\n", name.c_str(),
                  problem.get<std::string>().c_str());
  }
  if (failed)
    std::printf("  reproduce: kiln-conform --protocol='%s' "
                "--conversations=%u --seed=%llu\n",
                program.c_str(), conversations,
                static_cast<unsigned long long>(seed));
  std::printf("%llu passed, %llu failed\n",
              static_cast<unsigned long long>(passed),
              static_cast<unsigned long long>(failed));
  std::fflush(stdout);
  return failed ? 1 : 0;
}

/// A name of cases as that of a file, which shells take as it is:
/// `tile/arith.extf/f16->f32/flat` is `tile.arith.extf.f16-f32.flat`.
static std::string fileNameOf(const std::string &name) {
  std::string file;
  for (char c : name) {
    if (c == '/')
      file += '.';
    else if (std::isalnum(static_cast<unsigned char>(c)) || c == '.' ||
             c == '_' || c == '-')
      file += c;
  }
  return file;
}

/// So many of the kernels, by the seed; 0: all.
static std::vector<std::string> sampleNames(const nlohmann::json &kernels,
                                            uint64_t most, uint64_t seed) {
  std::vector<std::string> names;
  for (const auto &[name, kernel] : kernels.items())
    names.push_back(name);
  if (!most || most >= names.size())
    return names;
  std::sort(names.begin(), names.end(),
            [&](const std::string &a, const std::string &b) {
              return hashOf(a, seed) < hashOf(b, seed);
            });
  names.resize(most);
  return names;
}

int kiln::conform::writeWireCases(const std::string &folder,
                                  const std::string &filter, uint64_t most,
                                  uint64_t seed) {
  Expected<Compiler> compiler = Compiler::load();
  if (!compiler)
    return fail(compiler.message());
  Expected<std::string> text =
      compiler->ask({"wire-cases", "--level=tile", "--filter=" + filter});
  if (!text)
    return fail(text.message());
  nlohmann::json cases = nlohmann::json::parse(*text);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return fail(folder + ": " + error.message());
  const nlohmann::json &kernels = cases["kernels"];
  if (kernels.empty() && cases["declined"].empty())
    return fail("no case matches");
  std::vector<std::string> chosen = sampleNames(kernels, most, seed);
  std::set<std::string> files;
  for (const std::string &name : chosen) {
    std::string file = fileNameOf(name), bytes = kernels[name];
    for (int number = 2; !files.insert(file).second; ++number)
      file = fileNameOf(name) + "." + std::to_string(number);
    if (Error failed = writeFile(folder + "/" + file + ".mlir", bytes.data(),
                                 bytes.size()))
      return fail(failed.message());
  }
  for (const nlohmann::json &name : cases["changed"])
    std::printf("CHANGED %s\n", name.get<std::string>().c_str());
  for (const auto &[name, reason] : cases["declined"].items())
    std::printf("DECLINED %s: %s\n", name.c_str(),
                reason.get<std::string>().c_str());
  std::printf("%zu kernels, %zu changed, %zu declined; %zu written\n",
              kernels.size(), cases["changed"].size(), cases["declined"].size(),
              chosen.size());
  std::fflush(stdout);
  return cases["changed"].empty() ? 0 : 1;
}

int kiln::conform::printWireForm() {
  Expected<Compiler> compiler = Compiler::load();
  if (!compiler)
    return fail(compiler.message());
  Expected<std::string> text = compiler->ask({"wire"});
  if (!text)
    return fail(text.message());
  // An operation a line, so that versions can be compared.
  nlohmann::json table = nlohmann::json::parse(*text);
  std::string out = "{\n";
  for (const auto &[key, value] : table.items()) {
    out += (out.size() > 2 ? ",\n\"" : "\"") + key + "\": ";
    if (!value.is_object()) {
      out += value.dump();
      continue;
    }
    std::string lines;
    for (const auto &[name, facts] : value.items())
      lines +=
          (lines.empty() ? "\n  \"" : ",\n  \"") + name + "\": " + facts.dump();
    out += "{" + lines + "\n}";
  }
  std::printf("%s\n}\n", out.c_str());
  return std::fflush(stdout) == 0 ? 0 : 1;
}
