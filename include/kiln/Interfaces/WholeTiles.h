//===- WholeTiles.h - Operations on whole tiles -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INTERFACES_WHOLETILES_H
#define KILN_INTERFACES_WHOLETILES_H

#include "mlir/IR/OpDefinition.h"

namespace kiln {

/// Marks operations of the tile level that take their operands whole and say
/// nothing of single elements: lowerings that their plug-in registers know what
/// they do. Their effects have to be declared.
template <typename ConcreteType>
class TakesWholeTiles
    : public mlir::OpTrait::TraitBase<ConcreteType, TakesWholeTiles> {};

} // namespace kiln

#endif // KILN_INTERFACES_WHOLETILES_H
