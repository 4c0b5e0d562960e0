#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# bats file_tags=needs:root,soak
# test/run with its cgroups, ended at random moments, leaves nothing: what builds, makes clusters, databases, users,
# systems and services, starts MPI and a browser, and kills. All of it would take a night.

load machine

setup() {
    unset JOBTRAIL_WITHIN # as one that is not within another
    # below /tmp it would be copied
    PLACE=$(mktemp -d "$JOBTRAIL_BUILD/killed-XXXXXX")
    chmod 755 "$PLACE"
    mkdir "$PLACE/checkout" # of a copy, which has no .git, too
    tar -C "$JOBTRAIL_SOURCE" --exclude=./build --exclude=./.git -cf - . | tar -C "$PLACE/checkout" -xf -
    cd "$PLACE/checkout" || return
    remember_machine "$PLACE"
}

teardown() {
    rm -rf "$PLACE"
}

entries=(unit slurm.launch.plugin slurm.site.packages e2e.answers.web e2e.flush.bounds e2e.load.database e2e.profile.mpi)

@test "test/run that is killed or told to end at twenty random moments leaves nothing but build/" {
    local i signal pid
    for ((i = 0; i < 20; i++)); do
        signal=$( ((i % 2)) && echo KILL || echo TERM)
        setsid test/run --no-install "${entries[@]}" </dev/null >"$PLACE/said.$i" 2>&1 3>&- &
        pid=$!
        sleep "$((RANDOM % 120))"
        kill -s "$signal" "$pid"
        wait "$pid" || true
        echo "# $signal: $(tail -n 1 "$PLACE/said.$i")" >&3
        until_as_before
    done
}
