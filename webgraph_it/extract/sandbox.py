"""What a worker gives up before it reads untrusted documents: files, network, other processes, new rights.

`enter` is called once, after all imports. From then on the process can read and write what is already open (its
socket), use memory and time, and end. It cannot open a file, make a socket, start a process or a program, or signal
another process: each such call fails with EPERM. Measures that the kernel does not offer are left out, and `enter`
returns those in force:

    no_new_privs   no program gives it more rights
    limits         RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_NPROC, RLIMIT_CORE (address space and CPU time: worker.py)
    landlock       Linux 5.13: no file; 6.7: no TCP; 6.12: no abstract socket, no signal outside
    seccomp        x86_64 and aarch64: only ALLOWED system calls

It uses ctypes, because Python has no interface to these. The process itself cannot undo anything here.
"""

import ctypes
import os
import platform
import resource
import struct
from collections.abc import Callable

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 38, 22
_SECCOMP_MODE_FILTER = 2
_EPERM = 1
_MAX_OPEN_FILES = 16

_libc = ctypes.CDLL(None, use_errno=True)


def enter() -> tuple[str, ...]:
    """Give up everything that can be given up. Returns the measures in force."""
    return tuple(name for name, measure in MEASURES.items() if measure())


def _no_new_privileges() -> bool:
    return _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def _limits() -> bool:
    for limit, most in (
        (resource.RLIMIT_NOFILE, _MAX_OPEN_FILES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        try:
            resource.setrlimit(limit, (most, most))
        except (OSError, ValueError):
            return False
    return True


# -- Landlock -------------------------------------------------------------------------------------------------

_LANDLOCK_CREATE_RULESET, _LANDLOCK_RESTRICT_SELF = 444, 446
_LANDLOCK_VERSION = 1
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
"""Version of the interface → how many file rights it has; from version 5 on there are 16."""
_TCP_RIGHTS = 0b11
_SCOPES = 0b11


def _landlock() -> bool:
    """A ruleset that handles everything and allows nothing."""
    version = _libc.syscall(_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), _LANDLOCK_VERSION)
    if version < 1:
        return False
    handled = [(1 << _FILE_RIGHTS.get(version, 16)) - 1]
    handled += [_TCP_RIGHTS] if version >= 4 else []
    handled += [_SCOPES] if version >= 6 else []
    attributes = struct.pack(f"={len(handled)}Q", *handled)
    ruleset = _libc.syscall(_LANDLOCK_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if ruleset < 0:
        return False
    try:
        return bool(_libc.syscall(_LANDLOCK_RESTRICT_SELF, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


# -- seccomp --------------------------------------------------------------------------------------------------

_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""The kernel's name of the machine, and its column in ALLOWED."""
ALLOWED: dict[str, tuple[int | None, int | None]] = {
    "read": (0, 63),
    "write": (1, 64),
    "readv": (19, 65),
    "writev": (20, 66),
    "recvfrom": (45, 207),
    "sendto": (44, 206),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "lseek": (8, 62),
    "fstat": (5, 80),
    "close": (3, 57),
    "shutdown": (48, 210),
    "brk": (12, 214),
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "mprotect": (10, 226),
    "madvise": (28, 233),
    "futex": (202, 98),
    "membarrier": (324, 283),
    "sched_yield": (24, 124),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "setitimer": (38, 103),
    "getitimer": (36, 102),
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "getrusage": (98, 165),
    "getrandom": (318, 278),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "exit": (60, 93),
    "exit_group": (231, 94),
}
"""System calls: their numbers on x86_64 and aarch64."""
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ARCHITECTURE_AT, _NUMBER_AT = 4, 0
_ALLOW, _FAIL, _KILL = 0x7FFF0000, 0x00050000 | _EPERM, 0x80000000


def _seccomp() -> bool:
    code = program(platform.machine())
    if not code:
        return False
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
    return _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, header)


def program(machine: str) -> bytes:
    """The filter in the kernel's classic BPF; empty for an unknown machine."""
    if machine not in _ARCHITECTURES:
        return b""
    architecture, column = _ARCHITECTURES[machine]
    numbers = [number for row in ALLOWED.values() if (number := row[column]) is not None]
    checks = [(_IF_EQUAL, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_IF_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
        *checks,
        (_RETURN, 0, 0, _FAIL),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _prctl(option: int, value: int, pointer: bytes | None = None) -> bool:
    zero = ctypes.c_ulong(0)
    return bool(_libc.prctl(option, ctypes.c_ulong(value), pointer if pointer else zero, zero, zero) == 0)


MEASURES: dict[str, Callable[[], bool]] = {
    "no_new_privs": _no_new_privileges,
    "limits": _limits,
    "landlock": _landlock,
    "seccomp": _seccomp,
}
"""In this order: the third needs the first, the last forbids the others."""
