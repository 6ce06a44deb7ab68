# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that are known when the program runs: torch's symbolic integers, as `index` values."""
import sympy
import torch
from sympy.logic.boolalg import Boolean
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols, statically_known_true
from torch.utils._sympy.functions import FloorDiv, Max, Min

from .text import Unsupported


def number_of(value):
    """A float, or the expression of a symbolic one."""
    expression = value.node.expr
    return float(expression) if expression.is_number else expression


def size_of(value):
    """An int, or the expression of a symbolic integer."""
    if isinstance(value, bool) or not isinstance(value, (int, torch.SymInt)):
        raise Unsupported(f"a size of type {type(value).__name__}")
    if isinstance(value, int):
        return value
    expression = value.node.expr
    return int(expression) if expression.is_Integer else expression


def condition_of(value):
    """A bool, or the condition of a symbolic one."""
    expression = value.node.expr
    return bool(expression) if expression in (sympy.true, sympy.false) else expression


def is_size(value):
    return isinstance(value, sympy.Basic)


def is_ragged(hint):
    """Whether the example of a size stands for the lengths of a nested tensor's rows: no number."""
    return isinstance(hint, torch.SymInt) and hint.node.is_nested_int()


def is_row_major(tensor):
    """What depends on symbols is no new condition on them."""
    expected = 1
    for size, stride in zip(reversed(tensor.shape), reversed(tensor.stride())):
        if not statically_known_true(stride == expected) and not statically_known_true(size == 1):
            return False
        expected = expected * size
    return True


def is_contiguous(tensor):
    """As torch says, which does not know of sizes that are data."""
    return is_row_major(tensor) if free_unbacked_symbols(tensor) else tensor.is_contiguous()


def begins_storage(tensor):
    """Whether the first element of the tensor is that of its storage."""
    return statically_known_true(tensor.storage_offset() == 0)


def constant(function, number):
    return function.index(f"arith.constant {number} : index")


def linear(size):
    """(symbol, a, b) of a size a * symbol + b, else None."""
    if not is_size(size) or len(size.free_symbols) != 1:
        return None
    symbol, = size.free_symbols
    if not size.is_polynomial(symbol):
        return None
    more = size.xreplace({symbol: sympy.Integer(0)})
    factor = size.xreplace({symbol: sympy.Integer(1)}) - more
    is_linear = factor.is_Integer and more.is_Integer and factor != 0 and sympy.expand(size - factor * symbol - more) == 0
    return (symbol, int(factor), int(more)) if is_linear else None


def solved(function, size, factor, more):
    """The symbol of which a size, an `index` value, is the multiple by `factor` and `more` beside."""
    if more:
        size = _fold(function, "subi", [size, constant(function, more)])
    return size if factor == 1 else _fold(function, "floordivsi", [size, constant(function, factor)])


def compute(function, expression, known):
    """An expression as an `index` value. `known`: the values of symbols."""
    if isinstance(expression, int) or expression.is_Integer:
        return constant(function, int(expression))
    if expression in known:
        return known[expression]
    if expression.is_Symbol:
        raise Unsupported(f"the size {expression}, which no argument has")
    name = type(expression).__name__
    if name in ROUNDED:
        if rounds_floats(expression):
            return _of_floats(function, expression)
        return compute(function, _rounded(name, *_quotient(expression.args[0])), known)
    if name in ("floor", "ceiling"):  # sympy's, of fractions
        top, bottom = sympy.fraction(sympy.together(expression.args[0]))
        return compute(function, FloorDiv(top if name == "floor" else top + bottom - 1, bottom), known)
    if name in ("PowByNatural", "Pow"):
        return _power(function, expression, known)
    parts = [compute(function, one, known) for one in expression.args]
    fold = lambda op: _fold(function, op, parts)  # noqa: E731
    if name == "Add":
        return fold("addi")
    if name == "Mul" and all(one.is_integer for one in expression.args):
        return fold("muli")
    if name in ("FloorDiv", "CleanDiv"):
        return fold("floordivsi")
    if name in ("Mod", "PythonMod"):
        if expression.args[0].is_nonnegative:
            return fold("remsi")
        whole = _fold(function, "muli", [fold("floordivsi"), parts[1]])  # as Python's, which is not negative
        return _fold(function, "subi", [parts[0], whole])
    if name == "CeilDiv":
        return fold("ceildivsi")
    if name == "ModularIndexing":
        quotient = _fold(function, "floordivsi", parts[:2])
        return _fold(function, "remsi", [quotient, parts[2]])
    if name == "Identity":
        return parts[0]
    if name in ("Max", "Min"):
        return fold("maxsi" if name == "Max" else "minsi")
    raise Unsupported(f"the size {expression}")


def _fold(function, operation, parts):
    made = parts[0]
    for part in parts[1:]:
        made = function.index(f"arith.{operation} {made}, {part} : index")
    return made


#: Functions of torch's expressions that make a size of a real number.
ROUNDED = ("TruncToInt", "FloorToInt", "CeilToInt", "RoundToInt")
#: Denominators of factors that integers take exactly.
EXACT = 1 << 16


