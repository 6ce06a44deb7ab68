// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that the link of one object knows: calls within it and to libraries, constants, tables of addresses, data that is
// written, data that is zero, names that stay inside.
typedef unsigned long size_t;
void *memcpy(void *to, const void *from, size_t size);
double cos(double x);

const long number = 64;
int counter = 5;
static int zeros[3000];
static const char *const texts[] = {"one", "two", "three"};
__attribute__((visibility("hidden"))) int hidden = 11;

__attribute__((noinline, visibility("hidden"))) int hiddenFunction(int x) { return x * hidden; }
__attribute__((noinline)) static int local(int x) { return x + 2; }

/// Addresses of what is here and of what is elsewhere.
void *const table[] = {&counter, &zeros[7], (void *)memcpy, (void *)local};

double kernel(char *out, int which) {
  static const double factors[] = {0.5, 1.5, 2.5, 4.5, 8.5};
  zeros[which] += which;
  counter += zeros[which];
  memcpy(out, texts[which], 4);
  switch (which) {
  case 0: return cos(factors[0]) + hiddenFunction(1);
  case 1: return factors[1] + local(counter);
  case 2: return factors[2] * zeros[2];
  case 3: return factors[3] - 1;
  case 4: return hiddenFunction(counter);
  default: return factors[which % 5];
  }
}
