"""A Wyoming client made with the PyPI package `wyoming`: it requests the transcript of a file like Home Assistant.

client.py URI FILE [language [times]]: prints the server's events, one JSON object per line; over stdio,
it prints them to standard error.
"""

import asyncio
import json
import sys
import wave

from wyoming.asr import Transcribe, TranscriptStop
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncClient
from wyoming.error import Error
from wyoming.info import Describe, Info
from wyoming.ping import Ping

uri, path = sys.argv[1:3]
language = sys.argv[3] if len(sys.argv) > 3 else None
times = int(sys.argv[4]) if len(sys.argv) > 4 else 1
output = sys.stderr if uri.startswith("stdio") else sys.stdout


async def heard(client):
    event = await client.read_event()
    if event is None:
        return None
    if Info.is_type(event.type):
        # Parsing fails if anything is missing in the event.
        Info.from_event(event)
    print(json.dumps({"type": event.type, "data": event.data}), file=output, flush=True)
    return event


async def transcribe(client):
    await client.write_event(Transcribe(language=language).event())
    with wave.open(path, "rb") as file:
        form = {
            "rate": file.getframerate(),
            "width": file.getsampwidth(),
            "channels": file.getnchannels(),
        }
        await client.write_event(AudioStart(**form, timestamp=0).event())
        while data := file.readframes(1024):
            await client.write_event(AudioChunk(**form, audio=data).event())
    await client.write_event(AudioStop().event())
    while event := await heard(client):
        if TranscriptStop.is_type(event.type):
            return True
        if Error.is_type(event.type):
            return False
    return False


async def main():
    async with AsyncClient.from_uri(uri, connect_timeout=60, read_timeout=200) as client:
        await client.write_event(Describe().event())
        await heard(client)
        await client.write_event(Ping(text="are you there?").event())
        await heard(client)
        for _ in range(times):
            if not await transcribe(client):
                return 1
    return 0


sys.exit(asyncio.run(main()))
