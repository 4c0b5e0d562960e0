#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs that have more rights than who starts them: there the environment is somebody else's word.
# Needs root: makes set-user-id programs, and is nobody, whose job this is.
# bats file_tags=needs:root
# shellcheck disable=SC2030,SC2031 # each test has its own TRACKED

load ../fixture/job
load ../fixture/links

setup() {
    new_links
    # shellcheck disable=SC2034 # new_job uses it
    LIBRARY=$JOBTRAIL_STAGE/lib/jobtrail/before-libasan.so/\$PLATFORM/libjobtrail.so
    OWNER=nobody RULES=$KEEP_ALL new_job
    chmod 755 "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR" "$WORK"
    sed -i "s/uid=0 gid=0/uid=$(id -u nobody) gid=$(id -g nobody)/" "$SPOOL/$JOB.0/journal"
    LEDGER=${TRACKED[0]#*=}/ledger
    chown nobody:nogroup "$LEDGER"
    TRACKED[2]=JOBTRAIL_TASK=4294967291.0.1
    CONF_LINK=$BATS_TEST_TMPDIR/link.conf
    echo 'startup_object = all' >>"$CONF_LINK"
    cat >program.c <<'C'
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>
int main(void)
{
    printf("%d %d %d\n", (int)getauxval(AT_SECURE), (int)geteuid(), (int)getegid());
    return 0;
}
C
}

as_nobody() {
    setpriv --reuid nobody --regid nogroup --clear-groups "$@"
}

used() {
    od -An -tu8 -j 24 -N 8 "$LEDGER" | tr -d ' '
}

# programs: with our start-up code in them, static and dynamic
programs() {
    env "${WRAPPED[@]}" JOBTRAIL_CONF="$CONF_LINK" gcc -static program.c -o fixed
    env "${WRAPPED[@]}" JOBTRAIL_CONF="$CONF_LINK" gcc -static-pie program.c -o fixed-pie
    env "${WRAPPED[@]}" JOBTRAIL_CONF="$CONF_LINK" musl-gcc -static program.c -o fixed-musl
    env "${WRAPPED[@]}" JOBTRAIL_CONF="$CONF_LINK" gcc program.c -o dynamic
    PROGRAM_NAMES=(fixed fixed-pie fixed-musl dynamic)
    if "$JOBTRAIL_SOURCE/test/systems/can" run_32bit; then
        env "${WRAPPED[@]}" JOBTRAIL_CONF="$CONF_LINK" gcc -m32 -static program.c -o fixed-32
        PROGRAM_NAMES+=(fixed-32)
    fi
    for name in "${PROGRAM_NAMES[@]}"; do
        [[ $(nm "$name" | grep -c ' t jobtrail_start$') == 1 ]]
    done
}

# does_nothing SAYS PROGRAM: run by nobody, it has these rights, opens nothing of what the environment
# names, and the ledger is as it was
does_nothing() {
    local before calls=$BATS_TEST_TMPDIR/calls
    before=$(cksum <"$LEDGER")
    # strace as root honours the rights of what it runs
    run strace -f -u nobody -o "$calls" -E JOBTRAIL_NONE=1 env "${TRACKED[@]}" "$2"
    [[ $status == 0 && $output == "$1" ]]
    [[ $(grep -c "$2" "$calls") -ge 1 ]]
    # what stands behind the program's own execve
    sed "1,\\#execve(\"$2\"#d" "$calls" >"$calls.own"
    run grep -E 'jobtrail|ledger|policy|/ns/user' "$calls.own"
    [[ $output == "" && $(cksum <"$LEDGER") == "$before" ]]
    # and without anybody who watches
    [[ $(as_nobody env "${TRACKED[@]}" "$2") == "$1" ]]
    [[ $(cksum <"$LEDGER") == "$before" ]]
}

@test "programs with nobody's rights are captured: the start-up code of these works" {
    programs
    for name in "${PROGRAM_NAMES[@]}"; do
        before=$(used)
        run as_nobody env "${TRACKED[@]}" "$WORK/$name"
        [[ $output == "0 $(id -u nobody) $(id -g nobody)" ]]
        (($(used) > before))
    done
}

@test "set-user-id programs do nothing, static and dynamic" {
    programs
    for name in "${PROGRAM_NAMES[@]}"; do
        chmod 4755 "$name"
        does_nothing "1 0 $(id -g nobody)" "$WORK/$name"
    done
}

@test "set-group-id programs do nothing, static and dynamic" {
    programs
    for name in "${PROGRAM_NAMES[@]}"; do
        chmod 2755 "$name"
        does_nothing "1 $(id -u nobody) 0" "$WORK/$name"
    done
}

@test "programs with file capabilities do nothing, static and dynamic" {
    programs
    for name in "${PROGRAM_NAMES[@]}"; do
        setcap cap_net_raw+ep "$name"
        does_nothing "1 $(id -u nobody) $(id -g nobody)" "$WORK/$name"
    done
}

# bats test_tags=needs:routines
@test "routines that are linked in are noted with nobody's rights, and with more rights they are called, and nothing is noted" {
    local name way before
    printf '[routines]\nkeep = archive:libdesignated\\.a\n' | tee -a "$CONF" >>"$CONF_LINK"
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    sed -i 's/^int main/int effective(void);\n&/; s/(int)geteuid()/effective()/' program.c
    gcc -O2 -fPIC -x c -c - -o library.o <<<'int geteuid(void); int effective(void) { return geteuid(); }'
    ar rc libdesignated.a library.o
    echo effective >entries
    "$JOBTRAIL_BIN/jobtrail-robj" -w -a -e entries -i libdesignated.a -o libprepared.a libdesignated.a
    gcc program.c libprepared.a -o prepared
    linked_in=(prepared)
    for way in "prepared-static -static libprepared.a" "prepared-pie -pie libprepared.a"; do
        # shellcheck disable=SC2086 # they are several words
        env "${WRAPPED[@]}" JOBTRAIL_CONF="$CONF_LINK" gcc program.c ${way#* } -o "${way%% *}"
        linked_in+=("${way%% *}")
    done
    for name in "${linked_in[@]}"; do
        [[ $(readelf -SW "$name") == *.note.jobtrail.routine* ]]
        before=$(grep -a -o effective "$LEDGER" | wc -l)
        [[ $(as_nobody env "${TRACKED[@]}" "$WORK/$name") == "0 $(id -u nobody) $(id -g nobody)" ]]
        [[ $(grep -a -o effective "$LEDGER" | wc -l) == $((before + 1)) ]]
    done
    for name in "${linked_in[@]}"; do
        cp "$name" "$name-user" && chmod 4755 "$name-user"
        cp "$name" "$name-group" && chmod 2755 "$name-group"
        cp "$name" "$name-cap" && setcap cap_net_raw+ep "$name-cap"
        does_nothing "1 0 $(id -g nobody)" "$WORK/$name-user"
        does_nothing "1 $(id -u nobody) 0" "$WORK/$name-group"
        does_nothing "1 $(id -u nobody) $(id -g nobody)" "$WORK/$name-cap"
    done
}

@test "root does not follow a user's environment: neither into his ledger nor to his policy" {
    local before
    programs
    before=$(cksum <"$LEDGER")
    for name in "${PROGRAM_NAMES[@]}"; do # sudo -E
        [[ $(env "${TRACKED[@]}" "$WORK/$name") == "0 0 0" ]]
    done
    [[ $(cksum <"$LEDGER") == "$before" ]]
    # a ledger of root's, but the policy of somebody else
    chown root:root "$LEDGER"
    before=$(cksum <"$LEDGER")
    cp "${CONF%.conf}.policy" "$BATS_TEST_TMPDIR/mine.policy"
    chown nobody "$BATS_TEST_TMPDIR/mine.policy"
    env "${TRACKED[@]}" JOBTRAIL_POLICY="$BATS_TEST_TMPDIR/mine.policy" "$WORK/fixed"
    [[ $(cksum <"$LEDGER") == "$before" ]]
    chown root "$BATS_TEST_TMPDIR/mine.policy"
    for mode in 664 646; do
        chmod $mode "$BATS_TEST_TMPDIR/mine.policy"
        env "${TRACKED[@]}" JOBTRAIL_POLICY="$BATS_TEST_TMPDIR/mine.policy" "$WORK/fixed"
        [[ $(cksum <"$LEDGER") == "$before" ]]
    done
    chmod 644 "$BATS_TEST_TMPDIR/mine.policy"
    env "${TRACKED[@]}" JOBTRAIL_POLICY="$BATS_TEST_TMPDIR/mine.policy" "$WORK/fixed"
    [[ $(cksum <"$LEDGER") != "$before" ]]
}

@test "a user's process leaves another user's ledger alone that is open to it" {
    local before
    programs
    chmod 666 "$LEDGER"
    chown daemon "$LEDGER"
    before=$(cksum <"$LEDGER")
    for name in "${PROGRAM_NAMES[@]}"; do
        as_nobody env "${TRACKED[@]}" "$WORK/$name"
    done
    [[ $(cksum <"$LEDGER") == "$before" ]]
}

@test "the process watch's pipe is written to where it is one, and nothing else of that name" {
    programs
    echo sound >"$SPOOL/wake"
    chmod 666 "$SPOOL/wake"
    as_nobody env "${TRACKED[@]}" PMI_RANK=0 PMI_SIZE=500 "$WORK/fixed"
    [[ $(cat "$SPOOL/wake") == sound ]]
    rm "$SPOOL/wake"
    mkfifo -m 622 "$SPOOL/wake"
    exec 7<>"$SPOOL/wake"
    as_nobody env "${TRACKED[@]}" PMI_RANK=0 PMI_SIZE=500 "$WORK/fixed"
    [[ $(timeout $((20 * SLOW)) head -c 1 <&7 | od -An -tx1) == " 00" ]]
    # whose reader ends meanwhile ends no program
    run strace -u nobody -o "$BATS_TEST_TMPDIR/calls" -P "$SPOOL/wake" --inject=write:error=EPIPE:signal=SIGPIPE \
        env "${TRACKED[@]}" PMI_RANK=0 PMI_SIZE=500 "$WORK/fixed"
    [[ $status == 0 ]]
    grep -q INJECTED "$BATS_TEST_TMPDIR/calls"
    exec 7<&-
}

@test "a pipe that a stranger made, or in a place where all can make one, is not written to" {
    local made
    programs
    for made in "daemon 711" "root 1733"; do
        rm -f "$SPOOL/wake"
        mkfifo -m 666 "$SPOOL/wake"
        chown "${made% *}" "$SPOOL/wake"
        chmod "${made#* }" "$SPOOL"
        exec 7<>"$SPOOL/wake"
        as_nobody env "${TRACKED[@]}" PMI_RANK=0 PMI_SIZE=500 "$WORK/fixed"
        run ! timeout 20 dd iflag=nonblock count=1 status=none <&7
        [[ $output == *"temporarily unavailable"* ]]
        exec 7<&-
    done
}

@test "in a user namespace, where root's policy is nobody's, processes are captured" {
    local before
    before=$(used)
    as_nobody unshare --user --map-root-user env "${TRACKED[@]}" "$PROGRAMS/exit_with" 0
    (($(used) > before))
}
