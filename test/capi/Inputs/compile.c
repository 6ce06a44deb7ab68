/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* compile INPUT PLUGIN: the options of kilnCompile, one after the other. */
#define _POSIX_C_SOURCE 200809L
#include "kiln-c/Compiler.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void diagnostic(const char *message, void *user) {
  fprintf(user, "%s\n", message);
}

static void report(const KilnReportRow *row, void *user) {
  fprintf(user, "row %s: %s %s: %s -> %s [%s] %s (%s) x%u\n", row->stage,
          row->function, row->kernel, row->subject, row->chosen, row->target,
          row->detail, row->location, (unsigned)row->count);
  for (size_t i = 0; i < row->numDeclines; ++i)
    fprintf(user, "  not %s: %s\n", row->declines[i].name,
            row->declines[i].reason);
}

static int highestDescriptor(void) {
  int fd = dup(0);
  close(fd);
  return fd;
}

static const char *input;

/* Compiles with up to three arguments. */
static void compile(const char *first, const char *second, const char *third,
                    const KilnCompileOptions *options) {
  const char *args[3] = {first, second, third};
  size_t numArgs = third ? 3 : second ? 2 : first ? 1 : 0, size;
  void *bytes;
  int status =
      kilnCompile(input, NULL, 0, numArgs, args, options, &bytes, &size);
  printf("status %d %s\n", status,
         bytes && size > 64 && !memcmp(bytes, "KILNPKG", 8) ? "package"
                                                            : "nothing");
  kilnFreeBytes(bytes);
}

int main(int argc, char **argv) {
  const char *plugin = argc > 2 ? argv[2] : NULL;
  int before = highestDescriptor();
  KilnCompileOptions options = {0};
  setvbuf(stdout, NULL, _IONBF, 0);
  input = argc > 1 ? argv[1] : NULL;
  options.structSize = sizeof options;
  options.diagnostic = diagnostic;
  options.diagnosticUser = stdout;
  options.report = report;
  options.reportUser = stdout;
  puts("report:");
  compile("--target=cpu", NULL, NULL, &options);
  puts("in process:");
  compile("--target=cpu", "--in-process", NULL, &options);
  puts("older caller:");
  options.structSize = offsetof(KilnCompileOptions, report);
  compile("--target=cpu", NULL, NULL, &options);
  options.structSize = sizeof options;
  options.report = NULL;
  puts("time limit:");
  options.timeLimit = 0.5;
  compile("--target=cpu,hang=1", plugin, NULL, &options);
  options.timeLimit = 0;
  puts("crash:");
  compile("--target=cpu,crash=1", plugin, NULL, &options);
  puts("exit:");
  compile("--target=cpu,exit=1", plugin, NULL, &options);
  compile("--target=cpu,exit=2", plugin, NULL, &options);
  puts("SIGCHLD ignored:");
  signal(SIGCHLD, SIG_IGN);
  compile("--target=cpu", NULL, NULL, &options);
  signal(SIGCHLD, SIG_DFL);
  puts("wrong usage:");
  options.timeLimit = 1;
  compile("--target=cpu", "--in-process", NULL, &options);
  options.timeLimit = 0;
  options.report = report;
  compile("--target=cpu", "--explain", NULL, &options);
  options.report = NULL;
  options.timeLimit = NAN;
  compile("--target=cpu", NULL, NULL, &options);
  options.timeLimit = 0;
  compile(NULL, NULL, NULL, &options);
  input = NULL;
  compile("--target=cpu", NULL, NULL, &options);
  printf("descriptors: %s\n",
         before == highestDescriptor() ? "as before" : "leaked");
  return 0;
}
