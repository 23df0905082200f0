# SPDX-License-Identifier: GPL-3.0-or-later
"""What the cases of tests/integration/mpi_recorder send on N ranks, from the
definition in docs/recording-patterns.md."""

N = 4
INT = 4
OTHERS = [(source, to) for source in range(N) for to in range(N) if source != to]
ROOT = 1


class Matrix:
    """Bytes and messages from each rank to each other one."""

    def __init__(self, ranks=N):
        self.bytes = [[0] * ranks for _ in range(ranks)]
        self.messages = [[0] * ranks for _ in range(ranks)]

    def add(self, source, to, size, messages=1):
        self.bytes[source][to] += size
        self.messages[source][to] += messages

    def __add__(self, other):
        total = Matrix(len(self.bytes))
        for part in (self, other):
            for source, row in enumerate(part.bytes):
                for to, size in enumerate(row):
                    total.add(source, to, size, part.messages[source][to])
        return total

    def __eq__(self, other):
        return (self.bytes, self.messages) == (other.bytes, other.messages)

    def __repr__(self):
        return f'{self.bytes} in {self.messages} messages'


def matrix(pairs, ints, messages=1, times=1):
    """ints(source, to) in each of `times` messages, or in `messages` together."""
    made = Matrix()
    for source, to in pairs:
        made.add(source, to, INT * ints(source, to) * times, messages * times)
    return made


RING = [(rank, (rank + 1) % N) for rank in range(N)]


def ring(ints, times=1):
    return matrix(RING, (lambda source, _: ints(source)) if callable(ints) else lambda *_: ints, times=times)


def to_each(ints, times=1):
    return matrix(OTHERS, ints if callable(ints) else lambda *_: ints, times=times)


