#!/usr/bin/env python3
"""Transcribes an archive of recordings on the executors of a Spark cluster:
  spark-submit --master spark://192.168.1.5:7077 transcribe.py recordings transcripts -- --engine moonshine
  spark-submit --master 'local-cluster[4,1,1024]' transcribe.py s3://bucket/recordings s3://bucket/transcripts

Each executor has `syrinx`, its engine, and the Python package fsspec (s3fs for S3). Options after -- go to `syrinx
transcribe`; files in them have absolute names. Started again, the script transcribes what is not done yet.
"""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import shares


def main():
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    archive, arguments = shares.parse(parser, sys.argv[1:])
    with archive.lock():
        return transcribe(archive, arguments)


def transcribe(archive, arguments):
    files = archive.files()
    plan = archive.plan(files, arguments.share)
    if plan:
        session = SparkSession.builder.appName("syrinx").getOrCreate()
        session.sparkContext.addPyFile(shares.__file__)
        # A partition is one share: Spark gives those of a dead executor to the others.
        tasks = session.sparkContext.parallelize(plan, len(plan))
        for messages in tasks.mapPartitions(partial(transcribe_shares, archive)).collect():
            print(messages, end="", file=sys.stderr)
        session.stop()
    return archive.merge(files)


def transcribe_shares(archive, partition):
    """A share that fails is reported, so that the other shares continue."""
    for share in partition:
        try:
            yield archive.transcribe(share)
        except (OSError, RuntimeError) as error:
            yield f"a share failed: {error}\n"


if __name__ == "__main__":
    sys.exit(main())
