// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of addresses evaluate to what their layouts say.
#include "Check.h"
#include "kiln/Layout/Address.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace kiln::layout;

void checkAddresses() {
  Banks banks = usualBanks();
  for (int round = 0; round < 300; ++round) {
    LinearLayout layout =
        randomLayout({{"register", 3}, {"lane", 3}, {"warp", 2}},
                     {int64_t(1) << pick(3, 9)});
    unsigned scale = pick(0, 3);
    Padding padding;
    if (pick(0, 1))
      padding = {int64_t(1) << pick(0, 5), pick(1, 9)};
    AddressPlan plan = getAddressPlan(layout, "register", scale, padding);
    int64_t reached = 0;
    for (const AddressTerm &term : plan.terms) {
      int64_t bits =
          term.shift < 0 ? term.mask >> -term.shift : term.mask << term.shift;
      CHECK(term.isDisjoint == ((bits & reached) == 0));
      CHECK(term.isWhole == (term.mask == layout.getInputSize(term.input) - 1));
      reached |= bits;
    }
    CHECK((reached & ~plan.variableBits) == 0);
    for (int64_t i = 0; i < 8; ++i)
      for (int64_t lane = 0; lane < 8; ++lane)
        for (int64_t warp = 0; warp < 4; ++warp) {
          SmallVector<std::pair<StringRef, int64_t>> place = {{"lane", lane},
                                                              {"warp", warp}};
          int64_t offset = layout.apply(
              {{"register", i}, {"lane", lane}, {"warp", warp}})[0];
          CHECK(plan.evaluate(place, i) == padding.apply(offset) << scale);
        }
  }
  // A row-major tile: lanes and warps are sums, registers immediates.
  LinearLayout blocked =
      read("register = [[1], [2], [512], [1024]], "
           "lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]");
  AddressPlan sums = getAddressPlan(blocked, "register", 1);
  CHECK_THAT(sums.str() == "(lane << 3) + (warp << 8)", sums.str());
  CHECK(sums.getExclusives().empty());
  CHECK(sums.immediates[12] == (Immediate{0, 3072}));
  CHECK(getAddressPlan(blocked, "register").terms.size() == 2);

  // Rows of 128 bytes whose vectors change places by the row, read as rows of
  // matrices: eight values for all of a row, the rest immediate.
  LinearLayout memory = getSwizzledRows(64, 64, 8, 1, 8);
  LinearLayout rows =
      read("register = [[0, 8], [0, 16], [0, 32], [16, 0], [32, 0]], "
           "lane = [[1, 0], [2, 0], [4, 0], [8, 0]] "
           "-> [dim0 = 64, dim1 = 64]");
  LinearLayout offsets = *rows.invertAndCompose(memory);
  AddressPlan plan = getAddressPlan(offsets, "register", 1);
  CHECK_THAT(plan.str() == "((lane & 7) << 4) + (lane << 7)", plan.str());
  CHECK(plan.getExclusives().size() == 7);
  CHECK(plan.immediates[0b01001] == (Immediate{16, 2048}));
  CHECK(AddressPlan().str() == "0");
}
