//===- SerialiseAgain.cpp - Whether a serialiser is deterministic ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SerialiseAgain.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/PluginLoader.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {
/// Everything of a kernel that goes into a package, as text.
std::string textOf(const CompiledKernel &kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << kernel.symbol << '\n'
     << kernel.blob << '\n'
     << kernel.scratchBytes << '\n'
     << runtime::attributesText(kernel.attributes) << '\n';
  for (const runtime::Recipe &recipe : kernel.recipes) {
    os << recipe.param << ' ' << recipe.name;
    for (const runtime::Expression &word : recipe.words)
      os << ' ' << word.str();
    os << '\n';
  }
  if (kernel.workspace)
    os << kernel.workspace->bytes.str() << kernel.workspace->isZeroed << '\n';
  os << kernel.metadata << '\n';
  for (const auto &[key, value] : kernel.notes)
    os << key << '=' << value << '\n';
  return text;
}

/// What the second run of a serialiser gave otherwise; empty: nothing.
std::string difference(const Executable &one, const Executable &two) {
  if (one.blobs.size() != two.blobs.size())
    return std::to_string(one.blobs.size()) + " and then " +
           std::to_string(two.blobs.size()) + " blobs";
  for (size_t i = 0; i < one.blobs.size(); ++i) {
    StringRef a = one.blobs[i], b = two.blobs[i];
    if (a == b)
      continue;
    size_t same = 0;
    while (same < std::min(a.size(), b.size()) && a[same] == b[same])
      ++same;
    return "blob " + std::to_string(i) + " with other bytes from byte " +
           std::to_string(same) + " on";
  }
  if (one.requirements != two.requirements)
    return "other requirements";
  if (one.kernels.size() != two.kernels.size())
    return std::to_string(one.kernels.size()) + " and then " +
           std::to_string(two.kernels.size()) + " kernels";
  for (size_t i = 0; i < one.kernels.size(); ++i)
    if (one.kernels[i].name != two.kernels[i].name)
      return "kernel '" + two.kernels[i].name + "' in place of '" +
             one.kernels[i].name + "'";
    else if (textOf(one.kernels[i]) != textOf(two.kernels[i]))
      return "other facts about kernel '" + one.kernels[i].name + "'";
  return "";
}
} // namespace

LogicalResult kiln::driver::serialiseAgain(ModuleOp module, Location loc,
                                           const BoundTarget &bound,
                                           const Executable &first) {
  if (isOwnPlugin(pluginOf(*bound.target)))
    return success();
  std::string owner = describeTarget(*bound.target, "serialiser of");
  Executable second;
  if (failed(runGuardedActivity(owner, module, [&] {
        return bound.target->serialize(module, bound.options, second);
      })))
    return emitError(loc) << owner
                          << " fails when it gets the same module again";
  std::string what = difference(first, second);
  if (what.empty())
    return success();
  return emitError(loc) << owner
                        << " is not deterministic: expected the same code for "
                           "the same module, found "
                        << what;
}
