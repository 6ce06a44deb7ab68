//===- CpuDialect.h - How products are computed -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `cpu` dialect: `#cpu.product<...>` on products, micro-kernels.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_CPU_CPUDIALECT_H
#define KILN_DIALECT_CPU_CPUDIALECT_H

#include "kiln/Interfaces/ProductSplit.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "kiln/Dialect/Cpu/CpuOpsDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Cpu/CpuOpsAttrs.h.inc"

#define GET_OP_CLASSES
#include "kiln/Dialect/Cpu/CpuOps.h.inc"

#endif // KILN_DIALECT_CPU_CPUDIALECT_H
