// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in memory: widths, swizzles and padding against simulated banks.
#include "Check.h"
#include "kiln/Layout/Simulate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace kiln::layout;

static const StringRef kLevels[] = {"register", "lane", "warp"};

/// What vectors of an access take, simulated for every warp; all warps alike.
static unsigned simulate(const SharedAccess &access, unsigned elementBits,
                         const Banks &banks) {
  const LinearLayout &offsets = access.offsets;
  unsigned registers = 1u << (access.order.size() - access.copyBits);
  unsigned bytes = (elementBits << access.vectorBits) / 8;
  std::optional<unsigned> result;
  for (int64_t warp = 0; warp < offsets.getInputSize("warp"); ++warp) {
    unsigned wavefronts = 0;
    for (unsigned first = 0; first < registers;
         first += 1u << access.vectorBits) {
      SmallVector<int64_t> addresses;
      for (int64_t lane = 0; lane < offsets.getInputSize("lane"); ++lane) {
        auto at = [&](unsigned i) {
          return offsets.apply(
              {{"register", first + i}, {"lane", lane}, {"warp", warp}})[0];
        };
        // The registers of a vector are consecutive and aligned.
        for (unsigned i = 0; i < 1u << access.vectorBits; ++i)
          CHECK(at(i) == at(0) + i);
        CHECK(at(0) % (int64_t(1) << access.vectorBits) == 0);
        addresses.push_back(at(0) * elementBits / 8);
      }
      wavefronts += countWavefronts(addresses, bytes, banks);
    }
    CHECK(!result || result == wavefronts);
    result = wavefronts;
  }
  return *result;
}

/// Every place has the element in memory that its layout says.
static void checkAccess(const LinearLayout &layout, const LinearLayout &memory,
                        const SharedAccess &access) {
  CHECK(access.offsets.compose(memory) ==
        layout.permuteInput("register", access.order));
}

static SharedPlan plan(const LinearLayout &from, const LinearLayout &to,
                       unsigned elementBits, const Banks &banks = usualBanks(),
                       ArrayRef<InstructionTile> storeTiles = {},
                       ArrayRef<InstructionTile> loadTiles = {}) {
  SharedPlan result = getSharedPlan(from, to, kLevels, elementBits, banks,
                                    storeTiles, loadTiles);
  CHECK(result.memory.isBijective());
  checkAccess(from, result.memory, result.store);
  checkAccess(to, result.memory, result.load);
  if (!result.store.usesTile)
    CHECK(simulate(result.store, elementBits, banks) ==
          result.store.wavefronts);
  if (!result.load.usesTile)
    CHECK(simulate(result.load, elementBits, banks) == result.load.wavefronts);
  return result;
}

/// The least wavefronts of an access: one for every group of lanes.
static unsigned getLeast(const SharedAccess &access, unsigned elementBits,
                         const Banks &banks = usualBanks()) {
  unsigned bytes = (elementBits << access.vectorBits) / 8;
  unsigned groups = std::max(1u, 32 * bytes / (banks.count * banks.bytes));
  return access.instructions * groups;
}

// A 64x64 tile of four warps: a fragment of a product, rows by vectors of 16
// bytes, and the same by columns.
static const StringRef kFragment =
    "register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], "
    "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], "
    "warp = [[16, 0], [32, 0]]";
static const StringRef kRows =
    "register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], "
    "lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], "
    "warp = [[4, 0], [8, 0]]";
static const StringRef kRows32 =
    "register = [[0, 1], [0, 2], [8, 0], [16, 0], [32, 0]], "
    "lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], "
    "warp = [[2, 0], [4, 0]]";

