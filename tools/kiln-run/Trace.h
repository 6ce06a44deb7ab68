// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launches of a call as events, for viewers of traces.
#ifndef KILN_TOOLS_KILN_RUN_TRACE_H
#define KILN_TOOLS_KILN_RUN_TRACE_H

#include "Inputs.h"
#include "Options.h"
#include "kiln/Runtime/Session.h"

namespace kiln::run {

/// Calls the function once before the call that is traced, on copies of its
/// arguments: the first call of a session loads code and touches fresh memory,
/// which is no kernel's time. Does nothing for the target `reference`.
runtime::Error warmUpForTrace(runtime::Session &session,
                              const runtime::Function &function,
                              const std::vector<Input> &inputs,
                              const Options &options);

/// Writes the Trace Event Format (JSON): a complete event for each launch, in
/// microseconds; devices are processes, their queues threads. Measures the
/// ceilings of the host for `otherData` unless `options.noCeiling` is set.
runtime::Error writeTrace(const Options &options,
                          const runtime::Session &session,
                          const runtime::CallReport &report);

} // namespace kiln::run

#endif
