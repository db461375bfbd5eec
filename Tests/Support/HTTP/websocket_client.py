"""Checks the live interface with a client that knows only WebSockets, the PyPI package `websockets`.

websocket_client.py URL FOLDER: the server uses PocketSphinx; live.wav in the folder has "go forward ten meters" at 24 kHz.
"""

import base64
import json
import os
import pathlib
import socket
import sys
import urllib.parse
import wave

from checks import equal, raises, run
from websockets.exceptions import ConnectionClosedError, InvalidStatus
from websockets.sync.client import connect

url, folder = sys.argv[1].replace("http:", "ws:"), pathlib.Path(sys.argv[2])
address = f"{url}/v1/realtime?intent=transcription"
text = "go forward ten meters"
with wave.open(str(folder / "live.wav"), "rb") as file:
    audio = file.readframes(file.getnframes())


def event(connection):
    return json.loads(connection.recv(timeout=60))


def opened(**options):
    connection = connect(address, legacy=True, **options)
    equal(event(connection)["type"], "session.created")
    return connection


def manual(connection):
    """Makes `commit` the end of a turn."""
    session = {"type": "transcription", "audio": {"input": {"turn_detection": None}}}
    connection.send(json.dumps({"type": "session.update", "session": session}))
    equal(event(connection)["type"], "session.updated")


def append(part):
    return json.dumps({"type": "input_audio_buffer.append", "audio": base64.b64encode(part).decode()})


def transcript(connection):
    connection.send(json.dumps({"type": "input_audio_buffer.commit"}))
    last = {}
    while last.get("type") != "conversation.item.done":
        last = event(connection)
        assert last["type"] != "error", last
    return last["item"]["content"][0]["transcript"].strip()


def fragments():
    """messages in fragments of any size are one event each, even with pings between them"""
    with opened() as connection:
        manual(connection)
        message = append(audio)
        size = len(message) // 50
        connection.send(message[start : start + size] for start in range(0, len(message), size))
        pong = connection.ping()
        equal(transcript(connection), text)
        assert pong.wait(60), "no pong"
        connection.send(iter(["{", '"type"', ":", '"input_audio_buffer.', 'clear"', "", "}"]))
        equal(event(connection)["type"], "input_audio_buffer.cleared")


def compression():
    """an offered compression is declined"""
    with opened(compression="deflate") as connection:
        equal(connection.protocol.extensions, [])


def pings():
    """each of 1,000 pings gets its pong"""
    with opened() as connection:
        pongs = [connection.ping(os.urandom(8)) for _ in range(1000)]
        assert all(pong.wait(60) for pong in pongs)


def odd_bytes():
    """audio that ends within a sample is an error, and the session goes on"""
    with opened() as connection:
        manual(connection)
        connection.send(append(audio[:4801]))
        equal(event(connection)["type"], "error")
        connection.send(append(audio))
        equal(transcript(connection), text)


def wrong_text():
    """text that is no JSON object gets an error event, and the session goes on"""
    with opened() as connection:
        manual(connection)
        for message in ("", "{", "[]", "null", '"text"', "{}", '{"type": 3}', '{"type": "x", "type": "y"}', "[" * 20_000):
            connection.send(message)
            fault = event(connection)
            equal((message[:20], fault["type"]), (message[:20], "error"))
            assert fault["error"]["type"] and fault["error"]["message"], fault
        connection.send(append(audio))
        equal(transcript(connection), text)


def closing():
    """a close frame is answered with the same code"""
    for code in (1000, 1001, 3000, 4999):
        connection = opened()
        connection.close(code)
        equal((connection.protocol.close_rcvd.code, connection.protocol.close_code), (code, code))


