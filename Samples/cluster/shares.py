"""The work of the scripts for Dask and Spark: plan shares of an archive, transcribe one, and merge the results.

The input and the output are folders that every machine sees, or addresses of fsspec such as s3://bucket/prefix. The
output has what `syrinx transcribe INPUT --output-dir OUTPUT` leaves there, and a record of each share in `.shares`.
A transcript, and then the record of its share, appears as a whole, so a share may run twice and its results count once.
Of the records of a transcript, only the one of the latest run counts.
"""

import errno
import fcntl
import hashlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import uuid
from argparse import ArgumentParser
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem

SOUNDS = """
3gp aac ac3 aif aifc aiff amr ape asf au avi caf dff dsf flac flv m4a m4b m4v mka mkv mov mp2 mp3 mp4 mpc oga ogg ogv opus
rf64 snd spx tta voc w64 wav wave webm wma wmv wv
""".split()
# How JSON names a byte that is not UTF-8: Python's code for it, and that of Syrinx.
UNDECODABLE = {0xDC00 + byte: 0xEF00 + byte for byte in range(0x80, 0x100)}


@dataclass(frozen=True)
class Archive:
    input: str
    output: str
    options: tuple[str, ...]
    patterns: tuple[str, ...]

    def files(self):
        """The sound files in order, each as name, size, and modification time."""
        source, root = url_to_fs(self.input)
        files = []
        for path, info in sorted(source.find(root, detail=True).items()):
            name = path[len(root) :].lstrip("/")
            hidden = any(part.startswith(".") for part in name.split("/"))
            if not hidden and any(fnmatch(name.lower(), pattern.lower()) for pattern in self.patterns):
                files.append((name, info["size"], modified(info)))
        return files or sys.exit(f"no sound files in {self.input}")

    def done(self):
        """The line in the manifest of each finished file, and the number of the next run. The latest record of a transcript
        counts, if its share has all its transcripts."""
        target, results = url_to_fs(self.output)
        target.invalidate_cache()
        paths = target.find(results)
        records = [path for path in paths if path.startswith(f"{results}/.shares/") and path.endswith(".json")]
        records = sorted(map(json.loads, target.cat(records).values() if records else []), key=lambda record: record["run"])
        present, lines = set(paths), {}
        for record in records:
            complete = all(f"{results}/{name}" in present for name in record["transcripts"])
            lines |= record["lines"] if complete else dict.fromkeys(record["lines"])
        return dict(filter(None, lines.values())), records[-1]["run"] + 1 if records else 0

    def plan(self, files, size):
        """Shares of `size` files that are not done yet, each with the number of this run. Of files with the same transcript,
        the first one counts."""
        (done, number), owners = self.done(), {}
        for file in files:
            if owners.setdefault(stem(file), file) is not file:
                print(f"{file[0]}: another file has the same transcript", file=sys.stderr)
        rest = [file for file in owners.values() if self.key(file) not in done]
        return [(number, rest[start : start + size]) for start in range(0, len(rest), size)]

    def key(self, file):
        return hashlib.sha256(json.dumps([*file, *self.options]).encode()).hexdigest()

    @contextmanager
    def lock(self):
        """Takes the output folder for this process, with the file that `syrinx transcribe` locks. A bucket has no locks."""
        target, results = url_to_fs(self.output)
        if not isinstance(target, LocalFileSystem):
            yield
            return
        path = f"{results}/.lock"
        os.makedirs(results, exist_ok=True)
        with locked(path) as file:
            file.truncate(0)
            print(f"process {os.getpid()} on {socket.gethostname()}", end="", file=file, flush=True)
            try:
                yield
            finally:
                os.unlink(path)

    def transcribe(self, share):
        """Publishes the transcripts of a share and its record. Returns what syrinx reported."""
        number, files = share
        target, results = url_to_fs(self.output)
        place = f".shares/{hashlib.sha256(''.join(map(self.key, files)).encode()).hexdigest()}.json"
        record = {"run": number, "transcripts": [], "lines": dict.fromkeys(map(stem, files))}
        # A share comes again if its worker dies after it.
        if target.exists(f"{results}/{place}"):
            earlier = json.loads(target.cat_file(f"{results}/{place}"))
            if earlier["run"] == number and all(earlier["lines"].values()):
                return ""
        with scratch() as (folder, pipe):
            output = Path(folder, "output")
            messages = run(self.audio(files, folder), output, [name for name, _, _ in files], self.options, pipe)
            named = {file[0].translate(UNDECODABLE): file for file in files}
            manifest = output / "manifest.jsonl"
            lines = manifest.read_text().splitlines() if manifest.exists() else []
            transcripts = [path for path in output.rglob("*") if path.is_file()]
            names = [str(path.relative_to(output)) for path in transcripts]
            names = [name for name in names if name not in ("manifest.jsonl", "failed.txt")]
            # Earlier records must not count for transcripts that are about to be overwritten.
            publish(target, results, place, json.dumps(record).encode())
            for name in names:
                publish(target, results, name, (output / name).read_bytes())
            record["transcripts"] = names
            for line in lines:
                file = named[json.loads(line)["file"]]
                record["lines"][stem(file)] = (self.key(file), line)
            publish(target, results, place, json.dumps(record).encode())
            return messages

    def audio(self, files, folder):
        """The folder with the files of a share. Those in a bucket are copied below `folder`."""
        source, root = url_to_fs(self.input)
        if isinstance(source, LocalFileSystem):
            return root
        for name, _, when in files:
            path = Path(folder, "audio", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            source.get_file(f"{root}/{name}", str(path))
            os.utime(path, (when, when))
        return f"{folder}/audio"

    def merge(self, files):
        """Publishes manifest.jsonl and failed.txt. Returns the exit status."""
        target, results = url_to_fs(self.output)
        done, _ = self.done()
        lines = [done[self.key(file)] for file in files if self.key(file) in done]
        failed = [file[0] for file in files if self.key(file) not in done]
        publish(target, results, "manifest.jsonl", "".join(f"{line}\n" for line in lines).encode())
        if failed:
            publish(target, results, "failed.txt", b"".join(os.fsencode(name) + b"\n" for name in failed))
        elif target.exists(f"{results}/failed.txt"):
            target.rm_file(f"{results}/failed.txt")
        print(f"{len(lines)} files transcribed, {len(failed)} failed")
        return 1 if failed else 0


def stem(file):
    """The name of the transcripts of a file, without their extensions."""
    return os.path.splitext(file[0])[0]


def modified(info):
    when = info.get("mtime") or info.get("LastModified") or 0
    return when.timestamp() if hasattr(when, "timestamp") else when


def locked(path):
    """The open file, locked. One that its owner has just removed is no lock."""
    while True:
        file = open(path, "a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            # A file system without locks has no other writer to exclude.
            if error.errno == errno.EWOULDBLOCK:
                file.seek(0)
                owner = file.read() or "another process"
                sys.exit(f"{owner} is writing into {os.path.dirname(path)}; wait until it ends, or choose another folder")
        if os.fstat(file.fileno()).st_nlink:
            return file
        file.close()


@contextmanager
def scratch():
    """A temporary folder, and a pipe for the processes that write into it. It is removed when the last of them has ended."""
    folder = tempfile.mkdtemp(prefix="syrinx-share-")
    removal = subprocess.Popen(
        ["sh", "-c", 'cat; rm -rf "$0"', folder], stdin=subprocess.PIPE, cwd="/", start_new_session=True
    )
    try:
        yield folder, removal.stdin.fileno()
    finally:
        removal.communicate()


def run(folder, output, names, options, pipe):
    """Transcribes files of a folder. The process ends with the worker that started it."""
    command = ["setpriv", "--pdeathsig", "KILL", "syrinx", "transcribe", "--files-from", "-", "--null"]
    command += ["--output-dir", str(output), "--jobs", "1", "--quiet", *options]
    names = b"".join(os.fsencode(name) + b"\0" for name in names)
    ended = subprocess.run(command, cwd=folder, input=names, capture_output=True, pass_fds=[pipe])
    # Nobody needs the sentence about failed.txt in a folder that is temporary.
    lines = ended.stderr.decode(errors="backslashreplace").splitlines(keepends=True)
    messages = "".join(line for line in lines if str(output) not in line)
    if ended.returncode != 0 and not (ended.returncode == 1 and (output / "failed.txt").exists()):
        raise RuntimeError(f"syrinx ended with status {ended.returncode}: {messages}")
    return messages


def publish(target, results, name, content):
    """Writes a file that appears as a whole, as an object in a bucket does."""
    path = f"{results}/{name}"
    if not isinstance(target, LocalFileSystem):
        return target.pipe_file(path, content)
    part = f"{results}/.shares/{uuid.uuid4().hex}.part"
    for parent in (os.path.dirname(part), os.path.dirname(path)):
        os.makedirs(parent, exist_ok=True)
    Path(part).write_bytes(content)
    os.replace(part, path)


def parse(parser: ArgumentParser, words):
    """The archive and the other arguments of a script. Options after -- are those of syrinx transcribe."""
    end = words.index("--") if "--" in words else len(words)
    parser.add_argument("input", help="folder or address of the recordings, such as s3://bucket/recordings")
    parser.add_argument("output", help="folder or address of the transcripts")
    parser.add_argument("--include", action="append", metavar="PATTERN", help="pattern for names (default: sound files)")
    parser.add_argument("--share", type=int, default=32, metavar="NUMBER", help="files of a share (default: 32)")
    arguments = parser.parse_args(words[:end])
    ends = [os.path.abspath(place) if "://" not in place else place for place in (arguments.input, arguments.output)]
    patterns = arguments.include or [f"*.{extension}" for extension in SOUNDS]
    return Archive(*ends, tuple(words[end + 1 :]), tuple(patterns)), arguments
