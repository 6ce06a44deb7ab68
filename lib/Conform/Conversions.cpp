//===- Conversions.cpp - Conversions whose operands are restricted --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Registry.h"
#include "Text.h"
#include <cmath>

using namespace kiln::conform;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// A block of numbers of one type to one of another.
Entry &
addFlat(Plan &plan, StringRef op, StringRef from, StringRef to,
        const Twine &form,
        llvm::function_ref<std::string(KernelText &, std::string)> convert) {
  Entry &entry = plan.add(op, from.str() + "->" + to.str(), form);
  entry.profile("elementwise");
  KernelText kernel(entry);
  std::string in = kernel.view({-1}, from), out = kernel.view({-1}, to, true);
  auto ids = kernel.programId();
  std::string x = kernel.load(in, ids, {64}, from);
  kernel.store(convert(kernel, x), out, ids, {64}, to);
  kernel.finish();
  return entry;
}

void callFlat(Entry &entry, StringRef name, int64_t n, Fill fill) {
  addCall(entry, name, {of({n}, fill), of({n})},
          {std::max<int64_t>(1, ceilDiv(n, 64)), 1, 1});
}

/// To integers: what does not fit has no value, so it is not there, or a
/// selection drops it.
void addToInteger(Plan &plan, bool isSigned) {
  std::string op = isSigned ? "arith.fptosi" : "arith.fptoui";
  for (StringRef from : {"f32", "f64", "f16", "bf16", "f8E4M3FN", "f8E5M2"})
    for (StringRef to : {"i8", "i16", "i32", "i64"}) {
      int width = 64;
      to.drop_front().getAsInteger(10, width);
      double most = std::ldexp(1.0, width - (isSigned ? 1 : 0)) * 0.99;
      most = std::min(most, from == "f16"            ? 65000.
                            : from.starts_with("f8") ? 400.
                                                     : 1e300);
      double least = isSigned ? -most : -0.9;
      Entry &entry = addFlat(plan, op, from, to, "flat",
                             [&](KernelText &kernel, std::string x) {
                               return kernel.op(op + " " + Twine(x) + " : " +
                                                tensorText({64}, from) +
                                                " to " + tensorText({64}, to));
                             });
      entry.variant = "";
      callFlat(entry, "n0-plain", 0, "plain");
      callFlat(entry, "n37-small", 37, Fill(isSigned ? -100 : 0, 100));
      callFlat(entry, "n300-near-zero", 300, Fill(isSigned ? -2.5 : -0.9, 2.5));
      // Narrow types round what lies at the edge beyond it.
      double inner = from.starts_with("f8") ? 0.8 : 0.98;
      callFlat(entry, "n300-all", 300,
               Fill(least * (isSigned ? inner : 1), most * inner));
      Entry &masked = addFlat(
          plan, op, from, to, "masked", [&](KernelText &kernel, std::string x) {
            std::string F = tensorText({64}, from), I = tensorText({64}, to);
            std::string low =
                kernel.op("arith.constant dense<" +
                          Twine(isSigned ? "-100.0" : "-0.5") + "> : " + F);
            std::string high =
                kernel.op("arith.constant dense<100.0> : " + Twine(F));
            std::string y =
                kernel.op(op + " " + Twine(x) + " : " + F + " to " + I);
            std::string a = kernel.op("arith.cmpf oge, " + Twine(x) + ", " +
                                      low + " : " + F);
            std::string b = kernel.op("arith.cmpf ole, " + Twine(x) + ", " +
                                      high + " : " + F);
            std::string both = kernel.op("arith.andi " + Twine(a) + ", " + b +
                                         " : " + tensorText({64}, "i1"));
            std::string zero =
                kernel.op("arith.constant dense<0> : " + Twine(I));
            return kernel.op("arith.select " + Twine(both) + ", " + y + ", " +
                             zero + " : " + tensorText({64}, "i1") + ", " + I);
          });
      for (const char *fill : {"hurt", "bits", "ties"})
        callFlat(masked, fill, 250, fill);
    }
}

