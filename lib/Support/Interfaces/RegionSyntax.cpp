// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of several regions.
#include "kiln/Interfaces/RegionSyntax.h"

using namespace mlir;

ParseResult kiln::failBehind(ArrayRef<Region *> regions) {
  for (Region *region : regions)
    for (Block &block : *region)
      block.dropAllDefinedValueUses();
  return failure();
}

ParseResult kiln::parseTwoRegions(
    OpAsmParser &parser, Region &first, StringRef keyword, Region &second,
    function_ref<Operation *(OpBuilder &, Location)> buildTerminator) {
  Location loc = parser.getEncodedSourceLoc(parser.getNameLoc());
  if (parser.parseRegion(first) || parser.parseKeyword(keyword) ||
      parser.parseRegion(second))
    return failBehind({&first, &second});
  OpBuilder builder(parser.getContext());
  for (Region *region : {&first, &second})
    impl::ensureRegionTerminator(*region, builder, loc, buildTerminator);
  return success();
}

void kiln::printTwoRegions(OpAsmPrinter &printer, Region &first,
                           StringRef keyword, Region &second) {
  auto print = [&](Region &region) {
    Operation *end = region.empty() || !region.front().mightHaveTerminator()
                         ? nullptr
                         : region.front().getTerminator();
    bool saysSomething = !end || !end->getAttrDictionary().empty() ||
                         end->getNumOperands() || end->getNumResults();
    printer.printRegion(region, /*printEntryBlockArgs=*/true, saysSomething);
  };
  print(first);
  printer << ' ' << keyword << ' ';
  print(second);
}
