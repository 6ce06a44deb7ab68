//===- TilePipelines.cpp - Loops of products with loads in flight ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products whose operands a target may load several iterations ahead
// (software pipelining). Loops nest, follow each other, stand under conditions
// and run 0 to 6 times, so that multi-buffers begin, wrap around and end in
// every state.
//
//===----------------------------------------------------------------------===//

#include "Registry.h"
#include "Text.h"

using namespace kiln::conform;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// The tile of the result, and the step along the sum. Sizes are powers of two,
/// so that copies can be asynchronous.
struct Block {
  int64_t m, n, k;
};

struct Form {
  const char *name;
  /// Defines %r from the accumulator $s. Loops over the sum of batch %o are
  /// $inner (from %c to %t), $behind (from %t to %z), $other (from %c to %z)
  /// and $limited (from %c to %t, %l iterations).
  const char *pattern;
};

/// A loop over the sum of batch %o: its result, where it begins and ends.
constexpr const char *kLoop =
    R"($result = scf.for %k = $zero to $end step $one iter_args(%d = $begin) -> ($C) {
      %x = tile.load $a[%o, $i, %k] : $VA -> $A
      %y = tile.load $b[%o, %k, $j] : $VB -> $B
      %e = tile.dot %x, %y, %d : $A, $B, $C
      scf.yield %e : $C
    })";

const Form kForms[] = {
    {"nested",
     R"(%r = scf.for %o = $zero to $R step $one iter_args(%c = $s) -> ($C) {
    $inner
    scf.yield %t : $C
  })"},
    // A second loop takes the place of the first one's buffers.
    {"following",
     R"(%r = scf.for %o = $zero to $R step $one iter_args(%c = $s) -> ($C) {
    $inner
    $behind
    scf.yield %z : $C
  })"},
    // Each batch adds once more than the one before it.
    {"triangular",
     R"(%r = scf.for %o = $zero to $R step $one iter_args(%c = $s) -> ($C) {
    %l = arith.minui %o, $n : index
    $limited
    scf.yield %t : $C
  })"},
    {"condition-around",
     R"(%r = scf.for %o = $zero to $R step $one iter_args(%c = $s) -> ($C) {
    %w = arith.cmpi ne, %o, $one : index
    %u = scf.if %w -> ($C) {
      $inner
      scf.yield %t : $C
    } else {
      scf.yield %c : $C
    }
    scf.yield %u : $C
  })"},
    {"two-branches",
     R"(%r = scf.for %o = $zero to $R step $one iter_args(%c = $s) -> ($C) {
    %w = arith.cmpi ne, %o, $one : index
    %u = scf.if %w -> ($C) {
      $inner
      scf.yield %t : $C
    } else {
      $other
      scf.yield %z : $C
    }
    scf.yield %u : $C
  })"},
    {"condition-inside",
     R"(%r = scf.for %o = $zero to $R step $one iter_args(%c = $s) -> ($C) {
    %t = scf.for %k = $zero to $n step $one iter_args(%d = %c) -> ($C) {
      %x = tile.load $a[%o, $i, %k] : $VA -> $A
      %y = tile.load $b[%o, %k, $j] : $VB -> $B
      %w = arith.cmpi ne, %k, $one : index
      %u = scf.if %w -> ($C) {
        %e = tile.dot %x, %y, %d : $A, $B, $C
        scf.yield %e : $C
      } else {
        scf.yield %d : $C
      }
      scf.yield %u : $C
    }
    scf.yield %t : $C
  })"},
    {"while-around",
     R"(%q, %r = scf.while (%v = $zero, %p = $s) : (index, $C) -> (index, $C) {
    %w = arith.cmpi ult, %v, $R : index
    scf.condition(%w) %v, %p : index, $C
  } do {
  ^bb0(%o: index, %c: $C):
    $inner
    %h = arith.addi %o, $one : index
    scf.yield %h, %t : index, $C
  })"},
    // What threads exchange between the loops needs shared memory, too.
    {"reduced-between",
     R"(%r = scf.for %o = $zero to $R step $one iter_args(%c = $s) -> ($C) {
    $inner
    %g = tile.reduce %t axis 1 : $C -> $L {
    ^bb0(%p: $T, %q: $T):
      %h = arith.$max %p, %q : $T
      tile.yield %h : $T
    }
    %f = tile.expand_dims %g axis 1 : $L -> $L1
    %u = tile.broadcast %f : $L1 -> $C
    %z = arith.$sub %t, %u : $C
    scf.yield %z : $C
  })"},
};

