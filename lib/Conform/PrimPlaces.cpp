//===- PrimPlaces.cpp - Control flow, computed places, scans, orders ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Registry.h"
#include "Text.h"

using namespace kiln::conform;
using llvm::StringRef;
using llvm::Twine;

namespace {

void addControl() {
  addRecipe("prim.if", [](Plan &plan) {
    for (StringRef type : {"f32", "i32", "i1", "bf16"}) {
      Entry &entry = plan.add("prim.if", type, "sizes");
      entry.isBitwise = true;
      entry.profile("control");
      std::string x = tensorText({-1, 5}, type), p = tensorText({}, "i1");
      primFunction(entry, {p, x, x}, x,
                   "%c0 = arith.constant 0 : index\n  %n = tensor.dim %a1, %c0 "
                   ": " +
                       x + "\n  %r = prim.if %a0 sizes (%n) : " + p + " -> (" +
                       x + ") {\n  prim.yield %a1 : " + x +
                       "\n  } else {\n  %o = prim.rev %a2 dims [1] : " + x +
                       "\n  prim.yield %o : " + x + "\n  }");
      for (int64_t n : {0, 1, 9})
        for (int truth : {0, 1})
          addCall(entry, "n" + std::to_string(n) + (truth ? "-yes" : "-no"),
                  {of({}, Fill(truth, truth)), of({n, 5}), of({n, 5})});
    }
  });
  addRecipe("prim.while", [](Plan &plan) {
    for (StringRef type : {"f32", "i32", "f16"}) {
      Entry &entry = plan.add("prim.while", type, "count");
      entry.profile("control");
      std::string x = tensorText({-1}, type), c = tensorText({}, "i32");
      std::string both = "(" + c + ", " + x + ")";
      primFunction(
          entry, {c, x}, x,
          "%zero = prim.constant dense<0> : " + c +
              "\n  %one = prim.constant dense<1> : " + c +
              "\n  %m, %r = prim.while (%zero, %a1) : " + both + " -> " + both +
              " {\n  ^bb0(%i: " + c + ", %y: " + x +
              "):\n  %p = prim.lt %i, %a0 : " + c +
              " -> tensor<i1>\n  prim.yield %p : tensor<i1>\n  } do {\n  "
              "^bb0(%i: " +
              c + ", %y: " + x + "):\n  %j = prim.add %i, %one : " + c +
              "\n  %z = prim.rev %y dims [0] : " + x +
              "\n  prim.yield %j, %z : " + c + ", " + x + "\n  }");
      for (int64_t n : {0, 1, 37})
        for (int count : {0, 1, 4})
          addCall(entry, "n" + std::to_string(n) + "-" + std::to_string(count),
                  {of({}, Fill(count, count)), of({n})});
    }
  });
}

void addDynamic() {
  addRecipe("prim.dynamic_slice", [](Plan &plan) {
    for (StringRef type : movableTypes())
      if (!type.starts_with("f8")) {
        Entry &entry = plan.add("prim.dynamic_slice", type, "any");
        entry.isBitwise = true;
        entry.profile("gather");
        std::string x = tensorText({7, 9}, type), i = tensorText({}, "i32"),
                    r = tensorText({3, 4}, type);
        primFunction(entry, {x, i, i}, r,
                     "%r = prim.dynamic_slice %a0 starts (%a1, %a2) : " + x +
                         ", " + i + ", " + i + " -> " + r);
        for (int at : {-3, 0, 2, 8})
          addCall(
              entry, "at" + std::to_string(at),
              {of({7, 9}, "bits"), of({}, Fill(at, at)), of({}, Fill(1, 1))});
      }
  });
  addRecipe("prim.dynamic_update_slice", [](Plan &plan) {
    for (StringRef type : movableTypes())
      if (!type.starts_with("f8"))
        for (const Shape &part : {Shape{1, 9}, Shape{3, 4}, Shape{7, 2}}) {
          Entry &entry =
              plan.add("prim.dynamic_update_slice", type, nameText(part));
          entry.isBitwise = true;
          entry.profile("gather");
          std::string x = tensorText({7, 9}, type), i = tensorText({}, "i64"),
                      u = tensorText(part, type);
          primFunction(
              entry, {x, u, i, i}, x,
              "%r = prim.dynamic_update_slice %a0, %a1 starts (%a2, %a3) : " +
                  x + ", " + u + ", " + i + ", " + i);
          for (int at : {-3, 0, 2, 8})
            addCall(entry, "at" + std::to_string(at),
                    {of({7, 9}, "bits"), of(part, "bits"), of({}, Fill(at, at)),
                     of({}, Fill(at, at))});
        }
  });
  addRecipe("prim.to_index", [](Plan &plan) {
    for (StringRef type : integerTypes()) {
      Entry &entry = plan.add("prim.to_index", type, "size");
      entry.profile("elementwise");
      std::string x = tensorText({}, type), r = tensorText({-1}, "i32");
      primFunction(entry, {x}, r,
                   "%n = prim.to_index %a0 : " + x +
                       "\n  %r = prim.iota dim 0 sizes (%n) : " + r);
      for (int n : {0, 1, 100})
        addCall(entry, "n" + std::to_string(n), {of({}, Fill(n, n))});
    }
  });
  addRecipe("prim.from_index", [](Plan &plan) {
    for (StringRef type : integerTypes()) {
      Entry &entry = plan.add("prim.from_index", type, "size");
      entry.profile("elementwise");
      std::string x = tensorText({-1}, type), r = tensorText({}, type);
      primFunction(entry, {x}, r,
                   "%c0 = arith.constant 0 : index\n  %n = tensor.dim %a0, %c0 "
                   ": " +
                       x + "\n  %r = prim.from_index %n : " + r);
      for (int64_t n : {0, 1, 300})
        addCall(entry, "n" + std::to_string(n), {of({n})});
    }
  });
}

void addPlaces() {
  addRecipe("prim.gather_slices", [](Plan &plan) {
    struct Form {
      const char *name, *clauses;
      Shape operand, indices, result;
    };
    const Form forms[] = {{"rows",
                           "dims [0] batch_dims 0 slice_sizes [1, -1]",
                           {9, 8},
                           {5, 1},
                           {5, 1, 8}},
                          {"two",
                           "dims [2, 0] batch_dims 0 slice_sizes [2, -1, 1]",
                           {5, 4, 6},
                           {3, 2},
                           {3, 2, 4, 1}},
                          {"batch",
                           "dims [1] batch_dims 1 slice_sizes [3]",
                           {4, 9},
                           {4, 2, 1},
                           {4, 2, 3}}};
    for (StringRef type : {"f32", "f16", "i32", "i64", "i8", "i1"})
      for (const Form &form : forms) {
        Entry &entry = plan.add("prim.gather_slices", type, form.name);
        entry.isBitwise = true;
        entry.profile("gather");
        std::string x = tensorText(form.operand, type),
                    i = tensorText(form.indices, "i32"),
                    r = tensorText(form.result, type);
        primFunction(entry, {x, i}, r,
                     "%r = prim.gather_slices %a0, %a1 " +
                         std::string(form.clauses) + " : " + x + ", " + i +
                         " -> " + r);
        addCall(entry, "inside",
                {of(form.operand, "bits"), of(form.indices, Fill(0, 3))});
        addCall(entry, "beyond",
                {of(form.operand, "bits"), of(form.indices, Fill(-9, 20))});
      }
  });
  addRecipe("prim.scatter", [](Plan &plan) {
    struct Form {
      const char *name, *clauses;
      Shape operand, indices, updates;
    };
    // The first two have enough places for stores that combine.
    const Form forms[] = {
        {"rows", "dims [0] batch_dims 0", {9, 70}, {75, 1}, {75, 1, 70}},
        {"points",
         "dims [1, 0] batch_dims 0",
         {5, 6},
         {3, 22, 2},
         {3, 22, 1, 1}},
        {"windows", "dims [1] batch_dims 1", {3, 9}, {3, 4, 1}, {3, 4, 4}},
        {"unique", "dims [0] batch_dims 0 unique", {9, 3}, {1, 1}, {1, 2, 3}}};
    for (StringRef type :
         {"f32", "f64", "f16", "bf16", "i32", "i64", "i8", "i16", "i1"})
      for (StringRef kind : {"set", "add", "mul", "min", "max", "umin", "umax",
                             "and", "or", "xor"})
        for (const Form &form : forms) {
          bool isBits =
              kind[0] == 'u' || kind == "and" || kind == "or" || kind == "xor";
          if (isFloatText(type) && isBits)
            continue;
          Entry &entry =
              plan.add("prim.scatter", type, Twine(kind) + "." + form.name);
          entry.profile("scatter");
          std::string x = tensorText(form.operand, type),
                      i = tensorText(form.indices, "i32"),
                      u = tensorText(form.updates, type);
          primFunction(entry, {x, i, u}, x,
                       "%r = prim.scatter " + kind.str() + " %a0, %a1, %a2 " +
                           form.clauses + " : " + x + ", " + i + ", " + u);
          addCall(entry, "plain",
                  {of(form.operand), of(form.indices, Fill(-2, 10)),
                   of(form.updates)});
        }
  });
}

void addScans() {
  addRecipe("prim.scan", [](Plan &plan) {
    for (StringRef type :
         {"f32", "f64", "f16", "bf16", "i32", "i64", "i8", "i16"})
      for (StringRef kind : {"sum", "prod", "max", "min", "logsumexp"})
        for (StringRef flags :
             {"", " reverse", " exclusive", " reverse exclusive"})
          for (int dim : {0, 1}) {
            if (!isFloatText(type) && kind == "logsumexp")
              continue;
            Entry &entry = plan.add(
                "prim.scan", type,
                Twine(kind) + std::to_string(dim) +
                    (flags.empty()
                         ? ""
                         : "." + flags.drop_front().str().substr(0, 3)) +
                    (flags.size() > 12 ? "-ex" : ""));
            entry.profile("scan");
            std::string x = tensorText({-1, -1}, type);
            primFunction(entry, {x}, x,
                         "%r = prim.scan " + kind.str() + " %a0 dim " +
                             std::to_string(dim) + flags.str() + " : " + x);
            for (const Shape &shape : {Shape{3, 5}, Shape{0, 4}, Shape{1, 300}})
              addCall(entry, nameText(shape), {of(shape)});
          }
  });
  addRecipe("prim.arg_scan", [](Plan &plan) {
    for (StringRef type : {"f32", "f16", "i32", "i8"})
      for (StringRef kind : {"max", "min"})
        for (StringRef flags : {"", " reverse"}) {
          Entry &entry =
              plan.add("prim.arg_scan", type,
                       Twine(kind) + (flags.empty() ? "" : ".reverse"));
          entry.profile("scan");
          std::string x = tensorText({-1, -1}, type),
                      r = tensorText({-1, -1}, "i64");
          primFunction(entry, {x}, r,
                       "%r = prim.arg_scan " + kind.str() + " %a0 dim 1" +
                           flags.str() + " : " + x + " -> " + r);
          for (const char *fill : {"plain", "hurt"})
            for (const Shape &shape : {Shape{3, 5}, Shape{0, 4}, Shape{1, 300}})
              addCall(entry, nameText(shape) + "-" + fill, {of(shape, fill)});
        }
  });
}

/// Lines of many elements, and the first of them.
static void addLongOrders(Plan &plan) {
  for (StringRef type : {"f32", "f64", "bf16", "i64", "i16", "i8"})
    for (StringRef flags : {"", " descending"})
      for (int64_t limit : {-1, 0, 3, 40, 1500}) {
        std::string what = flags.empty() ? "up" : "down";
        if (limit >= 0)
          what += "-" + std::to_string(limit);
        Entry &entry = plan.add("prim.argsort", type, "long-" + what);
        entry.profile("sort");
        std::string x = tensorText({-1, 3000}, type);
        std::string p = tensorText({-1, 3000}, "i32");
        std::string body = ("%p = prim.argsort %a0 dim 1" + flags + " : " + x +
                            " -> " + p + "\n  ")
                               .str();
        std::string r = p;
        if (limit >= 0)
          r = tensorText({-1, limit}, "i32");
        body += "%r = prim.slice %p starts [0, 0] limits [-1, " +
                std::to_string(limit) + "] strides [1, 1] : " + p + " -> " + r;
        primFunction(entry, {x}, r, body);
        for (const char *fill : {"plain", "hurt"})
          addCall(entry, fill, {of({3, 3000}, fill)});
        addCall(entry, "ties", {of({2, 3000}, Fill(0, 3))});
      }
}

void addOrders() {
  addRecipe("prim.sort", [](Plan &plan) {
    for (StringRef type :
         {"f32", "f64", "f16", "bf16", "i32", "i64", "i8", "i16", "i1"})
      for (StringRef flags : {"", " descending", " total_order", " unsigned"}) {
        Entry &entry = plan.add(
            "prim.sort", type, flags.empty() ? "up" : flags.drop_front().str());
        entry.isBitwise = true;
        entry.profile("sort");
        std::string x = tensorText({-1, 6}, type),
                    v = tensorText({-1, 6}, "i32");
        primFunction(entry, {x, v}, v,
                     "%k, %r = prim.sort %a0, %a1 dim 0 keys 1" + flags.str() +
                         " : " + x + ", " + v);
        for (const char *fill : {"plain", "hurt"})
          for (int64_t n : {0, 1, 7, 300})
            addCall(entry, "n" + std::to_string(n) + "-" + fill,
                    {of({n, 6}, fill), of({n, 6})});
      }
  });
  addRecipe("prim.argsort", [](Plan &plan) {
    addLongOrders(plan);
    for (StringRef type : {"f32", "i32", "i8"}) {
      Entry &entry = plan.add("prim.argsort", type, "two-keys");
      entry.profile("sort");
      std::string x = tensorText({-1}, type), r = tensorText({-1}, "i32");
      primFunction(entry, {x, x}, r,
                   "%r = prim.argsort %a0, %a1 dim 0 descending : " + x + ", " +
                       x + " -> " + r);
      for (int64_t n : {0, 1, 100})
        addCall(entry, "n" + std::to_string(n), {of({n}, Fill(0, 3)), of({n})});
    }
  });
  addRecipe("prim.top_k", [](Plan &plan) {
    for (StringRef type : {"f32", "bf16", "i32", "i8"})
      for (StringRef flags : {"", " smallest"}) {
        Entry &entry = plan.add("prim.top_k", type,
                                flags.empty() ? "largest" : "smallest");
        entry.profile("sort");
        std::string x = tensorText({-1, 9}, type),
                    v = tensorText({-1, 4}, type),
                    r = tensorText({-1, 4}, "i64");
        primFunction(entry, {x}, r,
                     "%v, %r = prim.top_k %a0 k 4 dim 1" + flags.str() + " : " +
                         x + " -> " + v + ", " + r);
        for (int64_t n : {0, 1, 5})
          addCall(entry, "n" + std::to_string(n), {of({n, 9}, "hurt")});
      }
  });
  addRecipe("prim.argmin", [](Plan &plan) {
    for (StringRef type : {"f32", "f16", "i32", "i8"}) {
      Entry &entry = plan.add("prim.argmin", type, "rows");
      entry.profile("reduction");
      std::string x = tensorText({-1, 9}, type), r = tensorText({-1}, "i32");
      primFunction(entry, {x}, r,
                   "%r = prim.argmin %a0 dim 1 : " + x + " -> " + r);
      for (const char *fill : {"plain", "hurt"})
        addCall(entry, fill, {of({5, 9}, fill)});
    }
  });
}

void addCombiners() {
  const auto region = [](StringRef type) {
    std::string e = tensorText({}, type);
    return " {\n  ^bb0(%x: " + e + ", %y: " + e +
           "):\n  %z = prim.maximum %x, %y : " + e +
           "\n  prim.yield %z : " + e + "\n  }";
  };
  const auto least = [](StringRef type) -> std::string {
    return type == "f32" ? "0xFF800000" : type == "f16" ? "0xFC00" : "-128";
  };
  addRecipe("prim.reduce", [=](Plan &plan) {
    for (StringRef type : {"f32", "f16", "i8"})
      for (int dim : {0, 1}) {
        Entry &entry =
            plan.add("prim.reduce", type, "dim" + std::to_string(dim));
        entry.profile("reduction");
        std::string x = tensorText({-1, -1}, type), e = tensorText({}, type),
                    r = tensorText({-1}, type);
        primFunction(entry, {x}, r,
                     "%c = prim.constant dense<" + least(type) + "> : " + e +
                         "\n  %r = prim.reduce (%a0) inits (%c) dims [" +
                         std::to_string(dim) + "] : (" + x + ", " + e +
                         ") -> " + r + region(type));
        for (const Shape &shape :
             {Shape{3, 5}, Shape{0, 4}, Shape{4, 0}, Shape{2, 300}})
          addCall(entry, nameText(shape), {of(shape)});
      }
  });
  addRecipe("prim.reduce_window", [=](Plan &plan) {
    for (StringRef type : {"f32", "f16", "i8"}) {
      Entry &entry = plan.add("prim.reduce_window", type, "holes");
      entry.profile("reduction");
      std::string x = tensorText({5, 7}, type), e = tensorText({}, type),
                  r = tensorText({3, 5}, type);
      primFunction(
          entry, {x}, r,
          "%c = prim.constant dense<" + least(type) + "> : " + e +
              "\n  %r = prim.reduce_window (%a0) inits (%c) {window = "
              "array<i64: 2, 3>, strides = "
              "array<i64: 2, 3>, pad_low = array<i64: 1, -1>, pad_high = "
              "array<i64: 0, 5>, dilation = "
              "array<i64: 1, 2>, input_dilation = array<i64: 1, 2>} : (" +
              x + ", " + e + ") -> " + r + region(type));
      addCall(entry, "plain", {of({5, 7})});
    }
  });
  addRecipe("prim.select_and_scatter", [](Plan &plan) {
    for (StringRef type : {"f32", "f16", "i32"})
      for (StringRef kind : {"max", "min"}) {
        Entry &entry = plan.add("prim.select_and_scatter", type, kind);
        entry.profile("reduction");
        std::string x = tensorText({5, 8}, type), s = tensorText({3, 4}, type);
        primFunction(entry, {x, s}, x,
                     "%r = prim.select_and_scatter " + kind.str() +
                         " %a0, %a1 {window = array<i64: 2, 2>, strides = "
                         "array<i64: 2, 2>, pad_low = "
                         "array<i64: 1, 0>, pad_high = array<i64: 0, 0>} : " +
                         x + ", " + s);
        addCall(entry, "plain", {of({5, 8}), of({3, 4})});
      }
  });
}

} // namespace

void kiln::conform::addPrimPlaces() {
  addControl();
  addDynamic();
  addPlaces();
  addScans();
  addOrders();
  addCombiners();
}
