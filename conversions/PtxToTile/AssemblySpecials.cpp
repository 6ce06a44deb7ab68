//===- AssemblySpecials.cpp - Registers that tell where and when ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers that are only read. Coordinates of a block are those of the
// instance. The machine that runs the text has one processor, 0, and its clocks
// stand still: whatever is measured takes no time, so nothing may wait for
// them. Which thread of a block this is has no meaning here.
//
//===----------------------------------------------------------------------===//

#include "AssemblyMachine.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

Value AssemblyMachine::readSpecial(StringRef name, unsigned bits) {
  if (!name.consume_front("%"))
    return {};
  auto [stem, axis] = name.split('.');
  if (stem == "ctaid" || stem == "nctaid") {
    unsigned place = llvm::StringSwitch<unsigned>(axis)
                         .Case("x", 0)
                         .Case("y", 1)
                         .Case("z", 2)
                         .Default(3);
    if (place > 2 || bits < 16)
      return {};
    SmallVector<Type> types(3, b.getIndexType());
    Value found = stem == "ctaid"
                      ? ProgramIdOp::create(b, loc, types).getIds()[place]
                      : NumProgramsOp::create(b, loc, types).getCounts()[place];
    Type element = b.getIntegerType(bits);
    found = arith::IndexCastOp::create(b, loc, element, found);
    if (tile)
      found = SplatOp::create(b, loc, tile.clone(element), found);
    return found;
  }
  if (!axis.empty())
    return {};
  enum Kind { Unknown, Count, Number, Clock };
  Kind kind =
      llvm::StringSwitch<Kind>(stem)
          .Case("nsmid", Count)
          .Case("smid", Number)
          .Cases({"clock", "clock_hi", "clock64"}, Clock)
          .Cases({"globaltimer", "globaltimer_lo", "globaltimer_hi"}, Clock)
          .Default(Unknown);
  if (kind == Unknown || bits < 32)
    return {};
  if (kind == Clock && isRepeated) {
    fail("the clock '%" + name +
         "', which is always 0 here, in a loop that may "
         "wait for it");
    return {};
  }
  return integer(bits, kind == Count);
}
