// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Headers of Kiln's own dialects, whose parsing takes about a quarter of the
// processor time of a whole build. Precompiled where KILN_PRECOMPILE_DIALECTS
// is on.
#include "kiln/Dialect/Cpu/CpuDialect.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Dialect/Stablehlo/Stablehlo.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Dialect/Triton/Triton.h"
#include "kiln/Index/Integer.h"
#include "kiln/Target/Target.h"
