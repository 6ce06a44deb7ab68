//===- ExactResult.h - Operations that round nothing ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INTERFACES_EXACTRESULT_H
#define KILN_INTERFACES_EXACTRESULT_H

#include "mlir/IR/OpDefinition.h"

namespace kiln {

/// Marks operations that round nothing, see ExactResult.td.
template <typename ConcreteType>
class ExactResult : public mlir::OpTrait::TraitBase<ConcreteType, ExactResult> {
};

} // namespace kiln

#endif // KILN_INTERFACES_EXACTRESULT_H
