"""Which rule decides: a table for what is written, CPU time for what is meant to hurt."""

from time import process_time

import pytest

from webgraph_it.robots.rules import MAX_STEPS, Rules


@pytest.mark.parametrize(
    ("allow", "disallow", "path", "allowed"),
    [
        ("/*?p=", "/cerca", "/cerca?p=1", False),  # 5 octets against 6; escaped they would be 7
        ("/*&a", "/cerca", "/cerca?p=1&a", False),
        ("/*;x", "/lista", "/lista;x", False),
        ("/a:b", "/*c:d", "/a:b/c:d", False),
        ("/a+b", "/a", "/a+b", True),
        ("/a?", "/a", "/a?b", True),
        ("/a", "/a", "/a", True),
        ("/a*", "/a/", "/a/b", True),  # equally long
        ("/a", "/a*", "/ab", False),
        ("/a*$", "/a/b", "/a/b", True),
        ("/%C3%A0", "/*", "/%C3%A0", True),
        ("/a/index.html", "/a/", "/a/", True),
        ("/a/index.htm;x", "/a/", "/a/", True),
        ("/a/index.html", "/a/", "/a/b", False),
        ("/a$", "/", "/a$", False),  # at its end a dollar is the end of the path
        ("/a$b", "/", "/a$bc", True),  # elsewhere it is a dollar
        ("/a%24", "/", "/a$", True),
        ("/a%2A", "/", "/a*", True),
        ("/a%2A", "/", "/ab", False),
        ("/b", "/*=%2F", "/c?u=%2Fx", False),
        ("/b", "/*=%2F", "/c?u=/x", False),
        ("/b", "/*=%2F", "/c=/x", True),
        ("/b", "/*=/x$", "/c?u=%2Fx", False),
        ("/b", "/*=%2Fx$", "/c?u=/x", False),
        ("/b", "/*%2F*/x", "/c%2Fd?e=%2Fx", False),
        ("/b", "/*%2F?x", "/c?d=%2F?x", False),
        ("/b", "/a%2Fb", "/a/b", True),
        ("/b", "/*a*a$", "/aba", False),
        ("/%C3%A0", "/*aaaaaaa", "/%C3%A0aaaaaaa", False),  # 7 octets against 9
        ("/b", "*/a", "/a", False),  # an asterisk may stand for nothing, at the start of the path, too
        ("/b", "/*ab$", "/ab/ab", False),
        ("/b", "/*aa*aa$", "/aaa", True),
        ("/b", "/caff%E8", "/caff%E9", True),
        ("/b", "a", "/a", True),
    ],
)
def test_the_longest_rule_as_written_decides(allow: str, disallow: str, path: str, allowed: bool) -> None:
    assert Rules([allow], [disallow]).allowed(path) is allowed


def test_without_a_rule_that_matches_a_path_is_allowed() -> None:
    assert Rules().allowed("/a")
    assert Rules(["/b"], ["/c"]).allowed("/a")


def _least_cpu_seconds(rules: Rules, path: str) -> float:
    def once() -> float:
        started = process_time()
        rules.allowed(path)
        return process_time() - started

    return min(once() for _ in range(3))


WEAPONS = {
    "one rule of 2,000 asterisks": (["/" + "*a" * 2000 + "b"], "/" + "a" * 2000),
    "40 rules of 100 asterisks": (["/" + "*a" * 100 + f"b{n}$" for n in range(40)], "/" + "a" * 2000),
    "needles that nearly match": (
        ["/*" + "a" * 50 + "b" + "a" * 50 + str(n) for n in range(40)],
        "/" + "a" * 2000,
    ),
    "4,000 wildcards": ([f"/*x{n}" for n in range(4000)], "/" + "x" * 400),
    "20,000 prefixes": ([f"/{'a' * (n % 20)}{n}" for n in range(20_000)], "/" + "a" * 2000),
    "1,000 lengths": (["/" + "a" * n + "b" for n in range(1000)], "/" + "a" * 2000),
}


@pytest.mark.parametrize(("disallows", "path"), WEAPONS.values(), ids=WEAPONS)
def test_a_match_costs_milliseconds_whatever_the_rules(disallows: list[str], path: str) -> None:
    """Each takes less than 6 ms on a usual machine; a matcher that backtracks would not end."""
    assert _least_cpu_seconds(Rules(disallows=disallows), path) < 0.05


def test_what_could_cost_more_is_not_allowed() -> None:
    part = "a" * 100 + "b"
    rules = Rules(allows=[f"/*{part}{n}" for n in range(1000)])
    assert rules.allowed("/a")
    assert not rules.allowed("/" + "a" * (MAX_STEPS // 100_000))
    assert _least_cpu_seconds(rules, "/" + "a" * 2000) < 0.05
