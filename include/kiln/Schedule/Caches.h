//===- Caches.h - Machines that compute out of caches -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_SCHEDULE_CACHES_H
#define KILN_SCHEDULE_CACHES_H

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Target/TilingModel.h"

namespace kiln::schedule {

/// Whether cores compute tiles by themselves, out of caches: not if tiles are
/// moved into a memory of the core, or shared out among threads. False where
/// `description` is null.
bool computesFromCaches(target::TargetAttr description,
                        const target::TilingModel &model);

} // namespace kiln::schedule

#endif // KILN_SCHEDULE_CACHES_H
