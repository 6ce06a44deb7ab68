// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lowerings of regions for the machine have to work with.
#ifndef SYSTOLIC_CONVERTSTAGE_H
#define SYSTOLIC_CONVERTSTAGE_H

#include "SystolicDialect.h"
#include "kiln/Staging/Scratchpad.h"

namespace systolic {

struct StageContext : kiln::target::LoweringContext {
  StageContext(mlir::IRRewriter &rewriter,
               const kiln::target::BoundTarget &bound)
      : LoweringContext(rewriter, bound.options, bound.description),
        addresses(rewriter) {}
  static constexpr llvm::StringLiteral kFamily = "systolic";
  llvm::StringRef family() const override { return kFamily; }

  kiln::staging::Addresses addresses;
};

} // namespace systolic

#endif
