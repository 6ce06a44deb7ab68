# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives the example with operations of its own the mistakes of beginners; the environment variable BAD names the one that is made.
Usage: mistaken.py FOLDER, a copy of the example that registers its lowerings for all GPUs afterwards"""
import sys

CHECK = '''
static bool bad(const char *name) {
  const char *asked = getenv("BAD");
  return asked && !strcmp(asked, name);
}
'''
EDITS = {
    "Rows.cpp": [
        ("using namespace rows;\n", "using namespace rows;\n#include <cstdlib>\n#include <cstring>\n" + CHECK),
        ("  axes.push_back({OpFoldResult(op.getRow()),", '''  if (bad("axes-none"))
    return;
  if (bad("axes-null"))
    axes.push_back({});
  int first = bad("axes-dim") ? 5 : bad("axes-twice") ? 1 : 0;
  int64_t rows = shape[first == 1];
  if (bad("axes-size"))
    rows *= 2;
  if (first || bad("axes-size"))
    axes.push_back({OpFoldResult(op.getRow()), false, rows, 1, first, {}});
  else if (!bad("axes-null"))
    axes.push_back({OpFoldResult(op.getRow()),'''),
        ("Value StreamOp::getAccessedView() { return getView(); }",
         'Value StreamOp::getAccessedView() { return bad("view-null") ? Value() : bad("view-row") ? getRow() : Value(getView()); }'),
        ("OpOperand &MmaOp::getLhsOperand() { return getLhsMutable(); }",
         'OpOperand &MmaOp::getLhsOperand() { return bad("swapped") ? getRhsMutable() : getLhsMutable(); }'),
        ("OpOperand &MmaOp::getRhsOperand() { return getRhsMutable(); }",
         'OpOperand &MmaOp::getRhsOperand() { return bad("swapped") ? getLhsMutable() : getRhsMutable(); }'),
        ("  sources.push_back(arith", '''  if (bad("sources-none"))
    return;
  if (bad("sources-null"))
    return sources.push_back(Value());
  sources.push_back(arith'''),
        ("  results.push_back(arith::AddFOp", '''  if (bad("combined-null"))
    return results.push_back(Value());
  results.push_back(arith::AddFOp'''),
    ],
    "Lowerings.cpp": [
        # Files may be compiled as one.
        ("using namespace kiln;\n", "using namespace kiln;\n#include <cstdlib>\n#include <cstring>\n" + CHECK.replace("bad", "badCopy")),
        ('"nvidia"', '"gpu"'),
        ("piece.source, piece.target, piece.bytes,", 'piece.source, piece.target, badCopy("half") ? piece.bytes / 2 : piece.bytes,'),
        ("  rows::CopyLineOp::create(", '''  if (badCopy("twice"))
    rows::CopyLineOp::create(code.b, code.loc, piece.source, piece.target, 16, piece.mask, piece.valid);
  rows::CopyLineOp::create('''),
    ],
}
for name, edits in EDITS.items():
    with open(f"{sys.argv[1]}/{name}", encoding="utf-8") as file:
        text = file.read()
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    with open(f"{sys.argv[1]}/{name}", "w", encoding="utf-8") as file:
        file.write(text)
