#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What a user can leave as a profile, and what root makes of it at the flush: what can be read is kept, the rest goes to
# the quarantine with the reason, other jobs come through. Needs root, and drops to nobody, whose job this is.
# bats file_tags=needs:root,needs:profile

bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/nobody
load ../fixture/profile

setup() {
    OWNER=nobody new_job
    let_nobody_in
    cd "$BATS_TEST_TMPDIR" || return
    keep_profiles
    cat >calls.c <<'C'
__attribute__((noinline)) int inner(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
__attribute__((noinline)) int outer(int x) { return inner(x) + inner(x); }
int main(void) { return outer(1) + inner(2) == 7 ? 0 : 1; }
C
    gcc -O1 -finstrument-functions calls.c -o calls
    a_profile
}

teardown() {
    end_attacker
}

# a_profile: nobody's job with the profile of a run
a_profile() {
    OWNER=nobody BYTES=${BYTES:-$((8 << 20))} new_profile
    profiled setpriv --reuid nobody --regid nogroup --clear-groups ./calls
    rm -rf state kept/*
    another_job
}

spoil() {
    "$JOBTRAIL_SOURCE/test/e2e/fixture/spoil_profile" "$PROFILE_FILE" "$@"
}

# flush_all: in a bounded time and memory, the other job has its records, and nothing stays in the spool
flush_all() {
    rm -rf "$RECORDS"
    timeout $((60 * SLOW)) prlimit --as=$((2 << 30)) "$JOBTRAIL_BIN/jobtrail-submit" flush --all --conf "$CONF" --node e2e >said 2>&1
    [[ $(records_of 4712) == 2 && -z $(ls "$SPOOL") ]]
}

# set_aside REASON: the flush keeps the profile aside, and none for its user
set_aside() {
    flush_all
    [[ $(reason) == "$1" && -z $(find kept -type f) ]]
    grep -F "job $JOB.0: $1: kept in " said
}

# kept_with STATUS: the flush keeps a profile for its user, and jobtrail-profile ends so when it reads that
kept_with() {
    flush_all
    [[ ! -e state/quarantine/$JOB.0 ]]
    run "-$1" "$JOBTRAIL_BIN/jobtrail-profile" show kept/*/*.profile
}

@test "what is no profile goes to the quarantine: links, other kinds of files, another user's" {
    local kind
    cp "$PROFILE_FILE" whole
    for kind in symlink hardlink fifo socket zero; do
        a_profile
        rm "$PROFILE_FILE"
        case $kind in
        symlink) ln -s "$PWD/whole" "$PROFILE_FILE" ;;
        hardlink) ln whole "$PROFILE_FILE" ;;
        fifo) mkfifo "$PROFILE_FILE" ;;
        socket) perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un($ARGV[0])) or die' "$PROFILE_FILE" ;;
        zero) mknod "$PROFILE_FILE" c 1 5 ;;
        esac
        set_aside "the profile is not one of this version of jobtrail"
        [[ ! -e state/quarantine/$JOB.0/profile ]]
    done
    [[ -s whole ]]
    a_profile
    chown root "$PROFILE_FILE"
    set_aside "the profile is another user's"
    [[ -e state/quarantine/$JOB.0/profile ]]
}

@test "an empty file, one of a page, and one of another format go to the quarantine, as they are" {
    local size
    for size in 0 1 151; do
        a_profile
        as_nobody truncate -s "$size" "$PROFILE_FILE"
        set_aside "the profile is not one of this version of jobtrail"
        [[ $(stat -c %s "state/quarantine/$JOB.0/profile") == "$size" ]]
    done
    a_profile
    printf X | dd of="$PROFILE_FILE" conv=notrunc status=none
    set_aside "the profile is not one of this version of jobtrail"
    # mended and moved back into the spool it is kept, as if nothing had been
    printf '\177' | dd of="state/quarantine/$JOB.0/profile" conv=notrunc status=none
    cmp -n 8 "state/quarantine/$JOB.0/profile" <(printf '\177\nJTPRF1')
}

