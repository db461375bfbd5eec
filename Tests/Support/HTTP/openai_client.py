"""Checks a server with the official client, the PyPI package `openai`, unchanged.

openai_client.py URL FOLDER [LIMITED KEY]: the server at URL uses PocketSphinx. The folder has said.wav with "go forward ten
meters", both.wav with the same words in the second of two channels, and live.wav with the words at 24 kHz. The server at LIMITED
wants KEY, serves one client at a time, and accepts uploads of at most 5,000,000 bytes; long.wav has two minutes of speech.
"""

import asyncio
import base64
import pathlib
import select
import socket
import sys
import urllib.parse
import wave

import openai
from checks import equal, raises, run

url, folder = sys.argv[1], pathlib.Path(sys.argv[2])
text = "go forward ten meters"
said = folder / "said.wav"
client = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0, timeout=60)
transcribe = client.audio.transcriptions.create


def plain_formats():
    """json, text, srt, and vtt contain the words"""
    equal(transcribe(model="syrinx", file=said).text, text)
    equal(transcribe(model="syrinx", file=said, response_format="json").usage.type, "duration")
    equal(transcribe(model="syrinx", file=said, response_format="text").strip(), text)
    subtitles = transcribe(model="syrinx", file=said, response_format="srt")
    assert subtitles.startswith("1\n00:00:0") and " --> " in subtitles and text in subtitles, subtitles
    subtitles = transcribe(model="syrinx", file=said, response_format="vtt")
    assert subtitles.startswith("WEBVTT\n\n") and text in subtitles, subtitles


def verbose():
    """verbose_json has the times of the granularities that were requested"""
    usual = transcribe(model="syrinx", file=said, response_format="verbose_json")
    equal((usual.text, usual.words), (text, None))
    equal(" ".join(segment.text.strip() for segment in usual.segments), text)
    assert 2 < usual.duration < 4 and usual.language, usual
    words = transcribe(model="syrinx", file=said, response_format="verbose_json", timestamp_granularities=["word"]).words
    equal([word.word.strip() for word in words], text.split())
    times = [time for word in words for time in (word.start, word.end)]
    equal(times, sorted(times))
    assert 0 <= times[0] and times[-1] <= usual.duration, times
    both = transcribe(
        model="syrinx", file=said, response_format="verbose_json", timestamp_granularities=["word", "segment"]
    )
    equal((len(both.words), len(both.segments)), (4, len(usual.segments)))


def diarized():
    """diarized_json names the channels as speakers"""
    result = transcribe(model="syrinx", file=folder / "both.wav", response_format="diarized_json", chunking_strategy="auto")
    assert len({segment.speaker for segment in result.segments}) <= 2, result
    assert any(segment.text.strip() == text for segment in result.segments), result
    equal((result.task, text in result.text), ("transcribe", True))


def streams():
    """stream=True sends deltas whose sum is the text of the last event"""
    events = list(transcribe(model="syrinx", file=said, stream=True))
    equal((events[-1].type, events[-1].text), ("transcript.text.done", text))
    equal({event.type for event in events[:-1]}, {"transcript.text.delta"})
    equal("".join(event.delta for event in events[:-1]), text)
    events = list(transcribe(model="syrinx", file=folder / "both.wav", stream=True, response_format="diarized_json"))
    equal(events[-1].type, "transcript.text.done")
    assert any(event.type == "transcript.text.segment" and event.text.strip() == text for event in events), events


def hints():
    """prompt, keywords, language, temperature, include, and a chunking strategy are accepted"""
    vad = {"type": "server_vad", "threshold": 0.5, "prefix_padding_ms": 300, "silence_duration_ms": 500}
    result = transcribe(
        model="pocketsphinx", file=said, prompt="A robot.", keywords=["meters", "forward"], language="en",
        languages=["en"], temperature=0.2, include=["logprobs"], chunking_strategy=vad, stream=False,
    )  # fmt: skip
    equal(result.text, text)


def other_files():
    """bytes, names without an extension, FLAC, and other channels and rates are transcribed"""
    equal(transcribe(model="syrinx", file=said.read_bytes()).text, text)
    equal(transcribe(model="syrinx", file=("ü \"name\"", said.open("rb"))).text, text)
    equal(transcribe(model="syrinx", file=folder / "said.flac").text, text)
    equal(transcribe(model="syrinx", file=folder / "live.wav").text, text)