def point_to_point():
    cases = {'to_no_process': Matrix(), 'refused_send': Matrix(), 'reused_request': Matrix(),
             'sendrecv': ring(lambda rank: 500 + rank), 'sendrecv_replace': ring(600),
             'isendrecv': ring(lambda rank: 700 + rank), 'isendrecv_replace': ring(800), 'send_c': ring(900),
             'to_self': matrix([(rank, rank) for rank in range(N)], lambda *_: 7),
             'empty': ring(0), 'derived_type': ring(3 * 20),
             'reused_type': sum((ring(ints) for ints in range(1, 21)), Matrix()),
             'all_pairs': matrix([(a, b) for a in range(N) for b in range(N)], lambda _, to: 1 + to, times=20),
             'startall': ring(50, times=3), 'psend_init': ring(60, times=3)}
    for count, name in ((100, 'send'), (200, 'ssend'), (300, 'rsend'), (400, 'bsend')):
        cases[name] = ring(lambda rank, count=count: count + rank)
        cases[f'i{name}'] = ring(count + 10)
        cases[f'{name}_init'] = ring(lambda rank, count=count: count // 10 * 1 + rank, times=3)
    return cases


def collectives():
    from_root = [(ROOT, to) for to in range(N) if to != ROOT]
    to_root = [(source, ROOT) for source in range(N) if source != ROOT]
    upwards = [(source, to) for source, to in OTHERS if to > source]
    blocking = {
        'bcast': (from_root, lambda *_: 11),
        'reduce': (to_root, lambda *_: 12),
        'gather': (to_root, lambda *_: 13),
        'gatherv': (to_root, lambda source, _: source + 3),
        'scatter': (from_root, lambda *_: 14),
        'scatterv': (from_root, lambda _, to: to + 3),
        'allgather': (OTHERS, lambda *_: 15),
        'allgatherv': (OTHERS, lambda source, _: source + 3),
        'alltoall': (OTHERS, lambda *_: 16),
        'alltoallv': (OTHERS, lambda source, to: 10 * (source + 1) + to),
        'alltoallw': (OTHERS, lambda source, to: 10 * (source + 1) + to),
        'allreduce': (OTHERS, lambda *_: 17),
        'reduce_scatter': (OTHERS, lambda _, to: to + 3),
        'reduce_scatter_block': (OTHERS, lambda *_: 18),
        'scan': (upwards, lambda *_: 19),
        'exscan': (upwards, lambda *_: 20)}
    cases = {'barrier': Matrix()}
    for name, (pairs, ints) in blocking.items():
        cases[name] = cases[f'i{name}'] = matrix(pairs, ints)
        cases[f'{name}_init'] = matrix(pairs, ints, times=2)
    cases['in_place'] = (to_each(21) + to_each(lambda source, _: source + 3) + to_each(22) + to_each(23) +
                         to_each(lambda source, to: 2 + source + to) +
                         to_each(lambda source, to: 2 + source + to))
    cases['ignored_arguments'] = (matrix(to_root, lambda *_: 25) + matrix(to_root, lambda source, _: source + 3) +
                                  matrix(from_root, lambda *_: 26) + matrix(from_root, lambda _, to: to + 3))
    cases['large_counts'] = matrix(from_root, lambda *_: 24) + to_each(5)
    return cases


def neighbours():
    def exchange(pairs):
        return sum((matrix(pairs, lambda *_, size=size: size) for size in (1, 2, 4, 8, 16, 32)), Matrix())
    line = [(source, to) for source, to in OTHERS if abs(source - to) == 1]
    star = [(source, to) for source, to in OTHERS if 0 in (source, to)]
    return {'cart': exchange(line), 'graph': exchange(star),
            'dist_graph': exchange(RING) + ring(lambda rank: 3 + rank)}


def communicators():
    halves = [(0, 1), (2, 3)]
    across = [(a, b) for a in halves[0] for b in halves[1]]
    back = [(b, a) for a, b in across]
    # Ranks 2, 0 and 3, 1 are 0, 1 of their communicators.
    pairs = [(0, 2), (2, 0), (1, 3), (3, 1)]
    backwards = [(to, source) for source, to in RING]
    three = [(source, to) for source, to in OTHERS if 3 not in (source, to)]
    reused = Matrix()
    for i in range(30):
        reused += matrix(backwards if i % 2 else RING, lambda *_, i=i: 1 + i)
    inter_all = (matrix(across, lambda *_: 3, times=2) + matrix(back, lambda *_: 5, times=2) +
                 matrix(across + back, lambda *_: 7) + matrix(across + back, lambda *_: 6) +
                 matrix(back, lambda _, to: (1, 3)[to]) + matrix(across, lambda *_: 2))
    rooted = (matrix([(1, 2), (1, 3)], lambda *_: 1) + matrix([(2, 1), (3, 1)], lambda *_: 2) +
              matrix([(2, 1), (3, 1)], lambda *_: 4) + matrix([(1, 2), (1, 3)], lambda *_: 8))
    messages = 2 * 4 * 10
    return {'dup': ring(10) + ring(20) + ring(30),
            'split': matrix(pairs, lambda *_: 40) + matrix([(2, 0), (3, 1)], lambda *_: 50) +
                     matrix([(2, 0), (3, 1)], lambda *_: 60),
            'reused_handle': reused,
            'group': matrix([(0, 1), (1, 2), (2, 0)], lambda *_: 70) + matrix(three, lambda *_: 80),
            'leaked': to_each(90),
            'inter_point_to_point': matrix([(0, 2), (1, 3), (2, 0), (3, 1)], lambda source, _: 100 + source),
            'inter_rooted': rooted, 'inter_all': inter_all,
            'threads': ring(1, times=messages) + to_each(1, times=messages) +
                       matrix([(rank, rank) for rank in range(N)], lambda *_: 1, times=2 * 4 * 1000)}


def one_sided():
    """The window's next rank is the one before in MPI_COMM_WORLD."""
    to_target = [(rank, (rank - 1) % N) for rank in range(N)]
    to_origin = [(to, source) for source, to in to_target]
    return {'put': matrix(to_target, lambda source, _: 10 + source) + matrix(to_target, lambda *_: 20),
            'get': matrix(to_origin, lambda _, to: 30 + to) + matrix(to_origin, lambda *_: 40),
            'accumulate': matrix(to_target, lambda *_: 50) + matrix(to_target, lambda *_: 60),
            'get_accumulate': matrix(to_target, lambda *_: 70) + matrix(to_origin, lambda *_: 70) +
                              matrix(to_origin, lambda *_: 80),
            'no_operation': matrix(to_origin, lambda *_: 90) + matrix(to_origin, lambda *_: 1),
            'atomic': matrix(to_target, lambda *_: 1) + matrix(to_origin, lambda *_: 1) +
                      matrix(to_target, lambda *_: 2) + matrix(to_origin, lambda *_: 1)}


def fortran():
    """fortran_exchange.inc"""
    back = [(to, source) for source, to in RING]
    return (ring(100) + ring(10, times=3) + ring(20) + to_each(2) + to_each(3) + to_each(4) + to_each(5) +
            matrix([(0, to) for to in range(1, N)], lambda *_: 6) + ring(7) + matrix(back, lambda *_: 8))


EXPECTED = {**point_to_point(), **collectives(), **neighbours(), **communicators(), **one_sided()}