@test "a profile of 15 TiB of nothing is read as far as it is one" {
    spoil used
    as_nobody truncate -s 15T "$PROFILE_FILE"
    kept_with 0
    [[ $output == *" 2 "*"inner<outer<main<init"* ]]
}

@test "what cannot be in a profile is left out and counted, the rest is kept" {
    local kind
    for kind in parents nodes pieces frames objects; do
        a_profile
        spoil "$kind"
        if [[ $kind == frames ]]; then
            kept_with 0
            [[ $output == *"256 calls were left without their exit"* ]]
        else
            kept_with 1
            [[ $output == *" of the files "*" damaged, and left out"* ]]
        fi
    done
}

@test "programs that a profile names are not waited for, are read within bounds, and print as text" {
    local file
    mkfifo fifo
    truncate -s 100G large
    ln -s loop loop
    chmod 644 large fifo
    for file in fifo large loop /dev/zero /proc/self/mem /dev/stdin .; do
        a_profile
        [[ $file == /* ]] || file=$PWD/$file
        spoil path "$file"
        kept_with 0
        [[ $output == *"${file##*/}+0x"*"<init"* ]]
    done
    a_profile
    spoil path $'/tmp/\033]2;title\007\n# no ranks were killed'
    kept_with 0
    [[ $output != *$'\033'* && $output != *$'\n# no ranks were killed'* && $output == *"title"*"+0x"* ]]
    a_profile
    spoil task "99999999999999999999.1.1"
    kept_with 0
}

@test "a profile that changes, shrinks and grows while it is read ends as one, or in the quarantine" {
    local round
    for ((round = 0; round < (JOBTRAIL_SOAK ? 100 : 4); round++)); do
        a_profile
        cp "$PROFILE_FILE" before
        in_background_as_nobody perl -e '
            srand shift;
            open F, "+<", shift or die;
            while (1) { # noise over a sound profile, and its size
                seek F, 4 * int rand 16384, 0;
                syswrite F, pack "L", rand 2**32;
                truncate F, 4096 * int rand 1024 if rand() < .02;
            }' "$round" "$PROFILE_FILE"
        # shellcheck disable=SC2016
        wait_for bash -c '! cmp -s "$1" "$2"' _ "$PROFILE_FILE" before
        flush_all
        end_attacker
        # of what it was when it was read, that is
        [[ -z $(find kept -type f) ]] || has_sound_times kept/*/*.profile
    done
}

@test "noise in a profile: what is kept can be read, and its exclusive times are never negative" {
    local round
    for ((round = 0; round < (JOBTRAIL_SOAK ? 300 : 10); round++)); do
        a_profile
        spoil noise "$round"
        flush_all
        [[ -z $(find kept -type f) ]] || has_sound_times kept/*/*.profile
    done
}

@test "a hundred thousand stacks are read in a bounded time, and what is kept is not larger than the profile may be" {
    cat >deep.c <<'C'
static int down(int n);
__attribute__((noinline)) static int under(int n) { int x = n == 0 ? 0 : down(n - 1); __asm__ volatile("" : "+r"(x)); return x; }
__attribute__((noinline)) static int down(int n) { int x = n == 0 ? 0 : under(n - 1); __asm__ volatile("" : "+r"(x)); return x; }
int main(void) { return down(100000); }
C
    gcc -O1 -finstrument-functions deep.c -o calls
    BYTES=$((64 << 20))
    a_profile
    flush_all
    (($(stat -c %s kept/*/*.profile) < 64 << 20))
    # as many as there are nodes, without that which is not used, and with "init"
    "$JOBTRAIL_BIN/jobtrail-profile" dump kept/*/*.profile | awk -F '\t' 'length($10) > 2000 { exit 1 } END { exit NR != 100004 }'
}
