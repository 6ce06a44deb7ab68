//===- Conversations.h - Several conversations in one process ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kiln opens further conversations with a program over its descriptor 3
// (docs/isolated-targets.md). Each message has two descriptors, as the standard
// input and the standard output of a conversation have.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_ISOLATE_CONVERSATIONS_H
#define KILN_TOOLS_KILN_ISOLATE_CONVERSATIONS_H

#include <functional>

namespace kiln::isolate {

/// Returns true if descriptor 3 is the socket that conversations are opened
/// over.
bool canHoldConversations();

/// Holds every conversation that is opened from now on in a thread of its own:
/// `hold` gets its descriptors, which are closed when it returns. Returns at
/// once.
void acceptConversations(std::function<void(int input, int output)> hold);

} // namespace kiln::isolate

#endif // KILN_TOOLS_KILN_ISOLATE_CONVERSATIONS_H
