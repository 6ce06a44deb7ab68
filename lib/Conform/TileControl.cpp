//===- TileControl.cpp - Control flow that carries tiles ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Registry.h"
#include "Text.h"

using namespace kiln::conform;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// $x and $y are tiles of type $K, $n is an i32 that the caller gives, $N the
/// same as index; the pattern defines %r.
struct Form {
  const char *op, *name, *pattern;
};

const Form kForms[] = {
    {"scf.for", "sum",
     R"(%r = scf.for %i = $zero to $N step $one iter_args(%c = $x) -> ($K) {
    %d = arith.$add %c, $y : $K
    scf.yield %d : $K
  })"},
    {"scf.for", "swap",
     R"(%p, %r = scf.for %i = $zero to $N step $one iter_args(%c = $x, %e = $y) -> ($K, $K) {
    scf.yield %e, %c : $K, $K
  })"},
    {"scf.for", "nested",
     R"(%r = scf.for %i = $zero to $N step $one iter_args(%c = $x) -> ($K) {
    %s = scf.for %j = $zero to %i step $one iter_args(%e = %c) -> ($K) {
      %d = arith.$max %e, $y : $K
      scf.yield %d : $K
    }
    %t = arith.$sub %s, $y : $K
    scf.yield %t : $K
  })"},
    {"scf.for", "step", R"(%three = arith.constant 3 : index
  %r = scf.for %i = $one to $N step %three iter_args(%c = $x) -> ($K) {
    %d = arith.$sub $y, %c : $K
    scf.yield %d : $K
  })"},
    {"scf.if", "choice", R"(%k = arith.constant 3 : i32
  %w = arith.cmpi slt, $n, %k : i32
  %r = scf.if %w -> ($K) {
    %d = arith.$add $x, $y : $K
    scf.yield %d : $K
  } else {
    %d = arith.$sub $x, $y : $K
    scf.yield %d : $K
  })"},
    {"scf.if", "nested", R"(%k = arith.constant 1 : i32
  %w = arith.cmpi sle, $n, %k : i32
  %r = scf.if %w -> ($K) {
    %e = arith.cmpi eq, $n, %k : i32
    %d = scf.if %e -> ($K) {
      scf.yield $x : $K
    } else {
      %m = arith.$max $x, $y : $K
      scf.yield %m : $K
    }
    scf.yield %d : $K
  } else {
    scf.yield $y : $K
  })"},
    {"scf.while", "count", R"(%k0 = arith.constant 0 : i32
  %k1 = arith.constant 1 : i32
  %m, %r = scf.while (%i = %k0, %c = $x) : (i32, $K) -> (i32, $K) {
    %more = arith.cmpi slt, %i, $n : i32
    scf.condition(%more) %i, %c : i32, $K
  } do {
  ^bb0(%i: i32, %c: $K):
    %j = arith.addi %i, %k1 : i32
    %d = arith.$add %c, $y : $K
    scf.yield %j, %d : i32, $K
  })"},
    {"scf.while", "swap", R"(%k0 = arith.constant 0 : i32
  %k1 = arith.constant 1 : i32
  %m, %r, %q = scf.while (%i = %k0, %c = $x, %e = $y) : (i32, $K, $K) -> (i32, $K, $K) {
    %more = arith.cmpi slt, %i, $n : i32
    scf.condition(%more) %i, %c, %e : i32, $K, $K
  } do {
  ^bb0(%i: i32, %c: $K, %e: $K):
    %j = arith.addi %i, %k1 : i32
    scf.yield %j, %e, %c : i32, $K, $K
  })"}};

void addForm(Plan &plan, const Form &form, StringRef type, const Shape &tile) {
  Entry &entry =
      plan.add(form.op, type, Twine(form.name) + "-" + nameText(tile));
  entry.profile("control").profile("structured");
  KernelText kernel(entry);
  Shape any(tile.size(), -1);
  std::string a = kernel.view(any, type), b = kernel.view(any, type),
              n = kernel.scalar("i32"), out = kernel.view(any, type, true);
  auto ids = kernel.programId();
  std::string zero = kernel.index(0), one = kernel.index(1);
  std::vector<std::string> at(tile.size(), zero);
  at[0] = ids[0];
  std::string x = kernel.load(a, at, tile, type),
              y = kernel.load(b, at, tile, type);
  std::string count =
      kernel.op("arith.index_cast " + Twine(n) + " : i32 to index");
  bool isFloat = isFloatText(type);
  kernel.line(fillIn(form.pattern, {{"x", x},
                                    {"y", y},
                                    {"K", tensorText(tile, type)},
                                    {"n", n},
                                    {"N", count},
                                    {"zero", zero},
                                    {"one", one},
                                    {"add", isFloat ? "addf" : "addi"},
                                    {"sub", isFloat ? "subf" : "subi"},
                                    {"max", isFloat ? "maximumf" : "maxsi"}}));
  kernel.store("%r", out, at, tile, type);
  kernel.finish();
  Shape size = tile;
  size[0] = 2 * tile[0] + tile[0] / 2;
  for (int64_t times : {0, 1, 2, 5}) {
    const char *fill = times == 5 ? "seldom" : "plain";
    addCall(entry, "times" + std::to_string(times) + "-" + fill,
            {of(size, fill), of(size, fill), of({}, Fill::value(double(times))),
             of(size)},
            {3, 1, 1});
  }
}

} // namespace

void kiln::conform::addTileControl() {
  for (const char *op : {"scf.for", "scf.if", "scf.while"})
    addRecipe(op, [op = std::string(op)](Plan &plan) {
      for (const Form &form : kForms)
        if (form.op == op)
          for (StringRef type :
               {"f32", "f64", "f16", "bf16", "i32", "i64", "i8", "i16"})
            for (const Shape &tile : std::vector<Shape>{{64}, {5, 33}})
              addForm(plan, form, type, tile);
    });
}
