#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The units of jobtrail-libmon: what they grant is put together by hand, and their command is to do its work with that.
# Needs root.

# bats file_tags=needs:libraries

bats_require_minimum_version 1.5.0
load ../fixture/unit

setup() {
    unit_of_libraries jobtrail-libmon
}

@test "systemd has nothing to say about the units, and calls their exposure low" {
    is_clean 25 "$PLACE/jobtrail-libmon.timer"
}

# bats test_tags=needs:systemd_manager
@test "the unit fails where a scan cannot be made, and not where a tree is away" {
    ends_as 0 success
    ends_as 1 success
    ends_as 3 exit-code
    ends_as 2 exit-code
}

# bats test_tags=needs:root
@test "with what the unit grants its command reads what others have closed, and writes state and logs" {
    local command
    command=$(setting ExecStart)
    [[ $command == */jobtrail-libmon" scan --quiet --wait --patience 300" && $(setting ExecStartPre) == *"mkdir -p /var/lib/jobtrail /var/log/jobtrail" ]]
    [[ $(setting ReadWritePaths) == "-/var/lib/jobtrail -/var/log/jobtrail" ]]
    install -d -o nobody -m 700 "$TREE/closed"
    cp "$JOBTRAIL_STAGE"/lib/slurm/spank_jobtrail.so "$TREE/closed"
    chown nobody "$TREE/closed/spank_jobtrail.so"
    chmod 600 "$TREE/closed/spank_jobtrail.so"
    touch -a -d 2001-02-03 "$TREE/closed/spank_jobtrail.so"
    # shellcheck disable=SC2086
    confined $command --conf "$CONF"
    [[ $(stat -c %x "$TREE/closed/spank_jobtrail.so") == 2001-02-03* ]]
    grep -q " LOG_CREATED path=$TREE/closed/spank_jobtrail.so " "$PLACE/writable/logs/by-owner/nobody.log"
    [[ $(sqlite3 "$PLACE/writable/state/libraries.db" "SELECT lower(hex(sha1)) FROM file") == \
        "$(sha1sum <"$TREE/closed/spank_jobtrail.so" | cut -d' ' -f1)" ]]
    rm "$TREE/closed/spank_jobtrail.so"
    # asks rpm, as nobody, which has no package
    chmod 755 "$PLACE" "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR"
    mkdir -p "$PLACE/root/var/lib/rpm"
    rpm --dbpath "$PLACE/root/var/lib/rpm" --initdb
    echo x >"$TREE/new.a"
    # shellcheck disable=SC2086
    run -0 confined $command --conf "$CONF" --root "$PLACE/root"
    [[ $output == "" ]]
    grep -q 'execve("[^"]*/rpm", .* = 0$' "$PLACE/writable/calls"
    grep -q " LIB_REMOVED path=$TREE/closed/spank_jobtrail.so " "$PLACE/writable/logs/by-owner/nobody.log"
    mv "$TREE" "$TREE.away"
    # shellcheck disable=SC2086
    run confined $command --conf "$CONF"
    [[ $status == "$(setting SuccessExitStatus)" && $output == *"$TREE: No such file or directory"* ]]
    may_all 25
}

# bats test_tags=needs:root
@test "the command does nothing, and says nothing, where no tree is named" {
    local command
    command=$(setting ExecStart)
    sed -i /^tree/d "$CONF"
    # shellcheck disable=SC2086
    run -0 confined $command --conf "$CONF"
    [[ $output == "" && $(ls "$PLACE/writable") == calls ]]
}

use_watch_unit() {
    UNIT=$PLACE/jobtrail-libwatch.service
    sed 's|/[^ ]*/bin/\(jobtrail-[a-z]*\)|'"$JOBTRAIL_BIN/\\1|" "$JOBTRAIL_STAGE/share/jobtrail/jobtrail-libwatch.service" >"$UNIT"
}

@test "systemd has nothing to say about the watch's unit, and calls its exposure no more than medium" {
    use_watch_unit
    is_clean 35
}

# bats test_tags=needs:fanotify_names,needs:root
@test "with what its unit grants the watch hears who changes a library, and its children do their work" {
    local command watch writer state=$PLACE/writable/state log=$PLACE/writable/logs/libnew.log
    use_watch_unit
    command=$(setting ExecStart)
    [[ $command == */jobtrail-libmon" watch --quiet" && $(setting ReadWritePaths) == "-/var/lib/jobtrail -/var/log/jobtrail" ]]
    chmod o+x "$PLACE" "$BATS_RUN_TMPDIR"
    chmod 1777 "$TREE"
    sed -i "s|^tree.*|&\nowners = nobody\nwatch = yes\nlist = $PLACE/writable/list\nuse_logs = $PLACE/writable/uses|" "$CONF"
    # shellcheck disable=SC2086
    confined $command --conf "$CONF" >"$PLACE/said" 2>&1 3>&- &
    watch=$!
    until [[ -S $state/who && -d $PLACE/writable/uses ]]; do kill -0 "$watch"; sleep 0.05; done
    setpriv --reuid=65534 --regid=65534 --clear-groups /usr/bin/python3 -c '
import os, sys, time
open(sys.argv[1], "w").close()
while not os.path.exists(sys.argv[2]): time.sleep(0.01)' "$TREE/libnew.so" "$PLACE/go" 3>&- &
    writer=$!
    until grep -qs "path=$TREE/libnew.so" "$log"; do kill -0 "$watch"; sleep 0.05; done
    touch "$PLACE/go"
    wait "$writer"
    grep -q " by=nobody .*command=python3 program=/usr/bin/python3" "$log"
    until grep -qs '"library":"libnew"' "$PLACE/writable/list"; do kill -0 "$watch"; sleep 0.05; done
    kill "$(pgrep -P "$(pgrep -P "$watch")")" # not strace, which is in between
    wait "$watch"
    [[ $(cat "$PLACE/said") == "" ]]
    may_all 25
    grep -q '^fanotify_mark$' "$PLACE/used"
}