def _quotient(real):
    """(numerator, denominator), both of integers, of a quotient or product whose rounding as a float changes no size; or None."""
    name = type(real).__name__
    if name == "ToFloat":
        return real.args[0], sympy.Integer(1)
    if name in ("IntTrueDiv", "FloatTrueDiv"):
        parts = [_quotient(one) if name == "FloatTrueDiv" else (one, sympy.Integer(1)) for one in real.args]
        return (parts[0][0], parts[1][0]) if all(one and one[1] == 1 for one in parts) else None
    if real.is_Float or real.is_Integer:
        top, bottom = float(real).as_integer_ratio()
        return (sympy.Integer(top), sympy.Integer(bottom)) if bottom <= EXACT and abs(top) <= 1 << 31 else None
    if real.is_Mul:
        parts = [_quotient(one) for one in real.args]
        if all(parts) and sum(bottom != 1 for _, bottom in parts) <= 1:
            return sympy.Mul(*(top for top, _ in parts)), sympy.Mul(*(bottom for _, bottom in parts))
    return None


def rounds_floats(expression):
    """Whether a size has to be computed with floats."""
    return type(expression).__name__ == "RoundToInt" or _quotient(expression.args[0]) is None


def _rounded(name, top, bottom):
    """A quotient of integers of any sign, rounded."""
    down, up = FloorDiv(top, bottom), -FloorDiv(-top, bottom)
    if name == "TruncToInt" and not (top.is_nonnegative and bottom.is_positive):
        return Max(down, 0) + Min(up, 0)
    return up if name == "CeilToInt" else down


def _of_floats(function, expression):
    """A size that torch computes with floats, by the device."""
    value = function.convert(real(function, expression), "i64")
    return function.index(f"prim.to_index {value.name} : {value.type}")


def _power(function, expression, known):
    base, exponent = expression.args
    if not exponent.is_Integer or int(exponent) < 0:
        raise Unsupported(f"the size {expression}")
    if int(exponent) == 0:
        return constant(function, 1)
    return _fold(function, "muli", [compute(function, base, known)] * int(exponent))


#: Functions of floats in torch's expressions, as those of prim.
_UNARY = {"ToFloat": None, "Identity": None, "Abs": "abs", "OpaqueUnaryFn_sqrt": "sqrt", "OpaqueUnaryFn_exp": "exp", "OpaqueUnaryFn_log": "log",
          "OpaqueUnaryFn_sin": "sin", "OpaqueUnaryFn_cos": "cos", "OpaqueUnaryFn_tanh": "tanh", "TruncToFloat": "trunc",
          "OpaqueUnaryFn_log2": "log2", "exp": "exp", "log": "log", "sin": "sin", "cos": "cos"}
_BINARY = {"Add": "add", "Mul": "mul", "FloatTrueDiv": "div", "IntTrueDiv": "div", "FloatPow": "pow", "Max": "maximum", "Min": "minimum"}


def real(function, expression):
    """A symbolic number as a tensor of rank 0 of f64, computed as Python computes with floats."""
    if expression.is_number:
        return function.full(float(expression), "f64", ())
    if expression in function.floats:
        return function.convert(function.floats[expression], "f64")
    name = type(expression).__name__
    if expression.is_integer and name not in ROUNDED:
        return function.convert(function.size_tensor(expression), "f64")
    if name in ROUNDED:
        inner = real(function, expression.args[0])
        return function.unary({"TruncToInt": "trunc", "FloorToInt": "floor", "CeilToInt": "ceil", "RoundToInt": "round"}[name], inner)
    if name == "Pow":
        parts = [real(function, one) for one in expression.args]
        return function.binary("pow", *parts)
    if name in _BINARY:
        parts = [real(function, one) for one in expression.args]
        made = parts[0]
        for part in parts[1:]:
            made = function.binary(_BINARY[name], made, part)
        return made
    if name in _UNARY:
        inner = real(function, expression.args[0])
        return function.unary(_UNARY[name], inner) if _UNARY[name] else inner
    raise Unsupported(f"the number {expression}, which is known only when the program runs")


#: Relations of numbers, as those of prim.
_RELATIONS = {sympy.Eq: "eq", sympy.Ne: "ne", sympy.Lt: "lt", sympy.Le: "le", sympy.Gt: "gt", sympy.Ge: "ge"}


def is_condition(value):
    return isinstance(value, Boolean) and not isinstance(value, sympy.Expr)  # a symbol is both


def truth(function, condition):
    """A condition of symbolic numbers as a tensor of rank 0 of truth values."""
    if condition in (sympy.true, sympy.false):
        return function.full(condition is sympy.true, "i1", ())
    if type(condition) in _RELATIONS:
        is_whole = all(side.is_integer for side in condition.args)
        sides = [function.size_tensor(side) if is_whole else real(function, side) for side in condition.args]
        return function.compare(_RELATIONS[type(condition)], *sides)
    if isinstance(condition, (sympy.And, sympy.Or)):
        parts = [truth(function, one) for one in condition.args]
        made = parts[0]
        for part in parts[1:]:
            made = function.binary("bitwise_and" if isinstance(condition, sympy.And) else "bitwise_or", made, part)
        return made
    if isinstance(condition, sympy.Not):
        return function.unary("bitwise_not", truth(function, condition.args[0]))
    raise Unsupported(f"the condition {condition}")
