// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operators of ai.onnx.ml share. Private to the conversion.
#ifndef KILN_CONVERSIONS_ONNXTOPRIM_LEARNING_H
#define KILN_CONVERSIONS_ONNXTOPRIM_LEARNING_H

#include "Node.h"

namespace kiln::onnx_to_prim {

/// Scores of shape [rows, targets] as a post_transform changes them; null after
/// a report.
Value transformed(Node &n, Value scores, StringRef name);

/// Rows times `count` lists of coefficients: [rows, count]. Null after a
/// report.
Value weighed(Node &n, Value x, ArrayRef<double> coefficients, int64_t count);

/// Sets the first result of a classifier from the number of each row's class.
LogicalResult setLabels(Node &n, Value place, ArrayRef<int64_t> labels);

/// Sets both results of a classifier: of scores [rows, classes] the label of
/// the largest one, and the scores by the node's post_transform.
LogicalResult classify(Node &n, Value scores, ArrayRef<int64_t> labels);

/// The same of one score for two classes: the second label if the score is
/// above `threshold`, and what each class gets of it. Where `isShare` is set,
/// the score is the share of the second class.
LogicalResult classifyTwo(Node &n, Value score, ArrayRef<int64_t> labels,
                          double threshold, bool isShare);

/// The labels of a classifier that are numbers; reports texts that are used.
FailureOr<Ints> labelsOf(Node &n, StringRef numbers);

/// Rows of features in f32, or in f64 if they are that; a list is one row. Null
/// after a report.
Value rowsIn(Node &n);

void addLearningRules(NodeRules &rules);
void addSupportVectorRules(NodeRules &rules);
void addTreeRules(NodeRules &rules);

} // namespace kiln::onnx_to_prim

#endif // KILN_CONVERSIONS_ONNXTOPRIM_LEARNING_H
