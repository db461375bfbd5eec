"""Prints the failed tests of a run, each as the filter that chooses it:

    python3 failed-tests.py EVENTS [MOST]

EVENTS is the event stream that Swift Testing wrote. Where the run did not come to its end, where nothing or more than
MOST tests failed (3), or where a test does not say which it was, the status is 1 and nothing is printed.

On standard error is why they failed: SwiftPM drops every block of the tests' output that is cut within a character, so
that the log may lack the reason as well as the summary.
"""

import json
import re
import sys

failed, has_ended = set(), False
with open(sys.argv[1], encoding="utf-8") as events:
    for line in events:
        try:
            record = json.loads(line)
        except ValueError:
            sys.exit(1)  # The process ended within a line.
        event = record["payload"]
        if record["kind"] != "event":
            continue
        if event["kind"] == "runEnded":
            has_ended = True
        elif event["kind"] == "issueRecorded" and not event["issue"]["isKnown"]:
            failed.add(event.get("testID"))
            print(*(message["text"] for message in event["messages"]), sep="\n  ", file=sys.stderr)
if not has_ended or not failed or None in failed or len(failed) > int(sys.argv[2] if len(sys.argv) > 2 else 3):
    sys.exit(1)
for name in sorted(failed):
    print(f"^{re.escape(name)}")
