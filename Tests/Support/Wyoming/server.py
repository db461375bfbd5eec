"""A Wyoming server made with the PyPI package `wyoming`: its transcripts describe the received audio.

server.py URI [closing] [plain]: `closing` ends each connection after its transcript, `plain` does
not stream transcripts. A TCP server prints its port, a Unix one a line, when it listens.
"""

import asyncio
import sys

from wyoming.asr import (
    Transcribe,
    Transcript,
    TranscriptChunk,
    TranscriptStart,
    TranscriptStop,
)
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.info import AsrModel, AsrProgram, Attribution, Describe, Info
from wyoming.ping import Ping, Pong
from wyoming.server import AsyncEventHandler, AsyncServer, AsyncStdioServer

modes = sys.argv[2:]
someone = Attribution(name="the tests", url="")
info = Info(
    asr=[
        AsrProgram(
            name="counting",
            attribution=someone,
            installed=True,
            description="Counts what it hears",
            version="1",
            models=[
                AsrModel(
                    name="counter",
                    attribution=someone,
                    installed=True,
                    description=None,
                    version=None,
                    languages=["en", "de_AT"],
                )
            ],
            supports_transcript_streaming="plain" not in modes,
        )
    ]
)


class Handler(AsyncEventHandler):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.language = None
        self.bytes = 0
        self.format = None

    async def handle_event(self, event):
        if Describe.is_type(event.type):
            await self.write_event(info.event())
        elif Ping.is_type(event.type):
            await self.write_event(Pong(text=Ping.from_event(event).text).event())
        elif Transcribe.is_type(event.type):
            self.language = Transcribe.from_event(event).language
        elif AudioStart.is_type(event.type):
            start = AudioStart.from_event(event)
            self.bytes = 0
            self.format = f"{start.rate} {start.width} {start.channels}"
        elif AudioChunk.is_type(event.type):
            self.bytes += len(AudioChunk.from_event(event).audio)
        elif AudioStop.is_type(event.type):
            return await self.answer()
        return True

    async def answer(self):
        words = f"heard {self.bytes} bytes at {self.format} in {self.language}".split(" ")
        if "plain" not in modes:
            await self.write_event(TranscriptStart(language=self.language).event())
            for index, word in enumerate(words):
                text = word if index == 0 else f" {word}"
                await self.write_event(TranscriptChunk(text=text).event())
        await self.write_event(Transcript(text=" ".join(words), language=self.language).event())
        if "plain" not in modes:
            await self.write_event(TranscriptStop().event())
        return "closing" not in modes


async def main():
    server = AsyncServer.from_uri(sys.argv[1])
    if isinstance(server, AsyncStdioServer):
        await server.run(Handler)
        return
    await server.start(Handler)
    name = server._server.sockets[0].getsockname()
    print(name[1] if isinstance(name, tuple) else name, flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
