# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exported programs that write their buffers and arguments: in place, without a copy, and nothing beside them."""
import contextlib
import copy
import os
import subprocess
import sys
import tempfile

import numpy
import torch

import kiln
from kiln.compiler import program as tool

from behaviours import main, same, test


class Attend(torch.nn.Module):
    """A step of decoding whose cache is a buffer. `write` puts the new keys at their position."""

    def __init__(self, write):
        super().__init__()
        self.write = write
        self.register_buffer("keys", torch.zeros(2, 4, 16, 8))

    def forward(self, q, k, position):
        self.write(self.keys, k, position)
        return (q @ self.keys.transpose(-1, -2)).softmax(-1)


class Given(torch.nn.Module):
    """The cache is an argument, and a result as well."""

    def forward(self, cache, x, position):
        cache.index_copy_(0, position, x)
        return cache, cache.sum(0)


def by_index_copy(keys, k, position):
    keys.index_copy_(2, position, k)


def by_index_put(keys, k, position):
    keys[:, :, position] = k


def by_rows(keys, k, position):
    keys[torch.arange(2), :, position] = k[:, :, 0]


def by_slice(keys, k, position):
    at = position.max().item()
    torch._check(at >= 0)
    torch._check(at < 16)
    keys[:, :, at:at + 1] = k


@contextlib.contextmanager
def packaged(model, given, target="cpu"):
    """(the loaded package, how many copies of buffers its program has)"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.kiln")
        kiln.export(torch.export.export(model, given, strict=False), path, target=target)
        text = subprocess.run([tool("kiln-run"), path, "--inspect"], check=True, text=True, stdout=subprocess.PIPE).stdout
        yield kiln.load(path), sum(line.strip().startswith("copy b") for line in text.splitlines())


def step(n, rows=1):
    torch.manual_seed(n)
    return torch.randn(2, 4, 1, 8), torch.randn(2, 4, 1, 8), torch.tensor([n] * rows)


def address(loaded):
    return loaded.weights["keys"].__array_interface__["data"][0]


@test
def caches_are_written_in_place():
    for write, rows in ((by_index_copy, 1), (by_index_put, 1), (by_rows, 2)):
        model = Attend(write)
        with packaged(copy.deepcopy(model), step(0, rows)) as (loaded, copies):
            assert copies == 0, copies
            where = address(loaded)
            for n in (3, 0, 15, 3):
                same(torch.from_dlpack(loaded(*step(n, rows))), model(*step(n, rows)))
                assert address(loaded) == where
            same(torch.from_dlpack(loaded.weights["keys"]), model.keys)


@test
def files_and_tensors_of_others_are_not_written():
    model = Attend(by_index_copy)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.kiln")
        kiln.export(torch.export.export(model, step(0)), path)
        own = {"keys": torch.ones(2, 4, 16, 8)}
        for weights, value in ((None, 0), (own, 1)):
            for _ in range(2):
                loaded = kiln.load(path, weights=weights)
                assert (torch.from_dlpack(loaded.weights["keys"]) == value).all()
                loaded(*step(1))
        assert (own["keys"] == 1).all()
        # Who calls the program itself has what is donated written, and a result that outlives the argument.
        plain = kiln.load(path, weights=False)
        made = [torch.from_dlpack(one) for one in plain(torch.zeros(2, 4, 16, 8), *step(1))]
        same(made[1], model(*step(1)))
        same(made[0], model.keys)


@test
def arguments_are_written_where_they_lie():
    wide, strided, turned = torch.zeros(17, 8), torch.zeros(16, 16), torch.zeros(8, 16)
    with packaged(Given(), (torch.zeros(16, 8), torch.ones(1, 8), torch.tensor([2]))) as (loaded, copies):
        assert copies == 0, copies
        for given in (torch.zeros(16, 8), wide[1:], wide.view(-1)[3:131].view(16, 8), strided[:, 3:11], turned.t(),
                      numpy.zeros((16, 8), "float32"), numpy.zeros((16, 9), "float32")[:, 1:]):
            mine = torch.from_numpy(given) if isinstance(given, numpy.ndarray) else given
            want = mine.clone()
            for n in (2, 15):
                row = torch.full((1, 8), float(n))
                ours, theirs = loaded(given, row, torch.tensor([n])), Given()(want, row, torch.tensor([n]))
                same(tuple(map(torch.from_dlpack, ours)), theirs)
                same(mine, want)
                kept = torch.from_dlpack(ours[0]).clone()
                mine += 1
                want += 1
                assert torch.equal(torch.from_dlpack(ours[0]), kept) or torch.equal(torch.from_dlpack(ours[0]), mine)
        # What is written is read by another name, too.
        cache = torch.arange(128.0).view(16, 8)
        want = cache.clone()
        same(tuple(map(torch.from_dlpack, loaded(cache, cache[3:4], torch.tensor([4])))),
             Given()(want, want[3:4].clone(), torch.tensor([4])))
        same(cache, want)


@test
def a_call_that_fails_leaves_the_state():
    model = Attend(by_slice)
    with packaged(copy.deepcopy(model), step(0)) as (loaded, _):
        same(torch.from_dlpack(loaded(*step(4))), model(*step(4)))
        try:
            loaded(*step(16))
        except RuntimeError:
            same(torch.from_dlpack(loaded.weights["keys"]), model.keys)
            return
        raise AssertionError("position 16 was taken")


class Twice(torch.nn.Module):
    """Gives away what it has read and written before it writes again."""

    def forward(self, cache, x):
        old = cache.clone()
        cache[0] = x
        middle = cache.clone()
        cache[1] = x
        return old, middle


@test
def results_keep_what_was_there():
    x, cache = torch.full((8,), 5.0), torch.zeros(16, 8)
    with packaged(Twice(), (cache, x)) as (loaded, _):
        want = torch.arange(128.0).view(16, 8)
        mine = want.clone()
        for _ in range(2):
            same(tuple(map(torch.from_dlpack, loaded(mine, x))), Twice()(want, x))
            same(mine, want)
            x = x + 1


@test
def state_stays_on_a_device_with_memory_of_its_own():
    model = Attend(by_index_put)
    with packaged(copy.deepcopy(model), step(0), "reference") as (loaded, copies):
        assert copies == 0, copies
        for n in (3, 0, 15):
            same(torch.from_dlpack(loaded(*step(n))), model(*step(n)))
        assert loaded.weights["keys"].on_device
        same(torch.from_dlpack(loaded.program.download(loaded.weights["keys"])), model.keys)


if __name__ == "__main__":
    sys.exit(main())
