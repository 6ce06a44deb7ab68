// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Project.h"
#include "kiln/Runtime/Package.h"
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace kiln;
using runtime::Error;
using runtime::Expected;
namespace fs = std::filesystem;

namespace {

/// Names that are Kiln's, or that C++ code cannot use for a namespace.
constexpr const char *kTaken[] = {
    "vector", "target",   "int",   "bool",  "float",    "double",
    "void",   "for",      "if",    "arith", "builtin",  "cf",
    "core",   "cpu",      "func",  "gpu",   "host",     "kiln",
    "llvm",   "math",     "mlir",  "prim",  "program",  "reference",
    "scf",    "simt",     "stage", "std",   "tensor",   "tile",
    "asm",    "auto",     "class", "new",   "operator", "register",
    "static", "template", "this",  "union"};

Error checkName(const std::string &name) {
  bool isGood = !name.empty() && name.size() <= 32 &&
                std::islower(static_cast<unsigned char>(name[0]));
  for (char c : name)
    isGood &= std::islower(static_cast<unsigned char>(c)) ||
              std::isdigit(static_cast<unsigned char>(c));
  if (!isGood)
    return Error("'" + name +
                 "' is no name for a target: expected at most 32 lower-case "
                 "letters and digits, a letter first");
  if (std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken))
    return Error("the name '" + name + "' is taken");
  return Error::success();
}

std::string fillIn(std::string text, const std::string &name) {
  std::string capital = name, capitals = name;
  capital[0] = char(std::toupper(static_cast<unsigned char>(capital[0])));
  for (char &c : capitals)
    c = char(std::toupper(static_cast<unsigned char>(c)));
  const std::pair<const char *, const std::string &> marks[] = {
      {"@name@", name}, {"@Name@", capital}, {"@NAME@", capitals}};
  for (const auto &[mark, value] : marks)
    for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos;
         at += value.size())
      text.replace(at, 6, value);
  return text;
}

Error writeOne(const fs::path &from, const fs::path &to,
               const std::string &name) {
  std::ifstream in(from, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (!in)
    return Error(from.string() + ": cannot be read");
  std::error_code code;
  fs::create_directories(to.parent_path(), code);
  // What becomes of it is its owner's, and so is the licence.
  std::string content = text.str();
  size_t mark = content.find("SPDX-License-Identifier");
  if (mark != std::string::npos) {
    size_t begin = content.rfind('\n', mark) + 1; // 0 on the first line
    content.erase(begin, content.find('\n', mark) + 1 - begin);
  }
  if (code)
    return Error(to.parent_path().string() + ": " + code.message());
  std::string filled = fillIn(content, name);
  if (Error error =
          kiln::runtime::writeFile(to.string(), filled.data(), filled.size()))
    return error;
  fs::permissions(to, fs::status(from).permissions() | fs::perms::owner_write,
                  code);
  return Error::success();
}

} // namespace

std::string new_target::templateFolder(const std::string &part) {
  std::error_code code;
  fs::path self = fs::read_symlink("/proc/self/exe", code);
  return (self.parent_path().parent_path() / "share/kiln/template" / part)
      .string();
}

std::string new_target::installedPrefix() {
  std::error_code code;
  fs::path self = fs::read_symlink("/proc/self/exe", code);
  fs::path prefix = self.parent_path().parent_path();
  for (const char *folder : {"lib", "lib64"}) {
    // Debian keeps libraries of several architectures side by side.
    std::vector<fs::path> places = {prefix / folder};
    for (const auto &entry : fs::directory_iterator(prefix / folder, code))
      if (entry.is_directory(code))
        places.push_back(entry.path());
    for (const fs::path &place : places)
      if (fs::exists(place / "cmake/kiln/KilnConfig.cmake", code))
        return prefix.string();
  }
  return "";
}

/// Writes the files of one part of the template into the folder `fresh`, and
/// adds their names to `written`.
static Error writePart(const fs::path &source, const std::string &name,
                       const fs::path &fresh,
                       std::vector<std::string> &written) {
  std::error_code code;
  if (!fs::is_directory(source, code))
    return Error("no template in " + source.string());
  for (const auto &entry : fs::recursive_directory_iterator(source, code)) {
    // Python leaves its own files where it runs the template's modules.
    if (!entry.is_regular_file() ||
        entry.path().parent_path().filename() == "__pycache__")
      continue;
    std::string file =
        fillIn(entry.path().lexically_relative(source).string(), name);
    if (Error error = writeOne(entry.path(), fresh / file, name))
      return error;
    written.push_back(file);
  }
  return code ? Error(source.string() + ": " + code.message())
              : Error::success();
}

Expected<std::vector<std::string>>
new_target::writeProject(const std::vector<std::string> &parts,
                         const std::string &name, const std::string &folder) {
  if (Error error = checkName(name))
    return error;
  std::error_code code;
  fs::path target = folder;
  if (fs::exists(target, code))
    return Error(folder + ": exists already");
  fs::path fresh = target;
  fresh += ".part" + std::to_string(getpid());
  std::vector<std::string> written;
  Error problem = Error::success();
  for (const std::string &part : parts)
    if (!problem)
      problem = writePart(templateFolder(part), name, fresh, written);
  if (!problem) {
    fs::rename(fresh, target, code);
    if (!code) {
      std::sort(written.begin(), written.end());
      return written;
    }
    problem = Error(folder + ": " + code.message());
  }
  std::error_code ignored;
  fs::remove_all(fresh, ignored);
  return problem;
}
