#!/usr/bin/env python3
"""Transcribes an archive of recordings on the workers of a Dask cluster:
  transcribe.py recordings transcripts --workers 4 -- --engine moonshine --format json,vtt
  transcribe.py s3://bucket/recordings s3://bucket/transcripts --scheduler tcp://192.168.1.5:8786

Without --scheduler, the workers are processes on this machine. Each worker has `syrinx`, its engine, and this script's
Python packages (`pip install "dask[distributed]"`, and s3fs for S3). Options after -- go to `syrinx transcribe`; files
in them have absolute names. Started again, the script transcribes what is not done yet.
"""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path

from dask.distributed import Client, LocalCluster, as_completed

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import shares


def main():
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--scheduler", metavar="ADDRESS", help="address of a scheduler (default: a cluster on this machine)")
    parser.add_argument("--workers", type=int, metavar="NUMBER", help="workers on this machine (default: one per processor)")
    archive, arguments = shares.parse(parser, sys.argv[1:])
    with archive.lock():
        return transcribe(archive, arguments)


def transcribe(archive, arguments):
    files = archive.files()
    plan = archive.plan(files, arguments.share)
    with connect(arguments) as client:
        client.upload_file(shares.__file__)
        # Dask gives the share of a dead worker to another one. A share in which syrinx crashes is tried three times.
        futures = client.map(archive.transcribe, plan, retries=2, pure=False)
        for number, future in enumerate(as_completed(futures), 1):
            report(future)
            print(f"{number} of {len(plan)} shares", file=sys.stderr, flush=True)
    return archive.merge(files)


def connect(arguments):
    if arguments.scheduler:
        return Client(arguments.scheduler)
    return Client(LocalCluster(n_workers=arguments.workers, threads_per_worker=1, dashboard_address=None))


def report(future):
    if error := future.exception():
        print(f"a share failed: {error}", file=sys.stderr)
    elif messages := future.result():
        print(messages, end="", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