void addForm(Plan &plan, const Form &form, StringRef type, StringRef acc,
             const Block &block) {
  Entry &entry = plan.add("tile.dot", type.str() + "->" + acc.str(),
                          Twine("pipelined-") + form.name + "-" +
                              nameText({block.m, block.n, block.k}));
  entry.isChained = entry.hasFreeZeros = true;
  entry.profile("structured").profile("products").profile("control");
  KernelText kernel(entry);
  Shape any = {-1, -1, -1}, A = {block.m, block.k}, B = {block.k, block.n},
        C = {block.m, block.n};
  StringRef aligned = "align = 16 : i64, size_div = array<i64: 1, 1, 16>";
  std::string a = kernel.view(any, type, false, {}, aligned),
              b = kernel.view(any, type, false, {}, aligned),
              times = kernel.scalar("i32"),
              out = kernel.view({-1, -1}, acc, true);
  auto ids = kernel.programId(2);
  std::string zero = kernel.index(0), one = kernel.index(1);
  std::string n = kernel.op("tile.num_blocks " + Twine(a) + "[2] by " +
                            Twine(block.k) + " : " + kernel.typeOf(a));
  std::string batches =
      kernel.op("arith.index_cast " + Twine(times) + " : i32 to index");
  bool isFloat = isFloatText(acc);
  std::string start =
      kernel.op(Twine("arith.constant dense<") + (isFloat ? "0.0" : "0") +
                "> : " + tensorText(C, acc));
  Words words = {{"zero", zero},
                 {"one", one},
                 {"n", n},
                 {"R", batches},
                 {"s", start},
                 {"i", ids[0]},
                 {"j", ids[1]},
                 {"a", a},
                 {"b", b},
                 {"VA", kernel.typeOf(a)},
                 {"VB", kernel.typeOf(b)},
                 {"A", tensorText(A, type)},
                 {"B", tensorText(B, type)},
                 {"C", tensorText(C, acc)},
                 {"L", tensorText({block.m}, acc)},
                 {"L1", tensorText({block.m, 1}, acc)},
                 {"T", acc.str()},
                 {"max", isFloat ? "maximumf" : "maxsi"},
                 {"sub", isFloat ? "subf" : "subi"}};
  for (auto [name, result, end, begin] :
       {std::tuple<const char *, const char *, std::string, const char *>(
            "inner", "%t", n, "%c"),
        {"behind", "%z", n, "%t"},
        {"limited", "%t", "%l", "%c"},
        {"other", "%z", n, "%c"}})
    words.push_back({name, fillIn(fillIn(kLoop, {{"result", result},
                                                 {"end", end},
                                                 {"begin", begin}}),
                                  words)});
  kernel.line(fillIn(form.pattern, words));
  kernel.store("%r", out, ids, C, acc);
  kernel.finish();
  for (auto [count, steps] : {std::pair<int64_t, int64_t>(3, 0),
                              {3, 1},
                              {3, 2},
                              {3, 3},
                              {2, 4},
                              {3, 5},
                              {2, 6},
                              {0, 4},
                              {1, 4},
                              {5, 2}}) {
    int64_t rows = block.m + block.m / 2, columns = block.n + 16,
            sum = block.k * steps;
    addCall(entry,
            "batches" + std::to_string(count) + "-steps" +
                std::to_string(steps),
            {of({5, rows, sum}), of({5, sum, columns}),
             of({}, Fill::value(double(count))), of({rows, columns})},
            {2, 2, 1});
  }
}

} // namespace

void kiln::conform::addPipelinedProducts(Plan &plan) {
  for (const Form &form : kForms)
    for (auto [type, acc] : {std::pair<StringRef, StringRef>("f16", "f32"),
                             {"bf16", "f32"},
                             {"i8", "i32"}}) {
      addForm(plan, form, type, acc, {32, 32, 32});
      if (type == "bf16")
        addForm(plan, form, type, acc, {64, 128, 64});
    }
}
