//===- ProductRows.h - Products and rows of the description -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_PRODUCTROWS_H
#define KILN_LIB_CPU_PRODUCTROWS_H

#include "kiln/Cpu/Config.h"
#include "kiln/Dialect/Cpu/CpuDialect.h"
#include "kiln/Dialect/Cpu/RowUse.h"
#include "kiln/Interfaces/MatrixProduct.h"

namespace kiln::cpu {

/// How `product` is computed by multiplying and adding in the accumulator's
/// type.
ProductAttr productWithoutRow(MatrixProductOpInterface product,
                              const CpuConfig &config);

/// How `product` is computed by a row.
ProductAttr productByRow(MatrixProductOpInterface product,
                         target::MatrixInstructionAttr row, const RowUse &use,
                         const CpuConfig &config,
                         target::TargetAttr description);

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_PRODUCTROWS_H
