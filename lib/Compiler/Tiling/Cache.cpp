//===- Cache.cpp - Block sizes that were measured -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Cache.h"
#include "kiln/Target/ModuleOptions.h"
#include "kiln/Text/Json.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;
using namespace kiln::tiling;

namespace {
struct Line {
  std::string target, problem;
  SmallVector<int64_t> blocks;
};
} // namespace

/// Reads one line; the error says what was expected.
static std::string readLine(StringRef text, Line &line) {
  llvm::Expected<llvm::json::Value> value = parseJson(text);
  if (!value)
    return llvm::toString(value.takeError());
  const llvm::json::Object *object = value->getAsObject();
  if (!object)
    return "expected an object";
  auto target = object->getString("target");
  auto problem = object->getString("problem");
  const llvm::json::Array *blocks = object->getArray("blocks");
  if (!target || !problem || !blocks)
    return "expected the fields 'target', 'problem' and 'blocks'";
  line.target = target->str();
  line.problem = problem->str();
  for (const llvm::json::Value &block : *blocks) {
    std::optional<int64_t> number = block.getAsInteger();
    if (!number || *number < 1 || *number > kLargestBlock)
      return "expected 'blocks' to be integers from 1 to 1048576";
    line.blocks.push_back(*number);
  }
  return "";
}

/// Calls `visit` with every line that is not empty. The error names the place.
static std::string readCache(StringRef path,
                             llvm::function_ref<void(const Line &)> visit) {
  if (!llvm::sys::fs::exists(path))
    return "";
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return (path + ": cannot be read: " + file.getError().message()).str();
  unsigned number = 0;
  for (StringRef rest = (*file)->getBuffer(); !rest.empty();) {
    auto [text, next] = rest.split('\n');
    rest = next;
    ++number;
    if (text.trim().empty())
      continue;
    Line line;
    if (std::string error = readLine(text, line); !error.empty())
      return (path + ":" + Twine(number) + ":1: not a tiling cache: " + error)
          .str();
    visit(line);
  }
  return "";
}

std::string kiln::tiling::checkCache(StringRef path) {
  return readCache(path, [](const Line &) {});
}

std::string kiln::tiling::keyOf(const TargetOptions &options,
                                TargetAttr description) {
  std::string key = options.name;
  if (description && !description.getCpu().empty())
    key += ":" + description.getCpu().str();
  else if (description)
    key += ":" + description.getChip().str();
  if (auto threads = options.get("threads"))
    key += ",threads=" + threads->str();
  return key;
}

std::string kiln::tiling::keyOf(ModuleOp module) {
  std::optional<TargetOptions> options = target::findModuleOptions(module);
  return options ? keyOf(*options, getDescription(module)) : "";
}

Chooser::Cache::Cache(StringRef path, StringRef key) {
  (void)readCache(path, [&](const Line &line) {
    if (line.target == key)
      blocks[line.problem] = line.blocks;
  });
}

std::optional<Tiling> Chooser::Cache::find(const TilingProblem &problem) const {
  auto found = blocks.find(problem.str());
  if (found == blocks.end() || found->second.size() != problem.dims.size())
    return std::nullopt;
  Tiling tiling;
  tiling.blocks = found->second;
  for (auto [dim, block] : llvm::zip(problem.dims, tiling.blocks))
    if (!ShapedType::isDynamic(dim.most))
      block = std::min(block, dim.most);
  return tiling;
}