def models():
    """the list of models has the engine, and an unknown model is served by the default"""
    names = [model.id for model in client.models.list()]
    assert "pocketsphinx" in names and len(set(names)) == len(names), names
    equal([client.models.retrieve(name).id for name in names], names)
    raises(openai.NotFoundError, lambda: client.models.retrieve("none such"), status_code=404, code="model_not_found")
    # Only this response says that the model is another one.
    known = client.audio.transcriptions.with_raw_response.create(model=names[0], file=said)
    other = client.audio.transcriptions.with_raw_response.create(model="whisper-1", file=said)
    equal(other.headers.keys() - known.headers.keys(), {"syrinx-notice"})
    equal(other.parse().text, text)


def wrong_requests():
    """a wrong parameter or file is the client's BadRequestError, which names the parameter"""
    bad = openai.BadRequestError
    raises(bad, lambda: transcribe(model="syrinx", file=said, response_format="xml"), param="response_format")
    raises(bad, lambda: transcribe(model="syrinx", file=said, temperature=7), param="temperature")
    raises(bad, lambda: transcribe(model="syrinx", file=b""), param="file")
    raises(bad, lambda: transcribe(model="syrinx", file=("talk.wav", b"no audio" * 99)), param="file")
    raises(bad, lambda: transcribe(model="syrinx", file=("cut.wav", said.read_bytes()[:20])), param="file")
    raises(bad, lambda: transcribe(model="", file=said), param="model")
    error = raises(
        bad, lambda: transcribe(model="syrinx", file=said, timestamp_granularities=["line"], response_format="verbose_json")
    )
    assert error.type == "invalid_request_error" and "line" in error.message, error
    # The engine has no translations.
    raises(bad, lambda: client.audio.translations.create(model="syrinx", file=said), type="invalid_request_error")
    raises(openai.NotFoundError, lambda: client.post("/audio/nothing", cast_to=object), type="invalid_request_error")


def several():
    """clients that speak at the same time get their own texts"""

    async def all_at_once():
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="none", timeout=60) as several:
            create = several.audio.transcriptions.create
            return await asyncio.gather(*(create(model="syrinx", file=said, language="en") for _ in range(3)))

    equal([result.text for result in asyncio.run(all_at_once())], [text] * 3)


# The live interface.


def frames(name="live.wav"):
    with wave.open(str(folder / name), "rb") as file:
        audio = file.readframes(file.getnframes())
    # 0.1 s at 24 kHz and 16 bits.
    return [audio[start : start + 4800] for start in range(0, len(audio), 4800)]


def update(connection, turn_detection, form={"type": "audio/pcm", "rate": 24000}):
    created = connection.recv()
    equal((created.type, created.session.type), ("session.created", "transcription"))
    session = {"format": form, "transcription": {"model": "syrinx", "language": "en", "prompt": "A robot."}}
    connection.session.update(
        session={"type": "transcription", "audio": {"input": session | {"turn_detection": turn_detection}}}
    )
    updated = connection.recv()
    equal(updated.type, "session.updated")
    equal(updated.session.audio.input.format.type, form["type"])


def append(connection, parts):
    for part in parts:
        connection.input_audio_buffer.append(audio=base64.b64encode(part).decode())


def heard(connection):
    """Returns the events until the transcript, and checks that their identifiers agree."""
    events = []
    while not events or events[-1].type != "conversation.item.input_audio_transcription.completed":
        events.append(connection.recv())
        assert events[-1].type not in ("error", "conversation.item.input_audio_transcription.failed"), events[-1]
    identifiers = {event.item.id if hasattr(event, "item") else event.item_id for event in events}
    equal(len(identifiers), 1)
    equal(len({event.event_id for event in events}), len(events))
    deltas = "".join(event.delta for event in events if event.type.endswith("transcription.delta"))
    equal((deltas.strip(), events[-1].transcript.strip()), (text, text))
    return [event.type for event in events if not event.type.endswith("transcription.delta")]


def live():
    """client.realtime.connect gets speech_started, speech_stopped, and the transcript of two turns"""
    with client.realtime.connect(extra_query={"intent": "transcription"}) as connection:
        update(connection, {"type": "server_vad", "threshold": 0.5, "prefix_padding_ms": 300, "silence_duration_ms": 500})
        for _ in range(2):
            append(connection, frames() + [bytes(4800)] * 15)
            types = heard(connection)
            turn = [name for name in types if name.startswith("input_audio_buffer.")]
            kinds = ("speech_started", "speech_stopped", "committed")
            equal(turn, [f"input_audio_buffer.{kind}" for kind in kinds])
            assert "conversation.item.added" in types, types
            equal(connection.recv().type, "conversation.item.done")


