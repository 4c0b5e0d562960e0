# SPDX-License-Identifier: LGPL-2.1-or-later
"""Who calls a program of ours, also in a user namespace: conf/base/caller.h is the same in C."""

import os

INIT_USER_NAMESPACE = "user:[4026531837]"  # the kernel's number for it is fixed


def caller_range():
    """The row of /proc/self/uid_map that has this user: its first uid, that one's outside, how many."""
    try:
        with open("/proc/self/uid_map") as rows:
            for row in rows:
                inside, outside, count = map(int, row.split())
                if 0 <= os.geteuid() - inside < count:
                    return inside, outside, count
    except OSError:
        pass
    return 0, 0, 1 << 32


def caller_is_root():
    """Whether this is root of the node, or of a container that has users of its own."""
    return os.geteuid() == 0 and caller_range()[2] > 1


def caller_uid():
    """This user's uid outside of the user namespace."""
    inside, outside, _ = caller_range()
    return outside + os.geteuid() - inside


def in_user_namespace():
    """Whether files of root may seem to belong to nobody."""
    try:
        return os.readlink("/proc/self/ns/user") != INIT_USER_NAMESPACE
    except OSError:
        return False
