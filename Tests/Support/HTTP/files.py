"""Makes schemathesis send what the server can transcribe.

The files are said.wav, .flac, .ogg, and .mp3 in the folder FILES. The language is English, the only one of PocketSphinx.
"""

import os
import pathlib
import re

import schemathesis
from hypothesis import strategies

folder = pathlib.Path(os.environ["FILES"])
for name, suffix in (("wav", "wav"), ("flac", "flac"), ("ogg", "ogg"), ("mpeg", "mp3")):
    schemathesis.openapi.media_type(f"audio/{name}", strategies.just((folder / f"said.{suffix}").read_bytes()))
schemathesis.openapi.media_type("application/octet-stream", strategies.just((folder / "said.wav").read_bytes()))


def english(language):
    return "en" if isinstance(language, str) and re.fullmatch("[A-Za-z][A-Za-z0-9_-]{1,34}", language) else language


@schemathesis.hook
def before_call(context, case, kwargs):
    if isinstance(case.body, dict):
        if "language" in case.body:
            case.body["language"] = english(case.body["language"])
        if isinstance(case.body.get("languages[]"), list):
            case.body["languages[]"] = [english(language) for language in case.body["languages[]"]]
