# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of ai.onnx.ml as ONNX files, and images and regions whose sizes are rounded, against numpy.

Usage: cases_learning.py FOLDER TARGET [FILTER]"""
import itertools

import numpy

import cases_file
from cases_file import RANDOM, case, floats, softmax
from onnx_file import tensor

cases_file.CASES.clear()
OPEN = {0: ["n", 4]}


def learning(op, inputs, outputs, dims=None, **attributes):
    case(op, inputs, outputs, domain="ai.onnx.ml", dims=OPEN if dims is None else dims, **attributes)


def flat(array):
    return [float(number) for number in numpy.ravel(array)]


# Features.
x = floats(5, 4)
x[1] = 0
for norm, size in (("MAX", abs(x).max(1)), ("L1", abs(x).sum(1)), ("L2", numpy.sqrt((x * x).sum(1)))):
    learning("Normalizer", [x], [x / numpy.where(size == 0, 1, size)[:, None]], norm=norm)
whole = numpy.array([[3, 5], [7, 3]])
learning("FeatureVectorizer", [x[:2], whole], [numpy.concatenate([x[:2], whole], 1)], inputdimensions=[4, 2])
categories = [3, 9, 5]
learning("OneHotEncoder", [whole], [numpy.equal.outer(whole, categories).astype(numpy.float32)], dims={0: ["n", 2]}, cats_int64s=categories)
known = numpy.array([3, 5, 5, 9])
learning("OneHotEncoder", [known], [numpy.equal.outer(known, categories).astype(numpy.float32)], dims={0: ["n"]}, cats_int64s=categories, zeros=0)
fractions = numpy.array([3.7, 5.2, 9, -3.7], numpy.float32)
learning("OneHotEncoder", [fractions], [numpy.equal.outer(fractions.astype(numpy.int64), categories).astype(numpy.float32)],
         dims={0: ["n"]}, cats_int64s=categories)
learning("LabelEncoder", [whole], [numpy.array([[1.5, 0.25], [-0.5, 1.5]])], dims={0: ["n", 2]}, keys_int64s=[3, 5],
         values_floats=[1.5, 0.25], default_float=-0.5)
learning("LabelEncoder", [numpy.array([0.5, numpy.nan, 2], numpy.float32)], [numpy.array([8, 9, -1])], dims={0: ["n"]},
         keys_floats=[0.5, float("nan")], values_int64s=[8, 9])

learning("ZipMap", [x], [x], classlabels_int64s=[5, 6, 9, 2])

# Models that multiply.
weights, start, labels = floats(3, 4), floats(3), numpy.array([7, -2, 4])
scores = x @ weights.T + start
about = {"coefficients": flat(weights), "intercepts": flat(start), "classlabels_ints": labels.tolist()}
for name, made in (("NONE", scores), ("SOFTMAX", softmax(scores)), ("LOGISTIC", 1 / (1 + numpy.exp(-scores)))):
    learning("LinearClassifier", [x], [labels[scores.argmax(1)], made], post_transform=name, **about)
score = x @ weights[:1].T + start[0]
learning("LinearClassifier", [x], [labels[(score[:, 0] > 0).astype(int)], numpy.concatenate([1 - score, score], 1)],
         coefficients=flat(weights[0]), intercepts=[float(start[0])], classlabels_ints=[7, -2])
supports, parts, gamma = floats(6, 4), floats(6), 0.7
products = x @ supports.T
for kernel, made in (("LINEAR", products), ("POLY", (gamma * products + 0.25) ** 3), ("SIGMOID", numpy.tanh(gamma * products + 0.25)),
                     ("RBF", numpy.exp(-gamma * ((x[:, None] - supports) ** 2).sum(2)))):
    learning("SVMRegressor", [x], [(made @ parts + 0.5)[:, None]], kernel_type=kernel, kernel_params=[gamma, 0.25, 3.0],
             coefficients=flat(parts), support_vectors=flat(supports), n_supports=6, rho=[0.5])

# Machines for each pair of classes, which vote.
sizes, several = [2, 1, 3], [7, -2, 4]
begins = numpy.cumsum([0, *sizes])


def between(made, weights, rho, classes):
    """Scores of the pairs, and the class with most votes, the first of them."""
    scores, votes = [], numpy.zeros((len(made), classes))
    for i, j in itertools.combinations(range(classes), 2):
        first, second = slice(begins[i], begins[i + 1]), slice(begins[j], begins[j + 1])
        score = made[:, first] @ weights[j - 1, first] + made[:, second] @ weights[i, second] + rho[len(scores)]
        scores.append(score)
        votes[numpy.arange(len(made)), numpy.where(score > 0, i, j)] += 1
    return numpy.stack(scores, 1), votes.argmax(1)


def coupled(shares, k):
    """Probabilities of classes from those of pairs: the steps of libsvm, for one row."""
    r = numpy.zeros((k, k))
    for share, (i, j) in zip(shares, itertools.combinations(range(k), 2), strict=True):
        r[i, j], r[j, i] = share, 1 - share
    q = numpy.diag((r * r).sum(0)) - r * r.T
    p = numpy.full(k, 1 / k)
    for _ in range(100):
        qp = q @ p
        pqp = p @ qp
        if abs(qp - pqp).max() < 0.005 / k:
            break
        for t in range(k):
            step = (pqp - qp[t]) / q[t, t]
            p[t] += step
            pqp = (pqp + step * (step * q[t, t] + 2 * qp[t])) / (1 + step) ** 2
            qp, p = (qp + step * q[t]) / (1 + step), p / (1 + step)
    return p


for classes in (2, 3):
    count, number = begins[classes], classes * (classes - 1) // 2
    rho, alpha, beta = floats(number), -1 - abs(floats(number)), floats(number)
    matrix = floats(classes - 1, count)
    rbf = numpy.exp(-gamma * ((x[:, None] - supports[:count]) ** 2).sum(2))
    scores, place = between(rbf, matrix, rho, classes)
    about = {"kernel_type": "RBF", "kernel_params": [gamma, 0.0, 0.0], "coefficients": flat(matrix), "vectors_per_class": sizes[:classes],
             "support_vectors": flat(supports[:count]), "rho": flat(rho), "classlabels_ints": several[:classes]}
    answer = numpy.array(several)[place]
    apart = scores if classes > 2 else numpy.concatenate([-scores, scores], 1)
    learning("SVMClassifier", [x], [answer, apart], **about)
    learning("SVMClassifier", [x], [answer, softmax(apart)], post_transform="SOFTMAX", **about)
    shares = numpy.clip(1 - 1 / (1 + numpy.exp(-(scores * alpha + beta))), 1e-7, 1 - 1e-7)
    learning("SVMClassifier", [x], [answer, numpy.stack([coupled(row, classes) for row in shares])], prob_a=flat(alpha), prob_b=flat(beta),
             **about)

# Trees: each node compares a feature, with the node that follows if so, and if not; a leaf has weights of targets.
COMPARES = {"BRANCH_LEQ": numpy.less_equal, "BRANCH_LT": numpy.less, "BRANCH_GTE": numpy.greater_equal, "BRANCH_GT": numpy.greater,
            "BRANCH_EQ": numpy.equal, "BRANCH_NEQ": numpy.not_equal}
TREES = [{0: ("BRANCH_LEQ", 0, 0.1, 1, 2), 1: ("BRANCH_GT", 2, -0.2, 3, 4), 2: {0: 0.5, 2: 0.25}, 3: {1: 1.5}, 4: {0: 0.75}},
         {5: ("BRANCH_NEQ", 1, 0.0, 6, 7), 6: ("BRANCH_LT", 3, 0.3, 8, 9), 7: {2: 2.0}, 8: {1: 0.5}, 9: {0: 0.25, 1: 0.125}},
         {0: {0: 0.0625}}]
# Nodes of one tree, listed among those of another.
learning("TreeEnsembleRegressor", [x], [numpy.where(x[:, :1] <= 0.5, 10.0, 20.0) + 1], nodes_treeids=[0, 1, 0, 0], nodes_nodeids=[0, 0, 1, 2],
         nodes_featureids=[0, 0, 0, 0], nodes_values=[0.5, 0.0, 0.0, 0.0], nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF", "LEAF"],
         nodes_truenodeids=[1, 0, 0, 0], nodes_falsenodeids=[2, 0, 0, 0], target_treeids=[0, 0, 1], target_nodeids=[1, 2, 0],
         target_ids=[0, 0, 0], target_weights=[10.0, 20.0, 1.0], n_targets=1)


def leaf(tree, row, goes_on=False):
    node = tree[min(tree)]
    while isinstance(node, tuple):
        mode, feature, bar, yes, no = node
        taken = COMPARES[mode](row[feature], bar) or (goes_on and numpy.isnan(row[feature]))
        node = tree[yes if taken else no]
    return node


def listed(prefix, targets, goes_on=False):
    """The attributes of an ensemble, with the weights of these targets only."""
    nodes = [(t, i, node) for t, tree in enumerate(TREES) for i, node in tree.items()]
    branch = lambda k, leafs: [node[k] if isinstance(node, tuple) else leafs for _, _, node in nodes]  # noqa: E731
    made = [(t, i, target, weight) for t, i, node in nodes if isinstance(node, dict) for target, weight in node.items()
            if target in targets]
    tree, node, target, weight = map(list, zip(*made))
    return {"nodes_treeids": [t for t, _, _ in nodes], "nodes_nodeids": [i for _, i, _ in nodes], "nodes_modes": branch(0, "LEAF"),
            "nodes_featureids": branch(1, 0), "nodes_values": branch(2, 0.0), "nodes_truenodeids": branch(3, 0),
            "nodes_falsenodeids": branch(4, 0), "nodes_missing_value_tracks_true": [int(goes_on)] * len(nodes),
            f"{prefix}_treeids": tree, f"{prefix}_nodeids": node, f"{prefix}_ids": target, f"{prefix}_weights": weight}


def summed(rows, targets, how=sum, goes_on=False):
    return numpy.array([[how([found[target] for tree in TREES if target in (found := leaf(tree, row, goes_on))] or [0.0])
                         for target in targets] for row in rows], numpy.float32)


rows = floats(40, 4)
rows[::3, 1] = 0
base = [0.5, -1.0, 2.0]
for name, how in (("SUM", sum), ("AVERAGE", lambda each: sum(each) / len(TREES)), ("MIN", min), ("MAX", max)):
    learning("TreeEnsembleRegressor", [rows], [summed(rows, range(3), how) + base], aggregate_function=name, n_targets=3,
             base_values=base, **listed("target", range(3)))
learning("TreeEnsembleRegressor", [rows.astype(numpy.float64)], [1 / (1 + numpy.exp(-summed(rows, [0])))], dims={},
         post_transform="LOGISTIC", n_targets=1, **listed("target", [0]))
holes = numpy.where(rows > 0.6, numpy.nan, rows).astype(numpy.float32)
for goes_on in (False, True):
    learning("TreeEnsembleRegressor", [holes], [summed(holes, range(3), goes_on=goes_on)], n_targets=3,
             **listed("target", range(3), goes_on))
scores = summed(rows, range(3)) + base
learning("TreeEnsembleClassifier", [rows], [labels[scores.argmax(1)], softmax(scores)], classlabels_int64s=labels.tolist(),
         base_values=base, post_transform="SOFTMAX", **listed("class", range(3)))
share = summed(rows, [0])
two = {"classlabels_int64s": [5, 6], **listed("class", [0])}
learning("TreeEnsembleClassifier", [rows], [5 + (share[:, 0] > 0.5), numpy.concatenate([1 - share, share], 1)], **two)
odds = share - 0.4
two["class_weights"] = [*two["class_weights"], -1e-30]  # weights of both signs are no shares
for name in ("class_treeids", "class_nodeids", "class_ids"):
    two[name] = [*two[name], two[name][-1]]
both = 1 / (1 + numpy.exp(numpy.concatenate([odds, -odds], 1)))
learning("TreeEnsembleClassifier", [rows], [5 + (odds[:, 0] > 0), both], base_values=[-0.4], post_transform="LOGISTIC", **two)
tensors = {"nodes_splits": numpy.float32([0.25, 0, 0]), "nodes_modes": numpy.uint8([0, 6, 2]), "leaf_weights": numpy.float32([1, 2, 4, 8]),
           "membership_values": numpy.float32([1, 3, numpy.nan])}
few = numpy.float32([[0.2, 3], [0.2, 2], [0.2, 1], [0.3, -1], [0.3, 1]])
learning("TreeEnsemble", [few], [numpy.float32([[1, 0], [2, 0], [1, 0], [0, 8], [0, 4]])], dims={0: ["n", 2]}, n_targets=2,
         nodes_featureids=[0, 1, 1], nodes_truenodeids=[1, 0, 2], nodes_falsenodeids=[2, 1, 3], nodes_trueleafs=[0, 1, 1],
         nodes_falseleafs=[0, 1, 1], tree_roots=[0], leaf_targetids=[0, 0, 1, 1],
         **{name: ("tensor", tensor(name, array)) for name, array in tensors.items()})

# As many samples in a part of a region as pixels lie in it.
def aligned(x, rois, batches, parts, half, mode):
    made = numpy.zeros((len(rois), x.shape[1], parts, parts), numpy.float32)
    for r, i, j in numpy.ndindex(len(rois), parts, parts):
        corner, end = rois[r, :2] - half / 2, rois[r, 2:] - half / 2
        step = (end - corner if half else numpy.maximum(end - corner, 1)) / parts
        found = []
        for b, a in itertools.product(*(range(int(numpy.ceil(one))) for one in step)):
            column, row = corner + step * (numpy.array([j, i]) + (numpy.array([b, a]) + 0.5) / numpy.ceil(step))
            taps = tapped(x[batches[r]], row, column)
            found.append(taps.max(0) if mode == "max" else taps.sum(0))
        if found:
            made[r, :, i, j] = numpy.max(found, 0) if mode == "max" else numpy.mean(found, 0)
    return made


def tapped(x, row, column):
    """The four elements around a place, with their weights."""
    if not (-1 <= row <= x.shape[1] and -1 <= column <= x.shape[2]):
        return numpy.zeros((4, x.shape[0]))
    lines = []
    for at, size in ((row, x.shape[1]), (column, x.shape[2])):
        at = min(max(at, 0), size - 1)
        lines.append(((int(at), 1 - at + int(at)), (min(int(at) + 1, size - 1), at - int(at))))
    return numpy.array([x[:, i, j] * v * w for (i, v), (j, w) in itertools.product(*lines)])


for half, mode in itertools.product((True, False), ("avg", "max")):
    corners = RANDOM.uniform(0, 4, (3, 2))
    rois = numpy.concatenate([corners, corners + RANDOM.uniform(0.3, 7, (3, 2))], 1).astype(numpy.float32)
    image, batches = floats(2, 3, 9, 8), numpy.array([1, 0, 1])
    case("RoiAlign", [image, rois, batches], [aligned(image, rois, batches, 2, half, mode)], domain="",
         dims={0: ["n", 3, "h", "w"], 1: ["r", 4], 2: ["r"]}, output_height=2, output_width=2, mode=mode,
         coordinate_transformation_mode="half_pixel" if half else "output_half_pixel")

# Sizes are products of f32, and so is the coordinate 3.5 / 0.7 - 0.5, which is half way; what takes no part may be NaN.
image, scales = floats(1, 1, 10, 4), numpy.array([1, 1, 0.7, 1], numpy.float32)
places = numpy.ceil((numpy.arange(7, dtype=numpy.float32) + numpy.float32(0.5)) / numpy.float32(0.7) - 1).astype(int)
for dims in ({}, {0: [1, 1, "h", 4]}):
    case("Resize", [image, None, scales], [image[:, :, places]], domain="", constants=(2,), dims=dims)
image = image.copy()
image[0, 0, 9] = numpy.nan
weights = 1 - abs((numpy.arange(10) - ((numpy.arange(7) + 0.5) / 0.7 - 0.5)[:, None]) * 0.7)
weights = numpy.maximum(weights, 0)
weights /= weights.sum(1, keepdims=True)
lines = numpy.where(weights[..., None] > 1e-9, weights[..., None] * image[0, 0], 0).sum(1)
case("Resize", [image, None, scales], [lines[None, None]], domain="", constants=(2,), mode="linear", antialias=1,
     exclude_outside=1)

# A shared scale of 1.1 leaves three rows three, but between other rows.
rows = numpy.clip((numpy.arange(3) + 0.5) / 1.1 - 0.5, 0, 2)
columns = numpy.clip((numpy.arange(11) + 0.5) / 1.1 - 0.5, 0, 9)
image = floats(3, 10)
tall = numpy.stack([numpy.interp(rows, numpy.arange(3), image[:, k]) for k in range(10)], 1)
both = numpy.stack([numpy.interp(columns, numpy.arange(10), tall[k]) for k in range(3)])
case("Resize", [image, None, None, numpy.array([3, 11])], [both], domain="", constants=(3,), dims={}, mode="linear",
     keep_aspect_ratio_policy="not_smaller")

# Heads, classes and coordinates of numbers that only the program knows.
def named(*arrays):
    return {k: [f"s{k}{d}" for d in range(array.ndim)] for k, array in enumerate(arrays)}


q, k, v = floats(2, 6, 3, 4), floats(2, 2, 5, 4), floats(2, 2, 5, 3)
shared, held = numpy.repeat(k, 3, 1), numpy.repeat(v, 3, 1)
case("Attention", [q, k, v], [softmax(q @ shared.swapaxes(2, 3) / 2) @ held], domain="", dims=named(q, k, v))
flat = [x.swapaxes(1, 2).reshape(2, x.shape[2], -1) for x in (q, k, v)]
attended = (softmax(q @ shared.swapaxes(2, 3) / 2) @ held).swapaxes(1, 2).reshape(2, 3, -1)
case("Attention", flat, [attended], domain="", dims=named(*flat), q_num_heads=6, kv_num_heads=2)
sums = numpy.cumsum(numpy.einsum("bhsk,bhsv->bhskv", k, v), 2)
case("LinearAttention", [flat[1], *flat[1:]], [numpy.einsum("bhsk,bhskv->bshv", k, sums).reshape(2, 5, -1) / 2, sums[:, :, -1]],
     domain="", opset=26, dims=named(*flat), q_num_heads=2, kv_num_heads=2, update_rule="linear")
boxes = numpy.array([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 3, 1, 4]], [[0, 0, 1, 1], [2, 0, 3, 1], [2, 0.1, 3, 1.1]]], numpy.float32)
marks = numpy.array([[[0.9, 0.75, 0.6], [0.1, 0.8, 0.7]], [[0.3, 0.5, 0.4], [0.6, 0.2, 0.1]]], numpy.float32)
chosen = [[0, 0, 0], [0, 0, 2], [0, 1, 1], [0, 1, 2], [1, 0, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
case("NonMaxSuppression", [boxes, marks, numpy.array([3]), numpy.array([0.5], numpy.float32)], [numpy.array(chosen)], domain="",
     dims=named(boxes, marks))
table, places = floats(4, 3, 2), numpy.array([[3, 1], [0, -1]])
case("GatherND", [table, places], [table[[3, 0], [1, -1]]], domain="", dims={**named(table), 1: ["k", 2]})
written = table.copy()
written[[3, 0], [1, -1]] = [[7, 8], [9, 10]]
case("ScatterND", [table, places, numpy.array([[7, 8], [9, 10]], numpy.float32)], [written], domain="",
     dims=named(table, places, places))
grid = numpy.array([[[[-1, -1], [1, 1], [1, -1]]]], numpy.float32)
image = floats(1, 2, 3, 4)
case("GridSample", [image, grid], [image[:, :, [0, 2, 0], [0, 3, 3]][:, :, None]], domain="", dims=named(image, grid), align_corners=1)

cases_file.main()
