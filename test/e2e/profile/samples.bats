#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sampling files: when a rank was where, over its whole time, of killed ranks too.
# shellcheck disable=SC2030,SC2031 # each test has its own

# bats file_tags=needs:profile

bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/profile

setup() {
    new_profiled_job
    # three phases, each of 300 ms of processor time: many more events than there is room for
    cat >phases.c <<'C'
#include <signal.h>
#include <time.h>
__attribute__((no_instrument_function)) static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}
__attribute__((noinline)) static void leaf(void) { __asm__ volatile(""); }
#define PHASE(name)                                                \
    __attribute__((noinline)) static void name(void)               \
    {                                                              \
        for (long long end = now() + 300000000; now() < end;)      \
            leaf();                                                \
    }
PHASE(one) PHASE(two) PHASE(three)
int main(int argc, char **argv)
{
    (void)argv;
    one();
    two();
    three();
    if (argc > 1)
        raise(SIGKILL);
    return 0;
}
C
    gcc -O1 -finstrument-functions phases.c -o phases
}

# keep SAMPLES: the flush keeps what it says
keep() {
    keep_profiles "samples = $1"
    flush >/dev/null
}

@test "a thread's samples cover its whole time, in order and as far apart as the header says, of a killed rank too" {
    rank 0 ./phases
    run -137 rank 1 ./phases kill
    keep 0-1
    [[ $(cd kept/* && echo *) == "$JOB.0.batch.e2e.profile $JOB.0.batch.e2e_0.vfd $JOB.0.batch.e2e_1.vfd" ]]
    [[ $(stat -c %a:%U kept/*/* | sort -u) == "640:$(id -un)" ]]
    local i
    for i in 0 1; do
        "$JOBTRAIL_BIN/jobtrail-profile" dump "kept/$(id -u)/$JOB.0.batch.e2e_$i.vfd" >samples
        grep -Fx "# rank: $i" samples
        grep -Fx "# ranks: 4" samples
        # what came in that time was thinned until 512 fit: the first samples were 2^20 ticks apart
        awk -F '\t' '$1 ~ /^# interval: / { split($1, word, " "); gap = word[3] }
            $1 ~ /^[0-9]/ {
                count++
                if (count > 1 && $1 - before < gap * 0.99) exit wrong = 1
                before = $1
                split($4, frame, "<")
                phase = frame[1] == "leaf" ? frame[2] : frame[1]
                seen[phase]++
            }
            END { exit wrong || count > 512 || gap < 0.0002 || !(seen["one"] > 2 && seen["two"] > 2 && seen["three"] > 2) }' samples
    done
    grep -Fx "# reached exit: no" samples
}

