//===- PrimWindows.cpp - Windows that slide: convolution, pooling ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Registry.h"
#include "Text.h"

using namespace kiln::conform;
using llvm::StringRef;
using llvm::Twine;

namespace {

struct Window {
  const char *name;
  Shape input; ///< [N, spatial..., C]
  Shape window, strides, low, high, dilation, spread;
  int64_t groups, filters;
};

const std::vector<Window> kWindows = {
    {"line", {2, 17, 3}, {3}, {1}, {1}, {1}, {1}, {1}, 1, 4},
    {"plain",
     {1, 8, 9, 4},
     {3, 3},
     {1, 1},
     {1, 1},
     {1, 1},
     {1, 1},
     {1, 1},
     1,
     5},
    {"strided",
     {2, 11, 9, 3},
     {3, 2},
     {2, 3},
     {0, 1},
     {2, 0},
     {1, 1},
     {1, 1},
     1,
     4},
    {"pointwise",
     {1, 5, 7, 16},
     {1, 1},
     {1, 1},
     {0, 0},
     {0, 0},
     {1, 1},
     {1, 1},
     1,
     24},
    {"dilated",
     {1, 12, 13, 2},
     {3, 3},
     {1, 1},
     {2, 2},
     {2, 2},
     {2, 2},
     {1, 1},
     1,
     3},
    {"grouped",
     {1, 6, 6, 8},
     {3, 3},
     {1, 1},
     {1, 1},
     {1, 1},
     {1, 1},
     {1, 1},
     4,
     12},
    {"depthwise",
     {1, 9, 7, 6},
     {3, 3},
     {2, 2},
     {1, 1},
     {1, 1},
     {1, 1},
     {1, 1},
     6,
     6},
    {"spread",
     {1, 4, 5, 3},
     {3, 3},
     {1, 1},
     {2, 1},
     {1, 2},
     {1, 1},
     {2, 3},
     1,
     4},
    {"cube",
     {1, 5, 4, 6, 2},
     {2, 3, 2},
     {1, 1, 2},
     {0, 1, 0},
     {1, 1, 0},
     {1, 1, 1},
     {1, 1, 1},
     1,
     3}};

Shape resultOf(const Window &w, int64_t channels) {
  Shape result = {w.input[0]};
  for (size_t d = 0; d < w.window.size(); ++d) {
    int64_t in = (w.input[d + 1] - 1) * w.spread[d] + 1 + w.low[d] + w.high[d];
    result.push_back(
        (in - ((w.window[d] - 1) * w.dilation[d] + 1)) / w.strides[d] + 1);
  }
  result.push_back(channels);
  return result;
}

std::string array(const char *name, const Shape &values) {
  return std::string(name) + " = array<i64: " + listText(values) + ">";
}

void addConv(Plan &plan, const Window &w, StringRef type, StringRef result,
             bool isTf32 = false) {
  Entry &entry =
      plan.add("prim.conv",
               type == result ? type.str() : type.str() + "->" + result.str(),
               Twine(w.name) + (isTf32 ? ".tf32" : ""));
  entry.hasFreeZeros = true;
  entry.profile("products").profile("windows");
  if (type == "i8" || type == "i16")
    entry.profile("int8-inference");
  Shape filter = {w.filters};
  filter.insert(filter.end(), w.window.begin(), w.window.end());
  filter.push_back(w.input.back() / w.groups);
  std::string x = tensorText(w.input, type), f = tensorText(filter, type),
              r = tensorText(resultOf(w, w.filters), result);
  primFunction(entry, {x, f}, r,
               std::string("%r = prim.conv %a0, %a1 ") +
                   (isTf32 ? "precision tf32 {" : "{") +
                   array("strides", w.strides) + ", " +
                   array("pad_low", w.low) + ", " + array("pad_high", w.high) +
                   ", " + array("dilation", w.dilation) + ", " +
                   array("input_dilation", w.spread) +
                   ", groups = " + std::to_string(w.groups) + " : i64} : " + x +
                   ", " + f + " -> " + r);
  for (const char *fill : {"plain", "seldom", "cancel"}) {
    if (!isFloatText(type) && StringRef(fill) == "seldom")
      continue;
    const char *kind =
        !isFloatText(type) && StringRef(fill) == "cancel" ? "bits" : fill;
    addCall(entry, kind, {of(w.input, kind), of(filter, kind)});
  }
}

void addPool(Plan &plan, StringRef op, const Window &w, StringRef type) {
  Entry &entry = plan.add(op, type, w.name);
  entry.isProposal = true;
  entry.hasFreeZeros = op != "prim.max_pool";
  entry.profile("reduction").profile("windows");
  std::string x = tensorText(w.input, type),
              r = tensorText(resultOf(w, w.input.back()), type);
  primFunction(entry, {x}, r,
               "%r = " + op.str() + " %a0 {" + array("window", w.window) +
                   ", " + array("strides", w.strides) + ", " +
                   array("pad_low", w.low) + ", " + array("pad_high", w.high) +
                   "} : " + x + " -> " + r);
  for (const char *fill : {"plain", "seldom"})
    addCall(entry, fill, {of(w.input, fill)});
  if (op == "prim.max_pool" || !isFloatText(type))
    addCall(entry, "bits", {of(w.input, "bits")});
  else
    addCall(entry, "cancel", {of(w.input, "cancel")});
}

} // namespace

void kiln::conform::addPrimWindows() {
  addRecipe("prim.conv", [](Plan &plan) {
    for (auto [type, result] : {std::pair("f32", "f32"),
                                {"f64", "f64"},
                                {"f16", "f32"},
                                {"bf16", "f32"},
                                {"f16", "f16"},
                                {"bf16", "bf16"},
                                {"i8", "i32"},
                                {"i16", "i32"},
                                {"i32", "i32"},
                                {"i8", "i64"}})
      for (const Window &w : kWindows)
        addConv(plan, w, type, result);
    for (const Window &w : kWindows)
      addConv(plan, w, "f32", "f32", /*isTf32=*/true);
  });
  for (const char *op : {"prim.max_pool", "prim.sum_pool", "prim.avg_pool"})
    addRecipe(op, [op = std::string(op)](Plan &plan) {
      for (StringRef type :
           {"f32", "f64", "f16", "bf16", "i32", "i64", "i8", "i16"})
        for (const Window &w : kWindows)
          if (w.groups == 1 && w.name != StringRef("dilated") &&
              w.name != StringRef("spread") && w.name != StringRef("pointwise"))
            addPool(plan, op, w, type);
    });
}
