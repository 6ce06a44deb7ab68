// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lowerings of regions for the machine have to work with.
#ifndef SYSTOLIC_CONVERTSTAGE_H
#define SYSTOLIC_CONVERTSTAGE_H

#include "SystolicDialect.h"
#include "kiln/Staging/Scratchpad.h"

namespace systolic {

struct RegionContext : kiln::target::LoweringContext {
  RegionContext(mlir::RewriterBase &rewriter,
                const kiln::target::BoundTarget &bound,
                kiln::staging::Addresses &addresses)
      : LoweringContext(rewriter, bound.options, bound.description),
        addresses(addresses) {}
  static constexpr llvm::StringLiteral kFamily = "systolic";
  llvm::StringRef family() const override { return kFamily; }

  kiln::staging::Addresses &addresses;
};

} // namespace systolic

#endif
