// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts of n-grams of numbers.
#include "Node.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// The n-grams of one length, and where each is counted.
struct Pool {
  int64_t length;
  Ints items; // row by row
  Ints slots;
};

/// TfIdfVectorizer: how often n-grams of a pool occur, with up to
/// max_skip_count elements left out between neighbours.
LogicalResult tfIdf(Node &n) {
  auto starts = n.getInts("ngram_counts"), slots = n.getInts("ngram_indexes"),
       items = n.getInts("pool_int64s");
  auto weights = n.getFloats("weights");
  StringRef mode = n.getString("mode");
  int64_t shortest = n.getInt("min_gram_length", 1),
          longest = n.getInt("max_gram_length", 1),
          skips = n.getInt("max_skip_count", 0), rank = n.rank(0);
  if (!starts || !slots || !items)
    return n.fail("without a pool of numbers");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
    return n.fail("has mode '" + mode + "'");
  if (rank < 1 || rank > 2 || !n.e.typeOf(n.in(0)).hasStaticShape())
    return n.fail("of a tensor of rank " + Twine(rank) +
                  " or of a size that is not known");
  Value x = n.i64(n.in(0));
  if (rank == 1)
    x = n.unsqueeze(x, {0});
  int64_t batch = n.shape(x)[0], size = n.shape(x)[1], next = 0, width = 0;
  for (int64_t slot : *slots) {
    if (slot < 0)
      return n.fail("has an index below 0");
    width = std::max(width, slot + 1);
  }
  SmallVector<Pool> pools;
  for (size_t k = 0; k < starts->size(); ++k) {
    Pool pool{int64_t(k) + 1, {}, {}};
    int64_t begin = (*starts)[k];
    int64_t end = k + 1 < starts->size() ? (*starts)[k + 1] : items->size();
    if (begin < 0 || end < begin || end > int64_t(items->size()) ||
        (end - begin) % pool.length ||
        next + (end - begin) / pool.length > int64_t(slots->size()))
      return n.fail("has ngram_counts that do not fit its pool");
    pool.items.assign(items->begin() + begin, items->begin() + end);
    for (int64_t i = 0; i < (end - begin) / pool.length; ++i)
      pool.slots.push_back((*slots)[next++]);
    if (pool.length >= shortest && pool.length <= longest &&
        !pool.slots.empty())
      pools.push_back(pool);
  }
  Type element = n.e.b.getF32Type();
  Value result =
      n.e.full(n.e.b.getF32FloatAttr(0), {n.e.size(batch), n.e.size(width)});
  for (const Pool &pool : pools) {
    int64_t grams = pool.slots.size();
    Value count;
    // What has one element has nothing to leave out.
    for (int64_t skip = 0; skip <= (pool.length > 1 ? skips : 0); ++skip) {
      int64_t windows = size - (pool.length - 1) * (skip + 1);
      if (windows <= 0)
        continue;
      Value match;
      for (int64_t k = 0; k < pool.length; ++k) {
        Ints wanted;
        for (int64_t g = 0; g < grams; ++g)
          wanted.push_back(pool.items[g * pool.length + k]);
        Value here =
            n.eq(n.unsqueeze(n.slice(x, 1, k * (skip + 1), windows), {2}),
                 n.e.reshape(n.list(wanted), Ints{1, 1, grams}));
        match = match ? n.both(match, here) : here;
      }
      Value some = n.sum(n.f32(match), {1});
      count = count ? n.add(count, some) : some;
    }
    if (!count)
      continue;
    // A matrix with a 1 where an n-gram has its place.
    SmallVector<double> places(grams * width, 0);
    for (auto [g, slot] : llvm::enumerate(pool.slots))
      places[g * width + slot] = 1;
    result = n.add(result,
                   n.matmul(count, n.floats(places, {grams, width}, element)));
  }
  if (mode == "TF")
    weights = std::nullopt;
  if (mode == "IDF")
    result = n.f32(n.gt(result, n.number(0, result)));
  if (weights) {
    // A weight is for an n-gram, which stands in the place of its index.
    SmallVector<double> byPlace(width, 1);
    for (auto [i, slot] : llvm::enumerate(*slots))
      if (i < weights->size())
        byPlace[slot] = (*weights)[i];
    result = n.mul(result, n.floats(byPlace, {width}, element));
  }
  return n.set(rank == 1 ? n.squeeze(result, {0}) : result);
}

} // namespace

void addTextRules(NodeRules &rules) { rules.add("TfIdfVectorizer", tfIdf); }

} // namespace kiln::onnx_to_prim
