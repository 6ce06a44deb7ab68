//===- PrimReductions.cpp - Reductions and norms of prim ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Registry.h"
#include "Text.h"
#include "llvm/ADT/STLExtras.h"

using namespace kiln::conform;
using llvm::StringRef;
using llvm::Twine;

namespace {

struct Form {
  const char *name;
  Shape from, to;
  Shape dims;
  std::vector<Shape> calls;
};

const std::vector<Form> kForms = {
    {"rows",
     {-1, -1},
     {-1},
     {1},
     {{8, 64}, {5, 37}, {1, 1}, {3, 1000}, {0, 5}, {4, 0}}},
    {"columns", {-1, 24}, {24}, {0}, {{16, 24}, {37, 24}, {1, 24}}},
    {"all", {6, 35}, {}, {0, 1}, {{6, 35}}},
    {"middle", {3, 19, 4}, {3, 4}, {1}, {{3, 19, 4}}},
    {"outer", {3, 5, 7, 2}, {5, 2}, {0, 2}, {{3, 5, 7, 2}}},
    {"none", {4, 5}, {4, 5}, {}, {{4, 5}}}};

void addReductions(StringRef op, bool rounds, bool hasTruth) {
  addRecipe(op, [=, op = op.str()](Plan &plan) {
    for (StringRef type :
         {"f32", "f64", "f16", "bf16", "i32", "i64", "i8", "i16", "i1"}) {
      if (type == "i1" && !hasTruth)
        continue;
      for (const Form &form : kForms) {
        Entry &entry = plan.add(op, type, form.name);
        entry.hasFreeZeros = rounds;
        entry.profile("reduction");
        std::string x = tensorText(form.from, type),
                    r = tensorText(form.to, type);
        primFunction(entry, {x}, r,
                     "%r = " + op + " %a0 dims [" + listText(form.dims) +
                         "] : " + x + " -> " + r);
        for (const Shape &shape : form.calls)
          for (const char *fill : {"plain", "hurt", "cancel", "bits"}) {
            Fill values = fill;
            bool isProduct = StringRef(op).ends_with("prod");
            if (isFloatText(type) && isProduct && StringRef(fill) != "hurt") {
              if (StringRef(fill) != "plain")
                continue;
              values = Fill(0.8, 1.2);
            }
            if (isFloatText(type) && rounds && StringRef(fill) == "bits")
              continue;
            if (!isFloatText(type) && StringRef(fill) == "cancel")
              continue;
            addCall(entry, nameText(shape) + "-" + fill, {of(shape, values)});
          }
      }
    }
  });
}

void addArgmax() {
  addRecipe("prim.argmax", [](Plan &plan) {
    for (StringRef type :
         {"f32", "f64", "f16", "bf16", "i32", "i64", "i8", "i16"})
      for (StringRef result : {"i32", "i64"})
        for (bool ignoresNan : {false, true})
          for (auto [from, to, dim] : {std::tuple(Shape{-1, 37}, Shape{-1}, 1),
                                       {Shape{16, 5}, Shape{5}, 0},
                                       {Shape{2, 9, 4}, Shape{2, 4}, 1}}) {
            Entry &entry =
                plan.add("prim.argmax", type.str() + "->" + result.str(),
                         "dim" + Twine(dim) + "of" + Twine(from.size()) +
                             (ignoresNan ? ".ignore_nan" : ""));
            entry.isProposal = true;
            entry.profile("reduction");
            std::string x = tensorText(from, type), r = tensorText(to, result);
            primFunction(entry, {x}, r,
                         "%r = prim.argmax %a0 dim " + std::to_string(dim) +
                             (ignoresNan ? " ignore_nan" : "") + " : " + x +
                             " -> " + r);
            Shape shape = from;
            if (shape[0] < 0)
              shape[0] = 8;
            for (const char *fill : {"plain", "hurt", "bits"})
              addCall(entry, fill, {of(shape, fill)});
            addCall(entry, "equals", {of(shape, Fill(1, 3))});
          }
  });
}

/// Operations of rows: softmax and norms.
void addRowOps() {
  addRecipe("prim.softmax", [](Plan &plan) {
    for (StringRef type : floatTypes())
      for (auto [shape, dim, calls] :
           {std::tuple(
                Shape{-1, -1}, 1,
                std::vector<Shape>{{4, 64}, {5, 37}, {1, 1}, {3, 500}, {0, 7}}),
            {Shape{6, 9}, 0, std::vector<Shape>{{6, 9}}},
            {Shape{2, 11, 3}, 1, std::vector<Shape>{{2, 11, 3}}}}) {
        Entry &entry =
            plan.add("prim.softmax", type,
                     "dim" + Twine(dim) + "of" + Twine(shape.size()));
        entry.profile("reduction").profile("composite");
        std::string x = tensorText(shape, type);
        primFunction(entry, {x}, x,
                     "%r = prim.softmax %a0 dim " + std::to_string(dim) +
                         " : " + x);
        for (const Shape &call : calls) {
          addCall(entry, nameText(call) + "-plain", {of(call)});
          addCall(entry, nameText(call) + "-wide", {of(call, Fill(-80, 80))});
          addCall(entry, nameText(call) + "-seldom", {of(call, "seldom")});
        }
      }
  });
  for (bool isLayer : {false, true})
    addRecipe(isLayer ? "prim.layer_norm" : "prim.rms_norm", [isLayer](
                                                                 Plan &plan) {
      std::string op = isLayer ? "prim.layer_norm" : "prim.rms_norm";
      for (StringRef type : floatTypes())
        for (auto [shape, axes] : {std::pair(Shape{4, 64}, 1),
                                   {Shape{5, 37}, 1},
                                   {Shape{3, 4, 6}, 2},
                                   {Shape{-1, 48}, 1}})
          for (int extras : {0, 1, 2}) {
            if (extras == 2 && !isLayer)
              continue;
            Entry &entry = plan.add(
                op, type,
                (shape[0] < 0 ? std::string("dynamic") : nameText(shape)) +
                    (extras == 0   ? ""
                     : extras == 1 ? ".weight"
                                   : ".weight.bias"));
            entry.profile("reduction").profile("composite");
            entry.hasFreeZeros = true;
            Shape last(shape.end() - axes, shape.end()), call = shape;
            if (call[0] < 0)
              call[0] = 7;
            std::string x = tensorText(shape, type), w = tensorText(last, type);
            std::vector<std::string> operands(size_t(1), x);
            operands.insert(operands.end(), size_t(extras), w);
            std::string text = "%r = " + op + " %a0" +
                               (extras > 0 ? " weight %a1" : "") +
                               (extras > 1 ? " bias %a2" : "") + " axes " +
                               std::to_string(axes) + " eps 1.0e-5 : " + x;
            for (int i = 0; i < extras; ++i)
              text += ", " + w;
            primFunction(entry, operands, x, text);
            for (const char *fill : {"plain", "seldom", "zero"}) {
              std::vector<CallArgument> args = {of(call, fill)};
              for (int i = 0; i < extras; ++i)
                args.push_back(of(last));
              addCall(entry, fill, args);
            }
          }
    });
}

} // namespace

void kiln::conform::addPrimReductions() {
  addReductions("prim.sum", true, false);
  addReductions("prim.prod", true, false);
  addReductions("prim.amax", false, true);
  addReductions("prim.amin", false, true);
  addArgmax();
  addRowOps();
}
