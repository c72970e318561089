from numba import njit

from webgraph_it.graph.compilation import told_of_compiling


def test_the_first_compilation_is_told_and_no_other() -> None:
    told: list[str] = []
    one, two = njit(lambda x: x + 1), njit(lambda x: x + 2)
    with told_of_compiling(lambda: told.append("compiling")):
        assert told == []
        assert one(1) == 2
        assert two(1) == 3
    assert told == ["compiling"]


def test_what_is_compiled_already_is_not_told() -> None:
    told: list[str] = []
    kernel = njit(lambda x: x + 3)
    assert kernel(1) == 4
    with told_of_compiling(lambda: told.append("compiling")):
        assert kernel(2) == 5
    assert told == []
