"""Workers in this process, for sums that are spread over several."""

from __future__ import annotations

import pickle


class Here:
    """Gets copies of what it is given, as others would; counts what it was asked."""

    def __init__(self):
        self.parts = self.asked = 0

    def keep(self, make, shared, sources):
        shared = copied(shared)
        self.parts += len(sources)
        return [make(shared, copied(source)) for source in sources]

    def ask(self, kept, question, theta, arguments):
        self.asked += 1
        pairs = [question(*each) for each in zip(kept, [theta] * len(kept), arguments, strict=True)]
        arrays = [array for _, array in pairs if array is not None]
        return [answer for answer, _ in pairs], sum(arrays[1:], arrays[0]) if arrays else None


def copied(value):
    return pickle.loads(pickle.dumps(value))  # noqa: S301
