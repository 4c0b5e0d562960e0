#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The ledger is the user's, and any process of his may write to it while another one captures: a program
# that he confines must not get hold of his others by it. Needs root: mounts a tmpfs, and is nobody.
# shellcheck disable=SC2030,SC2031 # each test has its own TRACKED

load ../fixture/job

setup() {
    new_job
    LEDGER=${TRACKED[0]#*=}/ledger
    CANARY=$BATS_TEST_TMPDIR/canary
}

teardown() {
    [[ -z ${ATTACKER-} ]] || kill "$ATTACKER" 2>/dev/null || true
    umount "$BATS_TEST_TMPDIR/full" 2>/dev/null || true
}

number_at() { # OFFSET: in the ledger
    od -An -tu8 -j "$1" -N 8 "$LEDGER" | tr -d ' '
}

set_number() { # OFFSET NUMBER
    perl -e 'open F, "+<", $ARGV[0] or die; seek F, $ARGV[1], 0; syswrite F, pack "Q", $ARGV[2] or die' \
        "$LEDGER" "$1" "$2"
}

# where the numbers of the header are, see preload/ledger.h
SIZE=8 BACKED=16 USED=24 FREE_LIST=32 STUBS=128 FIRST=36864

@test "sizes that change in a slot move no write out of it" {
    tracked "$PROGRAMS/hostile_ledger" "$CANARY"
    cmp "$CANARY" <(head -c 4096 /dev/zero)
    # what it has done to its slot loses its own run alone
    tracked "$PROGRAMS/exit_with" 0
    flush 2>/dev/null || true
    [[ $(endings) == *"exit_with fini"* ]]
}

@test "sizes that change in a slot that is given back change nothing but the list that it goes to" {
    # shellcheck disable=SC2034 # new_job uses it
    RULES=$'[sampling]\nenabled = yes\nscalar = 0 1:100000000'
    rm -rf "$SPOOL"
    new_job
    tracked XALT_SAMPLING=yes "$PROGRAMS/hostile_ledger" "$CANARY"
    cmp "$CANARY" <(head -c 4096 /dev/zero)
    (($(number_at $USED) > FIRST && $(number_at $USED) < FIRST + 131072))
    tracked XALT_SAMPLING=no "$PROGRAMS/exit_with" 0
    flush 2>/dev/null || true
    [[ $(endings) == *"exit_with fini"* ]]
}

@test "a header that lies costs captures alone: each number, at each end" {
    local offset value i
    cp "$LEDGER" "$BATS_TEST_TMPDIR/sound"
    for offset in $SIZE $BACKED $USED $FREE_LIST $((FREE_LIST + 8)) $((FREE_LIST + 40)) $STUBS $((STUBS + 16)); do
        for value in 0 1 4095 4097 16383 16384 67108863 67108864 4294967295 4611686018427387904 18446744073709551615; do
            cp "$BATS_TEST_TMPDIR/sound" "$LEDGER"
            set_number "$offset" "$value"
            for i in yes no; do
                observe with "${TRACKED[@]}" XALT_SAMPLING="$i" timeout $((20 * SLOW)) "$PROGRAMS/exit_with" 7
                [[ $(cat "$BATS_TEST_TMPDIR"/with/{status,stdout,stderr}) == 7 ]]
            done
        done
    done
}

# bats test_tags=needs:root
@test "on a full file system neither a size nor a free list makes a process touch what is not there" {
    local page
    mkdir "$BATS_TEST_TMPDIR/full"
    mount -t tmpfs -o size=1M tmpfs "$BATS_TEST_TMPDIR/full"
    rm -rf "$SPOOL"
    TRACKED[0]=${TRACKED[0]/"$SPOOL"/"$BATS_TEST_TMPDIR/full/spool"}
    SPOOL=$BATS_TEST_TMPDIR/full/spool LEDGER=${TRACKED[0]#*=}/ledger
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB"
    cat /dev/zero >"$BATS_TEST_TMPDIR/full/filler" 2>/dev/null || true
    set_number $BACKED 67108864
    set_number $USED 8388608
    observe with "${TRACKED[@]}" "$PROGRAMS/exit_with" 7
    [[ $(cat "$BATS_TEST_TMPDIR/with/status") == 7 ]]
    for page in 0 1 2 3 4 5; do
        set_number $((FREE_LIST + 8 * page)) 4096 # a page number: 16 MiB
    done
    observe with "${TRACKED[@]}" "$PROGRAMS/exit_with" 7
    [[ $(cat "$BATS_TEST_TMPDIR/with/status") == 7 ]]
    # where there is room, in what root has backed, captures go on
    for page in 0 1 2 3 4 5; do
        set_number $((FREE_LIST + 8 * page)) 0
    done
    set_number $USED $FIRST
    tracked "$PROGRAMS/exit_with" 7 || true
    (($(number_at $USED) > FIRST))
}

@test "processes live as without the library while another one writes noise into their ledger" {
    local i
    perl -e '
        open F, "+<", $ARGV[0] or die;
        my @likely = (0, 1, 4096, 12288, 67108864, 2**32 - 1, 2**64 - 1, 16383, 16384, 33554432);
        srand 1;
        while (1) { # header, and the heads of the first slots
            sysseek F, (rand() < .7 ? 0 : 4096 * int rand 64) + 8 + 8 * int rand 16, 0;
            syswrite F, pack "Q", $likely[rand @likely];
        }' "$LEDGER" 3>&- &
    ATTACKER=$!
    # shellcheck disable=SC2016
    wait_for bash -c '(($(od -An -tu8 -j 24 -N 8 "$1") != 36864))' _ "$LEDGER"
    choice=(yes no)
    for ((i = 0; i < (JOBTRAIL_SOAK ? 5000 : 200); i++)); do
        run tracked XALT_SIGNAL_HANDLER=yes "XALT_SAMPLING=${choice[i % 2]}" timeout $((20 * SLOW)) "$PROGRAMS/exit_with" 7
        [[ $status == 7 && $output == "" ]]
    done
    kill "$ATTACKER"
}
