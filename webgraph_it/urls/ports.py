"""Ports that are never used for a page: mail, file transfer, remote shells and the like.

The list is that of the Fetch standard ("bad ports", https://fetch.spec.whatwg.org/#port-blocking), which every
browser uses: a page must not make its readers, or a crawler, talk to such a server.
"""

BAD_PORTS = frozenset(
    (
        *(0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95),
        *(101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179),
        *(389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587),
        *(601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061),
        *(6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080),
    )
)


def port_of(key: str) -> int | None:
    """The port of a SURT key; None if it is the default port, or not a valid one."""
    end = key.find(")") + 1
    if not end or key[end : end + 1] != ":":
        return None
    digits = key[end + 1 : end + 7].partition("/")[0].partition("?")[0]
    return int(digits) if digits.isascii() and digits.isdigit() else None