def violations():
    """a binary message, text that is not UTF-8, and a message that is too large end the connection with their codes"""
    for send, codes in (
        (lambda connection: connection.send(b"\0\1"), {1003}),
        (lambda connection: connection.send(b"\xff\xfe", text=True), {1007}),
        (lambda connection: connection.send("x" * 1_000_000 for _ in range(6)), {1009}),
    ):
        connection = opened()

        def until_closed():
            send(connection)
            while True:
                assert event(connection)["type"] == "error"

        closed = raises(ConnectionClosedError, until_closed)
        assert closed.rcvd is not None and closed.rcvd.code in codes, closed


# Frames that no client library sends.


def raw():
    """Returns a connection after the handshake and `session.created`."""
    parts = urllib.parse.urlsplit(url)
    connection = socket.create_connection((parts.hostname, parts.port), timeout=60)
    connection.sendall(
        f"GET /v1/realtime?intent=transcription HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
    )
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(1)
    assert head.startswith(b"HTTP/1.1 101 ") and b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in head, head
    return connection


def close_code(connection):
    """Returns the code of the server's close frame; None if the connection ends without one."""
    stream = connection.makefile("rb")
    while len(head := stream.read(2)) == 2:
        size = head[1] if head[1] < 126 else int.from_bytes(stream.read(2), "big")
        payload = stream.read(size)
        if head[0] == 0x88:
            return int.from_bytes(payload[:2], "big")
    return None


def silent():
    """a client that does not answer the close frame is disconnected"""
    with raw() as connection:
        connection.sendall(b"\x81\x02{}")
        equal(close_code(connection), 1002)
        equal(connection.recv(1), b"")


def broken_frames():
    """frames that break RFC 6455 end the connection with code 1002"""
    mask = b"\0\0\0\0"
    for name, frame in {
        "no mask": b"\x81\x02{}",
        "a reserved bit": b"\xc1\x82" + mask + b"{}",
        "a reserved opcode": b"\x83\x82" + mask + b"{}",
        "a continuation of nothing": b"\x80\x82" + mask + b"{}",
        "a ping in fragments": b"\x09\x82" + mask + b"{}",
        "a ping of 126 bytes": b"\x89\xfe\0\x7e" + mask + bytes(126),
        "a text within a text": b"\x01\x81" + mask + b"{" + b"\x81\x82" + mask + b"{}",
        "a length of 64 bits with the first bit": b"\x81\xff\xff" + bytes(7) + mask,
        "a close frame of one byte": b"\x88\x81" + mask + b"\x03",
        "a close frame with a reserved code": b"\x88\x82" + mask + b"\x03\xed",
    }.items():
        with raw() as connection:
            connection.sendall(frame)
            code = close_code(connection)
            assert code in (1002, 1009) if "length" in name else code == 1002, f"{name}: {code}"


def handshakes():
    """a handshake without the right version, key, or intent, and a foreign origin are refused"""
    raises(InvalidStatus, lambda: connect(f"{url}/v1/nothing", legacy=True))
    foreign = raises(InvalidStatus, lambda: connect(address, legacy=True, origin="http://example.com"))
    equal(foreign.response.status_code, 403)
    parts = urllib.parse.urlsplit(url)
    usual = {
        "Host": parts.netloc, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }  # fmt: skip
    for name, change, statuses in (
        ("no upgrade", {"Upgrade": None, "Connection": None}, {426}),
        ("an old version", {"Sec-WebSocket-Version": "8"}, {400, 426}),
        ("no key", {"Sec-WebSocket-Key": None}, {400, 426}),
        ("a foreign host", {"Host": "example.com"}, {400, 403}),
    ):
        with socket.create_connection((parts.hostname, parts.port), timeout=60) as connection:
            fields = "".join(f"{key}: {value}\r\n" for key, value in (usual | change).items() if value)
            connection.sendall(f"GET /v1/realtime?intent=transcription HTTP/1.1\r\n{fields}Connection: close\r\n\r\n".encode())
            status = int(connection.recv(65536).split()[1])
            assert status in statuses, f"{name}: {status}"


run([
    fragments, compression, pings, odd_bytes, wrong_text, closing, violations, silent,
    broken_frames, handshakes,
])  # fmt: skip
