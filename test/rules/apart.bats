#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# test/apart, in which every entry and the whole of test/run lives: what is its own, and that nothing is left.
# bats file_tags=needs:root

bats_require_minimum_version 1.5.0
load machine

setup() {
    APART=$JOBTRAIL_SOURCE/test/apart
    unset JOBTRAIL_WITHIN # as one that is not within another
    # below /tmp they would not see it
    PLACE=$(mktemp -d "$JOBTRAIL_BUILD/apart-XXXXXX")
    cd "$PLACE" || return
    remember_machine "$PLACE/marked"
}

teardown() {
    rm -rf "$PLACE"
}

# A user, files, a mount, groups within groups, and daemons without a parent, one with a group of its own
make_a_mess() {
    cat >marked <<'SH'
#!/bin/bash
[[ $1 != daemon ]] || exec -a "$0" sleep 1000
if [[ $1 == frozen ]]; then
    echo $$ >/sys/fs/cgroup/freezer/frozen/cgroup.procs
    echo FROZEN >/sys/fs/cgroup/freezer/frozen/freezer.state
    exec -a "$0" sleep 1000
fi
exec 3>&-
useradd jtmess
touch /tmp/mess /var/tmp/mess /run/mess /dev/shm/mess
mkdir /tmp/mount && mount -t tmpfs none /tmp/mount
setsid --fork "$0" daemon </dev/null >/dev/null 2>&1
for group in /sys/fs/cgroup/{freezer,memory}; do
    [[ ! -w $group ]] || { mkdir -p "$group/mess/below" && echo $$ >"$group/mess/below/cgroup.procs"; }
done
mkdir /sys/fs/cgroup/freezer/frozen 2>/dev/null && setsid --fork "$0" frozen </dev/null >/dev/null 2>&1
echo "$(hostname) $(ls /tmp | paste -sd ' ') $$" >"$1"
exec sleep 1000
SH
    chmod +x marked
}

@test "what runs apart has files, users, processes and a network of its own, and its status" {
    # shellcheck disable=SC2016 # for the inner shell
    run "$APART" bash -c '
        useradd jtmess && id -u jtmess >/dev/null && touch /tmp/mess /run/mess
        ls /tmp /dev/shm /var/tmp
        ps ax -o pid= | sort -n | head -n 1
        ip -o address show up | awk "{ print \$4 }" | grep -c "^192.0.2.1/24"
        echo "$HOME"; exit 7'
    echo "$output"
    ((status == 7))
    [[ $output == *mess*/run/home && $(grep -cE '^ *1$' <<<"$output") == 2 && ! -e /tmp/mess && ! -e /run/mess ]]
    run ! id jtmess
    until_as_before
}

@test "two that run apart take the same port, name and path at once" {
    cat >take <<'SH'
exec 3>&-
mkdir /tmp/taken
python3 - "$1" "$2" <<'PY'
import os, socket, sys, time
taken = socket.create_server(("127.0.0.1", 6817))
open(sys.argv[1], "w").close()
while not os.path.exists(sys.argv[2]):
    time.sleep(0.01)
PY
SH
    "$APART" bash take "$PWD/one" "$PWD/two" 3>&- &
    "$APART" bash take "$PWD/two" "$PWD/one" 3>&-
    wait $!
    until_as_before
}

@test "one that is killed, or told to end, at any moment leaves nothing" {
    local signal pid how rounds=3 i
    [[ -z ${JOBTRAIL_SOAK-} ]] || rounds=30
    make_a_mess
    for how in --cgroups --first; do
        for signal in TERM KILL INT HUP; do
            for ((i = 0; i < rounds; i++)); do
                rm -f ready
                # bash has what it starts in the background ignore INT
                env --default-signal=INT "$APART" "$how" "$PWD/marked" "$PWD/ready" 3>&- &
                pid=$!
                # the first round waits until all is there, others end at a moment of their own
                if ((i == 0)); then
                    eventually 30 test -s ready
                else
                    sleep "0.$((RANDOM % 5))$((RANDOM % 10))"
                fi
                kill -s "$signal" "$pid"
                wait "$pid" || true
                until_as_before
            done
        done
    done
}

@test "a checkout below a directory that is hidden can be reached" {
    mkdir -p /tmp/jobtrail-apart-checkout/test
    cp "$APART" "$JOBTRAIL_SOURCE/test/namespaces.bash" /tmp/jobtrail-apart-checkout/test
    echo here >/tmp/jobtrail-apart-checkout/file
    run /tmp/jobtrail-apart-checkout/test/apart cat /tmp/jobtrail-apart-checkout/file
    rm -r /tmp/jobtrail-apart-checkout
    [[ $status == 0 && $output == here ]]
}

@test "test/repeat refuses to run without root and on lists of another commit, and says what it leaves out without a quota" {
    run setpriv --reuid=nobody --clear-groups "$JOBTRAIL_SOURCE/test/repeat"
    [[ $status == 2 && $output == "test/repeat: it needs root" ]]
    mkdir -p test build/repeat
    cp "$JOBTRAIL_SOURCE/test/repeat" test
    # shellcheck disable=SC2016 # for the script to expand
    printf '#!/bin/sh\numount --lazy --recursive /sys/fs/cgroup\nshift\nexec "$@"\n' >test/apart
    chmod +x test/apart
    touch build/repeat/failed
    echo another >build/repeat/commit
    run unshare --mount test/repeat
    echo "$output"
    [[ $status == 2 && $output == *"cpu.cfs_quota_us of cgroups of version 1 nothing runs with half of one processor"* ]]
    echo '#!/bin/sh' >test/apart
    run test/repeat
    echo "$output"
    [[ $status == 2 && $output == "test/repeat: build/repeat is of another commit"*": remove it to begin anew" ]]
}