@test "which ranks: those that the site says, and none by default" {
    rank 0 ./phases
    rank 2 ./phases
    cp -r "$SPOOL" before
    keep_profiles
    flush
    [[ $(cd kept/* && echo *) == "$JOB.0.batch.e2e.profile" ]]
    cp -r before/. "$SPOOL"
    printf 'samples = 1-7\n' >>"$CONF"
    flush
    [[ $(cd kept/* && echo *) == "$JOB.0.batch.e2e.profile $JOB.0.batch.e2e_2.vfd" ]]
    cp -r before/. "$SPOOL"
    sed -i 's/^samples = .*/samples = all/' "$CONF"
    flush
    [[ $(cd kept/* && echo *.vfd) == "$JOB.0.batch.e2e_0.vfd $JOB.0.batch.e2e_2.vfd" ]]
}

@test "of programs that a step ran one after another each rank has samples" {
    local program
    sed 's/one/other/g' phases.c >other.c
    gcc -O1 -finstrument-functions other.c -o other
    # as mpirun numbers what it starts
    for program in phases other phases; do
        rank 1 env OMPI_MCA_ess_base_jobid="$((++i))" PMIX_NAMESPACE="prterun-$i" ./$program
    done
    keep all
    [[ $(cd kept/* && echo *.vfd) == "$JOB.0.batch.e2e_1.2.vfd $JOB.0.batch.e2e_1.3.vfd $JOB.0.batch.e2e_1.vfd" ]]
    [[ $(for program in kept/*/*.vfd; do "$JOBTRAIL_BIN/jobtrail-profile" dump "$program" | grep -oE 'other|one' | sort -u; done | sort | xargs) == "one one other" ]]
}

@test "of the ranks of which the site keeps files the user wants some, and gets no others" {
    local rank
    for rank in 0 1 2 3; do rank $rank ./phases; done
    cp -r "$SPOOL" before
    keep_profiles "samples = 1-3" "logs = 0-2"
    # RANKS FILES: what the journal has of the user's wish, and what is kept then
    while read -r ranks files; do
        rm -rf kept/*
        cp -r before/. "$SPOOL"
        [[ $ranks == - ]] || sed -i "s/ step=4294967291/& profile_ranks=$ranks/" "$SPOOL/$JOB.0/journal"
        flush
        [[ $(cd kept/* && echo *_[0-9]*) == "${files//@/$JOB.0.batch.e2e}" ]]
    done <<'END'
- @_0.log @_1.log @_1.vfd @_2.log @_2.vfd @_3.vfd
0,3 @_0.log @_3.vfd
1-2 @_1.log @_1.vfd @_2.log @_2.vfd
none *_[0-9]*
nonsense @_0.log @_1.log @_1.vfd @_2.log @_2.vfd @_3.vfd
END
}

# killed_at CALL: a flush that is killed as it comes to its first such call after it has opened a sampling file
killed_at() {
    local number
    number=$(awk -F'(' -v call="$1" '{ n[$1]++ } /tmpvfd/ { found = 1 } found && $1 == call { print n[$1]; exit }' trace)
    rm -rf kept/*
    cp -r before/. "$SPOOL"
    run -137 strace -o /dev/null -e "inject=$1:signal=KILL:when=$number" "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$JOB" --conf "$CONF" --node e2e
    [[ $(cd kept/* && echo *vfd) == "$JOB.0.batch.e2e_0.tmpvfd" ]]
}

# bats test_tags=needs:root
@test "a sampling file is .tmpvfd until it is whole: the flush after one that was killed completes it under its name" {
    local call whole cut
    rank 0 ./phases
    cp -r "$SPOOL" before
    keep_profiles "samples = all"
    strace -o trace "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$JOB" --conf "$CONF" --node e2e
    whole=kept/$(id -u)/$JOB.0.batch.e2e_0.vfd
    cut=${whole%.vfd}.tmpvfd
    "$JOBTRAIL_BIN/jobtrail-profile" dump "$whole" | grep -v '^# end' >samples
    # with nothing of its header, with a part of it, and with all but the name
    for call in write renameat; do
        killed_at $call
        if [[ $call == write ]]; then
            [[ ! -s $cut ]]
            run -2 "$JOBTRAIL_BIN/jobtrail-profile" dump "$cut"
            printf '\177JTTVFD1' >"$cut"
            run -2 "$JOBTRAIL_BIN/jobtrail-profile" dump "$cut"
        else
            [[ $(stat -c %a:%U "$cut") == 600:root ]]
            "$JOBTRAIL_BIN/jobtrail-profile" dump "$cut" >/dev/null
        fi
        [[ $output == *"is no profile, or a damaged one"* || $call == renameat ]]
        flush
        [[ $(cd kept/* && echo *vfd) == "${whole##*/}" && -z $(ls "$SPOOL") ]]
        "$JOBTRAIL_BIN/jobtrail-profile" dump "$whole" | cut -f 2- | diff <(cut -f 2- samples) <(grep -v '^# end' -)
    done
}

@test "a sampling file that is cut, longer, or has noise in it is refused or read, and never more" {
    rank 0 ./phases
    keep all
    local file i
    file=kept/$(id -u)/$JOB.0.batch.e2e_0.vfd
    "$JOBTRAIL_BIN/jobtrail-profile" dump "$file" >/dev/null
    for i in "head -c -1" "head -c 100" "sed \$a\\x"; do
        $i "$file" >other
        run -2 "$JOBTRAIL_BIN/jobtrail-profile" dump other
        [[ $output == *"other: is no profile, or a damaged one"* ]]
    done
    for ((i = 0; i < 40; i++)); do
        cp "$file" other
        perl -e 'srand $ARGV[0]; open F, "+<", $ARGV[1]; for (1 .. 1 + rand 20) {
            seek F, int rand(-s F), 0; syswrite F, chr rand 256 }' "$i" other
        "$JOBTRAIL_BIN/jobtrail-profile" dump other >/dev/null 2>&1 || (($? == 2))
    done
}
