//===- PrimMovement.cpp - Operations of prim that move elements -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Registry.h"
#include "Text.h"
#include "llvm/ADT/STLExtras.h"

using namespace kiln::conform;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// One form of an operation: `from` and `to` are the shapes of the types (-1 is
/// `?`), the calls have shapes for the operands.
struct Movement {
  const char *form;
  std::vector<Shape> from;
  Shape to;
  const char *pattern; ///< $X, $Y, $R are types, $T the element's
  std::vector<std::vector<Shape>> calls;
};

void addMovement(Plan &plan, StringRef op, StringRef type,
                 const Movement &movement) {
  Entry &entry = plan.add(op, type, movement.form);
  entry.isBitwise = true;
  entry.profile("movement");
  std::vector<std::string> types;
  for (const Shape &shape : movement.from)
    types.push_back(tensorText(shape, type));
  Words words = {{"T", type.str()},
                 {"R", tensorText(movement.to, type)},
                 {"zero", isFloatText(type) ? "-0.0"
                          : type == "i1"    ? "true"
                                            : "-3"},
                 {"V", type == "i1" ? "" : ": " + type.str()}};
  const char *names[] = {"X", "Y", "Z"};
  for (auto [i, text] : llvm::enumerate(types))
    words.push_back({names[i], text});
  // Sizes of the result that follow from those of the operand.
  std::string sizes;
  if (StringRef(movement.pattern).contains("%n"))
    sizes = fillIn(
        "%c0 = arith.constant 0 : index\n  %n = tensor.dim %a0, %c0 : $X\n  ",
        words);
  primFunction(entry, types, tensorText(movement.to, type),
               sizes + "%r = " + fillIn(movement.pattern, words));
  for (const auto &shapes : movement.calls)
    for (const char *fill : {"plain", "bits"}) {
      std::vector<CallArgument> args;
      std::string name;
      for (const Shape &shape : shapes) {
        args.push_back(of(shape, fill));
        name += (name.empty() ? "" : "+") +
                (shape.empty() ? std::string("scalar") : nameText(shape));
      }
      addCall(entry, name + "-" + fill, args);
    }
}

void addMovements(StringRef op, std::vector<Movement> movements) {
  addRecipe(op, [op = op.str(), movements](Plan &plan) {
    for (StringRef type :
         {"f32", "f64", "f16", "bf16", "i32", "i64", "i8", "i16", "i1"})
      for (const Movement &movement : movements)
        addMovement(plan, op, type, movement);
  });
}

void addGather() {
  addRecipe("prim.gather", [](Plan &plan) {
    struct Form {
      const char *name;
      Shape operand, indices, result;
      int64_t dim, batch;
      std::vector<std::pair<Shape, Shape>> calls;
    };
    const std::vector<Form> forms = {
        {"rows",
         {-1, 8},
         {-1},
         {-1, 8},
         0,
         0,
         {{{10, 8}, {4}}, {{100, 8}, {37}}, {{1, 8}, {3}}, {{5, 8}, {0}}}},
        {"table", {50, 16}, {3, 7}, {3, 7, 16}, 0, 0, {{{50, 16}, {3, 7}}}},
        {"columns", {6, 20}, {5}, {6, 5}, 1, 0, {{{6, 20}, {5}}}},
        {"batched", {4, 9, 5}, {4, 3}, {4, 3, 5}, 1, 1, {{{4, 9, 5}, {4, 3}}}},
        {"scalar", {12, 3}, {}, {3}, 0, 0, {{{12, 3}, {}}}}};
    for (StringRef type :
         {"f32", "f64", "f16", "bf16", "i32", "i64", "i8", "i16", "i1"})
      for (StringRef index : {"i32", "i64"})
        for (const Form &form : forms) {
          Entry &entry = plan.add("prim.gather", type.str() + "," + index.str(),
                                  form.name);
          entry.isBitwise = true;
          entry.profile("gather");
          std::string x = tensorText(form.operand, type),
                      i = tensorText(form.indices, index),
                      r = tensorText(form.result, type);
          primFunction(entry, {x, i}, r,
                       "%r = prim.gather %a0, %a1 dim " +
                           std::to_string(form.dim) + " batch_dims " +
                           std::to_string(form.batch) + " : " + x + ", " + i +
                           " -> " + r);
          for (const auto &[operand, indices] : form.calls)
            addCall(
                entry,
                nameText(operand) + "-" +
                    (indices.empty() ? "one" : nameText(indices)),
                {of(operand, "bits"),
                 of(indices, Fill(0, double(operand[size_t(form.dim)] - 1)))});
        }
  });
}

