# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The orders that the threads of `cpu` and exchanges through shared memory depend on, checked by all executions.

Usage: litmus.py SOURCE

Each case is what threads do to hand something over. Its accesses have the order that the source has, beside the text
by which they are found there, and the order that is needed (docs/cpu.md, Memory order). No execution may race
or end as the case forbids: with the orders of the source, with those needed, and some execution does where one needed
order is weakened.
"""
import dataclasses
import os
import sys

from model import ACQUIRES, RELEASES, Program, read, update, write

THREADS = "targets/cpu/device/Threads.cpp"
SHARED = "lib/Runtime/Communication/Shared.cpp"
WEAKER = {"seq_cst": ["acq_rel", "acquire", "release"], "acq_rel": ["acquire", "release"], "acquire": ["relaxed"],
          "release": ["relaxed"], "relaxed": [], "plain": []}


@dataclasses.dataclass
class Case:
    name: str
    file: str
    threads: list
    texts: dict   # label: where the source has the access
    needed: dict  # label: the order that is needed where the source has seq_cst
    forbidden: object = None  # of the values that were read, by label


def with_orders(case, needed, replaced=()):
    """The threads with the orders of the source, or the needed ones, of which one is replaced."""
    replaced = dict(replaced)
    return [[dataclasses.replace(access, order=replaced.get(
        access.label, case.needed.get(access.label, access.order) if needed else access.order))
        for access in thread] for thread in case.threads]


def wrong(case, threads):
    """The number of executions, and of those that race or end as is forbidden."""
    executions = list(Program(threads).executions())
    return len(executions), sum(race or bool(case.forbidden and case.forbidden(got)) for got, race in executions)


def weakenings(case):
    """Each needed order, one step weaker: a load cannot release, nor a store acquire."""
    for thread in case.threads:
        for access in thread:
            order = case.needed.get(access.label, access.order)
            useful = (ACQUIRES if access.reads else set()) | (RELEASES if access.writes else set())
            for weaker in WEAKER[order]:
                if weaker == "relaxed" or weaker in useful and not (weaker == "acq_rel" and not (
                        access.reads and access.writes)):
                    yield access.label, weaker


OPEN, CLOSED = 8, 7  # the gate: a bit above the number of participants


def launch():
    """A helper joins a launch, and the next launch waits for it."""
    return Case("a launch and the next one", THREADS, [
        [write("body", "body", 1, "plain"), write("open", "gate", OPEN, "seq_cst"),
         update("close", "gate", lambda old: old & CLOSED, "seq_cst"),
         read("wait", "gate", "seq_cst", wants=lambda value: value & CLOSED == 0 and value < 16),
         read("result", "result", "plain"), write("next body", "body", 2, "plain"), write("reopen", "gate", 16 | OPEN, "seq_cst")],
        [update("join", "gate", lambda old: old + 1, "seq_cst", wants=lambda value: value & OPEN and value < 16),
         read("use", "body", "plain"), write("compute", "result", 1, "plain"),
         update("leave", "gate", lambda old: old - 1, "seq_cst")]],
        {"body": "job.body = &body;", "open": "job.gate = launch * Shared::kLaunch | Shared::kOpen;",
         "close": "job.gate.fetch_and(~Shared::kOpen);", "wait": "job.gate.load() & Shared::kCount",
         "join": "gate.compare_exchange_weak(found, found + 1)", "leave": "gate.fetch_sub(1);"},
        {"open": "release", "close": "relaxed", "wait": "acquire", "join": "acquire", "leave": "release", "reopen": "relaxed"},
        lambda got: got["use"] != 1 or got["result"] != 1)


def helpers():
    """Two helpers leave: the caller sees what both have written, by one release sequence."""
    def helper(number):
        return [write(f"result {number}", f"result {number}", 1, "plain"),
                update(f"leave {number}", "gate", lambda old: old - 1, "seq_cst")]
    return Case("two helpers leave", THREADS, [
        *(helper(number) for number in (1, 2)),
        [read("wait", "gate", "seq_cst", wants=lambda value: value == -2),
         read("see 1", "result 1", "plain"), read("see 2", "result 2", "plain")]],
        {"leave 1": "gate.fetch_sub(1);", "wait": "job.gate.load() & Shared::kCount"},
        {"leave 1": "release", "leave 2": "release", "wait": "acquire"},
        lambda got: got["see 1"] != 1 or got["see 2"] != 1)


def asked():
    """A caller counts on a helper, or the helper sees the launch."""
    return Case("whether a helper must be asked", THREADS, [
        [write("open", "gate", OPEN, "seq_cst"), read("count", "helpers", "seq_cst")],
        [update("go", "helpers", lambda old: old - 1, "seq_cst"), read("look", "gate", "seq_cst")]],
        {"open": "job.gate = launch * Shared::kLaunch | Shared::kOpen;", "count": "job.helpers.load()",
         "go": "helpers.fetch_sub(1);", "look": "uint64_t found = gate.load();"},
        {}, lambda got: got["count"] == 0 and got["look"] == 0)


def parts():
    """Each part of a launch is dealt once."""
    return Case("the parts of a launch", THREADS, [
        [update("take 1", "next", lambda old: old + 1, "seq_cst")], [update("take 2", "next", lambda old: old + 1, "seq_cst")]],
        {"take 1": "next.compare_exchange_weak(first, first + part)"}, {"take 1": "relaxed", "take 2": "relaxed"},
        lambda got: got["take 1"] == got["take 2"])


def thrown():
    """Of two that throw one hands its exception over."""
    def helper(number):
        return [update(f"claim {number}", "has thrown", lambda old: 1, "seq_cst", wants=lambda value: value == number - 1),
                *([write("keep", "thrown", number, "plain")] if number == 1 else []),
                update(f"leave {number}", "gate", lambda old: old - 1, "seq_cst")]
    return Case("an exception", THREADS, [
        helper(1), helper(2),
        [read("wait", "gate", "seq_cst", wants=lambda value: value == -2), read("rethrow", "thrown", "plain")]],
        {"claim 1": "hasThrown.exchange(true)", "keep": "thrown = std::current_exception();", "leave 1": "gate.fetch_sub(1);",
         "rethrow": "std::rethrow_exception(job.thrown);"},
        {"claim 1": "relaxed", "claim 2": "relaxed", "leave 1": "release", "leave 2": "relaxed", "wait": "acquire"},
        lambda got: got["rethrow"] != 1)


def over():
    """What a helper uses is there until it has left."""
    return Case("the end of the threads", THREADS, [
        [read("last use", "arena", "plain"), update("leave", "awake", lambda old: old - 1, "seq_cst")],
        [read("wait", "awake", "seq_cst", wants=lambda value: value == -1), write("destroy", "arena", 1, "plain")]],
        {"leave": "awake.fetch_sub(1);", "wait": "shared->awake.load()"},
        {"leave": "release", "wait": "acquire"}, lambda got: got["last use"] != 0)


def areas():
    """A rank reads another one's area, which is written again two steps later."""
    return Case("an area and its next use", SHARED, [
        [write("fill", "area", 1, "plain"), write("sign", "signature", 1, "plain"), write("publish 1", "published 0", 1, "seq_cst"),
         write("publish 2", "published 0", 2, "seq_cst"),
         read("await 2", "published 1", "acquire", wants=lambda value: value >= 2), write("refill", "area", 3, "plain")],
        [read("await 1", "published 0", "acquire", wants=lambda value: value >= 1), read("check", "signature", "plain"),
         read("take", "area", "plain"), write("answer", "published 1", 2, "seq_cst")]],
        {"sign": "slot(rank).signatures[step % 2] = signature;",
         "publish 1": "slot(rank).published.store(step, std::memory_order_seq_cst);",
         "await 1": "slot(r).published.load(std::memory_order_acquire);"},
        {"publish 1": "release", "publish 2": "release", "answer": "release"},
        lambda got: got["take"] != 1 or got["check"] != 1)


