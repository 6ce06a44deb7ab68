# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of complex numbers by real ones of their parts. Infinities, zeros with signs, NaN and branch cuts are as annex G
of the C standard has them, which torch's functions follow."""
import math

from ..pair import Pair

INFINITY, HALF_PI, LOG_2 = math.inf, math.pi / 2, math.log(2)


class Real:
    """Arithmetic on tensors of floats and numbers."""

    def __init__(self, b):
        self.b = b

    def call(self, name, *operands):
        like = next(x for x in operands if not isinstance(x, (int, float)))
        operands = [self.b.full_like(x, like) if isinstance(x, (int, float)) else x for x in operands]
        return self.b.unary(name, *operands) if len(operands) == 1 else self.b.binary(name, *operands)

    def add(self, x, y):
        return self.call("add", x, y)

    def sub(self, x, y):
        return self.call("sub", x, y)

    def mul(self, x, y):
        return self.call("mul", x, y)

    def div(self, x, y):
        return self.call("div", x, y)

    def neg(self, x):
        return self.b.unary("neg", x)

    def abs(self, x):
        return self.b.unary("abs", x)

    def signed(self, x, y):
        """x with the sign of y."""
        return self.call("copysign", x, y)

    def test(self, name, x, y):
        return self.b.compare(name, x, self.b.full_like(y, x) if isinstance(y, (int, float)) else y)

    def both(self, x, y):
        return self.b.binary("bitwise_and", x, y)

    def either(self, x, y):
        return self.b.binary("bitwise_or", x, y)

    def no(self, x):
        return self.b.unary("bitwise_not", x)

    def is_infinite(self, x):
        return self.test("eq", self.abs(x), INFINITY)

    def is_finite(self, x):
        return self.test("lt", self.abs(x), INFINITY)

    def is_nan(self, x):
        return self.b.compare("ne", x, x)

    def where(self, condition, x, y):
        like = next(one for one in (x, y) if not isinstance(one, (int, float)))
        x, y = (self.b.full_like(one, like) if isinstance(one, (int, float)) else one for one in (x, y))
        return self.b.where(condition, x, y)