static void checkSwizzles() {
  for (unsigned elementBits : {16, 32}) {
    LinearLayout fragment = read(kFragment);
    LinearLayout rows = read(elementBits == 16 ? kRows : kRows32);
    LinearLayout columns = rows.transposeOutputs({1, 0});
    std::pair<const LinearLayout *, const LinearLayout *> cases[] = {
        {&fragment, &rows}, {&rows, &columns}, {&fragment, &columns}};
    for (auto [from, to] : cases)
      for (auto [a, b] : {std::pair(from, to), std::pair(to, from)}) {
        SharedPlan swizzle = plan(*a, *b, elementBits);
        CHECK(swizzle.store.wavefronts == getLeast(swizzle.store, elementBits));
        CHECK(swizzle.load.wavefronts == getLeast(swizzle.load, elementBits));
        // One side is as wide as it can be, whatever the other is.
        if (elementBits == 16)
          CHECK(std::max(swizzle.store.vectorBits, swizzle.load.vectorBits) ==
                3);
      }
  }
  // Row-major memory of the same tile is not as good.
  LinearLayout rowMajor =
      LinearLayout::identity(4096, "offset", "dim0").reshapeOutputs({64, 64});
  SharedAccess access =
      *getSharedAccess(read(kFragment), rowMajor, kLevels, 16, usualBanks());
  CHECK(access.vectorBits == 1);
  CHECK(access.wavefronts == 8 * getLeast(access, 16));
  CHECK(simulate(access, 16, usualBanks()) == access.wavefronts);
  // What both have in registers goes in rounds.
  SharedPlan rounds =
      plan(read("register = [[1], [2], [512], [1024]], "
                "lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]"),
           read("register = [[1], [2], [512], [1024]], "
                "lane = [[128], [256], [4], [8], [16]], warp = [[32], [64]]"),
           32);
  CHECK(rounds.roundBits == 2);
}

static void checkTiles() {
  // Rows of 16 bytes, eight at a time, spread over 32 lanes; and transposed.
  constexpr int reg = InstructionTile::kRegister;
  InstructionTile tile = {"rows", {reg, 0, 1}, {2, 3, 4}, 2};
  InstructionTile turned = {"columns", {2, 3, 4}, {reg, 0, 1}, 2};
  InstructionTile tiles[] = {tile, turned};
  LinearLayout fragment = read(kFragment), rows = read(kRows);
  SharedPlan straight = plan(fragment, rows, 16, usualBanks(), tiles, {});
  CHECK(straight.storeTile == 0 && straight.loadTile == -1);
  // 16 matrices of 128 bytes, four by each instruction.
  CHECK(straight.store.wavefronts == 16 && straight.store.instructions == 4);
  CHECK(straight.load.vectorBits == 3 && straight.load.wavefronts == 16);
  SharedPlan transposed = plan(rows.transposeOutputs({1, 0}), fragment, 16,
                               usualBanks(), {}, tiles);
  CHECK(transposed.loadTile == 1 && transposed.load.instructions == 4);
  CHECK(transposed.store.wavefronts == 16);

  // Addresses of rows: what a lane gets out of the matrices is its element.
  for (const auto &[access, used, memory] :
       {std::make_tuple(straight.store, tile, straight.memory),
        std::make_tuple(transposed.load, turned, transposed.memory)}) {
    LinearLayout rowAddresses = access.getRowAddresses(used, kLevels, 2);
    LinearLayout ordered = fragment.permuteInput("register", access.order);
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t i = 0; i < 32; ++i) {
        int64_t inRow = 0, row = 0, registers = i;
        auto take = [&](ArrayRef<int> slots, int64_t &number) {
          for (auto [bit, slot] : enumerate(slots)) {
            number |= (slot == reg ? registers & 1 : (lane >> slot) & 1) << bit;
            registers >>= slot == reg;
          }
        };
        take(used.row, inRow);
        take(used.rows, row);
        int64_t giver = row | (registers & 3) << 3;
        int64_t offset = rowAddresses.apply({{"register", registers >> 2},
                                             {"lane", giver},
                                             {"warp", 2}})[0] +
                         inRow;
        CHECK(memory.apply({{kOffset, offset}}) ==
              ordered.apply({{"register", i}, {"lane", lane}, {"warp", 2}}));
      }
  }
  // Elements of 32 bits have no row of that shape in a fragment's columns.
  CHECK(plan(fragment, rows, 32, usualBanks(), ArrayRef(tiles).drop_front(), {})
            .storeTile == -1);
}