def sleeping():
    """A rank that publishes wakes one that sleeps, or that one sees it."""
    return Case("whether a rank must be woken", SHARED, [
        [write("publish", "published", 1, "seq_cst"), read("count", "sleeping", "seq_cst")],
        [update("sleep", "sleeping", lambda old: old + 1, "seq_cst"), read("look", "published", "seq_cst")]],
        {"publish": "slot(rank).published.store(step, std::memory_order_seq_cst);",
         "count": "header().numSleeping.load(std::memory_order_seq_cst)",
         "sleep": "header().numSleeping.fetch_add(1, std::memory_order_seq_cst);",
         "look": "slot(r).published.load(std::memory_order_seq_cst);"},
        {}, lambda got: got["count"] == 0 and got["look"] == 0)


def aborted():
    """Of two ranks that abort one writes the reason, which all read."""
    return Case("the reason of an abort", SHARED, [
        [update("claim 1", "claimed", lambda old: 1, "seq_cst", wants=lambda value: value == 0), write("reason", "reason", 1, "plain"),
         write("abort", "aborted", 1, "seq_cst")],
        [update("claim 2", "claimed", lambda old: 1, "seq_cst", wants=lambda value: value == 1)],
        [read("see", "aborted", "seq_cst", wants=lambda value: value == 1), read("tell", "reason", "plain")]],
        {"claim 1": "header().isClaimed.exchange(1)", "abort": "header().isAborted = 1;", "see": "if (header().isAborted)"},
        {"claim 1": "relaxed", "claim 2": "relaxed", "abort": "release", "see": "acquire"},
        lambda got: got["tell"] != 1)