def manual():
    """without turn detection, commit ends a turn, and clear discards its audio"""
    with client.realtime.connect(extra_query={"intent": "transcription"}) as connection:
        update(connection, None)
        append(connection, frames()[:10])
        connection.input_audio_buffer.clear()
        equal(connection.recv().type, "input_audio_buffer.cleared")
        append(connection, frames())
        connection.input_audio_buffer.commit()
        types = heard(connection)
        assert "input_audio_buffer.committed" in types and "input_audio_buffer.speech_started" not in types, types


def telephone():
    """audio/pcmu and audio/pcma at 8 kHz are accepted"""
    for name, form in (("live.ul", "audio/pcmu"), ("live.al", "audio/pcma")):
        with client.realtime.connect(extra_query={"intent": "transcription"}) as connection:
            update(connection, None, {"type": form})
            append(connection, [(folder / name).read_bytes()])
            connection.input_audio_buffer.commit()
            # Telephone quality costs words, so only the kind of the event is checked.
            types = [connection.recv().type]
            while types[-1] != "conversation.item.input_audio_transcription.completed":
                types.append(connection.recv().type)
                assert types[-1] != "error", types


def wrong_events():
    """a wrong event gets an error with its identifier, and the session goes on"""
    with client.realtime.connect(extra_query={"intent": "transcription"}) as connection:
        update(connection, None)
        wrong = (
            {"type": "input_audio_buffer.append", "audio": "no base64!"},
            {"type": "input_audio_buffer.append"},
            {"type": "nothing"},
            {"type": "session.update", "session": {"type": "transcription", "audio": {"input": {"format": {"type": "mp3"}}}}},
            {"type": "session.update", "session": {"type": "realtime"}},
        )
        for number, event in enumerate(wrong):
            connection.send({**event, "event_id": f"mine {number}"})
            error = connection.recv()
            equal((error.type, error.error.event_id), ("error", f"mine {number}"))
            assert error.error.type and error.error.message, error
        append(connection, frames())
        connection.input_audio_buffer.commit()
        heard(connection)


# The limits.


def limits():
    """a wrong key, a large upload, and a taken place are the client's errors, and retries get the place"""
    limited, key = sys.argv[3:5]
    options = {"base_url": f"{limited}/v1", "timeout": 60}
    stranger = openai.OpenAI(**options, api_key="wrong", max_retries=0)
    raises(openai.AuthenticationError, lambda: stranger.models.list(), status_code=401, code="invalid_api_key")
    raises(openai.AuthenticationError, lambda: stranger.audio.transcriptions.create(model="syrinx", file=said))
    known = openai.OpenAI(**options, api_key=key, max_retries=0)
    equal(known.audio.transcriptions.create(model="syrinx", file=said).text, text)
    raises(
        openai.APIStatusError,
        lambda: known.audio.transcriptions.create(model="syrinx", file=("large.wav", bytes(5_100_000))),
        status_code=413,
    )
    crowd = crowded(limited, key)
    busy = raises(openai.RateLimitError, lambda: known.audio.transcriptions.create(model="syrinx", file=said), status_code=429)
    assert int(busy.response.headers["retry-after"]) >= 1, busy.response.headers
    for connection in crowd:
        connection.close()
    retrying = known.with_options(max_retries=5)
    equal(retrying.audio.transcriptions.create(model="syrinx", file=said).text, text)


def crowded(address, key):
    """Returns connections that take the server's only place, with a long file, and all places of those that wait for it."""
    parts = urllib.parse.urlsplit(address)

    def upload(name):
        connection = socket.create_connection((parts.hostname, parts.port))
        body = (
            b'--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nsyrinx\r\n'
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="said.wav"\r\n\r\n'
            + (folder / name).read_bytes()
            + b"\r\n--b--\r\n"
        )
        head = (
            f"POST /v1/audio/transcriptions HTTP/1.1\r\nHost: {parts.netloc}\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        connection.sendall(head.encode() + body)
        return connection

    crowd = [upload("long.wav")]
    # The first one that is refused shows that all places are taken.
    while not select.select(crowd, [], [], 0.1)[0]:
        crowd.append(upload("said.wav"))
        assert len(crowd) < 100
    return crowd


checks = [
    plain_formats, verbose, diarized, streams, hints, other_files, models, wrong_requests, several,
    live, manual, telephone, wrong_events,
]  # fmt: skip
run(checks + ([limits] if len(sys.argv) > 3 else []))