void addIndexCasts() {
  for (const char *op : {"arith.index_cast", "arith.index_castui"})
    addRecipe(op, [op = std::string(op)](Plan &plan) {
      for (StringRef from : {"i8", "i16", "i32", "i64"})
        for (StringRef to : {"i8", "i16", "i32", "i64"}) {
          Entry &entry = addFlat(plan, op, from, to, "flat",
                                 [&](KernelText &kernel, std::string x) {
                                   std::string wide =
                                       kernel.op(op + " " + Twine(x) + " : " +
                                                 tensorText({64}, from) +
                                                 " to tensor<64xindex>");
                                   return kernel.op(op + " " + Twine(wide) +
                                                    " : tensor<64xindex> to " +
                                                    tensorText({64}, to));
                                 });
          for (const char *fill : {"plain", "hurt", "bits"})
            callFlat(entry, fill, 150, fill);
        }
    });
}

/// Division whose lanes without a value are dropped: they must not trap.
void addMaskedDivisions() {
  addRecipe("arith.divsi, masked", [](Plan &plan) {
    for (const char *name : {"divsi", "divui", "remsi", "remui", "floordivsi",
                             "ceildivsi", "ceildivui"})
      for (StringRef type : integerTypes()) {
        Entry &entry = plan.add(std::string("arith.") + name, type, "masked");
        entry.profile("elementwise");
        KernelText kernel(entry);
        std::string a = kernel.view({-1}, type), b = kernel.view({-1}, type),
                    out = kernel.view({-1}, type, true);
        auto ids = kernel.programId();
        std::string T = tensorText({64}, type), M = tensorText({64}, "i1");
        std::string x = kernel.load(a, ids, {64}, type),
                    y = kernel.load(b, ids, {64}, type);
        std::string q =
            kernel.op("arith." + Twine(name) + " " + x + ", " + y + " : " + T);
        std::string zero = kernel.op("arith.constant dense<0> : " + Twine(T)),
                    minus = kernel.op("arith.constant dense<-1> : " + Twine(T));
        std::string n =
            kernel.op("arith.cmpi ne, " + Twine(y) + ", " + zero + " : " + T);
        std::string m =
            kernel.op("arith.cmpi ne, " + Twine(y) + ", " + minus + " : " + T);
        std::string both =
            kernel.op("arith.andi " + Twine(n) + ", " + m + " : " + M);
        kernel.store(kernel.op("arith.select " + Twine(both) + ", " + q + ", " +
                               zero + " : " + M + ", " + T),
                     out, ids, {64}, type);
        kernel.finish();
        for (auto [fill, n] :
             {std::pair("hurt", 400), {"bits", 500}, {"plain", 37}})
          addCall(entry, fill, {of({n}, fill), of({n}, fill), of({n})},
                  {ceilDiv(n, 64), 1, 1});
      }
  });
}

void addConstants() {
  addRecipe("arith.constant", [](Plan &plan) {
    for (StringRef type : movableTypes())
      for (const char *form : {"splat", "list"}) {
        bool isFloat = isFloatText(type), isSplat = StringRef(form) == "splat";
        Entry &entry = plan.add("arith.constant", type, form);
        entry.isBitwise = true;
        entry.profile("movement");
        KernelText kernel(entry);
        std::string out = kernel.view({4}, type, true), zero = kernel.index(0);
        std::string values =
            type == "i1" ? (isSplat ? "true" : "[true, false, false, true]")
            : isFloat    ? (isSplat ? "-0.0" : "[1.0, -0.0, 1.5, -3.0]")
                         : (isSplat ? "-1" : "[1, -2, 100, 0]");
        kernel.store(kernel.op("arith.constant dense<" + Twine(values) +
                               "> : " + tensorText({4}, type)),
                     out, {zero}, {4}, type);
        kernel.finish();
        addCall(entry, "only", {of({4})});
      }
  });
}

} // namespace

void kiln::conform::addConversions() {
  addRecipe("arith.fptosi", [](Plan &plan) { addToInteger(plan, true); });
  addRecipe("arith.fptoui", [](Plan &plan) { addToInteger(plan, false); });
  addIndexCasts();
  addMaskedDivisions();
  addConstants();
}
