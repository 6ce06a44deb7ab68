//===- Chlo.h - The chlo dialect --------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of CHLO (client HLO), such as chlo.top_k and broadcasting
// additions, as an input of Kiln: they come with StableHLO programs of JAX and
// XLA, and convert-stablehlo-to-prim converts them.
//
//===----------------------------------------------------------------------===//
#ifndef KILN_DIALECT_CHLO_CHLO_H
#define KILN_DIALECT_CHLO_CHLO_H

#include "kiln/Dialect/Stablehlo/Stablehlo.h"

#include "kiln/Dialect/Chlo/ChloBase.h.inc"
#include "kiln/Dialect/Chlo/ChloBaseEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Chlo/ChloBaseAttrs.h.inc"

#define GET_OP_CLASSES
#include "kiln/Dialect/Chlo/ChloOps.h.inc"

#endif // KILN_DIALECT_CHLO_CHLO_H
