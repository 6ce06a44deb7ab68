//===- TileProducts.cpp - Matrix products of tiles ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Registry.h"
#include "Text.h"

using namespace kiln::conform;
using llvm::StringRef;
using llvm::Twine;

namespace {

struct Types {
  StringRef lhs, rhs, acc;
};

struct Sizes {
  int64_t batch, m, n, k; ///< batch 0: none
  std::string name() const {
    return (batch ? std::to_string(batch) + "x" : std::string()) +
           nameText({m, n, k});
  }
};

Shape shapeOf(const Sizes &s, int64_t a, int64_t b) {
  return s.batch ? Shape{s.batch, a, b} : Shape{a, b};
}

std::string typeText(const Types &types) {
  std::string text = types.lhs.str();
  if (types.rhs != types.lhs)
    text += "," + types.rhs.str();
  return types.acc == types.lhs ? text : text + "->" + types.acc.str();
}

void mark(Entry &entry, const Types &types) {
  entry.hasFreeZeros = true;
  entry.profile("structured").profile("products");
  if (types.lhs == "i8" || types.lhs == "i16")
    entry.profile("int8-inference");
  if (types.lhs.starts_with("f8") || types.rhs.starts_with("f8"))
    entry.profile("float8");
}

/// One product of whole tiles.
void addDot(Plan &plan, const Types &types, const Sizes &sizes,
            StringRef clause) {
  Entry &entry = plan.add("tile.dot", typeText(types),
                          Twine(sizes.name()) + (clause.empty() ? "" : ".") +
                              llvm::join_items("", clause.trim()));
  for (char &c : entry.form)
    if (c == ' ' || c == '{' || c == '}' || c == '=' || c == ':')
      c = '-';
  entry.isProposal = true;
  mark(entry, types);
  KernelText kernel(entry);
  Shape a = shapeOf(sizes, sizes.m, sizes.k),
        b = shapeOf(sizes, sizes.k, sizes.n),
        c = shapeOf(sizes, sizes.m, sizes.n);
  std::string lhs = kernel.view(a, types.lhs), rhs = kernel.view(b, types.rhs),
              acc = kernel.view(c, types.acc);
  std::string out = kernel.view(c, types.acc, true), zero = kernel.index(0);
  std::vector<std::string> at(a.size(), zero);
  std::string x = kernel.load(lhs, at, a, types.lhs),
              y = kernel.load(rhs, at, b, types.rhs),
              z = kernel.load(acc, at, c, types.acc);
  std::string r =
      kernel.op("tile.dot " + Twine(x) + ", " + y + ", " + z + clause + " : " +
                tensorText(a, types.lhs) + ", " + tensorText(b, types.rhs) +
                ", " + tensorText(c, types.acc));
  kernel.store(r, out, at, c, types.acc);
  kernel.finish();
  for (const char *fill : {"plain", "hurt", "cancel"}) {
    if (StringRef(fill) == "cancel" && !isFloatText(types.lhs))
      fill = "bits";
    if (StringRef(fill) == "hurt" && !isFloatText(types.lhs))
      continue;
    // Few numbers that hurt, so that sums without them remain.
    Fill one = StringRef(fill) == "hurt" ? Fill("seldom") : Fill(fill);
    addCall(entry, fill, {of(a, one), of(b, one), of(c, "plain"), of(c)});
  }
}

/// The whole product of matrices of any size: blocks, a loop that carries a
/// tile, edges in every dimension.
void addLoop(Plan &plan, const Types &types, bool isTransposed) {
  Entry &entry = plan.add("tile.dot", typeText(types),
                          isTransposed ? "loop-transposed" : "loop");
  mark(entry, types);
  entry.isChained = true;
  entry.profile("control");
  KernelText kernel(entry);
  Shape any = {-1, -1}, ta = {16, 24},
        tb = isTransposed ? Shape{32, 24} : Shape{24, 32}, tc = {16, 32};
  std::string lhs = kernel.view(any, types.lhs),
              rhs = kernel.view(any, types.rhs),
              out = kernel.view(any, types.acc, true);
  auto ids = kernel.programId(2);
  std::string zero = kernel.index(0), one = kernel.index(1);
  std::string count = kernel.op("tile.num_blocks " + Twine(lhs) +
                                "[1] by 24 : " + kernel.typeOf(lhs));
  std::string start = kernel.op("arith.constant dense<" +
                                Twine(isFloatText(types.acc) ? "0.0" : "0") +
                                "> : " + tensorText(tc, types.acc));
  std::string C = tensorText(tc, types.acc);
  Words words = {{"i", ids[0]},
                 {"j", ids[1]},
                 {"zero", zero},
                 {"one", one},
                 {"n", count},
                 {"s", start},
                 {"C", C},
                 {"a", lhs},
                 {"b", rhs},
                 {"VA", kernel.typeOf(lhs)},
                 {"VB", kernel.typeOf(rhs)},
                 {"A", tensorText(ta, types.lhs)},
                 {"B", tensorText(tb, types.rhs)},
                 {"BT", tensorText({24, 32}, types.rhs)},
                 {"at", isTransposed ? ids[1] + ", %k" : "%k, " + ids[1]}};
  std::string turn =
      isTransposed ? "\n    %z = tile.transpose %y [1, 0] : $B -> $BT" : "";
  words.push_back({"factor", isTransposed ? "%z" : "%y"});
  std::string sum = kernel.op(
      fillIn("scf.for %k = $zero to $n step $one iter_args(%c = $s) -> ($C) {\n"
             "    %x = tile.load $a[$i, %k] : $VA -> $A\n"
             "    %y = tile.load $b[$at] : $VB -> $B" +
                 turn +
                 "\n"
                 "    %d = tile.dot %x, $factor, %c : $A, $BT, $C\n"
                 "    scf.yield %d : $C\n  }",
             words));
  kernel.store(sum, out, ids, tc, types.acc);
  kernel.finish();
  for (auto [m, n, k] : {std::tuple<int64_t, int64_t, int64_t>(16, 32, 24),
                         {40, 50, 60},
                         {1, 1, 1},
                         {33, 31, 100},
                         {48, 64, 0},
                         {7, 70, 13}}) {
    Shape b = isTransposed ? Shape{n, k} : Shape{k, n};
    for (const char *fill : {"plain", "seldom"})
      if (StringRef(fill) == "plain" ||
          (isFloatText(types.lhs) && m == 40 && types.acc == "f32"))
        addCall(entry,
                nameText({m, n, k}) + "-" +
                    (StringRef(fill) == "plain" ? "plain" : "hurt"),
                {of({m, k}, fill), of(b, fill), of({m, n})},
                {ceilDiv(m, 16), ceilDiv(n, 32), 1});
  }
}

constexpr Types kProducts[] = {{"f32", "f32", "f32"},
                               {"f64", "f64", "f64"},
                               {"f16", "f16", "f32"},
                               {"bf16", "bf16", "f32"},
                               {"f16", "f16", "f16"},
                               {"bf16", "bf16", "bf16"},
                               {"i8", "i8", "i32"},
                               {"i16", "i16", "i32"},
                               {"i32", "i32", "i32"},
                               {"i8", "i8", "i64"},
                               {"i32", "i32", "i64"},
                               {"i8", "i16", "i32"},
                               {"f8E4M3FN", "f8E4M3FN", "f32"},
                               {"f8E5M2", "f8E5M2", "f32"},
                               {"f8E4M3FN", "f8E5M2", "f32"},
                               {"f8E5M2", "f8E4M3FN", "f16"},
                               {"bf16", "f16", "f32"},
                               {"f16", "f32", "f32"},
                               {"f32", "f32", "f64"}};

struct Format {
  StringRef name, element;
  int64_t packed;
};
constexpr Format kFormats[] = {{"e2m1", "i8", 2},     {"e2m3", "i8", 1},
                               {"e3m2", "i8", 1},     {"e4m3", "f8E4M3FN", 1},
                               {"e5m2", "f8E5M2", 1}, {"e4m3", "i8", 1},
                               {"bf16", "bf16", 1},   {"fp16", "f16", 1}};

/// A product of factors with scales.
void addScaled(Plan &plan, const Format &l, const Format &r, StringRef scale,
               int64_t block) {
  constexpr int64_t m = 16, n = 24, k = 64;
  std::string type = l.name.str() + "." + l.element.str() + "," + r.name.str() +
                     "." + r.element.str();
  Entry &entry = plan.add("tile.dot_scaled", type,
                          scale.empty() ? Twine("plain")
                                        : Twine(scale) + "-" + Twine(block));
  entry.isProposal = true;
  entry.hasFreeZeros = true;
  entry.profile("structured").profile("products").profile("float8");
  KernelText kernel(entry);
  Shape a = {m, k / l.packed}, b = {k / r.packed, n}, c = {m, n},
        sa = {m, k / block}, sb = {n, k / block};
  std::string lhs = kernel.view(a, l.element), rhs = kernel.view(b, r.element),
              acc = kernel.view(c, "f32");
  std::string ls, rs;
  if (!scale.empty()) {
    ls = kernel.view(sa, scale);
    rs = kernel.view(sb, scale);
  }
  std::string out = kernel.view(c, "f32", true), zero = kernel.index(0);
  std::vector<std::string> at = {zero, zero};
  std::string x = kernel.load(lhs, at, a, l.element),
              y = kernel.load(rhs, at, b, r.element),
              z = kernel.load(acc, at, c, "f32");
  std::string xs, ys, xt, yt;
  if (!scale.empty()) {
    xs = " scale " + kernel.load(ls, at, sa, scale);
    ys = " scale " + kernel.load(rs, at, sb, scale);
    xt = " scale " + tensorText(sa, scale);
    yt = " scale " + tensorText(sb, scale);
  }
  std::string d = kernel.op(
      "tile.dot_scaled " + Twine(x) + " " + l.name + xs + ", " + y + " " +
      r.name + ys + ", " + z + " : " + tensorText(a, l.element) + xt + ", " +
      tensorText(b, r.element) + yt + ", " + tensorText(c, "f32"));
  kernel.store(d, out, at, c, "f32");
  kernel.finish();
  Fill scales = scale == "i8"         ? Fill(120, 127)
                : scale == "f8E4M3FN" ? Fill(0.25, 2)
                                      : Fill("plain");
  for (const char *fill : {"plain", "finite"}) {
    std::vector<CallArgument> args = {of(a, l.element == "i8" ? "bits" : fill),
                                      of(b, r.element == "i8" ? "bits" : fill),
                                      of(c)};
    if (!scale.empty()) {
      args.push_back(of(sa, scales));
      args.push_back(of(sb, scales));
    }
    args.push_back(of(c));
    addCall(entry, fill, args);
  }
}

} // namespace

