// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table that a host of PJRT plug-ins asks for.
#include "Objects.h"

using namespace kiln::pjrt;

namespace {

Error *notImplemented(void *) {
  return fail(Code::Unimplemented,
              "unsupported: this function of PJRT, by the kiln plug-in");
}

Api makeApi() {
  Api api = {};
  api.head.structSize = sizeof(Api);
  api.version.head.structSize = sizeof(api.version);
  api.version.major = 0;
  api.version.minor = 93;
  for (Entry &function : api.functions)
    function = notImplemented;
  addSupport(api);
  addClient(api);
  addDevices(api);
  addBuffers(api);
  addTransfers(api);
  addExecutables(api);
  addSerialization(api);
  addExecution(api);
  addExtensions(api);
  return api;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const Api *GetPjrtApi() {
  static const Api api = makeApi();
  return &api;
}
