# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables on the page of a run: see RUN_PARTS in contrib/answers/web/pages.py."""

from . import flame

PARTS = {
    "profile": lambda context, found: flame.table(context.asker, found["profile"]),
    "mpi": lambda _, found: flame.mpi_table(found["profile"]),
}
