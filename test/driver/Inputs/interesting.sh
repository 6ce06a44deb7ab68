#!/bin/sh
# 1: still interesting.
grep -q 'tile.kernel' "$1" && exit 1
exit 0
