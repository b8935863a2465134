# SPDX-License-Identifier: BSD-3-Clause
"""Grey pictures as PNG, inside the page."""

import base64
import struct
import zlib

from plait.views.html.drawn.svg import element

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png(width: int, height: int, grey: bytes) -> bytes:
    """Returns a PNG of 8-bit grey pixels, the first row on top."""
    if len(grey) != width * height:
        raise ValueError(f"{len(grey)} pixels are not {width} x {height}")
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + grey[row * width : (row + 1) * width] for row in range(height))
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(name, data) for name, data in parts)


def picture(width: int, height: int, grey: bytes, says: str) -> str:
    """Returns an image with a caption."""
    source = "data:image/png;base64," + base64.b64encode(png(width, height, grey)).decode()
    style = "width:10rem;max-width:100%;image-rendering:pixelated;display:block"
    shown = element("img", src=source, alt=says, width=width, height=height,
                    style=f"{style};height:auto")  # fmt: skip
    caption = element("figcaption", says, class_="quiet")
    return element("figure", shown, caption, style="margin:0;display:inline-block")


def upside_down(width: int, grey: bytes) -> bytes:
    """Returns the rows in the opposite order: y grows upwards in an image, and downwards in PNG."""
    rows = [grey[at : at + width] for at in range(0, len(grey), width)]
    return b"".join(reversed(rows))


def _chunk(name: bytes, data: bytes) -> bytes:
    check = zlib.crc32(name + data)
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)
