"""Clients made with the PyPI package `wyoming`, at once, and a server that is killed halfway.

load.py URI FILE TEXT CLIENTS UTTERANCES [PROCESS]: each client has the file recognized so many times, each time on a new
connection. When half of the utterances are recognized, the process is killed. An utterance that begins later must have this
text, and an earlier one may be lost. The last line is the number of lost utterances.
"""

import asyncio
import os
import signal
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
recognized, lost, killed = 0, 0, False


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
    global recognized, lost, killed
    before = victim is not None and not killed
    try:
        result = await transcript()
    except (OSError, asyncio.TimeoutError):
        result = None
    if result is None and before and killed:
        lost += 1
        return
    if result != text:
        sys.exit(f"load.py: an utterance has the text {result!r}")
    recognized += 1
    if victim is not None and not killed and recognized >= clients * utterances / 2:
        os.kill(victim, signal.SIGKILL)
        killed = True


async def one_after_another():
    for _ in range(utterances):
        await utterance()


async def main():
    await asyncio.gather(*(one_after_another() for _ in range(clients)))


asyncio.run(main())
if victim is not None and not killed:
    sys.exit("load.py: no server was killed")
print(lost)
