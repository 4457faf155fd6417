"""Runs stepwellc as a user does, and says how that went."""

import os
import pathlib
import resource
import subprocess
import tempfile
import threading
import time

LONGEST_SECONDS = 60
MOST_MEMORY = 3 << 29  # bytes resident: 1.5 GiB


class Outcome:
    def __init__(self, code, errors, seconds, memory):
        self.code = code  # below 0: ended by that signal
        self.errors = errors
        self.seconds = seconds
        self.memory = memory


class Runner:
    """sanitized: a sanitizer takes memory and time of its own, so that neither is bounded."""

    def __init__(self, program, sanitized):
        self.program = program
        self.sanitized = sanitized
        self.folder = tempfile.TemporaryDirectory(prefix="stepwell_commands_")

    def path(self, name):
        return str(pathlib.Path(self.folder.name) / name)

    def write(self, name, content):
        data = content.encode() if isinstance(content, str) else content
        pathlib.Path(self.path(name)).write_bytes(data)
        return self.path(name)

    def run(self, words):
        """The machine survives whatever a program asks for: address space is limited as well."""

        def limit():
            if not self.sanitized:
                resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))

        errors = self.path("stderr.txt")
        with open(errors, "wb") as stderr:
            begin = time.monotonic()
            process = subprocess.Popen([self.program, *words], stdout=subprocess.DEVNULL, stderr=stderr, preexec_fn=limit)
            timer = threading.Timer(LONGEST_SECONDS * (10 if self.sanitized else 1), process.kill)
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            timer.cancel()
        text = pathlib.Path(errors).read_bytes().decode("utf-8", "backslashreplace")
        return Outcome(os.waitstatus_to_exitcode(status), text, time.monotonic() - begin, usage.ru_maxrss << 10)


def misbehaviour(runner, outcome):
    """What no input may lead to; empty: nothing."""
    if outcome.code < 0:
        return f"ended by signal {-outcome.code} after {outcome.seconds:.1f} s"
    if outcome.code not in range(5):
        return f"exit code {outcome.code}"
    if outcome.code == 1 and "error:" not in outcome.errors:
        return "exit code 1 without an error"
    if "[internal]" in outcome.errors or "Sanitizer" in outcome.errors or "runtime error" in outcome.errors:
        return "an internal error"
    if outcome.memory > MOST_MEMORY and not runner.sanitized:
        return f"{outcome.memory >> 20} MiB of memory"
    return ""
