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

/// Attention of some sizes: of a query, a key, a value and a result.
struct Sizes {
  const char *name;
  Shape query, key, value, result;

  Shape mask() const {
    Shape shape = query;
    shape.back() = key[key.size() - 2];
    return shape;
  }
  Shape rows() const { return Shape(query.begin(), query.end() - 1); }
};
const std::vector<Sizes> kAttention = {
    {"rank3", {2, 9, 16}, {2, 13, 16}, {2, 13, 8}, {2, 9, 8}},
    {"rank2", {5, 32}, {40, 32}, {40, 32}, {5, 32}},
    // Several blocks of queries and of keys, none of them whole.
    {"long", {2, 70, 24}, {2, 330, 24}, {2, 330, 40}, {2, 70, 40}}};

std::string joined(const std::vector<std::string> &types) {
  std::string all;
  for (const std::string &text : types)
    all += (all.empty() ? "" : ", ") + text;
  return all;
}

/// The type that scores are computed in.
StringRef wideType(StringRef type) { return type == "f64" ? "f64" : "f32"; }

/// Attention; `isSum`: its second result.
void addAttention(Plan &plan, StringRef type, const Sizes &sizes, bool isMasked,
                  bool isSum) {
  Entry &entry = plan.add("prim.attention", type,
                          Twine(sizes.name) + (isMasked ? ".mask" : "") +
                              (isSum ? ".sum" : ""));
  entry.hasFreeZeros = true;
  entry.profile("products").profile("composite");
  std::vector<std::string> types = {tensorText(sizes.query, type),
                                    tensorText(sizes.key, type),
                                    tensorText(sizes.value, type)};
  if (isMasked)
    types.push_back(tensorText(sizes.mask(), type));
  std::string result = tensorText(sizes.result, type),
              sum = tensorText(sizes.rows(), wideType(type));
  primFunction(
      entry, types, isSum ? sum : result,
      std::string(isSum ? "%x, %r" : "%r") + " = prim.attention %a0, %a1, %a2" +
          (isMasked ? " mask %a3" : "") + " scale 0.25 : " + joined(types) +
          " -> " + result + (isSum ? ", " + sum : ""));
  for (const char *fill : {"plain", "seldom"}) {
    // Sums of the largest numbers may leave the range.
    if ((isSum || sizes.name == StringRef("long")) &&
        fill != StringRef("plain"))
      continue;
    std::vector<CallArgument> args = {of(sizes.query), of(sizes.key),
                                      of(sizes.value, fill)};
    if (isMasked)
      args.push_back(of(sizes.mask()));
    addCall(entry, fill, args);
  }
}

/// One of the gradients of attention, for any output and logarithm.
void addAttentionBackward(Plan &plan, StringRef type, const Sizes &sizes,
                          bool isMasked, unsigned number) {
  const char *kNames[] = {"query", "key", "value"};
  const char *kResults[] = {"%r, %x, %y", "%x, %r, %y", "%x, %y, %r"};
  Entry &entry = plan.add("prim.attention_backward", type,
                          Twine(sizes.name) + (isMasked ? ".mask." : ".") +
                              kNames[number]);
  entry.hasFreeZeros = true;
  entry.profile("products").profile("composite");
  std::vector<std::string> types = {
      tensorText(sizes.query, type),  tensorText(sizes.key, type),
      tensorText(sizes.value, type),  tensorText(sizes.result, type),
      tensorText(sizes.result, type), tensorText(sizes.rows(), wideType(type))};
  if (isMasked)
    types.push_back(tensorText(sizes.mask(), type));
  primFunction(entry, types, types[number],
               std::string(kResults[number]) +
                   " = prim.attention_backward %a0, %a1, %a2 output %a3 "
                   "gradient %a4 logsumexp %a5" +
                   (isMasked ? " mask %a6" : "") +
                   " scale 0.0625 : " + joined(types));
  std::vector<CallArgument> args = {of(sizes.query),  of(sizes.key),
                                    of(sizes.value),  of(sizes.result),
                                    of(sizes.result), of(sizes.rows())};
  if (isMasked)
    args.push_back(of(sizes.mask()));
  addCall(entry, "plain", args);
}

/// A transform along the second dimension, one of its results: lengths with
/// small factors, without, and with a long one.
void addFourier(Plan &plan, StringRef type, int64_t length, bool isRealSource,
                bool isRealResult, bool isInverse, unsigned number) {
  Shape whole = {3, length, 5}, half = {3, length / 2 + 1, 5};
  Shape from = isRealResult ? half : whole, to = isRealSource ? half : whole;
  Entry &entry =
      plan.add("prim.fourier", type,
               Twine(length) +
                   (isRealSource   ? ".from-real"
                    : isRealResult ? ".to-real"
                                   : "") +
                   (isInverse ? ".inverse" : "") + (number ? ".im" : ".re"));
  entry.hasFreeZeros = true;
  entry.profile("products").profile("composite");
  std::vector<std::string> types(isRealSource ? 1 : 2, tensorText(from, type)),
      made(isRealResult ? 1 : 2, tensorText(to, type));
  primFunction(entry, types, made.front(),
               std::string(isRealResult ? "%r"
                           : number     ? "%x, %r"
                                        : "%r, %x") +
                   " = prim.fourier %a0" + (isRealSource ? "" : ", %a1") +
                   " dim 1" + (isInverse ? " inverse" : "") + " : " +
                   joined(types) + " -> " + joined(made));
  for (const char *fill : {"plain", "cancel"})
    addCall(entry, fill,
            std::vector<CallArgument>(types.size(), of(from, fill)));
}

} // namespace

void kiln::conform::addPrimProducts() {
  addRecipe("prim.fourier", [](Plan &plan) {
    for (StringRef type : {"f32", "f64"})
      for (int64_t length : {1, 7, 64, 90, 97, 134})
        for (bool isInverse : {false, true})
          for (unsigned number : {0, 1}) {
            addFourier(plan, type, length, false, false, isInverse, number);
            addFourier(plan, type, length, true, false, isInverse, number);
            if (!number)
              addFourier(plan, type, length, false, true, isInverse, number);
          }
  });
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
      for (const Sizes &sizes : kAttention)
        for (bool isMasked : {false, true})
          for (bool isSum : {false, true})
            addAttention(plan, type, sizes, isMasked, isSum);
  });
  addRecipe("prim.attention_backward", [](Plan &plan) {
    for (StringRef type : floatTypes())
      for (const Sizes &sizes : kAttention)
        for (bool isMasked : {false, true})
          for (unsigned number : {0, 1, 2})
            addAttentionBackward(plan, type, sizes, isMasked, number);
  });
}