class Plane(Real):
    """Arithmetic on pairs. `is_wide`: they are f64 that came from f32, whose squares and exponentials that count stay finite."""

    def __init__(self, b, is_wide=False):
        super().__init__(b)
        self.is_wide = is_wide

    def like(self, x, re, im=0.0):
        return Pair(self.b.full_like(re, x.re), self.b.full_like(im, x.im))

    def plus(self, x, number):
        """x and a real number, which leaves an imaginary part of -0 alone."""
        return Pair(self.add(x.re, number), x.im)

    def opposite(self, x):
        return Pair(self.neg(x.re), self.neg(x.im))

    def conjugate(self, x):
        return Pair(x.re, self.neg(x.im))

    def turned(self, x):
        """i x"""
        return Pair(self.neg(x.im), x.re)

    def turned_back(self, x):
        """-i x"""
        return Pair(x.im, self.neg(x.re))

    def product(self, x, y):
        return Pair(self.sub(self.mul(x.re, y.re), self.mul(x.im, y.im)), self.add(self.mul(x.re, y.im), self.mul(x.im, y.re)))

    def times(self, x, factor):
        """By a real number."""
        return Pair(self.mul(x.re, factor), self.mul(x.im, factor))

    def chosen(self, condition, x, y):
        return Pair(self.where(condition, x.re, y.re), self.where(condition, x.im, y.im))

    def largest(self, x):
        return self.call("maximum", self.abs(x.re), self.abs(x.im))

    def length(self, x):
        return self.call("hypot", x.re, x.im)

    def scaled(self, x):
        """x times a power of 2 that keeps sums of its parts and of their squares finite and exact, the inverse of that power's root,
        and the logarithm of the inverse."""
        if self.is_wide:
            return x, None, None
        is_double = x.re.dtype == "f64"
        most, least, down, up = (1020, -960, 4, 108) if is_double else (120, -100, 4, 48)
        large = self.largest(x)
        is_large, is_small = self.test("gt", large, 2.0 ** most), self.test("lt", large, 2.0 ** least)
        of = lambda p, q, r: self.where(is_large, self.b.full_like(p, large), self.where(is_small, q, self.b.full_like(r, large)))  # noqa: E731
        by = of(2.0 ** -down, 2.0 ** up, 1.0)
        return self.times(x, by), of(2.0 ** (down // 2), 2.0 ** (-up // 2), 1.0), of(down * LOG_2, -up * LOG_2, 0.0)

    def _divided(self, x, y):
        """A quotient of what is finite, and whether the divisor is finite, and zero. It is brought to a length of about 1 first."""
        top = self.largest(y)
        is_finite, is_zero = self.test("lt", top, INFINITY), self.test("eq", top, 0.0)
        if self.is_wide:
            made, under = self.product(x, self.conjugate(y)), self.add(self.mul(y.re, y.re), self.mul(y.im, y.im))
            return Pair(self.div(made.re, under), self.div(made.im, under)), is_finite, is_zero
        (x, root, _), (y, other, _) = self.scaled(x), self.scaled(y)
        by = self.where(self.both(is_finite, self.no(is_zero)), self.largest(y), 1.0)
        unit = Pair(self.div(y.re, by), self.div(y.im, by))
        under = self.mul(self.add(self.mul(unit.re, unit.re), self.mul(unit.im, unit.im)), by)
        made = self.product(x, self.conjugate(unit))
        made = self.times(Pair(self.div(made.re, under), self.div(made.im, under)), self.mul(root, root))
        return self.times(made, self.div(1.0, self.mul(other, other))), is_finite, is_zero

    def div(self, x, y):
        """What the quotient of the finite leaves without any number is an infinity by a finite number or zero, or a finite number by an
        infinity."""
        if not isinstance(x, Pair):
            return super().div(x, y)
        made, is_finite, is_zero = self._divided(x, y)
        lost = self.both(self.is_nan(made.re), self.is_nan(made.im))
        is_far = lambda z: self.either(self.is_infinite(z.re), self.is_infinite(z.im))  # noqa: E731
        direction = lambda z: Pair(*(self.signed(self.where(self.is_infinite(p), 1.0, self.b.full_like(0.0, p)), p)  # noqa: E731
                                     for p in (z.re, z.im)))
        by_infinity = self.both(self.both(self.is_finite(x.re), self.is_finite(x.im)), is_far(y))
        made = self.chosen(self.both(lost, by_infinity), self.product(self.times(x, 0.0), self.conjugate(direction(y))), made)
        of_infinity = self.both(is_far(x), is_finite)
        made = self.chosen(self.both(lost, of_infinity), self.times(self.product(direction(x), self.conjugate(y)), INFINITY), made)
        return self.chosen(self.both(lost, is_zero), self.times(x, self.signed(INFINITY, y.re)), made)

    def inverse(self, x):
        return self.div(self.like(x, 1.0), x)

    def exp(self, x):
        """Where the length is infinite its product with a part need not be, which the root of it shows."""
        b, length = self.b, self.b.unary("exp", x.re)
        is_real, is_none = self.test("eq", x.im, 0.0), self.test("eq", x.re, -INFINITY)
        cos, sin = b.unary("cos", x.im), b.unary("sin", x.im)
        made = Pair(self.mul(length, cos), self.mul(length, sin))
        if not self.is_wide:
            half, is_far = b.unary("exp", self.mul(x.re, 0.5)), self.is_infinite(length)
            made = self.chosen(is_far, Pair(*(self.mul(self.mul(half, part), half) for part in (cos, sin))), made)
        unknown = self.no(self.is_finite(x.im))
        zero = Pair(*(self.signed(0.0, part) for part in (cos, sin)))
        made = self.chosen(self.both(is_none, unknown), zero, made)
        made.re = self.where(self.both(self.test("eq", x.re, INFINITY), unknown), x.re, made.re)
        return Pair(self.where(is_real, length, made.re), self.where(is_real, x.im, made.im))

    def expm1(self, x):
        """cos y - 1 is -2 sin(y/2)^2, which near 0 cancels less."""
        b, whole = self.b, self.exp(x)
        half = b.unary("sin", self.mul(x.im, 0.5))
        near = self.sub(self.mul(b.unary("expm1", x.re), b.unary("cos", x.im)), self.mul(self.mul(half, half), 2.0))
        is_far = self.test("gt", self.abs(x.re), 1.0)
        is_real = self.test("eq", x.im, 0.0)
        made = self.where(is_far, self.sub(whole.re, 1.0), near)
        return Pair(self.where(is_real, b.unary("expm1", x.re), made), whole.im)

    def log(self, x):
        """Near the unit circle by the difference of the square to 1."""
        b = self.b
        large = self.largest(x)
        small = self.call("minimum", self.abs(x.re), self.abs(x.im))
        excess = self.add(self.mul(self.sub(large, 1.0), self.add(large, 1.0)), self.mul(small, small))
        is_near = self.both(self.test("gt", large, 0.7), self.test("lt", large, 1.5))
        other, _, power = self.scaled(x)
        far = b.unary("log", self.length(other))
        far = far if power is None else self.add(far, power)
        return Pair(self.where(is_near, self.mul(b.unary("log1p", excess), 0.5), far), b.binary("atan2", x.im, x.re))

    def log1p(self, x):
        far = self.log(self.plus(x, 1.0))
        excess = self.add(self.mul(x.re, self.add(x.re, 2.0)), self.mul(x.im, x.im))
        is_near = self.test("lt", self.abs(excess), 0.5)
        return Pair(self.where(is_near, self.mul(self.b.unary("log1p", excess), 0.5), far.re), far.im)

    def sqrt(self, x):
        """By the part that nothing cancels in. An infinite imaginary part makes both infinite."""
        b, (y, root, _) = self.b, self.scaled(x)
        large = b.unary("sqrt", self.add(self.mul(self.abs(y.re), 0.5), self.mul(self.length(y), 0.5)))
        none = self.test("eq", large, 0.0)
        small = self.div(y.im, self.where(none, 1.0, self.add(large, large)))
        right = self.test("ge", y.re, 0.0)
        made = Pair(self.where(right, large, self.abs(small)), self.where(right, small, self.signed(large, y.im)))
        made = made if root is None else self.times(made, root)
        is_far = self.is_infinite(x.im)
        return Pair(self.where(is_far, self.abs(x.im), self.where(none, 0.0, made.re)),
                    self.where(self.either(is_far, none), x.im, made.im))

    def rsqrt(self, x):
        return self.inverse(self.sqrt(x))

    def _grown(self, name, x, factor):
        """sinh or cosh times what brings it back among the finite."""
        whole = self.b.unary(name, x)
        made = self.mul(whole, factor)
        if self.is_wide:
            return made
        half = self.b.unary("exp", self.mul(self.abs(x), 0.5))
        far = self.mul(self.mul(half, self.mul(factor, self.signed(0.5, whole))), half)
        return self.where(self.is_infinite(whole), far, made)

    def sinh(self, x):
        """What is real or imaginary stays so: zero times an infinity is not a number."""
        b, is_real, none = self.b, self.test("eq", x.im, 0.0), self.test("eq", x.re, 0.0)
        unknown = self.no(self.is_finite(x.im))
        re = self.where(self.both(none, unknown), x.re, self._grown("sinh", x.re, b.unary("cos", x.im)))
        re = self.where(self.both(self.is_infinite(x.re), unknown), x.re, re)
        im = self._grown("cosh", x.re, b.unary("sin", x.im))
        return Pair(self.where(is_real, b.unary("sinh", x.re), re), self.where(is_real, x.im, im))

    def cosh(self, x):
        b, is_real, none = self.b, self.test("eq", x.im, 0.0), self.test("eq", x.re, 0.0)
        unknown = self.no(self.is_finite(x.im))
        re = self._grown("cosh", x.re, b.unary("cos", x.im))
        re = self.where(self.both(self.is_infinite(x.re), unknown), self.abs(x.re), re)
        im = self._grown("sinh", x.re, b.unary("sin", x.im))
        im = self.where(self.either(is_real, self.both(none, unknown)), self.mul(self.signed(0.0, x.re), self.signed(1.0, x.im)), im)
        return Pair(self.where(is_real, b.unary("cosh", x.re), re), im)

    def tanh(self, x):
        """(sinh a cosh a + i sin b cos b) / (sinh^2 a + cos^2 b), where a is so small that nothing overflows."""
        b = self.b
        limit = 350.0 if x.re.dtype == "f64" else 43.0
        a = self.call("minimum", self.call("maximum", x.re, -limit), limit)
        sinh, cos = b.unary("sinh", a), b.unary("cos", x.im)
        under = self.add(self.mul(sinh, sinh), self.mul(cos, cos))
        rest = self.mul(b.unary("sin", x.im), cos)
        re = self.div(self.mul(sinh, b.unary("cosh", a)), under)
        im = self.div(rest, under)
        is_far, is_real, none = self.is_infinite(x.re), self.test("eq", x.im, 0.0), self.test("eq", x.re, 0.0)
        re = self.where(is_far, self.signed(1.0, x.re), self.where(none, x.re, re))
        im = self.where(is_real, x.im, self.where(is_far, self.signed(0.0, rest), im))
        return Pair(re, im)

    def _roots(self, x):
        """Of 1 - x and 1 + x."""
        return self.sqrt(self.plus(self.opposite(x), 1.0)), self.sqrt(self.plus(x, 1.0))

    def _is_far(self, x):
        """Whether squares may overflow, or 1 is nothing beside x."""
        far = 2.0 ** 60 if x.re.dtype == "f64" else 2.0 ** 25
        return self.either(self.test("gt", self.abs(x.re), far), self.test("gt", self.abs(x.im), far))

    def asin(self, x):
        """By Kahan's roots; far away a direction and the logarithm of twice the length."""
        b, (a, c), is_far = self.b, self._roots(x), self._is_far(x)
        re = b.binary("atan2", x.re, self.product(a, c).re)
        im = b.unary("asinh", self.product(self.conjugate(a), c).im)
        length = self.signed(self.add(self.log(x).re, LOG_2), x.im)
        re = self.where(is_far, b.binary("atan2", x.re, self.abs(x.im)), self.where(self.test("eq", x.re, 0.0), x.re, re))
        im = self.where(is_far, length, im)
        return Pair(re, self.where(self._is_in_one(x), x.im, im))

    def _is_in_one(self, x):
        """Whether x is real and at most 1 in size: its sine is that of a real number."""
        return self.both(self.test("eq", x.im, 0.0), self.test("le", self.abs(x.re), 1.0))

    def acos(self, x):
        b, (a, c), is_far = self.b, self._roots(x), self._is_far(x)
        re = self.mul(b.binary("atan2", a.re, c.re), 2.0)
        im = b.unary("asinh", self.product(self.conjugate(c), a).im)
        length = self.signed(self.add(self.log(x).re, LOG_2), self.neg(x.im))
        re = self.where(is_far, b.binary("atan2", self.abs(x.im), x.re), self.where(self.test("eq", x.re, 0.0), HALF_PI, re))
        im = self.where(is_far, length, im)
        return Pair(re, self.where(self._is_in_one(x), self.neg(x.im), im))

    def asinh(self, x):
        return self.turned(self.asin(self.turned_back(x)))

    def acosh(self, x):
        made = self.acos(x)
        return Pair(self.abs(made.im), self.signed(made.re, x.im))

    def atanh(self, x):
        """By log1p of 4 |a| / ((1 - |a|)^2 + b^2); where that vanishes, by the distance to the pole; far away by the inverse."""
        b, size = self.b, self.abs(x.re)
        left = self.sub(1.0, size)
        square = self.mul(x.im, x.im)
        under = self.add(self.mul(left, left), square)
        near = self.mul(b.unary("log1p", self.div(self.mul(size, 4.0), under)), 0.25)
        if not self.is_wide:
            distance = b.binary("hypot", left, x.im)
            at_pole = self.test("lt", distance, 2.0 ** -400 if x.re.dtype == "f64" else 2.0 ** -50)
            near = self.where(at_pole, self.mul(self.sub(LOG_2, b.unary("log", distance)), 0.5), near)
        angle = b.binary("atan2", self.add(x.im, x.im), self.sub(self.mul(left, self.add(1.0, size)), square))
        is_far, length = self._is_far(x), self.length(x)
        far = self.where(self.is_infinite(length), 0.0, self.div(self.div(size, length), length))
        re = self.where(is_far, far, self.where(self.test("eq", size, 0.0), 0.0, near))
        lost = self.either(self.is_nan(x.im), self.both(self.is_nan(x.re), self.is_finite(x.im)))
        turn = self.where(lost, math.nan, self.signed(HALF_PI, x.im))
        return Pair(self.signed(re, x.re), self.where(is_far, turn, self.mul(angle, 0.5)))

    def sin(self, x):
        return self.turned_back(self.sinh(self.turned(x)))

    def cos(self, x):
        return self.cosh(self.turned(x))

    def tan(self, x):
        return self.turned_back(self.tanh(self.turned(x)))

    def atan(self, x):
        return self.turned_back(self.atanh(self.turned(x)))

    def sigmoid(self, x):
        return self.inverse(self.plus(self.exp(self.opposite(x)), 1.0))

    def silu(self, x):
        return self.div(x, self.plus(self.exp(self.opposite(x)), 1.0))

    def power(self, x, y):
        """Zero to 0 is one; to a power whose real part is positive it is zero."""
        made = self.exp(self.product(y, self.log(x)))
        is_zero = self.both(self.test("eq", x.re, 0.0), self.test("eq", x.im, 0.0))
        made = self.chosen(self.both(is_zero, self.test("gt", y.re, 0.0)), self.like(x, 0.0), made)
        none = self.both(self.test("eq", y.re, 0.0), self.test("eq", y.im, 0.0))
        return self.chosen(none, self.like(x, 1.0), made)

    def power_of(self, x, number):
        """To a real number, which an infinite logarithm is multiplied with, part by part."""
        if not number:
            return self.like(x, 1.0)
        made = self.exp(self.times(self.log(x), number))
        is_zero = self.both(self.test("eq", x.re, 0.0), self.test("eq", x.im, 0.0))
        return self.chosen(is_zero, self.like(x, 0.0), made) if number > 0 else made
