//===- OrdersElements.h - Operations that order elements --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INTERFACES_ORDERSELEMENTS_H
#define KILN_INTERFACES_ORDERSELEMENTS_H

#include "mlir/IR/OpDefinition.h"

namespace kiln {

/// Marks operations that compare elements and move them by their order alone,
/// see OrdersElements.td.
template <typename ConcreteType>
class OrdersElements
    : public mlir::OpTrait::TraitBase<ConcreteType, OrdersElements> {};

} // namespace kiln

#endif // KILN_INTERFACES_ORDERSELEMENTS_H
