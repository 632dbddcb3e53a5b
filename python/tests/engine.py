"""The engine's word on boards and matches, from the checkout's test/python/reference.ts over a pipe."""

import contextlib
import json
import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NODE = os.environ.get("AGON_NODE") or shutil.which("node", path=f"{ROOT}/node_modules/.bin{os.pathsep}{os.environ.get('PATH', '')}")
SCRIPT = ROOT / "test/python/reference.ts"
MISSING = None if NODE and SCRIPT.exists() and (ROOT / "node_modules").is_dir() else "needs the checkout and its Node (scripts/install)"


@contextlib.contextmanager
def reference(matches):
    """The lines of the script, read as they come."""
    with subprocess.Popen([NODE, str(SCRIPT), str(matches)], stdout=subprocess.PIPE, cwd=ROOT) as process:
        try:
            yield (json.loads(line) for line in process.stdout)
        finally:
            process.stdout.close()
            process.terminate()