void kiln::conform::addTileProducts() {
  addRecipe("tile.dot", [](Plan &plan) {
    for (const Types &types : kProducts) {
      for (const Sizes &sizes : {Sizes{0, 16, 16, 16},
                                 {0, 5, 7, 3},
                                 {0, 1, 32, 64},
                                 {0, 33, 17, 37},
                                 {0, 64, 1, 20},
                                 {0, 8, 8, 1},
                                 {2, 16, 8, 24},
                                 {3, 5, 4, 7}})
        addDot(plan, types, sizes, "");
      addLoop(plan, types, false);
      addLoop(plan, types, true);
      if (types.lhs.starts_with("i") && types.lhs != "i32")
        for (StringRef clause :
             {" lhs_unsigned", " rhs_unsigned", " lhs_unsigned rhs_unsigned"})
          addDot(plan, types, {0, 16, 16, 32}, clause);
    }
    for (StringRef precision : {"tf32", "tf32x3", "bf16x3", "bf16x6"})
      addDot(plan, {"f32", "f32", "f32"}, {0, 16, 24, 32},
             (" precision " + precision).str());
    addDot(plan, {"f8E4M3FN", "f8E4M3FN", "f32"}, {0, 16, 16, 64},
           " {max_imprecise_acc = 32 : i64}");
    addPipelinedProducts(plan);
  });
  addRecipe("tile.dot_scaled", [](Plan &plan) {
    for (const Format &l : kFormats)
      for (const Format &r : kFormats) {
        addScaled(plan, l, r, "i8", 32);
        if (&l == &r || l.name == "e2m1") {
          addScaled(plan, l, r, "f8E8M0FNU", 32);
          addScaled(plan, l, r, "f8E4M3FN", 16);
          addScaled(plan, l, r, "", 32);
        }
      }
  });
}
