"""OLE2 compound files ([MS-CFB] version 3): a file system in a file, in sectors of 512 bytes.

    header | sectors of the streams | directory | file allocation table

Streams are padded with zeros to CUTOFF bytes, so that none is in the mini stream. `interleaved`
scatters the sectors of each stream, as in a file that was saved many times.
"""

import struct
from collections.abc import Mapping
from itertools import zip_longest

SECTOR = 512
CUTOFF = 4096
_FREE, _END_OF_CHAIN, _FAT_SECTOR = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_ENTRIES = SECTOR // 4
_FAT_SECTORS_IN_HEADER = 109
_NO_ENTRY = 0xFFFFFFFF
_STREAM, _ROOT = 2, 5


def compound_file(streams: Mapping[str, bytes], *, interleaved: bool) -> bytes:
    """A compound file that holds these streams (not more than fit in about 7 MB)."""
    padded = {name: _padded(content) for name, content in streams.items()}
    places = _placed({name: len(content) // SECTOR for name, content in padded.items()}, interleaved)
    used = sum(len(chain) for chain in places.values())
    entries = _directory(padded, {name: chain[0] for name, chain in places.items()})
    directory = list(range(used, used + len(entries) // SECTOR))
    table = _allocation_table([*places.values(), directory], used + len(directory))
    sectors = [b""] * used
    for name, chain in places.items():
        for index, place in enumerate(chain):
            sectors[place] = padded[name][index * SECTOR : (index + 1) * SECTOR]
    fat_start = used + len(directory)
    return _header(directory[0], range(fat_start, fat_start + len(table) // SECTOR)) + b"".join(
        [*sectors, entries, table]
    )


def _padded(content: bytes) -> bytes:
    size = max(CUTOFF, -(-len(content) // SECTOR) * SECTOR)
    return content.ljust(size, b"\0")


def _placed(sizes: Mapping[str, int], interleaved: bool) -> dict[str, list[int]]:
    """Which sectors hold each stream, in the stream's order."""
    in_turn = [[name] * size for name, size in sizes.items()]
    if interleaved:
        in_turn = [[name for name in turn if name] for turn in zip_longest(*in_turn)]
    places: dict[str, list[int]] = {name: [] for name in sizes}
    for place, name in enumerate(name for turn in in_turn for name in turn):
        places[name].append(place)
    return places


def _allocation_table(chains: list[list[int]], used: int) -> bytes:
    sector_count = 1
    while sector_count * _ENTRIES < used + sector_count:
        sector_count += 1
    if sector_count > _FAT_SECTORS_IN_HEADER:
        raise ValueError(f"a compound file of {used} sectors would need more than one header")
    following = [_FREE] * (sector_count * _ENTRIES)
    for chain in chains:
        for place, successor in zip(chain, [*chain[1:], _END_OF_CHAIN], strict=True):
            following[place] = successor
    following[used : used + sector_count] = [_FAT_SECTOR] * sector_count
    return struct.pack(f"<{len(following)}I", *following)


def _directory(streams: Mapping[str, bytes], starts: Mapping[str, int]) -> bytes:
    """Root, then the streams as a red-black tree: a chain of right siblings in the order of the format."""
    names = sorted(streams, key=lambda name: (len(name), name.upper()))
    entries = [_entry("Root Entry", _ROOT, _NO_ENTRY, 1, _END_OF_CHAIN, 0)]
    for number, name in enumerate(names, 1):
        sibling = number + 1 if number < len(names) else _NO_ENTRY
        entries.append(_entry(name, _STREAM, sibling, _NO_ENTRY, starts[name], len(streams[name])))
    unused = bytes(68) + struct.pack("<III", *[_NO_ENTRY] * 3) + bytes(48)
    while len(entries) % 4:
        entries.append(unused)
    return b"".join(entries)


def _entry(name: str, kind: int, right: int, child: int, start: int, size: int) -> bytes:
    encoded = name.encode("utf-16-le") + b"\0\0"
    black = 1
    links = struct.pack("<HBBIII", len(encoded), kind, black, _NO_ENTRY, right, child)
    return encoded.ljust(64, b"\0") + links + bytes(36) + struct.pack("<IQ", start, size)


def _header(directory_start: int, fat_sectors: range) -> bytes:
    return (
        bytes.fromhex("D0CF11E0A1B11AE1")
        + bytes(16)
        + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6)  # versions, byte order, sector and mini sector sizes
        + bytes(10)
        + struct.pack("<IIII", len(fat_sectors), directory_start, 0, CUTOFF)
        + struct.pack("<IIII", _END_OF_CHAIN, 0, _END_OF_CHAIN, 0)  # no mini stream, no further table
        + struct.pack("<109I", *fat_sectors, *[_FREE] * (_FAT_SECTORS_IN_HEADER - len(fat_sectors)))
    )