void addCreation() {
  addRecipe("prim.full", [](Plan &plan) {
    for (StringRef type :
         {"f32", "f64", "f16", "bf16", "i32", "i64", "i8", "i16", "i1"})
      for (const char *value : {"0", "1", "-1", "100"}) {
        bool isFloat = isFloatText(type);
        if (type == "i1" && value[0] != '0' && value[0] != '1')
          continue;
        Entry &entry = plan.add("prim.full", type, Twine("static-") + value);
        entry.isProposal = true;
        entry.profile("movement");
        std::string text =
            type == "i1"
                ? (value[0] == '1' ? "true" : "false")
                : std::string(value) + (isFloat ? ".5 : " : " : ") + type.str();
        primFunction(entry, {}, tensorText({5, 9}, type),
                     "%r = prim.full " + text + " : " +
                         tensorText({5, 9}, type));
        addCall(entry, "only", {});
        Entry &any = plan.add("prim.full", type, Twine("dynamic-") + value);
        any.isProposal = true;
        any.profile("movement");
        primFunction(
            any, {tensorText({-1}, type)}, tensorText({-1, 3}, type),
            "%c0 = arith.constant 0 : index\n  %n = tensor.dim %a0, %c0 : " +
                tensorText({-1}, type) + "\n  %r = prim.full " + text +
                " sizes (%n) : " + tensorText({-1, 3}, type));
        for (int64_t n : {0, 1, 37})
          addCall(any, "n" + std::to_string(n), {of({n})});
      }
  });
  addRecipe("prim.iota", [](Plan &plan) {
    for (StringRef type :
         {"f32", "f64", "f16", "bf16", "i32", "i64", "i8", "i16"})
      for (const Shape &shape : std::vector<Shape>{{300}, {7, 37}, {2, 3, 5}})
        for (size_t dim = 0; dim < shape.size(); ++dim) {
          Entry &entry = plan.add("prim.iota", type,
                                  nameText(shape) + ".dim" + Twine(dim));
          entry.profile("movement");
          primFunction(entry, {}, tensorText(shape, type),
                       "%r = prim.iota dim " + std::to_string(dim) + " : " +
                           tensorText(shape, type));
          addCall(entry, "only", {});
        }
  });
  addRecipe("prim.constant", [](Plan &plan) {
    for (StringRef type : {"f32", "f64", "f16", "bf16"}) {
      Entry &entry = plan.add("prim.constant", type, "list");
      entry.isBitwise = true;
      entry.profile("movement");
      primFunction(
          entry, {}, tensorText({5}, type),
          "%r = prim.constant dense<[1.0, -0.0, 2.5, -3.25, 100.0]> : " +
              tensorText({5}, type));
      addCall(entry, "only", {});
    }
    for (StringRef type : {"i32", "i64", "i8", "i16"}) {
      Entry &entry = plan.add("prim.constant", type, "list");
      entry.profile("movement");
      primFunction(entry, {}, tensorText({2, 3}, type),
                   "%r = prim.constant dense<[[1, -2, 3], [100, -100, 0]]> : " +
                       tensorText({2, 3}, type));
      addCall(entry, "only", {});
    }
    Entry &truth = plan.add("prim.constant", "i1", "list");
    truth.profile("movement");
    primFunction(
        truth, {}, "tensor<4xi1>",
        "%r = prim.constant dense<[true, false, false, true]> : tensor<4xi1>");
    addCall(truth, "only", {});
  });
}

} // namespace

static void addShapes() {
  addMovements("prim.broadcast_in_dim",
               {{"vector",
                 {{8}},
                 {4, 8},
                 "prim.broadcast_in_dim %a0 dims [1] : $X -> $R",
                 {{{8}}}},
                {"column",
                 {{5, 1}},
                 {5, 37},
                 "prim.broadcast_in_dim %a0 dims [0, 1] : $X -> $R",
                 {{{5, 1}}}},
                {"scalar",
                 {{}},
                 {3, 5},
                 "prim.broadcast_in_dim %a0 dims [] : $X -> $R",
                 {{{}}}},
                {"high",
                 {{3, 1}},
                 {2, 3, 4, 5},
                 "prim.broadcast_in_dim %a0 dims [1, 3] : $X -> $R",
                 {{{3, 1}}}},
                {"dynamic",
                 {{-1}},
                 {7, -1},
                 "prim.broadcast_in_dim %a0 dims [1] sizes (%n) : $X -> $R",
                 {{{1}}, {{37}}, {{0}}}}});
  addMovements(
      "prim.reshape",
      {{"flat", {{4, 9}}, {36}, "prim.reshape %a0 : $X -> $R", {{{4, 9}}}},
       {"regroup",
        {{6, 10}},
        {3, 4, 5},
        "prim.reshape %a0 : $X -> $R",
        {{{6, 10}}}},
       {"ones", {{7}}, {1, 7, 1}, "prim.reshape %a0 : $X -> $R", {{{7}}}},
       {"empty", {{0, 4}}, {2, 0}, "prim.reshape %a0 : $X -> $R", {{{0, 4}}}}});
  addMovements("prim.transpose",
               {{"matrix",
                 {{-1, -1}},
                 {-1, -1},
                 "prim.transpose %a0 permutation [1, 0] : $X -> $R",
                 {{{5, 37}}, {{64, 64}}, {{1, 9}}, {{0, 3}}}},
                {"cycle",
                 {{2, 3, 7}},
                 {7, 2, 3},
                 "prim.transpose %a0 permutation [2, 0, 1] : $X -> $R",
                 {{{2, 3, 7}}}},
                {"high",
                 {{2, 3, 4, 5, 2}},
                 {5, 2, 2, 4, 3},
                 "prim.transpose %a0 permutation [3, 0, 4, 2, 1] : $X -> $R",
                 {{{2, 3, 4, 5, 2}}}}});
}

