// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether other users could have put a file where it is found.
#ifndef KILN_RUNTIME_TRUST_H
#define KILN_RUNTIME_TRUST_H

#include "kiln/System/Error.h"
#include <string>

namespace kiln::runtime {

/// Fails where a user other than the caller and root may write to a file or a
/// folder, or may replace a folder on the way there: the owner is another user,
/// or the mode lets a group or all users write. Folders on the way may be open
/// to all users if they are sticky, as /tmp is; the caller's private group and
/// the group of root count as the caller. Succeeds for what does not exist, and
/// always where KILN_TRUST_WRITABLE_FOLDERS is 1. The message begins with the
/// path.
Error checkTrusted(const std::string &path);

} // namespace kiln::runtime

#endif
