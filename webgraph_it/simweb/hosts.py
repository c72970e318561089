"""The hosts of the web: names, sizes by a power law, and addresses shared as on shared hosting.

All hosts together are a pure function of the plan. The healthy web uses only addresses in HEALTHY.
"""

from dataclasses import dataclass, field
from itertools import accumulate
from random import Random

from webgraph_it.simweb.plan import Plan
from webgraph_it.simweb.words import PLAIN

HEALTHY = "127.1.0.0/16"
HTTPS_ONLY_ADDRESS = "127.1.254.1"
HTTP_ONLY_ADDRESS = "127.1.254.2"
REFUSING_ADDRESS = "127.1.255.1"


@dataclass(frozen=True, slots=True)
class Host:
    """One web server by name. It answers under `name` and under `www.name`."""

    number: int
    name: str
    """Without www, in ASCII."""
    first_page: int
    """Number of its first page among all ordinary pages."""
    page_count: int
    address: str
    www: bool = False
    """Whether its own links spell it with www."""
    scheme: str = "http"
    shown: str = ""
    """The name with its accents, if it has any."""
    traits: frozenset[str] = field(default_factory=frozenset)
    """Its habits of hosts. An extra host has the one habit that it exists for."""
    latency_seconds: float = 0.0

    @property
    def origin(self) -> str:
        """A URL that always leads there."""
        return _origin(self.scheme, self.www, self.name)

    def some_origin(self, random: Random) -> str:
        """A spelling that a link may use. If the host has twins, any of them."""
        if not self.traits:
            return self.origin
        scheme, www, name = self.scheme, self.www, self.name
        if self.traits & {"https-twin", "https-redirect", "https-only", "http-only"}:
            scheme = random.choice(("http", "https"))
        if self.traits & {"www-twin", "www-redirect", "www-lost"}:
            www = random.random() < 0.5
        if self.shown and random.random() < 0.5:
            name = self.shown
        return _origin(scheme, www, name)


def _origin(scheme: str, www: bool, name: str) -> str:
    return f"{scheme}://{'www.' if www else ''}{name}"


def ordinary_hosts(plan: Plan) -> list[Host]:
    """The hosts of the plan, largest first, without traits."""
    sizes = host_sizes(plan.hosts, plan.pages, plan.size_exponent)
    starts = [0, *accumulate(sizes)]
    addresses = Addresses(plan)
    return [
        Host(number, name, starts[number], sizes[number], addresses.pick(), www=number % 2 == 0)
        for number, name in enumerate(_names(plan))
    ]


def host_sizes(hosts: int, pages: int, exponent: float) -> list[int]:
    """`hosts` numbers, at least 1 each, decreasing by the power law, with sum `pages`."""
    weights = [rank**-exponent for rank in range(1, hosts + 1)]
    ends = list(accumulate(weights))
    spare = pages - hosts
    cuts = [round(spare * end / ends[-1]) for end in ends]
    return [1 + cut - before for before, cut in zip([0, *cuts], cuts, strict=False)]


class Addresses:
    """Assigns addresses in HEALTHY: the first ones to many hosts, the last ones to few."""

    def __init__(self, plan: Plan, purpose: str = "ordinary") -> None:
        self._random = Random(f"{plan.seed} addresses {purpose}")
        self._count = plan.address_count

    def pick(self) -> str:
        return healthy_address(int(self._count * self._random.random() ** 2))


def healthy_address(number: int) -> str:
    """The address with this number, starting at 127.1.0.1."""
    return f"127.1.{(number + 1) >> 8}.{(number + 1) & 255}"


def _names(plan: Plan) -> list[str]:
    random = Random(f"{plan.seed} names")
    names: dict[str, None] = {}
    domains: list[str] = []
    while len(names) < plan.hosts:
        if domains and random.random() < 0.3:
            name = f"{random.choice(PLAIN)}.{domains[int(len(domains) * random.random() ** 3)]}"
        else:
            name = f"{random.choice(PLAIN)}-{random.choice(PLAIN)}.it"
            name = name if name not in names else f"{name[:-3]}{len(names)}.it"
            domains.append(name)
        names[name] = None
    return list(names)
