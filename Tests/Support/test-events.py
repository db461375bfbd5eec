"""Prints why tests failed, and the summary of the run:

    python3 test-events.py EVENTS

EVENTS is the event stream that Swift Testing wrote. If the run did not finish, the tests that were running are listed, and the
status is 1. The output of `swift test` is not enough, because SwiftPM drops each block of it that ends within a character.
"""

import json
import sys

has_ended = False
running = []
with open(sys.argv[1], encoding="utf-8") as events:
    for line in events:
        try:
            record = json.loads(line)
        except ValueError:
            break  # The process ended while it wrote a line.
        if record["kind"] != "event":
            continue
        event = record["payload"]
        text = "\n  ".join(message["text"] for message in event["messages"])
        if event["kind"] == "issueRecorded" and not event["issue"]["isKnown"]:
            # The location contains the test's file, and the test's name contains its arguments, such as a seed.
            print(event.get("testID", "no test"), text, sep="\n  ", file=sys.stderr)
        elif event["kind"] == "testCaseStarted":
            running.append(event["testID"])
        elif event["kind"] == "testCaseEnded":
            running.remove(event["testID"])
        elif event["kind"] == "runEnded":
            has_ended = True
            print(text)
if not has_ended:
    print("the run did not come to its end; these were running:", *running, sep="\n  ", file=sys.stderr)
    sys.exit(1)
