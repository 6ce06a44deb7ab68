// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every operation of the prim dialect.
#ifndef KILN_DIALECT_PRIM_PRIM_H
#define KILN_DIALECT_PRIM_PRIM_H

#include "kiln/Dialect/Prim/BitwiseOps.h"
#include "kiln/Dialect/Prim/CombineOps.h"
#include "kiln/Dialect/Prim/CompareOps.h"
#include "kiln/Dialect/Prim/CompositeOps.h"
#include "kiln/Dialect/Prim/ControlOps.h"
#include "kiln/Dialect/Prim/ConvOps.h"
#include "kiln/Dialect/Prim/ConvertOps.h"
#include "kiln/Dialect/Prim/CreationOps.h"
#include "kiln/Dialect/Prim/DynamicOps.h"
#include "kiln/Dialect/Prim/ElementwiseOps.h"
#include "kiln/Dialect/Prim/FunctionOps.h"
#include "kiln/Dialect/Prim/GatherOps.h"
#include "kiln/Dialect/Prim/GroupOps.h"
#include "kiln/Dialect/Prim/MatMulOps.h"
#include "kiln/Dialect/Prim/MovementOps.h"
#include "kiln/Dialect/Prim/PoolingOps.h"
#include "kiln/Dialect/Prim/PrimDialect.h"
#include "kiln/Dialect/Prim/RandomOps.h"
#include "kiln/Dialect/Prim/RealOps.h"
#include "kiln/Dialect/Prim/ReductionOps.h"
#include "kiln/Dialect/Prim/ScanOps.h"
#include "kiln/Dialect/Prim/ScatterOps.h"
#include "kiln/Dialect/Prim/SortOps.h"
#include "kiln/Dialect/Prim/SpecialOps.h"

#endif // KILN_DIALECT_PRIM_PRIM_H
