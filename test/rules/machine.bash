# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What somebody else could see of a run (test/apart), and that it is as before.

# shellcheck source=test/wait.bash
. "$(dirname "${BASH_SOURCE[0]}")/../wait.bash"

# machine: users, mounts, groups, namespaces, files; processes whose command names MARK. One a line.
machine() {
    getent passwd
    awk '{ print $5 }' /proc/self/mountinfo
    find /sys/fs/cgroup -type d -name 'jobtrail-*' 2>/dev/null
    lsns --noheadings --output NS,TYPE | sort
    find /var/cache/jobtrail/runs -mindepth 1 -maxdepth 1 2>/dev/null
    find /tmp /var/tmp /run /dev/shm -mindepth 1 -not -path "$BATS_RUN_TMPDIR*" -not -path "${BATS_RUN_TMPDIR%/*}" 2>/dev/null | sort
    pgrep -fa "$MARK" || true
}

# remember_machine MARK: as it is before a run, whose processes have MARK in their command
remember_machine() {
    MARK=$1
    BEFORE=$(machine)
}

# until_as_before: until all is as before: the last process has ended, and the groups are removed
until_as_before() {
    eventually 30 is_as_before || diff <(echo "$BEFORE") <(machine)
}

is_as_before() {
    [[ $(machine) == "$BEFORE" ]]
}
