"""Coverage-guided fuzzing of every extractor: `python -m tests.fuzz.extract [-max_total_time=60]` (needs atheris).

The first byte chooses the media type, the rest is the body. Any exception is a finding.
"""

import sys

import atheris

with atheris.instrument_imports(include=["webgraph_it.extract"]):
    from webgraph_it.extract import KINDS, Document, extract, link_policy
    from webgraph_it.extract.table import READERS

POLICY = link_policy(KINDS, [], embedded=False, plain_text=True)
TYPES = sorted(READERS)


def one_input(data: bytes) -> None:
    if data:
        extract(Document(data[1:], "http://a.it/d/", TYPES[data[0] % len(TYPES)]), POLICY)


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