static void addSlices() {
  addMovements(
      "prim.slice",
      {{"rows",
        {{12, 20}},
        {4, 20},
        "prim.slice %a0 starts [3, 0] limits [7, 20] strides [1, 1] : $X -> $R",
        {{{12, 20}}}},
       {"strided",
        {{13, 37}},
        {6, 9},
        "prim.slice %a0 starts [1, 2] limits [12, 36] strides [2, 4] : $X -> "
        "$R",
        {{{13, 37}}}},
       {"nothing",
        {{6, 5}},
        {0, 5},
        "prim.slice %a0 starts [2, 0] limits [2, 5] strides [1, 1] : $X -> $R",
        {{{6, 5}}}},
       {"dynamic",
        {{-1, 8}},
        {-1, 8},
        "prim.slice %a0 starts [2, 0] limits [-1, 8] strides [3, 1] : $X -> $R",
        {{{2, 8}}, {{9, 8}}, {{40, 8}}}}});
  addMovements("prim.rev", {{"rows",
                             {{-1, 9}},
                             {-1, 9},
                             "prim.rev %a0 dims [0] : $X",
                             {{{7, 9}}, {{0, 9}}}},
                            {"both",
                             {{5, 37}},
                             {5, 37},
                             "prim.rev %a0 dims [0, 1] : $X",
                             {{{5, 37}}}},
                            {"middle",
                             {{3, 4, 5}},
                             {3, 4, 5},
                             "prim.rev %a0 dims [1] : $X",
                             {{{3, 4, 5}}}}});
}

static void addJoins() {
  addMovements("prim.cat", {{"rows",
                             {{4, 8}, {3, 8}},
                             {7, 8},
                             "prim.cat %a0, %a1 dim 0 : $X, $Y -> $R",
                             {{{4, 8}, {3, 8}}}},
                            {"columns",
                             {{5, 3}, {5, 30}},
                             {5, 33},
                             "prim.cat %a0, %a1 dim 1 : $X, $Y -> $R",
                             {{{5, 3}, {5, 30}}}},
                            {"three",
                             {{2, 5}, {0, 5}, {1, 5}},
                             {3, 5},
                             "prim.cat %a0, %a1, %a2 dim 0 : $X, $Y, $Z -> $R",
                             {{{2, 5}, {0, 5}, {1, 5}}}},
                            {"dynamic",
                             {{-1, 4}, {-1, 4}},
                             {-1, 4},
                             "prim.cat %a0, %a1 dim 0 : $X, $Y -> $R",
                             {{{3, 4}, {9, 4}}, {{0, 4}, {5, 4}}}}});
  addMovements(
      "prim.pad",
      {{"matrix",
        {{4, 8}},
        {7, 13},
        "prim.pad %a0 low [1, 0] high [2, 5] value $zero $V : $X -> $R",
        {{{4, 8}}}},
       {"dynamic",
        {{-1, 5}},
        {-1, 7},
        "prim.pad %a0 low [2, 1] high [0, 1] value $zero $V : $X -> $R",
        {{{6, 5}}, {{0, 5}}}},
       {"cube",
        {{2, 3, 4}},
        {3, 3, 6},
        "prim.pad %a0 low [0, 0, 2] high [1, 0, 0] value $zero $V : $X -> $R",
        {{{2, 3, 4}}}}});
}

void kiln::conform::addPrimMovement() {
  addShapes();
  addSlices();
  addJoins();
  addGather();
  addCreation();
}
