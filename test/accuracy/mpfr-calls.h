// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of 160 bits over libmpfr.so.6, whose functions are declared here as
// its manual describes them, and the functions of prim by them.
#ifndef KILN_TEST_ACCURACY_MPFRCALLS_H
#define KILN_TEST_ACCURACY_MPFRCALLS_H

#include <string>

extern "C" {
/// A number of MPFR (mpfr_t has one of these); its layout is part of the
/// library's binary interface.
struct MpfrNumber {
  long precision;
  int sign;
  long exponent;
  void *limbs;
};
}

class Number {
public:
  Number(double value = 0);
  Number(const Number &other);
  Number &operator=(const Number &other);
  ~Number();
  static Number power(long exponent, bool isNegative = false); ///< of two
  static Number pi();

  bool isZero() const;
  bool isNaN() const;
  bool isInfinite() const;
  bool isNegative() const; ///< its sign, also that of zero
  long exponent() const;   ///< of a number in [1/2, 1) that it is times 2^e
  double rounded() const;

  MpfrNumber held;
};

Number operator+(const Number &a, const Number &b);
Number operator-(const Number &a, const Number &b);
Number operator*(const Number &a, const Number &b);
Number operator/(const Number &a, const Number &b);
bool operator<(const Number &a, const Number &b);
Number abs(const Number &a);

/// A function at a point. Errors are units of `scale` where it is not zero: a
/// sum whose terms cancel each other.
struct Exact {
  Number value;
  Number scale = Number(0);
  bool isKnown = true; ///< whether the operation says what it is
};
Exact evaluate(const std::string &name, double a, double b);

#endif
