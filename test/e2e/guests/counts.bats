#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the library costs, in numbers that repeat, against those that are kept in the repository. When
# they change for a reason: test/bench/counts build/dev >test/bench/counts.expected

setup_file() {
    "$JOBTRAIL_SOURCE/test/bench/counts" "$JOBTRAIL_BUILD" >"$BATS_FILE_TMPDIR/counts"
}

@test "the library makes the system calls that it made, on each of its ways" {
    calls() { awk '{ $3 = ""; print }' "$1"; }
    diff <(calls "$JOBTRAIL_SOURCE/test/bench/counts.expected") <(calls "$BATS_FILE_TMPDIR/counts")
}

@test "the library runs about as many instructions as it did, on each of its ways" {
    # Paths of other lengths and another compiler make some difference.
    join <(awk '{ print $1, $3 }' "$JOBTRAIL_SOURCE/test/bench/counts.expected" | sort) \
        <(awk '{ print $1, $3 }' "$BATS_FILE_TMPDIR/counts" | sort) |
        awk '{ print } $3 > $2 * 1.2 { worse = 1 } END { exit worse || NR != 5 }'
}
