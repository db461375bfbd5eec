"""Prints why tests failed, and the summary of the run:

    python3 test-events.py EVENTS

EVENTS is the event stream that Swift Testing wrote. The status is 1 if the run did not come to its end. The output of
`swift test` is not enough: SwiftPM drops each block of it that is cut within a character.
"""

import json
import sys

has_ended = False
with open(sys.argv[1], encoding="utf-8") as events:
    for line in events:
        try:
            record = json.loads(line)
        except ValueError:
            break  # The process ended within a line.
        if record["kind"] != "event":
            continue
        event = record["payload"]
        text = "\n  ".join(message["text"] for message in event["messages"])
        if event["kind"] == "issueRecorded" and not event["issue"]["isKnown"]:
            # The location names the test's file; the test's name has its arguments, such as a seed.
            print(event.get("testID", "no test"), text, sep="\n  ", file=sys.stderr)
        elif event["kind"] == "runEnded":
            has_ended = True
            print(text)
sys.exit(0 if has_ended else 1)
