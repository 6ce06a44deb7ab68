# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All executions of a small program that the C++ memory model allows.

A program is a list of threads, and a thread a list of accesses. The executions are enumerated as graphs: what each read
reads from, and in which order each location is modified. Those are kept that the axioms of RC11 allow (Lahav, Vafeiadis,
Kang, Hur, Dreyer: "Repairing Sequential Consistency in C/C++11", PLDI 2017, section 3): coherence, atomicity of
read-modify-writes, one order of all sequentially consistent accesses, and no value out of thin air. Release sequences
are those of C++20.
"""
import dataclasses
import itertools

#: From weak to strong; `plain` accesses are not atomic.
ACQUIRES = {"acquire", "acq_rel", "seq_cst"}
RELEASES = {"release", "acq_rel", "seq_cst"}


@dataclasses.dataclass
class Access:
    """A read, a write, or both in one. `wants` keeps the executions in which the read's value satisfies it: the last round
    of a loop that waits, or an exchange that succeeds."""
    label: str
    place: str
    order: str
    value: object = None  # what is written: a number, or a function of what was read
    reads: bool = False
    wants: object = None

    @property
    def writes(self):
        return self.value is not None


def write(label, place, value, order):
    return Access(label, place, order, value)


def read(label, place, order, wants=None):
    return Access(label, place, order, reads=True, wants=wants)


def update(label, place, function, order, wants=None):
    return Access(label, place, order, function, True, wants)


def closure(pairs, count):
    """The transitive closure of a relation, as a list of sets."""
    after = [set() for _ in range(count)]
    for a, b in pairs:
        after[a].add(b)
    for via in range(count):
        for known in after:
            if via in known:
                known |= after[via]
    return after


def has_cycle(pairs, count):
    return any(event in after for event, after in enumerate(closure(pairs, count)))


class Program:
    """Events are numbered: the first values of all places, then the threads' accesses."""

    def __init__(self, threads):
        self.places = sorted({access.place for thread in threads for access in thread})
        self.events = [write(f"first {place}", place, 0, "plain") for place in self.places]
        self.thread = [-1] * len(self.places)
        self.before = set()  # sequenced before
        for number, thread in enumerate(threads):
            begin = len(self.events)
            self.events += thread
            self.thread += [number] * len(thread)
            self.before |= {(a, b) for b in range(begin, len(self.events)) for a in range(begin, b)}
        self.before |= {(a, b) for a in range(len(self.places)) for b in range(len(self.places), len(self.events))}

    def executions(self):
        """(values read by label, whether there is a data race) of every execution that the axioms allow."""
        writers = [[e for e, access in enumerate(self.events) if access.writes and access.place == place]
                   for place in self.places]
        orders = [[(first, *rest) for rest in itertools.permutations(others)
                   if not any((b, a) in self.before for a, b in itertools.combinations(rest, 2))]
                  for first, *others in writers]
        loads = [e for e, access in enumerate(self.events) if access.reads and not access.writes]
        for chosen in itertools.product(*orders):
            place = {self.places[i]: order for i, order in enumerate(chosen)}
            for sources in itertools.product(*(place[self.events[e].place] for e in loads)):
                origin = dict(zip(loads, sources))
                for order in chosen:  # an update reads what stands before it
                    origin |= {e: order[i - 1] for i, e in enumerate(order) if self.events[e].reads}
                found = self.judge(chosen, origin)
                if found:
                    yield found

    def values(self, origin):
        """What each event reads and writes; None where a read does not get what it wants."""
        got, put = {}, {}

        def written(e):
            if e not in put:
                value = self.events[e].value
                put[e] = value(written(origin[e])) if callable(value) else value
            return put[e]
        for e in origin:
            got[e] = written(origin[e])
            wants = self.events[e].wants
            if wants is not None and not wants(got[e]):
                return None
        return got

    def judge(self, modified, origin):
        count = len(self.events)
        reads_from = {(source, e) for e, source in origin.items()}
        if has_cycle(self.before | reads_from, count):
            return None
        got = self.values(origin)
        if got is None:
            return None
        after = {pair for order in modified for pair in itertools.combinations(order, 2)}
        # A read comes before all writes that replace what it has read.
        replaced = {(e, later) for e, source in origin.items() for first, later in after
                    if first == source and later != e}
        happens = closure(self.before | self.synchronises(origin), count)
        # The order of accesses of one place agrees with what happens before.
        if any(a in happens[b] for a, b in reads_from | after | replaced):
            return None
        coherent = closure(reads_from | after | replaced, count)
        if any(a in coherent[a] or any(a in happens[b] for b in coherent[a]) for a in range(count)):
            return None
        if has_cycle(self.consistent(happens, after | replaced), count):
            return None
        return {self.events[e].label: value for e, value in got.items()}, self.races(happens)

    def synchronises(self, origin):
        pairs = set()
        for e, source in origin.items():
            if self.events[e].order not in ACQUIRES:
                continue
            while True:  # back through the updates of a release sequence
                if self.events[source].order in RELEASES:
                    pairs.add((source, e))
                if not self.events[source].reads or self.events[source].order == "plain":
                    break
                source = origin[source]
        return pairs

    def consistent(self, happens, same_place):
        """What the single order of sequentially consistent accesses must contain, without fences."""
        events = self.events

        def differs(a, b):
            return events[a].place != events[b].place
        steps = set(same_place) | self.before
        for a, later in enumerate(happens):
            for b in later:
                if not differs(a, b):
                    steps.add((a, b))
        apart = [(a, b) for a, b in self.before if differs(a, b)]
        for a, b in apart:
            for c, d in apart:
                if b == c or c in happens[b]:
                    steps.add((a, d))
        total = {e for e, access in enumerate(events) if access.order == "seq_cst"}
        return {(a, b) for a, b in steps if a in total and b in total}

    def races(self, happens):
        for a, b in itertools.combinations(range(len(self.events)), 2):
            x, y = self.events[a], self.events[b]
            if (self.thread[a] != self.thread[b] and x.place == y.place and (x.writes or y.writes) and
                    "plain" in (x.order, y.order) and b not in happens[a] and a not in happens[b]):
                return True
        return False
