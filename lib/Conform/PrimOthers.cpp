//===- PrimOthers.cpp - Clamping, rescaling, tables -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Registry.h"
#include "Text.h"

using namespace kiln::conform;
using llvm::StringRef;
using llvm::Twine;

namespace {

void addClamps() {
  addRecipe("prim.clamp", [](Plan &plan) {
    for (StringRef type :
         {"f32", "f64", "f16", "bf16", "i32", "i64", "i8", "i16"})
      for (auto [name, low, high] : {std::tuple("around", "-2", "3"),
                                     {"above", "0", "6"},
                                     {"one", "1", "1"}})
        for (const char *flag : {"", " ignore_nan", " unsigned"}) {
          Entry &entry = plan.add(
              "prim.clamp", type,
              Twine(name) + (*flag ? "." + std::string(flag + 1) : ""));
          entry.isProposal = true;
          entry.profile("elementwise");
          std::string x = tensorText({-1, 9}, type),
                      dot = isFloatText(type) ? ".0" : "";
          primFunction(entry, {x}, x,
                       "%r = prim.clamp %a0 min " + (low + dot) + " : " +
                           type.str() + " max " + (high + dot) + " : " +
                           type.str() + flag + " : " + x);
          for (const char *fill : {"plain", "hurt", "bits"})
            addCall(entry, fill, {of({30, 9}, fill)});
          addCall(entry, "empty", {of({0, 9})});
        }
  });
}

void addRescales() {
  addRecipe("prim.rescale", [](Plan &plan) {
    struct Form {
      const char *name, *attributes;
    };
    const Form forms[] = {
        {"half", "multiplier = array<i32: 1073741824>, shift = array<i8: 31>, "
                 "input_zp = -3 : i32, output_zp = 5 : i32, scale32"},
        {"large", "multiplier = array<i32: 1987654321>, shift = array<i8: 29>, "
                  "input_zp = 0 : i32, output_zp = -7 : i32, scale32"},
        {"small", "multiplier = array<i32: 1073741825>, shift = array<i8: 40>, "
                  "input_zp = 1 : i32, output_zp = 0 : i32, scale32"},
        {"narrow", "multiplier = array<i32: 16384>, shift = array<i8: 15>, "
                   "input_zp = 0 : i32, output_zp = 0 : i32"},
        {"channels",
         "multiplier = array<i32: 1073741824, 2000000000, 1500000000, "
         "1100000000, 1>, shift = array<i8: 30, 33, 31, 35, 2>, input_zp = 2 : "
         "i32, output_zp = 1 : i32, scale32"},
        {"unsigned-in",
         "multiplier = array<i32: 1073741824>, shift = array<i8: 31>, input_zp "
         "= 3 : i32, output_zp = 0 : i32, scale32, input_unsigned"},
        {"unsigned-out",
         "multiplier = array<i32: 1073741824>, shift = array<i8: 31>, input_zp "
         "= 0 : i32, output_zp = 9 : i32, scale32, output_unsigned"}};
    for (StringRef from : {"i8", "i16", "i32"})
      for (StringRef to : {"i8", "i16", "i32"})
        for (StringRef rounding : {"", " rounding double", " rounding inexact"})
          for (const Form &form : forms) {
            Entry &entry = plan.add(
                "prim.rescale", from.str() + "->" + to.str(),
                Twine(form.name) + (rounding.empty()
                                        ? ""
                                        : "." + rounding.drop_front(10).str()));
            entry.isProposal = true;
            entry.profile("elementwise").profile("int8-inference");
            std::string x = tensorText({8, 5}, from),
                        r = tensorText({8, 5}, to);
            primFunction(entry, {x}, r,
                         "%r = prim.rescale %a0" + rounding.str() + " {" +
                             form.attributes + "} : " + x + " -> " + r);
            for (const char *fill : {"plain", "hurt", "bits"})
              addCall(entry, fill, {of({8, 5}, fill)});
          }
  });
}

void addTables() {
  addRecipe("prim.table", [](Plan &plan) {
    for (auto [from, to, size] :
         {std::tuple("i8", "i8", 256), {"i16", "i32", 513}}) {
      Entry &entry =
          plan.add("prim.table", std::string(from) + "->" + to, "any");
      entry.profile("gather").profile("int8-inference");
      std::string x = tensorText({-1}, from), t = tensorText({size}, from),
                  r = tensorText({-1}, to);
      primFunction(entry, {x, t}, r,
                   "%r = prim.table %a0, %a1 : " + x + ", " + t + " -> " + r);
      for (int64_t n : {0, 1, 37, 600})
        for (const char *fill : {"plain", "bits"})
          addCall(entry, "n" + std::to_string(n) + "-" + fill,
                  {of({n}, fill), of({size}, "bits")});
    }
  });
}

void addPrecisions() {
  addRecipe("prim.reduce_precision", [](Plan &plan) {
    for (StringRef type : floatTypes())
      for (auto [exponent, mantissa] : {std::pair(5, 10),
                                        {8, 7},
                                        {5, 2},
                                        {4, 3},
                                        {8, 23},
                                        {11, 52},
                                        {2, 0},
                                        {1, 30},
                                        {8, 5}}) {
        Entry &entry = plan.add("prim.reduce_precision", type,
                                "e" + Twine(exponent) + "m" + Twine(mantissa));
        entry.isProposal = true;
        entry.profile("elementwise");
        std::string x = tensorText({-1, 9}, type);
        primFunction(entry, {x}, x,
                     "%r = prim.reduce_precision %a0 exponent " +
                         std::to_string(exponent) + " mantissa " +
                         std::to_string(mantissa) + " : " + x);
        for (const char *fill : {"plain", "hurt", "bits", "ties"})
          addCall(entry, fill, {of({40, 9}, fill)});
        addCall(entry, "empty", {of({0, 9})});
      }
  });
}

/// Elements as parts of one another, by widths that are multiples.
void addBitcasts() {
  addRecipe("prim.bitcast_convert", [](Plan &plan) {
    const std::pair<StringRef, int64_t> types[] = {
        {"i8", 8},   {"i16", 16}, {"f16", 16}, {"bf16", 16},
        {"i32", 32}, {"f32", 32}, {"i64", 64}, {"f64", 64}};
    for (auto [from, own] : types)
      for (auto [to, other] : types) {
        Entry &entry = plan.add("prim.bitcast_convert",
                                from.str() + "->" + to.str(), "any");
        entry.profile("movement");
        Shape in = {-1, 3}, out = in, given = {7, 3};
        if (other < own)
          out.push_back(own / other);
        if (other > own) {
          in.push_back(other / own);
          given.push_back(other / own);
        }
        std::string x = tensorText(in, from), r = tensorText(out, to);
        primFunction(entry, {x}, r,
                     "%r = prim.bitcast_convert %a0 : " + x + " -> " + r);
        for (const char *fill : {"plain", "bits"})
          addCall(entry, fill, {of(given, fill)});
        given[0] = 0;
        addCall(entry, "empty", {of(given)});
      }
  });
}

void addRandomBits() {
  addRecipe("prim.random_bits", [](Plan &plan) {
    for (StringRef type : integerTypes())
      for (StringRef algorithm : {"philox", "philox_word", "threefry"}) {
        Entry &entry = plan.add("prim.random_bits", type, algorithm);
        entry.profile("elementwise");
        std::string key = tensorText({2}, "i32"),
                    counter =
                        tensorText({algorithm == "threefry" ? 2 : 4}, "i32"),
                    r = tensorText({5, 37}, type);
        primFunction(entry, {key, counter}, r,
                     "%r = prim.random_bits " + algorithm.str() +
                         " %a0, %a1 : " + key + ", " + counter + " -> " + r);
        Shape words = {algorithm == "threefry" ? 2 : 4};
        for (const char *fill : {"plain", "bits", "hurt"})
          addCall(entry, fill, {of({2}, fill), of(words, fill)});
      }
  });
}

} // namespace

void kiln::conform::addPrimOthers() {
  addRandomBits();
  addPrecisions();
  addBitcasts();
  addClamps();
  addRescales();
  addTables();
}
