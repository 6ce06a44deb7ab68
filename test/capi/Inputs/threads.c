/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* threads THREADS ROUNDS PLUGIN [ARGUMENT]: compiles different inputs in
   several threads at once (-1: in the first), some of them hostile, and runs
   what comes out. With a further argument for the compiler, such as
   --in-process, no input is one that ends it. */
#include "kiln-c/Compiler.h"
#include "kiln-c/Runtime.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rounds;
static char plugin[4096];
static const char *more;

/* A call that failed where it must not, or the other way round. Other threads
   are inside the library, so that exit() would take its statics from them. */
static void fail(const char *what, int thread, const char *detail) {
  fprintf(stderr, "thread %d: %s: %s\n", thread, what, detail);
  _exit(1);
}

static void collect(const char *message, void *user) {
  char *text = user;
  size_t length = strlen(text);
  snprintf(text + length, 4096 - length, "%s\n", message);
}

/* Runs main(x) = factor * x + x on three elements. */
static void run(int thread, const void *bytes, size_t size, int factor) {
  KilnPackage *package;
  KilnSession *session;
  KilnTensor *input, *output;
  int64_t shape[1] = {3};
  if (kilnPackageLoad(bytes, size, &package) ||
      kilnSessionCreate(package, "cpu,threads=1", &session) ||
      kilnTensorCreate(KILN_DTYPE_F32, 1, shape, &input))
    fail("cannot load", thread, kilnLastError());
  kilnPackageDestroy(package);
  for (int i = 0; i < 3; ++i)
    ((float *)kilnTensorData(input))[i] = (float)(i + thread);
  if (kilnSessionRun(session, "main", 1, &input, 1, &output))
    fail("cannot run", thread, kilnLastError());
  for (int i = 0; i < 3; ++i)
    if (((float *)kilnTensorData(output))[i] !=
        (float)((i + thread) * (factor + 1)))
      fail("wrong result", thread, "main");
  kilnTensorDestroy(input);
  kilnTensorDestroy(output);
  kilnSessionDestroy(session);
}

static void compile(int thread, int round) {
  int factor = 2 + (thread * 7 + round) % 50;
  int kind = (thread + round) % 4;
  char text[1024], name[64], messages[4096] = "";
  snprintf(name, sizeof name, "input-%d-%d", thread, round);
  snprintf(text, sizeof text,
           "func.func @main(%%x: tensor<3xf32>) -> tensor<3xf32> {\n"
           "  %%c = arith.constant dense<%d.0> : tensor<3xf32>\n"
           "  %%p = arith.mulf %%x, %%c : tensor<3xf32>\n"
           "  %%s = %s %%p, %%x : tensor<3xf32>\n"
           "  return %%s : tensor<3xf32>\n}\n",
           factor, kind == 1 ? "arith.nonsense" : "arith.addf");
  const char *args[4] = {"--target=cpu", more ? more : "--strip"};
  size_t numArgs = 2;
  int crashes = kind == 2 && !more;
  if (crashes) {
    args[0] = "--target=cpu,crash=1";
    args[numArgs++] = plugin;
  } else if (kind == 3) {
    args[numArgs++] = plugin; /* of use to nobody, but to be loaded */
  }
  void *bytes;
  size_t size;
  int status = kilnCompileBuffer(text, strlen(text), name, numArgs, args,
                                 collect, messages, &bytes, &size);
  if (status == 0)
    run(thread, bytes, size, factor);
  if (status != (crashes || kind == 1) || !bytes != (status != 0))
    fail("unexpected status", thread, messages);
  if (crashes && !strstr(messages, "crashes on kernel"))
    fail("unexpected end", thread, messages);
  if (kind == 1 && !strstr(messages, "arith.nonsense"))
    fail("unexpected message", thread, messages);
  if (status && (strncmp(messages, name, strlen(name)) ||
                 strchr(messages, '\n') != messages + strlen(messages) - 1))
    fail("somebody else's message", thread, messages);
  kilnFreeBytes(bytes);
}

static void *work(void *argument) {
  int thread = (int)(intptr_t)argument;
  for (int round = 0; round < rounds; ++round)
    compile(thread, round);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[64];
  int numThreads = atoi(argv[1]);
  rounds = atoi(argv[2]);
  snprintf(plugin, sizeof plugin, "--load-target=%s", argv[3]);
  more = argc > 4 ? argv[4] : NULL;
  if (numThreads < 0) {
    work(NULL);
    printf("%d compilations\n", rounds);
    return 0;
  }
  for (int i = 0; i < numThreads; ++i)
    pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
  for (int i = 0; i < numThreads; ++i)
    pthread_join(threads[i], NULL);
  printf("%d compilations\n", numThreads * rounds);
  return 0;
}
