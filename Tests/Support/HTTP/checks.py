"""Runs checks one after the other, and continues after a failed one; the variable ONLY names the checks to run."""

import os
import sys
import traceback


def run(checks):
    """Calls each function, prints its documentation, and exits with status 1 if one of them raises an error."""
    only = os.environ.get("ONLY", "").split()
    checks = [check for check in checks if not only or check.__name__ in only]
    failed = 0
    for check in checks:
        try:
            check()
            print(f"passed: {check.__doc__}", flush=True)
        except Exception:
            failed += 1
            print(f"failed: {check.__doc__}\n{traceback.format_exc()}", file=sys.stderr, flush=True)
    print(f"{len(checks) - failed} passed, {failed} failed", flush=True)
    sys.exit(1 if failed else 0)


def equal(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def raises(error, call, **attributes):
    """Returns the error of this type that the call raises, and compares its attributes."""
    try:
        result = call()
    except error as raised:
        for name, value in attributes.items():
            equal((name, getattr(raised, name)), (name, value))
        return raised
    raise AssertionError(f"no {error.__name__}: {result!r}")
