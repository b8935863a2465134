# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of a reconstruction: PNG as its specification has it, y upwards."""

import struct
import zlib

import pytest

from plait.results import check, kind_of
from plait.views.html.drawn.picture import png, upside_down
from sample import reconstruction_result


def chunks(data):
    """The chunks of a PNG; their check sums are right."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    found, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        name, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        (said,) = struct.unpack(">I", data[at + 8 + length : at + 12 + length])
        assert zlib.crc32(name + content) == said
        found[name] = content
        at += 12 + length
    return found


def test_a_png_has_its_pixels_row_by_row():
    found = chunks(png(3, 2, bytes(range(6))))
    assert list(found) == [b"IHDR", b"IDAT", b"IEND"]
    assert struct.unpack(">IIBBBBB", found[b"IHDR"]) == (3, 2, 8, 0, 0, 0, 0)
    assert zlib.decompress(found[b"IDAT"]) == b"\0\x00\x01\x02\0\x03\x04\x05"


def test_a_picture_of_another_size_is_refused():
    with pytest.raises(ValueError, match="5 pixels are not 3 x 2"):
        png(3, 2, bytes(5))
    answer = reconstruction_result()
    answer["reconstruction"]["width"] = 3
    assert any("is not of 3 x 2 pixels" in line for line in check(answer))


def test_the_last_row_of_an_image_is_on_top():
    assert upside_down(2, b"abcdef") == b"efcdab"


def test_the_report_shows_every_iteration_and_the_truth():
    answer = reconstruction_result()
    html = kind_of(answer).html(answer, [answer])
    assert html.count("data:image/png;base64,") == 4
    for caption in ("iteration 0", "iteration 2", "truth"):
        assert f">{caption}</figcaption>" in html
    assert "Log likelihood" in html
    assert "Distance from the truth" in html
