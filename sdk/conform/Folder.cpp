// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The folder that cases are prepared in.
#include "Folder.h"
#include "kiln/Runtime/Package.h"
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace kiln::conform;
using namespace kiln::runtime;
using nlohmann::json;
namespace fs = std::filesystem;

Expected<Index> kiln::conform::readIndex(const std::string &folder) {
  std::string path = folder + "/index.json";
  Expected<Blob> file = mapFile(path);
  if (!file)
    return file.takeError();
  try {
    json parsed = json::parse(file->data, file->data + file->size);
    if (parsed.at("version") != 1)
      return Error(path + ": expected version 1");
    Index index;
    index.target = parsed.at("target").get<std::string>();
    index.seed = parsed.at("seed").get<uint64_t>();
    index.seeds = parsed.value("seeds", 1u);
    index.prepareSeconds = parsed.at("prepare_seconds").get<double>();
    index.modules = parsed.at("modules").get<std::vector<std::string>>();
    index.uncovered = parsed.at("uncovered").get<std::vector<std::string>>();
    for (const json &one : parsed.at("exempt"))
      index.exempt.push_back(
          {one.at(0).get<std::string>(), one.at(1).get<std::string>()});
    for (const json &one : parsed.at("declarations"))
      index.declarations.push_back(
          {one.at(0).get<std::string>(), one.at(1).get<std::string>()});
    for (const json &one : parsed.at("broken"))
      index.broken.push_back(
          {one.at(0).get<std::string>(), one.at(1).get<std::string>()});
    return index;
  } catch (const json::exception &error) {
    return Error(path + ": " + error.what());
  }
}

Error kiln::conform::writeIndex(const std::string &folder, const Index &index) {
  json exempt = json::array(), declarations = json::array(),
       broken = json::array();
  for (const Exemption &one : index.exempt)
    exempt.push_back({one.op, one.reason});
  for (const Declaration &one : index.declarations)
    declarations.push_back({one.pattern, one.reason});
  for (const auto &[module, reason] : index.broken)
    broken.push_back({module, reason});
  json all = {{"version", 1},
              {"target", index.target},
              {"seed", index.seed},
              {"seeds", index.seeds},
              {"prepare_seconds", index.prepareSeconds},
              {"modules", index.modules},
              {"exempt", std::move(exempt)},
              {"uncovered", index.uncovered},
              {"declarations", std::move(declarations)},
              {"broken", std::move(broken)}};
  std::string text =
      all.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
  return writeFile(folder + "/index.json", text.data(), text.size());
}

Expected<std::string> kiln::conform::makeTemporaryFolder() {
  std::error_code error;
  fs::path base = fs::temp_directory_path(error);
  std::string path = (base / "kiln-conform-XXXXXX").string();
  if (error || !mkdtemp(path.data()))
    return Error("no temporary folder: " + std::string(std::strerror(errno)));
  return path;
}

Expected<std::string> kiln::conform::makeFolder(const std::string &path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    return Error(path + ": " + error.message());
  // What an earlier run has left would run again.
  for (const fs::directory_entry &entry : fs::directory_iterator(path, error))
    if (entry.path().extension() == ".kiln" ||
        entry.path().extension() == ".expected" ||
        entry.path().extension() == ".json")
      fs::remove(entry.path(), error);
  return path;
}

void kiln::conform::removeFolder(const std::string &path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

uint64_t kiln::conform::folderBytes(const std::string &path) {
  std::error_code ignored;
  uint64_t bytes = 0;
  for (const fs::directory_entry &entry : fs::directory_iterator(path, ignored))
    if (entry.is_regular_file(ignored))
      bytes += entry.file_size(ignored);
  return bytes;
}

std::optional<Declaration>
kiln::conform::parseDeclaration(const std::string &text) {
  const std::string mark = "conform ";
  if (text.compare(0, mark.size(), mark) != 0)
    return std::nullopt;
  size_t colon = text.find(": ");
  Declaration declaration;
  declaration.pattern = text.substr(
      mark.size(), colon == std::string::npos ? colon : colon - mark.size());
  if (colon != std::string::npos)
    declaration.reason = text.substr(colon + 2);
  return declaration;
}

Error kiln::conform::readDeclarations(const std::string &path,
                                      std::vector<Declaration> &declarations) {
  std::ifstream file(path);
  if (!file)
    return Error(path + ": cannot be read");
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#')
      continue;
    std::optional<Declaration> one = parseDeclaration("conform " + line);
    if (!one || one->reason.empty())
      return Error(path + ":" + std::to_string(number) +
                   ":1: expected PATTERN: REASON");
    declarations.push_back(*one);
  }
  return Error::success();
}
