"""Runs clients of the PyPI package `wyoming` at the same time, and kills a server halfway.

load.py URI FILE TEXT CLIENTS UTTERANCES [PROCESS PORT]: each client sends the file UTTERANCES times, each time on a new connection.
After half of the utterances, the server with this process and port is killed during an utterance. At most as many utterances may
be lost as it has connections at that moment. All others, and all later ones, must have the text TEXT. Prints the number of lost
utterances.
"""

import asyncio
import os
import select
import signal
import subprocess
import sys
import wave

from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncClient

uri, path, text, clients, utterances = sys.argv[1:6]
clients, utterances = int(clients), int(utterances)
victim = int(sys.argv[6]) if len(sys.argv) > 6 else None
with wave.open(path, "rb") as file:
    form = {"rate": file.getframerate(), "width": file.getsampwidth(), "channels": file.getnchannels()}
    audio = file.readframes(file.getnframes())
recognized, lost, connections, killed, wrong = 0, 0, 0, False, []


async def transcript():
    async with AsyncClient.from_uri(uri, connect_timeout=60, read_timeout=200) as client:
        await client.write_event(Transcribe().event())
        await client.write_event(AudioStart(**form, timestamp=0).event())
        for start in range(0, len(audio), 4096):
            await client.write_event(AudioChunk(**form, audio=audio[start : start + 4096]).event())
        await client.write_event(AudioStop().event())
        while event := await client.read_event():
            if Transcript.is_type(event.type):
                return Transcript.from_event(event).text
        return None


async def utterance():
    global recognized, lost
    before = victim is not None and not killed
    try:
        result = await transcript()
    except (OSError, asyncio.TimeoutError):
        result = None
    if result is None and before and killed:
        lost += 1
        return
    if result != text:
        wrong.append(f"load.py: an utterance that began {'before' if before else 'after'} the kill has the text {result!r}")
        return
    recognized += 1
    if victim is not None and not killed and recognized >= clients * utterances / 2:
        kill()


def kill():
    """Kills the server if it is processing an utterance."""
    global connections, killed
    # The server is stopped, so that it finishes no utterance while its connections are counted.
    os.kill(victim, signal.SIGSTOP)
    command = ["ss", "--no-header", "--tcp", "--numeric", "state", "established", f"sport = :{sys.argv[7]}"]
    connections = len(subprocess.check_output(command).splitlines())
    if connections == 0:
        os.kill(victim, signal.SIGCONT)
        return
    descriptor = os.pidfd_open(victim)
    os.kill(victim, signal.SIGKILL)
    # A dying process keeps its port for a moment, so no utterance begins until the process has ended.
    select.select([descriptor], [], [])
    killed = True


async def one_after_another():
    for _ in range(utterances):
        await utterance()


async def main():
    await asyncio.gather(*(one_after_another() for _ in range(clients)))


asyncio.run(main())
if wrong:
    sys.exit("\n".join(wrong))
if victim is not None and not killed:
    sys.exit("load.py: no server was killed")
if lost > connections:
    sys.exit(f"load.py: a server with {connections} connections cost {lost} utterances")
print(lost)
