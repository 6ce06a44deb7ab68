// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON and text forms of what a launch has beyond its grid.
#ifndef KILN_LIB_RUNTIME_LAUNCHJSON_H
#define KILN_LIB_RUNTIME_LAUNCHJSON_H

#include "ProgramJson.h"

namespace kiln::runtime {

/// Adds "attributes" to the object of a kernel or a launch.
void putAttributes(Json &json, const std::vector<LaunchAttribute> &attributes);
std::vector<LaunchAttribute>
readAttributes(JsonReader &reader, const Json &json, const std::string &where);
/// Adds "attributes", "recipes", "workspace" and "metadata" of a kernel.
void putLaunchContract(Json &json, const KernelInfo &kernel);
void readLaunchContract(JsonReader &reader, const Json &json,
                        const std::string &where, KernelInfo &kernel);

} // namespace kiln::runtime

#endif
