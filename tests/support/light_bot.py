"""A bot that starts in some milliseconds: it speaks HTTP/2 and protobuf by hand, without the SDK.

It runs alone in a sandbox, and writes a line for its start and for each decision: its uid, when it
began to compute, and when it was done, in nanoseconds of the machine's clock.
"""

import os
import socket
from time import monotonic_ns

BEGAN = monotonic_ns()
THINKING = 1_000_000  # nanoseconds for a decision
WINDOW = (1 << 30).to_bytes(4)
HEADERS = {
    ":method": "POST",
    ":scheme": "http",
    ":path": "/mazzo.v1.PlayService/Play",
    ":authority": "localhost",
    "content-type": "application/grpc",
    "te": "trailers",
    "authorization": f"Bearer {os.environ['MAZZO_TOKEN']}",
}


def text(value: str) -> bytes:
    """A short text of HPACK, without Huffman's code."""
    return bytes([len(value)]) + value.encode()


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3) + bytes([kind, flags]) + stream.to_bytes(4) + payload


def message(kind: int, content: bytes) -> bytes:
    """A request that holds the message of that number, which is short."""
    body = bytes([kind << 3 | 2, len(content)]) + content
    return frame(0, 0, 1, b"\0" + len(body).to_bytes(4) + body)


def varint(number: int) -> bytes:
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def fields(data: bytes) -> list[tuple[int, int, bytes]]:
    """The fields of a message: numbers, values of integers, and what others hold."""
    found, place = [], 0

    def read() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while place < len(data):
        key = read()
        number = read() if key & 7 in (0, 2) else 0
        size = {0: 0, 1: 8, 2: number, 5: 4}[key & 7]
        found.append((key >> 3, number, data[place : place + size]))
        place += size
    return found


def note(began: int) -> None:
    os.write(1, f"{os.getuid()} {began} {monotonic_ns()}\n".encode())


def decide(decision: bytes) -> bytes:
    """The lowest legal action."""
    began = monotonic_ns()
    parts = {key: (number, held) for key, number, held in fields(decision)}
    legal = next(held for key, _, held in fields(parts[3][1]) if key == 6)
    mask = int.from_bytes(legal, "little")
    action = (mask & -mask).bit_length() - 1
    while monotonic_ns() < began + THINKING:
        pass
    chosen = b"\x09" + parts[1][1] + b"\x10" + varint(parts[2][0] if 2 in parts else 0)
    chosen += b"\x18" + varint(action)
    note(began)
    return message(2, bytes([1 << 3 | 2, len(chosen)]) + chosen)


def main() -> None:
    way = socket.socket(socket.AF_UNIX)
    way.connect(os.environ["MAZZO_ADDRESS"].removeprefix("unix:"))
    block = b"".join(b"\0" + text(name) + text(value) for name, value in HEADERS.items())
    note(BEGAN)
    way.sendall(
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        + frame(4, 0, 0, b"\0\4" + WINDOW)
        + frame(8, 0, 0, WINDOW)
        + frame(1, 4, 1, block)
        + message(1, b"\x0a\5light\x10\1")
    )
    stream = way.makefile("rb")
    waiting = b""
    while head := stream.read(9):
        payload = stream.read(int.from_bytes(head[:3]))
        kind, flags = head[3], head[4]
        if kind in (4, 6) and not flags & 1:
            way.sendall(frame(kind, 1, 0, payload if kind == 6 else b""))
        waiting += payload if kind == 0 else b""
        while len(waiting) >= 5 and len(waiting) >= (end := 5 + int.from_bytes(waiting[1:5])):
            response, waiting = waiting[5:end], waiting[end:]
            for key, _, held in fields(response):
                if key == 3:  # goodbye
                    return
                if key == 4:  # ping
                    way.sendall(message(4, b""))
                if key == 2:
                    for part, _, decision in fields(held):
                        if part == 2:
                            way.sendall(decide(decision))


if __name__ == "__main__":
    main()
