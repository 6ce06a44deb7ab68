//===- PrimProducts.cpp - Products of prim --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Registry.h"
#include "Text.h"

using namespace kiln::conform;
using llvm::StringRef;
using llvm::Twine;

namespace {

struct Types {
  StringRef in, out;
};
constexpr Types kTypes[] = {{"f32", "f32"},  {"f64", "f64"}, {"f16", "f32"},
                            {"bf16", "f32"}, {"f16", "f16"}, {"bf16", "bf16"},
                            {"i8", "i32"},   {"i16", "i32"}, {"i32", "i32"},
                            {"i64", "i64"},  {"i8", "i64"}};

struct Form {
  const char *name;
  Shape lhs, rhs, result;
  const char *dims;
  std::vector<std::pair<Shape, Shape>> calls;
};

const std::vector<Form> kForms = {{"matrix",
                                   {-1, -1},
                                   {-1, -1},
                                   {-1, -1},
                                   "batch [] x [] contract [1] x [0]",
                                   {{{16, 32}, {32, 16}},
                                    {{5, 7}, {7, 3}},
                                    {{1, 64}, {64, 1}},
                                    {{37, 100}, {100, 33}},
                                    {{4, 0}, {0, 5}},
                                    {{0, 8}, {8, 4}}}},
                                  {"transposed",
                                   {24, 40},
                                   {17, 40},
                                   {24, 17},
                                   "batch [] x [] contract [1] x [1]",
                                   {{{24, 40}, {17, 40}}}},
                                  {"both",
                                   {40, 24},
                                   {17, 40},
                                   {24, 17},
                                   "batch [] x [] contract [0] x [1]",
                                   {{{40, 24}, {17, 40}}}},
                                  {"batched",
                                   {3, 8, 20},
                                   {3, 20, 12},
                                   {3, 8, 12},
                                   "batch [0] x [0] contract [2] x [1]",
                                   {{{3, 8, 20}, {3, 20, 12}}}},
                                  {"vector",
                                   {9, 33},
                                   {33},
                                   {9},
                                   "batch [] x [] contract [1] x [0]",
                                   {{{9, 33}, {33}}}},
                                  {"two",
                                   {4, 3, 5},
                                   {5, 3, 6},
                                   {4, 6},
                                   "batch [] x [] contract [1, 2] x [1, 0]",
                                   {{{4, 3, 5}, {5, 3, 6}}}},
                                  {"outer",
                                   {7},
                                   {9},
                                   {7, 9},
                                   "batch [] x [] contract [] x []",
                                   {{{7}, {9}}}}};

void mark(Entry &entry, StringRef type) {
  entry.hasFreeZeros = true;
  entry.profile("products");
  if (type == "i8" || type == "i16")
    entry.profile("int8-inference");
}

} // namespace

void kiln::conform::addPrimProducts() {
  addRecipe("prim.dot_general", [](Plan &plan) {
    for (const Types &types : kTypes)
      for (const Form &form : kForms)
        for (bool isTf32 : {false, true}) {
          if (isTf32 && (types.in != "f32" || form.name != StringRef("matrix")))
            continue;
          Entry &entry = plan.add("prim.dot_general",
                                  types.in == types.out
                                      ? types.in.str()
                                      : types.in.str() + "->" + types.out.str(),
                                  Twine(form.name) + (isTf32 ? ".tf32" : ""));
          mark(entry, types.in);
          std::string x = tensorText(form.lhs, types.in),
                      y = tensorText(form.rhs, types.in),
                      r = tensorText(form.result, types.out);
          primFunction(entry, {x, y}, r,
                       "%r = prim.dot_general %a0, %a1 " +
                           std::string(form.dims) +
                           (isTf32 ? " precision tf32" : "") + " : " + x +
                           ", " + y + " -> " + r);
          for (const auto &[lhs, rhs] : form.calls)
            for (const char *fill : {"plain", "seldom", "cancel"}) {
              bool isFloat = isFloatText(types.in);
              if (!isFloat && StringRef(fill) == "seldom")
                continue;
              const char *kind =
                  !isFloat && StringRef(fill) == "cancel" ? "bits" : fill;
              addCall(entry, nameText(lhs) + "." + nameText(rhs) + "-" + kind,
                      {of(lhs, kind), of(rhs, kind)});
            }
        }
  });
  addRecipe("prim.attention", [](Plan &plan) {
    for (StringRef type : floatTypes())
      for (auto [form, q, k, v, r] :
           {std::tuple("rank3", Shape{2, 9, 16}, Shape{2, 13, 16},
                       Shape{2, 13, 8}, Shape{2, 9, 8}),
            {"rank2", Shape{5, 32}, Shape{40, 32}, Shape{40, 32}, Shape{5, 32}},
            // Several blocks of queries and of keys, none of them whole.
            {"long", Shape{2, 70, 24}, Shape{2, 330, 24}, Shape{2, 330, 40},
             Shape{2, 70, 40}}})
        for (bool isMasked : {false, true}) {
          Entry &entry = plan.add("prim.attention", type,
                                  Twine(form) + (isMasked ? ".mask" : ""));
          entry.hasFreeZeros = true;
          entry.profile("products").profile("composite");
          Shape m = q;
          m.back() = k[k.size() - 2];
          std::vector<std::string> types = {
              tensorText(q, type), tensorText(k, type), tensorText(v, type)};
          if (isMasked)
            types.push_back(tensorText(m, type));
          std::string all;
          for (const std::string &text : types)
            all += (all.empty() ? "" : ", ") + text;
          primFunction(entry, types, tensorText(r, type),
                       "%r = prim.attention %a0, %a1, %a2" +
                           std::string(isMasked ? " mask %a3" : "") +
                           " scale 0.25 : " + all + " -> " +
                           tensorText(r, type));
          for (const char *fill : {"plain", "seldom"}) {
            // Sums of the largest numbers may leave the range.
            if (form == StringRef("long") && fill != StringRef("plain"))
              continue;
            std::vector<CallArgument> args = {of(q), of(k), of(v, fill)};
            if (isMasked)
              args.push_back(of(m));
            addCall(entry, fill, args);
          }
        }
  });
}
