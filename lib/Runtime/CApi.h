// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of the C interface share.
#ifndef KILN_LIB_RUNTIME_CAPI_H
#define KILN_LIB_RUNTIME_CAPI_H

#include "kiln-c/Runtime.h"
#include "kiln/Runtime/Session.h"
#include <exception>
#include <new>

struct KilnPackage {
  std::shared_ptr<const kiln::runtime::Package> package;
  std::string signer; ///< fingerprint; empty: not signed
};
struct KilnSession {
  kiln::runtime::Session session;
  std::vector<const kiln::runtime::Function *> entries;
  std::vector<std::string> devices;
};
struct KilnTensor {
  kiln::runtime::Tensor tensor;
};
struct KilnRecordedCall {
  kiln::runtime::Recording recording;
};
struct KilnPreparedCall {
  kiln::runtime::PreparedCall call;
};

namespace kiln::runtime::capi {

std::string &lastError();
/// Leaves the reason for kilnLastError and returns 1.
int fail(std::string message);
/// For pointers that have to point to something.
int isNull(const char *what);
/// The entry of a session; null, with a reason, when there is none.
const Function *find(const KilnSession *session, const char *entry);
int makeTensor(Expected<Tensor> made, KilnTensor **tensor);
/// A tensor in memory of somebody else; fails when it cannot have this type.
Expected<Tensor> describeTensor(KilnDType dtype, int rank, const int64_t *shape,
                                const int64_t *strides);

/// Runs `body`, which returns 0 or calls fail; nothing is thrown further.
template <typename Fn> int guarded(Fn body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail("out of memory");
  } catch (const std::exception &e) {
    return fail(e.what());
  } catch (...) {
    return fail("an unknown exception was thrown");
  }
}

} // namespace kiln::runtime::capi

#endif
