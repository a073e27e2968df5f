"""Trick: changes owner, mode, times, attributes, flags and links of a file that it may only read, in every way that it knows.

Gain: each is a memory that outlives the program; and somebody's files are no longer what they were.
"""

import ctypes
import fcntl
import os
import sys

from slow_solver import Program

FILE = os.path.join(os.path.dirname(sys.argv[0]), "canary")
FCHMODAT2 = 452
FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, NO_DUMP = 0x80086601, 0x40086602, 0x40
AT_FDCWD = -100
call = ctypes.CDLL(None).syscall
path = FILE.encode()


def flag():
    flags = fcntl.ioctl(file, FS_IOC_GETFLAGS, bytes(8))
    flags = int.from_bytes(flags, "little") | NO_DUMP
    fcntl.ioctl(file, FS_IOC_SETFLAGS, flags.to_bytes(8, "little"))


file = os.open(FILE, os.O_RDONLY)
WAYS = [
    lambda: os.chmod(FILE, 0o604),
    lambda: os.fchmod(file, 0o640),
    lambda: call(FCHMODAT2, AT_FDCWD, path, 0o606, 0),
    lambda: os.chown(FILE, 65534, 65534),
    lambda: os.utime(FILE, (1, 1)),
    lambda: os.utime(file, (2, 2)),
    lambda: os.setxattr(FILE, "user.repro-cheat", b"1"),
    lambda: os.setxattr(file, "user.repro-cheat-too", b"1"),
    lambda: os.setxattr(FILE, "trusted.repro-cheat", b"1", follow_symlinks=False),
    flag,
    lambda: os.link(FILE, "link"),
    lambda: os.rename(FILE, "canary"),
    lambda: os.truncate(FILE, 0),
]
for way in WAYS:
    try:
        way()
    except OSError:
        pass
Program().serve()
