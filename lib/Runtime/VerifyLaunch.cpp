// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See the header.
#include "VerifyLaunch.h"
#include <set>

using namespace kiln::runtime;

namespace {

/// Whether an expression asks for nothing but what the kernel has.
Error verifyExpression(const Expression &expression, const KernelInfo &kernel) {
  for (const Expression::Step &step : expression.steps) {
    if (step.kind == Expression::Step::number ||
        step.kind == Expression::Step::op ||
        step.kind == Expression::Step::grid)
      continue;
    bool wantsView = step.kind != Expression::Step::arg;
    bool fits = step.value >= 0 && size_t(step.value) < kernel.params.size();
    if (fits) {
      const KernelParam &param = kernel.params[size_t(step.value)];
      fits = wantsView == (param.kind == KernelParam::Kind::view) &&
             (!wantsView || (step.dim >= 0 && step.dim < param.rank)) &&
             (wantsView || !isFloat(param.dtype));
    }
    if (!fits)
      return Error("'" + expression.str() +
                   "' asks for what the kernel's parameters do not have");
  }
  return Error::success();
}

} // namespace

Error kiln::runtime::verifyAttributes(
    const std::vector<LaunchAttribute> &attributes, const KernelInfo &kernel) {
  std::set<uint32_t> tags;
  for (const LaunchAttribute &attribute : attributes) {
    std::string name = launchAttributeName(attribute.tag);
    if (name.empty() || !tags.insert(attribute.tag).second)
      return Error(name.empty()
                       ? "launch attribute " + std::to_string(attribute.tag) +
                             " does not exist"
                       : "launch attribute '" + name + "' is given twice");
    size_t most = launchAttributeArity(attribute.tag);
    if (attribute.values.empty() || attribute.values.size() > most)
      return Error("launch attribute '" + name + "' takes 1 to " +
                   std::to_string(most) + " values, found " +
                   std::to_string(attribute.values.size()));
    for (const Expression &value : attribute.values)
      if (Error error = verifyExpression(value, kernel))
        return Error("launch attribute '" + name + "': " + error.message());
  }
  return Error::success();
}

Error kiln::runtime::verifyContract(const KernelInfo &kernel) {
  if (Error error = verifyAttributes(kernel.attributes, kernel))
    return error;
  for (const Recipe &recipe : kernel.recipes) {
    bool isView = recipe.param < kernel.params.size() &&
                  kernel.params[recipe.param].kind == KernelParam::Kind::view;
    if (!isView || recipe.name.empty())
      return Error("recipe '" + recipe.name + "' is for no view parameter");
    for (const Expression &word : recipe.words)
      if (Error error = verifyExpression(word, kernel))
        return Error("recipe '" + recipe.name + "': " + error.message());
  }
  if (kernel.workspace)
    if (Error error = verifyExpression(kernel.workspace->bytes, kernel))
      return Error("workspace: " + error.message());
  return Error::success();
}
