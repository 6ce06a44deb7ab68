// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the process that programs call by name while they run.
#include "CApi.h"
#include "HostFunctions.h"
#include <map>
#include <mutex>

using namespace kiln::runtime;
using namespace kiln::runtime::capi;

namespace {

struct Callback {
  KilnCallback function = nullptr;
  void *user = nullptr;
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, Callback> callbacks;
};

Registry &registry() {
  static Registry all;
  return all;
}

std::vector<KilnLentTensor> lend(const std::vector<HostArray> &arrays) {
  std::vector<KilnLentTensor> lent;
  for (const HostArray &array : arrays)
    lent.push_back({array.data, static_cast<KilnDType>(array.dtype),
                    static_cast<int>(array.shape.size()), array.shape.data(),
                    nullptr});
  return lent;
}

} // namespace

Error kiln::runtime::runCallback(HostCall &call) {
  const std::string &name = call.flags.front();
  Callback callback;
  {
    std::lock_guard<std::mutex> lock(registry().mutex);
    auto found = registry().callbacks.find(name);
    if (found == registry().callbacks.end())
      return Error("no function is registered in this process for the "
                   "callback '" +
                   name + "'");
    callback = found->second;
  }
  std::vector<KilnLentTensor> sources = lend(call.sources),
                              targets = lend(call.targets);
  std::string message(4096, '\0');
  if (callback.function(callback.user, sources.size(), sources.data(),
                        targets.size(), targets.data(), message.data(),
                        message.size())) {
    message.back() = '\0';
    return Error("the callback '" + name + "' failed: " + message.c_str());
  }
  return Error::success();
}

int kilnCallbackRegister(const char *name, KilnCallback function, void *user) {
  return guarded([&] {
    if (!name || !function)
      return isNull(name ? "the function" : "the name");
    std::lock_guard<std::mutex> lock(registry().mutex);
    registry().callbacks[name] = {function, user};
    return 0;
  });
}

int kilnCallbackRemove(const char *name) {
  return guarded([&] {
    if (!name)
      return isNull("the name");
    std::lock_guard<std::mutex> lock(registry().mutex);
    if (!registry().callbacks.erase(name))
      return fail(std::string("no callback '") + name + "' is registered");
    return 0;
  });
}
