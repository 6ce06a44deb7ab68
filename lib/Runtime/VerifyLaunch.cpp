// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See the header.
#include "VerifyLaunch.h"
#include "kiln-c/Device.h"
#include <cstdint>
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
                   "' names a size or parameter that the kernel lacks");
  }
  return Error::success();
}

/// Whether a value that no launch changes is one that a launch may have.
Error verifyConstant(const LaunchAttribute &attribute, const std::string &name,
                     const Expression &value) {
  std::optional<int64_t> number = value.constant();
  int64_t least = 0, most = INT64_MAX;
  switch (attribute.tag) {
  case KILN_LAUNCH_THREADS:
  case KILN_LAUNCH_CLUSTER:
    least = 1;
    most = INT32_MAX;
    break;
  case KILN_LAUNCH_LOCAL_BYTES:
  case KILN_LAUNCH_REGISTERS:
    break;
  default:
    return Error::success();
  }
  if (!number || (*number >= least && *number <= most))
    return Error::success();
  return Error(
      "launch attribute '" + name + "' takes values of at least " +
      std::to_string(least) +
      (most == INT64_MAX ? "" : " and at most " + std::to_string(most)) +
      ", found " + std::to_string(*number));
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
    for (const Expression &value : attribute.values) {
      if (Error error = verifyExpression(value, kernel))
        return Error("launch attribute '" + name + "': " + error.message());
      if (Error error = verifyConstant(attribute, name, value))
        return error;
    }
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
  if (!kernel.workspace)
    return Error::success();
  if (Error error = verifyExpression(kernel.workspace->bytes, kernel))
    return Error("workspace: " + error.message());
  if (auto bytes = kernel.workspace->bytes.constant(); bytes && *bytes < 0)
    return Error("workspace: expected at least 0 bytes, found " +
                 std::to_string(*bytes));
  return Error::success();
}
