#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The timer of jobtrail-libuse: what its unit grants is put together by hand, and its command is to do its work with
# that. Needs root.

# bats file_tags=needs:libraries

bats_require_minimum_version 1.5.0
load ../fixture/unit
load ../../wait

setup() {
    unit_of_libraries jobtrail-libuse "use_logs = $(readlink -f "$BATS_TEST_TMPDIR")/writable/uses" "use_records = yes" "use_atime = yes"
}

teardown() {
    ! mountpoint -q "$TREE" || umount -l "$TREE"
}

@test "systemd has nothing to say about the units, and calls their exposure low" {
    is_clean 35 "$PLACE/jobtrail-libuse.timer"
}

# bats test_tags=needs:root
@test "with what the unit grants its command looks into what others have closed, and sets times of their files" {
    local command
    command=$(setting ExecStart)
    [[ $command == */jobtrail-libuse" poll --quiet" && $(setting SuccessExitStatus) == "1 4" ]]
    mount -t tmpfs -o relatime tree "$TREE"
    install -d -o nobody -m 700 "$TREE/closed"
    echo x >"$TREE/closed/libone.so"
    echo x >"$TREE/libtwo.so"
    chown nobody "$TREE/closed/libone.so"
    chmod 600 "$TREE/closed/libone.so"
    read_nothing() { [[ $("$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF" --json | jq .read) == 0 ]]; }
    wait_for read_nothing
    # shellcheck disable=SC2086
    run -0 confined $command --conf "$CONF"
    cat "$TREE/closed/libone.so" "$TREE/libtwo.so" >/dev/null
    local before
    before=$(stat -c %X "$TREE/closed/libone.so")
    # shellcheck disable=SC2086
    run -0 confined $command --conf "$CONF"
    [[ $output == "" && $(stat -c %X "$TREE/closed/libone.so") == $((before - 1)) ]]
    grep -q " unknown LIB_READ count=1 how=atime after=.* path=$TREE/libtwo.so$" "$PLACE/writable/uses/atime/libtwo.log"
    # of files of users who may name no library there is neither log nor record
    [[ $(ls "$PLACE/writable/uses/atime") == libtwo.log ]]
    [[ $(sqlite3 "$PLACE/writable/state/uses.db" "SELECT library, source, count FROM use ORDER BY library") == "libtwo|atime|1" ]]
    [[ $("$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF") == "2 files, no change" ]]
    may_all 25
}

# bats test_tags=needs:root
@test "the command does nothing, and says nothing, where times of last access are not to be used" {
    local command
    command=$(setting ExecStart)
    sed -i /^use_atime/d "$CONF"
    # shellcheck disable=SC2086
    run -0 confined $command --conf "$CONF"
    [[ $output == "" && $(ls "$PLACE/writable") == calls ]]
}
