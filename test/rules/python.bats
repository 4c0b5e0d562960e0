#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The Python that sites run.

@test "what people ask with is Python 3.6, and imports its standard library and PyMySQL only" {
    /usr/bin/python3 - "$JOBTRAIL_SOURCE/contrib" <<'EOF'
import ast, pathlib, sys

STANDARD = set("""argparse base64 bisect calendar collections configparser datetime difflib errno fnmatch functools hashlib heapq hmac html importlib io itertools json math os pwd re
    email secrets shlex signal sqlite3 ssl stat subprocess sys tempfile time unicodedata urllib uuid
    ctypes mmap resource selectors shutil socket struct textwrap traceback
    bz2 codecs contextlib fcntl http lzma zlib""".split())
place = pathlib.Path(sys.argv[1])
programs = [path for path in place.rglob("jobtrail-*") if path.is_file() and path.read_bytes().startswith(b"#!/usr/bin/python3")]
modules = [path for path in place.rglob("*.py") if path.relative_to(place).parts[0] not in ("hooks", "easybuild", "spack")]
files = programs + modules
assert len(programs) >= 5 and len(modules) > 20
for path in files:
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 6))
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module]
        for name in names:
            assert name.split(".")[0] in STANDARD | {"jobtrail", "pymysql"}, (path, name)
EOF
}
