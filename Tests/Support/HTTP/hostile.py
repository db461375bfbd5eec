"""Sends bad requests to a server on this machine, and checks that other clients are served and that nothing remains of them.

hostile.py URL PROCESS FILE [ROUNDS]: the server with this process identifier uses PocketSphinx, serves four clients at a time,
accepts uploads of at most 8,000,000 bytes, and ends connections that are idle for five seconds. FILE is a WAV file with "go
forward ten meters". In each round, a client leaves while it waits.
"""

import base64
import collections
import gzip
import http.client
import json
import os
import pathlib
import random
import select
import socket
import struct
import sys
import threading
import time
import urllib.parse

from checks import equal, run

url, process, path = sys.argv[1:4]
rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 1000
parts = urllib.parse.urlsplit(url)
address = (parts.hostname, parts.port)
audio = pathlib.Path(path).read_bytes()
text = "go forward ten meters"
random.seed(39)


def disposition(name, more=""):
    return f'--b\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode()


def field(name, value):
    return disposition(name) + value.encode() + b"\r\n"


def form(*fields, file=audio):
    """Returns the body of a form with the boundary `b`."""
    body = b"".join(field(name, value) for name, value in fields)
    if file is not None:
        body += disposition("file", '; filename="said.wav"') + file + b"\r\n"
    return body + b"--b--\r\n"


usual = form(("model", "syrinx"))


def head(length=None, path="/v1/audio/transcriptions", method="POST", **fields):
    """Returns the head of a request; a field that is None is omitted."""
    fields = {"Host": parts.netloc, "Content_Type": "multipart/form-data; boundary=b", "Content_Length": length} | fields
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in fields.items() if value is not None]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode()


def opened(timeout=60):
    return socket.create_connection(address, timeout=timeout)


Answer = collections.namedtuple("Answer", "status fields body")


def answer(connection):
    """Reads a response; None if the server ends the connection without one."""
    response = http.client.HTTPResponse(connection)
    try:
        response.begin()
        return Answer(response.status, response.headers, response.read())
    except (http.client.BadStatusLine, ConnectionResetError, BrokenPipeError):
        return None
    finally:
        response.close()


def ask(request):
    """Returns the response to a request on a connection of its own."""
    with opened() as connection:
        try:
            connection.sendall(request)
        except (BrokenPipeError, ConnectionResetError):
            # The server has answered before it has read everything.
            pass
        return answer(connection)


def refused(name, response, *statuses):
    """Checks the status and that the body is an error of OpenAI's shape."""
    assert response is not None, f"{name}: the server ended the connection without a response"
    assert response.status in statuses, f"{name}: {response.status} {response.body[:200]}"
    fault = json.loads(response.body)["error"]
    assert fault["message"] and fault["type"] and {"param", "code"} <= fault.keys(), f"{name}: {fault}"
    return fault


def served():
    """Checks that a well-behaved client gets its transcript; it tries again while all places are taken."""
    deadline = time.monotonic() + 60
    while True:
        response = ask(head(len(usual)) + usual)
        if response is None or response.status != 429 or time.monotonic() > deadline:
            break
        select.select([], [], [], 0.05)
    assert response is not None and response.status == 200, response
    equal(json.loads(response.body)["text"], text)


