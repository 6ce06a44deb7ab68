/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instructions of GPUs for the host, so that code made of them can be run. Approximations are off by up to one unit in
   the last place, in a way that depends on the argument. */
#include <math.h>
#include <stdint.h>
#include <string.h>

static uint32_t bitsOf(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static float flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }

/* Exact powers of two stay exact. */
static float disturbed(float x, float y) {
  int ignored;
  if (frexpf(y, &ignored) == 0.5f || y == 0 || !isfinite(y))
    return y;
  switch (bitsOf(x) * 2654435761u >> 30) {
  case 0:
    return nextafterf(y, INFINITY);
  case 1:
    return nextafterf(y, -INFINITY);
  default:
    return y;
  }
}

float nvvm_fma_rn_sat_f(float x, float y, float z) {
  float r = fmaf(x, y, z);
  return r > 0 ? fminf(r, 1) : 0;
}
float nvvm_ex2_approx_f32(float x) { return disturbed(x, (float)exp2((double)x)); }
float nvvm_ex2_approx_ftz_f32(float x) { return flushed(nvvm_ex2_approx_f32(flushed(x))); }
float nvvm_rcp_approx_ftz_f(float x) { return flushed(disturbed(x, 1 / flushed(x))); }
float nvvm_rsqrt_approx_f(float x) { return disturbed(x, (float)(1 / sqrt((double)x))); }

static float towardsZero(float nearest, int isTooLarge) { return isTooLarge ? nextafterf(nearest, 0) : nearest; }
float nvvm_i2f_rz(int32_t x) { return towardsZero((float)x, fabs((double)(float)x) > fabs((double)x)); }
float nvvm_ui2f_rz(uint32_t x) { return towardsZero((float)x, (double)(float)x > x); }
float nvvm_ll2f_rz(int64_t x) { return towardsZero((float)x, fabsl((long double)(float)x) > fabsl((long double)x)); }
float nvvm_ull2f_rz(uint64_t x) { return towardsZero((float)x, (long double)(float)x > x); }
int16_t nvvm_f2h_rn(float x) {
  _Float16 half = (_Float16)x;
  int16_t bits;
  memcpy(&bits, &half, sizeof bits);
  return bits;
}
float nvvm_d2f_rz(double x) { return towardsZero((float)x, fabs((double)(float)x) > fabs(x)); }

/* What the compiler calls for a conversion to bf16, whose bits are the lower ones of the register. */
float __truncsfbf2(float x) {
  uint32_t bits = bitsOf(x);
  uint32_t high = x != x ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  float result;
  memcpy(&result, &high, sizeof high);
  return result;
}