void checkMemory() {
  checkSwizzles();
  checkTiles();
  // Banks by hand.
  Banks banks = usualBanks();
  SmallVector<int64_t> same(32, 64), column, wide;
  for (int64_t lane = 0; lane < 32; ++lane) {
    column.push_back(lane * 128);
    wide.push_back(lane * 16);
  }
  CHECK(countWavefronts(same, 4, banks) == 1);
  CHECK(countWavefronts(column, 4, banks) == 32);
  CHECK(countWavefronts(wide, 16, banks) == 4);
  CHECK(countWavefronts(wide, 8, banks) == 4);
  CHECK(countLeastWavefronts(wide, 8, banks) == 2);
  // Lanes that are served together need not be neighbours.
  Banks other = usualBanks();
  other.activeLanes.emplace_back(16, 0b10011);
  CHECK(other.getActiveLanes(16, 6) == 0b10011);
  CHECK(other.getActiveLanes(4, 5) == 31);

  // Widths.
  LinearLayout rowMajor =
      LinearLayout::identity(4096, "offset", "dim0").reshapeOutputs({64, 64});
  VectorWidth width =
      getVectorWidth(read("register = [[1, 0], [0, 2], [0, 1], [0, 4]], "
                          "lane = [[0, 8], [0, 16], [0, 32], [2, 0], [4, 0]], "
                          "warp = [[8, 0], [16, 0], [32, 0]]"),
                     rowMajor, "register", 2);
  CHECK(width.bits == 2);
  CHECK(width.order == SmallVector<unsigned>({2, 1, 0, 3}));

  // Rows and columns of a square, a lane each: an element after every row.
  LinearLayout across =
      read("register = [[4, 0], [8, 0], [16, 0]], "
           "lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], "
           "warp = [[1, 0], [2, 0]]");
  LinearLayout square =
      LinearLayout::identity(1024, "offset", "dim0").reshapeOutputs({32, 32});
  Padding padding = choosePadding({across, across.transposeOutputs({1, 0})},
                                  square, kLevels, 32, banks);
  CHECK(padding.interval == 32 && padding.amount == 1);
  CHECK(padding.apply(130) == 134 && Padding().apply(130) == 130);
  CHECK(choosePadding({across}, square, kLevels, 32, banks).interval == 0);

  // What a warp exchanges, as a tile of its lanes and registers: the same in
  // every warp, whose numbers are no part of it.
  LinearLayout own = read("register = [[0, 1], [0, 2], [0, 4], [0, 8]], "
                          "lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], "
                          "warp = [[0, 0], [0, 0]]");
  LinearLayout turned =
      read("register = [[1, 0], [2, 0], [4, 0], [8, 0]], "
           "lane = [[0, 1], [0, 2], [0, 4], [0, 8], [16, 0]], "
           "warp = [[0, 0], [1, 0]]");
  for (unsigned elementBits : {8, 16, 32}) {
    SharedPlan ofWarp = plan(own, turned, elementBits);
    CHECK(ofWarp.store.wavefronts == getLeast(ofWarp.store, elementBits));
    CHECK(ofWarp.load.wavefronts == getLeast(ofWarp.load, elementBits));
  }

  // Any two layouts: what is counted is what is simulated.
  for (int round = 0; round < 60; ++round) {
    SmallVector<int64_t> sizes = {16, 64};
    auto make = [&] {
      return randomDistribution(
          {{"register", pick(3, 4)}, {"lane", 5}, {"warp", 2}}, sizes);
    };
    unsigned elementBits = 8u << pick(0, 3);
    LinearLayout from = make(), to = make();
    SharedPlan best = plan(from, to, elementBits);
    LinearLayout plain =
        LinearLayout::identity(1024, "offset", "dim0").reshapeOutputs(sizes);
    unsigned asRows = 0;
    for (const LinearLayout *side : {&from, &to})
      asRows += getSharedAccess(*side, plain, kLevels, elementBits, banks)
                    ->wavefronts;
    CHECK(best.getWavefronts() <= asRows);
    plan(make(), make(), elementBits, other);
  }
}
