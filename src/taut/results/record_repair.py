"""Reading an HDF5 file whose writer was killed: mark a copy in memory as closed.

Such a file is consistent (see `taut.results.record_file`), but its superblock still says that it is being written and
HDF5 refuses it. Opening it as a file that grows would work, but waits without end if the file is cut short as well. So
the superblock is written anew: no writer, end of file = size of the file, and the checksum over both.
"""

from __future__ import annotations

import io
import struct
from pathlib import Path

SIGNATURE = b"\x89HDF\r\n\x1a\n"
SUPERBLOCK_VERSION = 3
VERSION_AT, FLAGS_AT, END_AT, CHECKSUM_AT, SIZE = 8, 11, 28, 44, 48
WORD = 0xFFFFFFFF


def closed_copy(path: Path) -> io.BytesIO | None:
    """The content of a file that was left open by its writer, marked as closed; None if it was not left open."""
    content = bytearray(path.read_bytes())
    left_open = len(content) > SIZE and content[VERSION_AT] == SUPERBLOCK_VERSION and content[FLAGS_AT] != 0
    if not content.startswith(SIGNATURE) or not left_open:
        return None
    content[FLAGS_AT] = 0
    struct.pack_into("<Q", content, END_AT, len(content))
    struct.pack_into("<I", content, CHECKSUM_AT, lookup3(bytes(content[:CHECKSUM_AT])))
    return io.BytesIO(content)


def lookup3(key: bytes) -> int:
    """Bob Jenkins' lookup3 hash (hashlittle, seed 0), the checksum of HDF5 metadata."""
    a = b = c = (0xDEADBEEF + len(key)) & WORD
    blocks = max(len(key) - 1, 0) // 12
    for block in range(blocks):
        words = struct.unpack_from("<3I", key, 12 * block)
        a, b, c = ((value + word) & WORD for value, word in zip((a, b, c), words, strict=True))
        for turn in (4, 6, 8, 16, 19, 4):
            # a -= c; a ^= rot(c, turn); c += b, then the three names move on by one
            a = ((a - c) & WORD) ^ _rotated(c, turn)
            c = (c + b) & WORD
            a, b, c = b, c, a
    tail = key[12 * blocks :]
    if not tail:
        return c
    words = struct.unpack("<3I", tail.ljust(12, b"\0"))
    a, b, c = ((value + word) & WORD for value, word in zip((a, b, c), words, strict=True))
    for turn in (14, 11, 25, 16, 4, 14, 24):
        # c ^= b; c -= rot(b, turn), then the three names move on by one
        c = ((c ^ b) - _rotated(b, turn)) & WORD
        a, b, c = b, c, a
    return b


def _rotated(value: int, bits: int) -> int:
    return ((value << bits) | (value >> (32 - bits))) & WORD
