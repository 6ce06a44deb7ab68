// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launches of a call as events, for viewers of traces.
#ifndef KILN_TOOLS_KILN_RUN_TRACE_H
#define KILN_TOOLS_KILN_RUN_TRACE_H

#include "kiln/Runtime/Session.h"

namespace kiln::run {

/// Writes the Trace Event Format (JSON): a complete event for each launch, in
/// microseconds; devices are processes, their queues threads.
runtime::Error writeTrace(const std::string &file,
                          const runtime::Session &session,
                          const runtime::CallReport &report);

} // namespace kiln::run

#endif
