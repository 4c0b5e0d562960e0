#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The timer of jobtrail-alldoc: what its unit grants is put together by hand, and its command is to do its work with
# that. Needs root.

# bats file_tags=needs:libraries

bats_require_minimum_version 1.5.0
load ../fixture/unit

setup() {
    PLACE=$(readlink -f "$BATS_TEST_TMPDIR")
    UNIT=$PLACE/jobtrail-alldoc.service
    mkdir -p "$PLACE/writable" "$PLACE/doc/pack"
    local above=$PLACE
    while [[ $above == "$(readlink -f "$BATS_RUN_TMPDIR")"* ]]; do
        chmod 755 "$above"
        above=$(dirname "$above")
    done
    sed 's|/[^ ]*/bin/\(jobtrail-[a-z]*\)|'"$JOBTRAIL_BIN/\\1|" "$JOBTRAIL_STAGE/share/jobtrail/jobtrail-alldoc.service" >"$UNIT"
    cp "$JOBTRAIL_STAGE/share/jobtrail/jobtrail-alldoc.timer" "$PLACE"
}

@test "systemd has nothing to say about the units, and calls their exposure low" {
    is_clean 25 "$PLACE/jobtrail-alldoc.timer"
}

# rows_with WORD: rows of the full text that still have it
rows_with() {
    sqlite3 "file:$JOBTRAIL_ALLDOC?mode=ro" "CREATE VIRTUAL TABLE temp.term USING fts5vocab('main', 'words', 'row');
        SELECT coalesce(sum(doc), 0) FROM temp.term WHERE term = '$1'"
}

# bats test_tags=needs:root
@test "with what the unit grants its command makes the index, runs commands as nobody, and removes what was closed" {
    local command
    command=$(setting ExecStart)
    [[ $command == */jobtrail-alldoc" index --quiet" && $(setting ExecStartPre) == *"mkdir -p /var/cache/jobtrail" ]]
    [[ $(setting ReadWritePaths) == "-/var/cache/jobtrail" && $(setting SuccessExitStatus) == "3 4" ]]
    printf 'Open to all\n' >"$PLACE/doc/pack/README"
    printf 'closed soon\n' >"$PLACE/doc/pack/OTHER"
    chown nobody "$PLACE/doc/pack/OTHER"
    # shellcheck disable=SC2016
    printf '%s\n' "doc $PLACE/doc" "man none" "module none" "pkgconfig none" "header none" \
        'command objects /bin/sh -c "echo user $(id -u) of objects; sleep 1000 & "' >"$PLACE/sources"
    export JOBTRAIL_ALLDOC=$PLACE/writable/alldoc.db
    # shellcheck disable=SC2086
    run confined $command --command-time 1 --sources "$PLACE/sources"
    [[ $status == 4 && $output == *"has not ended after 1 seconds"* ]]
    sed -i 's/; sleep 1000 & //' "$PLACE/sources"
    # shellcheck disable=SC2086
    run -0 confined $command --sources "$PLACE/sources"
    [[ $output == "" ]]
    run -0 "$JOBTRAIL_BIN/jobtrail-alldoc" "user $(id -u nobody) of objects"
    run -0 "$JOBTRAIL_BIN/jobtrail-alldoc" open
    [[ $(rows_with open) == 1 && $(rows_with soon) == 1 ]]
    chmod 600 "$PLACE/doc/pack/OTHER"
    # shellcheck disable=SC2086
    run -0 confined $command --sources "$PLACE/sources"
    run -1 "$JOBTRAIL_BIN/jobtrail-alldoc" soon
    [[ $(rows_with soon) == 0 ]]
    chmod 700 "$PLACE/doc" && chown nobody "$PLACE/doc"
    # shellcheck disable=SC2086
    run -4 confined $command --sources "$PLACE/sources"
    [[ $output == *"$PLACE/doc: left out, as not everybody can read"* ]]
    [[ $(rows_with open) == 0 ]]
    may_all 25
}
