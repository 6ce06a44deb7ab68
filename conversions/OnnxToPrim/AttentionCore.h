// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operators of attention share. Private to the conversion.
#ifndef KILN_CONVERSIONS_ONNXTOPRIM_ATTENTIONCORE_H
#define KILN_CONVERSIONS_ONNXTOPRIM_ATTENTIONCORE_H

#include "Node.h"

namespace kiln::onnx_to_prim {

/// One attention over heads: softmax(cap(scale * Q K^T) + bias) V. Sizes may be
/// open.
class AttentionCore {
public:
  /// Query, key and value as [batch, heads, sequence, size].
  AttentionCore(Node &n, Value q, Value k, Value v);

  /// 1 / sqrt(size of a head) unless set; computed at run time where the size
  /// is open and this is not set.
  std::optional<double> scale;
  double cap = 0;
  int64_t shownScores = 0; ///< which scores `scores` is, as Attention-23 has it

  /// Adds to the scores, which it is repeated to: [..., rows, columns].
  void addBias(Value more);
  /// Forbids keys where `allowed` does not hold; leaves no score.
  void allow(Value allowed);
  /// Rows that may have no key at all give 0.
  void mayBeEmpty() { isMaybeEmpty = true; }
  /// Scores of a further key that has no value, one for each head.
  void setSink(Value sink) { this->sink = sink; }

  /// Positions of queries and keys, as [rows, 1] and [1, columns] of i64.
  Value rows(), columns();
  /// The element type of scores: f32 or wider.
  Type type() const { return wide; }
  /// [batch, heads, rows, size of a value]; null after a report.
  Value run();
  Value scores; ///< set by run() for `shownScores`

private:
  Value zeroEmpty(Value x);

  Node &n;
  Value q, k, v;
  Type wide;
  Value bias, sink;
  bool isMaybeEmpty = false;
};

/// [batch, sequence, heads * size] as [batch, heads, sequence, size]; null
/// after a report.
Value splitHeads(Node &n, Value x, int64_t heads);
/// The way back.
Value joinHeads(Node &n, Value x);
/// 1 / sqrt(size of a head) of [batch, heads, sequence, size], as a scalar of
/// `type`; 1 for heads of size 0.
Value scaleOfHeads(Node &n, Value queries, Type type);
/// Keys or values with each head as often as queries share it; null after a
/// report.
Value repeatHeads(Node &n, Value x, Value queries);

/// Turns pairs of elements of [batch, sequence, heads, size] by the angles
/// whose cosines and sines are [batch or 1, sequence, 1, pairs].
Value rotate(Node &n, Value x, Value cosine, Value sine, bool isInterleaved);

} // namespace kiln::onnx_to_prim

#endif // KILN_CONVERSIONS_ONNXTOPRIM_ATTENTIONCORE_H
