"""``python -m benchmarks.selection``: pseudo-likelihood on 50 million features; JSON on stdout."""

import argparse
import json

from benchmarks.selection_side import measure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=10_000)
    parser.add_argument("--analyses", type=int, default=50)
    parser.add_argument("--active", type=int, default=100)
    parser.add_argument("--features", type=int, default=100_000)
    parser.add_argument("--iterations", type=int, default=15)
    parser.add_argument("--threads", type=int)
    print(json.dumps(measure(**vars(parser.parse_args())), indent=2))


if __name__ == "__main__":
    main()
