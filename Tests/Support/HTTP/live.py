"""Measures the live interface of a server.

live.py URL TIMES FILE...: sends the files, WAV at 16 kHz, TIMES times at 24 kHz at the speed of a microphone. Prints the seconds
from each last sample of speech to its transcript, and from the end of each word to the delta that has it, as JSON.
live.py URL COUNT PATH: opens COUNT WebSockets, creates the file PATH, and keeps them until it is interrupted.
"""

import base64
import json
import pathlib
import signal
import subprocess
import sys
import threading
import time
import urllib.request
import wave

from websockets.sync.client import connect

url, count = sys.argv[1], int(sys.argv[2])
address = url.replace("http:", "ws:") + "/v1/realtime?intent=transcription"
# A fiftieth of a second at 24 kHz and 16 bits.
frame = 960
silence = 0.5


def opened():
    connection = connect(address, legacy=True)
    created = json.loads(connection.recv(timeout=30))
    assert created["type"] == "session.created", created
    return connection


def words(path):
    """Returns the words of a file with the seconds at which they end, by the server itself."""
    body = b"".join(
        f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in (("model", "syrinx"), ("response_format", "verbose_json"), ("timestamp_granularities[]", "word"))
    )
    body += b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n' + path.read_bytes() + b"\r\n--b--\r\n"
    request = urllib.request.Request(
        f"{url}/v1/audio/transcriptions", body, {"Content-Type": "multipart/form-data; boundary=b"}
    )
    return [(word["word"].strip(), word["end"]) for word in json.load(urllib.request.urlopen(request))["words"]]


def spoken(path, end):
    """Returns the audio until the end of its last word, at 24 kHz."""
    command = ["sox", str(path), "-r", "24000", "-c", "1", "-b", "16", "-e", "signed-integer", "-t", "raw", "-"]
    return subprocess.check_output([*command, "trim", "0", str(end), "pad", "0.5", "0"])


def said(connection, path):
    """Sends a file and silence, and returns when its words and its transcript arrived, in seconds."""
    expected = words(path)
    audio = spoken(path, expected[-1][1])
    completed, arrivals = [], []
    done = threading.Event()

    def receive():
        text = ""
        while not completed:
            event = json.loads(connection.recv(timeout=60))
            now = time.monotonic()
            if event["type"].endswith("input_audio_transcription.delta"):
                text += event["delta"]
                arrivals.extend([now] * (len(text.split()) - len(arrivals)))
            assert event["type"] != "error", event
            if event["type"].endswith("input_audio_transcription.completed"):
                # Words that no delta had are in the transcript.
                arrivals.extend([now] * (len(event["transcript"].split()) - len(arrivals)))
                completed.append(now)
        done.set()

    receiver = threading.Thread(target=receive, daemon=True)
    receiver.start()
    begin = time.monotonic()
    position = 0
    while not done.is_set():
        part = audio[position : position + frame].ljust(frame, b"\0")
        position += frame
        # A microphone has a frame only when its last sample has been captured.
        done.wait(max(0, begin + position / 48_000 - time.monotonic()))
        message = {"type": "input_audio_buffer.append", "audio": base64.b64encode(part).decode()}
        connection.send(json.dumps(message))
        assert time.monotonic() < begin + 60, f"no transcript of {path}"
    receiver.join()
    end = begin + len(audio) / 48_000
    # The audio begins with half a second of silence.
    waits = [arrival - (begin + 0.5 + time_of_word) for arrival, (_, time_of_word) in zip(arrivals, expected)]
    return completed[0] - end, waits


def main():
    if sys.argv[3].endswith(".wav"):
        answers = {"completed": [], "words": []}
        with opened() as connection:
            detection = {"type": "server_vad", "silence_duration_ms": int(silence * 1000)}
            session = {"type": "transcription", "audio": {"input": {"turn_detection": detection}}}
            connection.send(json.dumps({"type": "session.update", "session": session}))
            updated = json.loads(connection.recv(timeout=30))
            assert updated["type"] == "session.updated", updated
            for _ in range(count):
                for path in map(pathlib.Path, sys.argv[3:]):
                    completed, waits = said(connection, path)
                    answers["completed"].append(completed)
                    answers["words"] += waits
        print(json.dumps(answers))
    else:
        connections = [opened() for _ in range(count)]
        pathlib.Path(sys.argv[3]).touch()
        signal.sigwait({signal.SIGINT, signal.SIGTERM})
        for connection in connections:
            connection.close()


signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
if not sys.argv[3].endswith(".wav"):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
main()