def websocket():
    """Returns a connection after the handshake."""
    connection = opened()
    connection.sendall(
        head(None, "/v1/realtime?intent=transcription", "GET", Content_Type=None, Upgrade="websocket", Connection="Upgrade",
             Sec_WebSocket_Version=13, Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25jZQ==")
    )  # fmt: skip
    received = b""
    while b"\r\n\r\n" not in received:
        part = connection.recv(1)
        assert part, f"no handshake: {received[:200]}"
        received += part
    return connection if received.startswith(b"HTTP/1.1 101 ") else None


def frame(payload, opcode=1, final=True, size=None):
    """Returns a masked frame; `size` is the announced size if it is another than that of the payload."""
    size = len(payload) if size is None else size
    if size < 126:
        length = bytes([0x80 | size])
    else:
        length = b"\xfe" + struct.pack(">H", size) if size < 65536 else b"\xff" + struct.pack(">Q", size)
    return bytes([(0x80 if final else 0) | opcode]) + length + b"\0\0\0\0" + payload


def append(samples):
    return frame(json.dumps({"type": "input_audio_buffer.append", "audio": base64.b64encode(samples).decode()}).encode())


# What the server holds.


def state():
    """Returns the numbers of descriptors and threads, and the resident memory in bytes."""
    status = dict(line.split(":", 1) for line in open(f"/proc/{process}/status"))
    return len(os.listdir(f"/proc/{process}/fd")), int(status["Threads"]), int(status["VmRSS"].split()[0]) * 1024


def settles(before, more_memory):
    """Waits until descriptors and threads are as few as before, and memory is at most as much more."""
    deadline = time.monotonic() + 90
    while True:
        now = state()
        if now[0] <= before[0] and now[1] <= before[1] and now[2] <= before[2] + more_memory:
            return now
        assert time.monotonic() < deadline, f"descriptors, threads, and memory were {before} and are {now}"
        select.select([], [], [], 0.2)


def unharmed(check, more_memory=30_000_000):
    """Runs a check while other clients are served, and then compares what the server holds."""

    def wrapped():
        served()
        before = state()
        check()
        served()
        now = settles(before, more_memory)
        print(f"  descriptors {before[0]} → {now[0]}, threads {before[1]} → {now[1]}, MB {before[2] / 1e6:.1f} → {now[2] / 1e6:.1f}")

    wrapped.__name__, wrapped.__doc__ = check.__name__, check.__doc__
    return wrapped


# The checks.


def reset(connection):
    """Ends a connection as a process that is killed with unread data."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def leave():
    """Connects, and leaves at a random moment in a random way."""
    way = random.randrange(6)
    if way < 3:
        connection = opened()
        request = head(len(usual)) + usual
        # Cut anywhere, or complete, so that the client leaves during recognition.
        connection.sendall(request[: random.randrange(len(request))] if way == 0 else request)
        if way == 2:
            # Its moment of leaving is within the recognition.
            select.select([connection], [], [], random.random() * 0.3)
    else:
        connection = websocket()
        if connection is None:
            return False
        if way == 4:
            message = append(audio[44:])
            connection.sendall(message[: random.randrange(1, len(message))])
        if way == 5:
            connection.sendall(append(audio[44:]) + frame(b'{"type": "input_audio_buffer.commit"}'))
    if random.random() < 0.5:
        reset(connection)
    else:
        connection.close()
    return True


def leaving():
    """clients that leave while they wait cost the others nothing, and leave no descriptor and no thread"""
    admitted = 0
    for number in range(rounds):
        admitted += leave()
        if number % 25 == 24:
            served()
    print(f"  {admitted} of {rounds} clients were admitted before they left")
    assert admitted > rounds // 2, admitted


# The allocator and the recognizers keep memory for the most simultaneous clients so far, and for a moment a canceled recognition
# overlaps the next one. A recognizer that is never freed would cost more than this in a few rounds.
leaving = unharmed(leaving, 300_000_000)


@unharmed
def cut_forms():
    """a form that is cut at any of its first 2,048 bytes is an error, with and without the end of the request"""
    whole = form(("model", "syrinx"), ("response_format", "verbose_json"), ("language", "en"))
    connection = opened()
    for size in range(2048):
        for _ in range(2):
            try:
                connection.sendall(head(size) + whole[:size])
                response = answer(connection)
            except (BrokenPipeError, ConnectionResetError):
                response = None
            if response is not None:
                break
            # The server may end a connection after an error, so the request is repeated on a new one.
            connection.close()
            connection = opened()
        refused(f"{size} bytes", response, 400)
    connection.close()
    for size in range(0, 2048, 16):
        with opened() as connection:
            connection.sendall(head(len(whole)) + whole[:size])
            connection.shutdown(socket.SHUT_WR)
            response = answer(connection)
            if response is not None:
                refused(f"{size} bytes and the end", response, 400, 408)


@unharmed
def parameters():
    """each parameter that is wrong, missing, or there twice is an error that names it"""
    for name, values in {
        "response_format": ["xml", "json ", "json,text"],
        "temperature": ["warm", "-0.1", "1.1", "nan", "inf", "1e999"],
        "stream": ["yes", "2"],
        "timestamp_granularities[]": ["line", "words"],
        "include[]": ["everything"],
        "chunking_strategy": ["never", "{", '{"type": "none"}', '{"type": "server_vad", "threshold": 2}'],
        "language": ["klingon!", "e" * 10_000],
        "languages[]": ["?"],
        "keywords[]": ["a" * 10_000],
    }.items():
        for value in values:
            fields = [("model", "syrinx"), (name, value)]
            if name.startswith("timestamp"):
                fields.append(("response_format", "verbose_json"))
            body = form(*fields)
            fault = refused(f"{name}={value[:20]}", ask(head(len(body)) + body), 400)
            assert (fault["param"] or "").startswith(name.removesuffix("[]")), f"{name}={value[:20]}: {fault}"
    once = {"model": "syrinx", "response_format": "json", "temperature": "0", "stream": "false", "language": "en", "prompt": "a"}
    for name, value in once.items():
        body = form(*(once.items()), (name, value))
        refused(f"{name} twice", ask(head(len(body)) + body), 400)
    for name, body in {
        "no model": form(),
        "no file": form(("model", "syrinx"), file=None),
        "two files": usual.replace(b"--b--\r\n", b"") + form(),
        "an empty file": form(("model", "syrinx"), file=b""),
        "text as a file": form(("model", "syrinx"), file=b"no audio " * 1000),
        "a picture as a file": form(("model", "syrinx"), file=b"\x89PNG\r\n\x1a\n" + bytes(1000)),
        "only the header of a WAV file": form(("model", "syrinx"), file=audio[:36]),
        "a WAV file without samples per second": form(("model", "syrinx"), file=audio[:24] + bytes(4) + audio[28:]),
        "a WAV file with 65,535 channels": form(("model", "syrinx"), file=audio[:22] + b"\xff\xff" + audio[24:]),
        "nothing": b"",
        "only the end": b"--b--\r\n",
        "a prompt without an end": field("model", "syrinx") + disposition("prompt") + b"a" * 3_000_000,
        "a prompt of 3 MB": form(("model", "syrinx"), ("prompt", "a" * 3_000_000)),
        "50,000 fields": form(*[("x", "y")] * 50_000),
        "a field without a name": b"--b\r\nContent-Disposition: form-data\r\n\r\na\r\n" + usual,
        "a field without a disposition": b"--b\r\n\r\na\r\n" + usual,
        "a field with 100,000 headers": b"--b\r\n" + b"A: b\r\n" * 100_000 + b"\r\n\r\n" + usual,
        "a header of 1 MB in a field": b"--b\r\nA: " + b"b" * 1_000_000 + b"\r\n\r\n" + usual,
        "text that is not UTF-8": disposition("prompt") + b"\xff\xfe\r\n" + usual,
    }.items():
        refused(name, ask(head(len(body)) + body), 400, 413)


def nan_audio(value):
    """Returns a WAV file of 32-bit floats that are not numbers."""
    samples = struct.pack("<f", value) * 16_000
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 3, 1, 16_000, 64_000, 4, 32)
    return b"RIFF" + struct.pack("<I", 36 + len(samples)) + b"WAVE" + form + struct.pack("<4sI", b"data", len(samples)) + samples


@unharmed
def strange_numbers():
    """samples that are no numbers, infinite, or huge are transcribed to something or are an error"""
    for value in (float("nan"), float("inf"), -float("inf"), 3e38):
        body = form(("model", "syrinx"), ("response_format", "verbose_json"), file=nan_audio(value))
        response = ask(head(len(body)) + body)
        assert response is not None and response.status in (200, 400), response
        json.loads(response.body, parse_constant=lambda name: 1 / 0)


@unharmed
def media_types():
    """a compressed body is refused with 415 and is not expanded, and so is a body that is no form"""
    bomb = gzip.compress(bytes(200_000_000))
    for encoding in ("gzip", "deflate", "br", "zstd", "gzip, gzip"):
        refused(encoding, ask(head(len(bomb), Content_Encoding=encoding) + bomb), 415)
    for name in ("application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/mixed; boundary=b", "", None):
        refused(f"type {name}", ask(head(len(usual), Content_Type=name) + usual), 400, 415)
    for name in ("multipart/form-data", "multipart/form-data; boundary=", f"multipart/form-data; boundary={'b' * 10_000}"):
        refused(name[:60], ask(head(len(usual), Content_Type=name) + usual), 400, 415)


@unharmed
def large():
    """an upload over the limit is refused with 413, with and without an announced length"""
    refused("a large length", ask(head(9_000_000_000)), 413)
    body = form(("model", "syrinx"), file=audio + bytes(9_000_000))
    refused("a large form", ask(head(len(body)) + body), 413)
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[i : i + 65536] for i in range(0, len(body), 65536)))
    refused("many chunks", ask(head(Transfer_Encoding="chunked") + chunks + b"0\r\n\r\n"), 413)


@unharmed
def lies():
    """chunks and lengths that contradict the body are an error, and no second request is read from a body"""
    inner = head(None, "/v1/models", "GET", Content_Type=None)
    for name, request in {
        "a chunk without a number": head(Transfer_Encoding="chunked") + b"x\r\nabc\r\n0\r\n\r\n",
        "a negative chunk": head(Transfer_Encoding="chunked") + b"-5\r\nabcde\r\n0\r\n\r\n",
        "a chunk of 2^64 bytes": head(Transfer_Encoding="chunked") + b"10000000000000000\r\nabc\r\n0\r\n\r\n",
        "a chunk that is longer than its size": head(Transfer_Encoding="chunked") + b"3\r\nabcdef\r\n0\r\n\r\n",
        "chunks and a length": head(5, Transfer_Encoding="chunked") + b"0\r\n\r\n" + inner,
        "chunked twice": head(Transfer_Encoding="chunked, chunked") + b"0\r\n\r\n" + inner,
        "an unknown encoding": head(Transfer_Encoding="gzip, chunked") + b"0\r\n\r\n",
        "a negative length": head(-1),
        "a length that is no number": head("five") + b"abcde",
        "two lengths": head(5).replace(b"\r\n\r\n", b"\r\nContent-Length: 6\r\n\r\n") + b"abcdef",
        "a space before the colon": head(5).replace(b"Content-Length:", b"Content-Length :") + b"abcde",
        "a zero byte in a field": head(5, X_Other="a\0b") + b"abcde",
        "a line without a colon": head(5).replace(b"\r\n\r\n", b"\r\nfield\r\n\r\n") + b"abcde",
        "an unknown version": head(5).replace(b"HTTP/1.1", b"HTTP/9.9") + b"abcde",
        "no request": b"\0\1\2\3\r\n\r\n",
        "no host": head(0, Host=None),
    }.items():
        response = ask(request)
        if response is not None:
            assert response.status in (400, 403, 408, 413, 415, 501, 505), f"{name}: {response}"


@unharmed
def floods_of_fields():
    """a head that is too large is refused, and its connection ends"""
    for name, request in {
        "100,000 fields": head(5, **{f"X_{number}": "a" for number in range(100_000)}),
        "a field of 4 MB": head(5, X_Other="a" * 4_000_000),
        "a path of 4 MB": head(None, "/" + "a" * 4_000_000, "GET"),
        "a method of 4 MB": head(None, "/", "A" * 4_000_000),
        "a cookie without an end": head(5, Cookie="a" * 4_000_000)[:-4],
    }.items():
        response = ask(request)
        if response is not None:
            assert response.status in (400, 413, 414, 431), f"{name}: {response.status}"


@unharmed
def slow_clients():
    """clients that send a byte from time to time or do not read are disconnected"""
    body = head(len(usual)) + usual
    slow = [opened() for _ in range(6)]
    deadline = time.monotonic() + 120
    position = 0
    while slow:
        assert time.monotonic() < deadline, f"{len(slow)} slow clients are still connected"
        for connection in list(slow):
            try:
                # Half of them trickle within the head, and half within the body.
                start = 0 if slow.index(connection) % 2 else len(head(len(usual)))
                connection.sendall(body[start + position : start + position + 1] if position else body[: start + 1])
                readable, _, _ = select.select([connection], [], [], 0)
                if readable and not connection.recv(65536):
                    raise ConnectionResetError
            except OSError:
                connection.close()
                slow.remove(connection)
        position += 1
        select.select(slow, [], [], 0.5)
    served()


@unharmed
def tiny_frames():
    """a flood of tiny frames costs the others nothing, and memory stays bounded"""
    most, stopped = [0], threading.Event()

    def watch():
        while not stopped.wait(0.1):
            most[0] = max(most[0], state()[2])

    before = state()[2]
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        for name, payload in {
            "empty continuations": frame(b"", final=False) + frame(b"", 0, final=False) * 200_000,
            "fragments of a byte": frame(b"{", final=False) + frame(b" ", 0, final=False) * 300_000,
            "pings": frame(b"a", 9) * 200_000,
            "pongs": frame(b"a", 10) * 200_000,
            "empty objects": frame(b"{}") * 100_000,
            "a sample each": append(b"\0\0") * 50_000,
            "clears": frame(b'{"type":"input_audio_buffer.clear"}') * 50_000,
            "an announced 2^40 bytes": frame(b"a", size=1 << 40),
            "a message of 64 MB": frame(b"a" * 64_000_000),
        }.items():
            connection = websocket()
            assert connection, f"{name}: no place"
            # Nothing is read, so the server must stop reading or end the connection.
            connection.settimeout(10)
            try:
                connection.sendall(payload)
            except OSError:
                pass
            served()
            reset(connection)
    finally:
        stopped.set()
        watcher.join()
    print(f"  at most {(most[0] - before) / 1e6:.1f} MB more memory")
    assert most[0] - before < 150_000_000, most


@unharmed
def many_connections():
    """connections over the limit are refused or wait, and the next client is served"""
    idle = [opened() for _ in range(300)]
    for connection in idle:
        connection.close()
    served()
    lives = []
    for _ in range(100):
        connection = websocket()
        if connection is None:
            break
        lives.append(connection)
    print(f"  {len(lives)} WebSockets at the same time")
    assert lives
    for connection in lives:
        reset(connection)


if __name__ == "__main__":
    run([
        cut_forms, parameters, strange_numbers, media_types, large, lies, floods_of_fields, tiny_frames, many_connections,
        slow_clients, leaving,
    ])  # fmt: skip
