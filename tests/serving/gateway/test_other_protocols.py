"""Clients of Connect and gRPC-Web that are not ours read why they are refused."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
import trustme
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.serving.gateway.frames import PREFACE, Flag, Frame, FrameType
from mazzo_server.serving.gateway.opening import Opening
from mazzo_server.serving.grpc.server import serve_platform
from mazzo_server.serving.hosting.listening import TlsFiles
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore
from support.callers import PATIENCE

BUF = Path(sys.executable).parent / "buf"
PROTO = Path(__file__).parents[3] / "proto"
SETTINGS = Frame(0, FrameType.SETTINGS, 0, 0).pack(b"")
# `:method POST`, and the content type, in bytes of their own.
HEADERS = b"\x83\0\x0ccontent-type"


@pytest.mark.parametrize("way", ["plain", "plain, known to be HTTP/2", "tls"])
@pytest.mark.parametrize("protocol", ["connect", "grpcweb"])
def test_buf_shows_why_it_is_refused(tmp_path: Path, protocol: str, way: str) -> None:
    """Over HTTP/1.1, over HTTP/2 from the first byte, and over HTTP/2 that TLS agreed on."""
    tls = None
    if way == "tls":
        made = trustme.CA().issue_cert("localhost")
        tls = TlsFiles(certificate=tmp_path / "cert.pem", key=tmp_path / "key.pem")
        tls.certificate.write_bytes(made.cert_chain_pems[0].bytes())
        tls.key.write_bytes(made.private_key_pem.bytes())
    options = ["--insecure"] if tls else ["--http2-prior-knowledge"] if "known" in way else []

    async def main() -> None:
        platform = Platform(Settings(home=Path("/nowhere")), MemoryStore())
        serving = serve_platform(platform, ["localhost:0"], isolation="none", public=True, tls=tls)
        async with asyncio.timeout(PATIENCE), serving as (address,):
            for given_protocol, code in ((protocol, "unimplemented"), ("grpc", "")):
                if given_protocol == "grpc" and way == "plain":
                    continue  # gRPC is always HTTP/2
                url = f"{'https' if tls else 'http'}://{address}"
                buf = await asyncio.create_subprocess_exec(
                    *(str(BUF), "curl", "--schema", str(PROTO), "--protocol", given_protocol),
                    *(*options, "-d", "{}", f"{url}/mazzo.v1.RankingService/ListRankings"),
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                )
                _, said = await buf.communicate()
                if code:
                    error = json.loads(said)
                    assert error["code"] == code
                    assert "choose gRPC in your client" in error["message"]
                else:
                    assert (buf.returncode, said) == (0, b"")

    asyncio.run(main())


def request(content_type: bytes, *, parts: int, padding: int) -> bytes:
    block = HEADERS + bytes((len(content_type),)) + content_type
    size = max(1, len(block) // parts)
    cut = [block[i : i + size] for i in range(0, len(block), size)]
    first = bytes((padding,)) + bytes(5) + cut[0] + bytes(padding)
    flags = Flag.PADDED | Flag.PRIORITY
    last = Flag.END_HEADERS
    frames = [
        Frame(0, FrameType.HEADERS, flags | (last if len(cut) == 1 else 0), 1).pack(first),
        *(
            Frame(0, FrameType.CONTINUATION, last if one is cut[-1] else 0, 1).pack(one)
            for one in cut[1:]
        ),
    ]
    return b"".join(frames)


@given(
    st.sampled_from([b"application/grpc", b"application/grpc+proto", b"application/proto", b"x"]),
    st.integers(1, 4),
    st.integers(0, 9),
    st.lists(st.integers(1, 30), min_size=1),
)
def test_the_first_request_decides_however_it_is_parted(
    content_type: bytes, parts: int, padding: int, sizes: list[int]
) -> None:
    """What is before it passes at once; it passes itself if it is one of gRPC."""
    asked = request(content_type, parts=parts, padding=padding)
    sent = PREFACE + SETTINGS + asked
    opening, passed, offset, turn = Opening(), b"", 0, 0
    while offset < len(sent):
        size = sizes[turn % len(sizes)]
        assert not opening.is_over
        assert not opening.is_refused
        passed += opening.receive(sent[offset : offset + size])
        if offset + size == len(PREFACE) + len(SETTINGS):
            assert passed == SETTINGS
        offset, turn = offset + size, turn + 1
    is_grpc = content_type.startswith(b"application/grpc")
    assert (opening.is_over, opening.is_refused) == (is_grpc, not is_grpc)
    assert passed == SETTINGS + (asked if is_grpc else b"")


@given(st.binary(max_size=200))
def test_whatever_comes_is_no_error_of_ours(data: bytes) -> None:
    """It passes, waits, or is refused; the server judges what is no right HTTP/2."""
    for sent in (data, PREFACE + data, PREFACE + SETTINGS + b"\0\0\x40\1\4\0\0\0\1" + data):
        opening = Opening()
        assert len(opening.receive(sent)) <= len(sent)