def known():
    """Programs whose outcomes are known of the model: (name, threads, outcome, whether it is allowed)."""
    def pair(publish, see):
        return [[write("a", "x", 1, "relaxed"), write("b", "y", 1, publish)],
                [read("see", "y", see), read("then", "x", "relaxed")]]

    def buffers(order):
        return [[write("a", "x", 1, order), read("see y", "y", order)], [write("b", "y", 1, order), read("see x", "x", order)]]

    def readers(order):
        return [[write("a", "x", 1, order)], [write("b", "y", 1, order)],
                [read("x 1", "x", order), read("y 1", "y", order)], [read("y 2", "y", order), read("x 2", "x", order)]]
    stale = lambda got: got["see"] == 1 and got["then"] == 0  # noqa: E731
    none = lambda got: got["see x"] == 0 and got["see y"] == 0  # noqa: E731
    apart = lambda got: (got["x 1"], got["y 1"], got["y 2"], got["x 2"]) == (1, 0, 1, 0)  # noqa: E731
    weak, strong = ("acquire", "release"), "seq_cst"
    yield "message passing, relaxed", pair("relaxed", "relaxed"), stale, True
    yield "message passing, release and acquire", pair("release", "acquire"), stale, False
    yield "message passing, release alone", pair("release", "relaxed"), stale, True
    yield "store buffering, relaxed", buffers("relaxed"), none, True
    yield "store buffering, seq_cst", buffers(strong), none, False
    mixed = readers(strong)
    for thread in mixed:
        for i, access in enumerate(thread):
            thread[i] = dataclasses.replace(access, order=weak[0] if access.reads else weak[1])
    yield "independent reads, release and acquire", mixed, apart, True
    yield "independent reads, seq_cst", readers(strong), apart, False
    yield "reads of one place, in order", [[write("a", "x", 1, "relaxed")], [read("see", "x", "relaxed"), read("then", "x", "relaxed")]], stale, False
    yield "load buffering", [[read("see x", "x", "relaxed"), write("a", "y", 1, "relaxed")],
                             [read("see y", "y", "relaxed"), write("b", "x", 1, "relaxed")]], \
        lambda got: got["see x"] == 1 and got["see y"] == 1, False
    yield "two increments", [[update("one", "x", lambda old: old + 1, "relaxed")], [update("two", "x", lambda old: old + 1, "relaxed")]], \
        lambda got: got["one"] == got["two"], False


def main():
    source = sys.argv[1]
    for name, threads, outcome, allowed in known():
        found = any(outcome(got) for got, _ in Program(threads).executions())
        print(f"{name}: {'allowed' if found else 'not allowed'}{'' if found == allowed else ', which is wrong'}")
    for case in (launch(), helpers(), asked(), parts(), thrown(), over(), areas(), sleeping(), aborted()):
        with open(os.path.join(source, case.file), encoding="utf-8") as file:
            text = " ".join(file.read().split())
        for label, part in case.texts.items():
            if part not in text:
                print(f"{case.name}: '{part}' ({label}) is not in {case.file}")
        count, bad = wrong(case, with_orders(case, needed=False))
        _, loose = wrong(case, with_orders(case, needed=True))
        caught = [(label, weaker, wrong(case, with_orders(case, True, {label: weaker}.items()))[1]) for label, weaker in weakenings(case)]
        missed = ", ".join(f"{label} {weaker}" for label, weaker, found in caught if not found)
        print(f"{case.name}: {count} executions, {bad} wrong; with the orders needed {loose} wrong; "
              f"{sum(found > 0 for *_, found in caught)} of {len(caught)} weaker orders found{': not ' + missed if missed else ''}")


if __name__ == "__main__":
    main()
