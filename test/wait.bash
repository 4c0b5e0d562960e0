# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Waiting for what has a name, in bats files and in other programs of bash.

# How many times longer than a machine that does nothing else this one may take. test/run measures it.
SLOW=${JOBTRAIL_SLOW:-4}

# pause SECONDS: as sleep, but without a process. Nothing comes from a terminal that nobody has opened.
pause() {
    read -rt "$1" _ 2>/dev/null </dev/ptmx || (($? > 128)) || sleep "$1"
}

# eventually SECONDS COMMAND...: until it succeeds; for so long on a machine that does nothing else, for longer on
# others. With PAUSE it looks again after so many seconds.
eventually() {
    local end=$((SECONDS + $1 * SLOW + 1)) tries=0 pauses=(0.05 0.2)
    shift
    until "$@"; do
        ((SECONDS < end)) || {
            echo "still not true: $*" >&2
            return 1
        }
        # soon at first, and then without taking a busy machine's time
        pause "${PAUSE:-${pauses[++tries > 9]}}"
    done
}

# process_ended PID: though perhaps nobody has waited for it
process_ended() {
    ! grep -qE '^State:.[^ZX]' "/proc/$1/status" 2>/dev/null
}

# wait_for COMMAND...: the same where nothing should take long
wait_for() {
    eventually 20 "$@"
}
