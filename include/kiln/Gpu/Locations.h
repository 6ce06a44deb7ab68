//===- Locations.h - Locations that debug information can state -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_GPU_LOCATIONS_H
#define KILN_GPU_LOCATIONS_H

#include <memory>

namespace mlir {
class Pass;
}

namespace kiln::simt {

/// Creates the pass `simt-resolve-locations`: a call site whose callee or
/// caller has no place in a file becomes the location of the other one. LLVM's
/// debug scopes need a place on both sides. Targets run it before
/// `ensure-debug-info-scope-on-llvm-func`.
std::unique_ptr<mlir::Pass> createResolveLocationsPass();

} // namespace kiln::simt

#endif // KILN_GPU_LOCATIONS_H
