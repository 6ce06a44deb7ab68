# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes the structure of a text with long numbers and words, by 100 seeds. Usage: change-often.py TEXT"""
import random
import signal
import sys

from structures import change_structure

with open(sys.argv[1], "rb") as file:
    text = file.read() + b'"a"() {x = [1' + b"0" * 40 + b"x]} : tensor<" + b"1x" * 60000 + b"f32>\n"
for seed in range(100):
    signal.alarm(20)
    change_structure(text, [], random.Random(seed))
signal.alarm(0)
print("100 changes, each in less than 20 s")
