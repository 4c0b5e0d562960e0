#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# bats file_tags=needs:root,soak
# The whole of test/run with its cgroups, ended at random moments, leaves nothing.

load machine

setup() {
    unset JOBTRAIL_WITHIN # as one that is not within another
    # below /tmp it would be copied
    PLACE=$(mktemp -d "$JOBTRAIL_BUILD/killed-XXXXXX")
    chmod 755 "$PLACE"
    git clone -q "$JOBTRAIL_SOURCE" "$PLACE/checkout"
    cd "$PLACE/checkout" || return
    remember_machine "$PLACE"
}

teardown() {
    rm -rf "$PLACE"
}

@test "test/run that is killed or told to end at twenty random moments leaves nothing but build/" {
    local i signal pid
    for ((i = 0; i < 20; i++)); do
        signal=$( ((i % 2)) && echo KILL || echo TERM)
        setsid test/run --no-install </dev/null >"$PLACE/said.$i" 2>&1 3>&- &
        pid=$!
        sleep "$((RANDOM % 1400))"
        kill -s "$signal" "$pid"
        wait "$pid" || true
        echo "# $signal: $(tail -n 1 "$PLACE/said.$i")" >&3
        until_as_before
    done
}
