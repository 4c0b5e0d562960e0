#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# However a task of a step ends, where the site has no witness: its calls are there, and the one that was open lasts until
# then, as the program and Slurm saw it.

load ../fixture/cluster

setup_file() {
    start_cluster cgroups SELECT_PARAMS=CR_Core_Memory EXTRA_CONF="DefMemPerCPU=100"
    mkdir -m 711 "$DIR/kept"
    write_jobtrail_conf "[profile]
steps = asked
size = 8M
directory = $DIR/kept"
    "$STAGE/bin/jobtrail-conf" compile --conf "$DIR/jobtrail.conf"
    cat >"$DIR/ends.c" <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#define OURS __attribute__((no_instrument_function))
#define KEPT __attribute__((noinline))
OURS static void say(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    printf("%lld%09ld\n", (long long)now.tv_sec, now.tv_nsec);
    fflush(stdout);
}
KEPT static void work(int x) { __asm__ volatile("" : "+r"(x)); }
KEPT static void last(const char *how)
{
    say();
    nanosleep(&(struct timespec){0, 200000000}, NULL);
    say();
    if (strcmp(how, "exit") == 0)
        exit(0);
    if (strcmp(how, "_exit") == 0)
        _exit(0);
#ifdef EXEC
    execl("/bin/true", "true", NULL);
#endif
    if (strcmp(how, "ABRT") == 0)
        abort();
    if (strcmp(how, "TERM") == 0)
        raise(SIGTERM);
    if (strcmp(how, "KILL") == 0)
        raise(SIGKILL);
    if (strcmp(how, "eat") == 0)
        for (;;)
            memset(malloc(1 << 20), 1, 1 << 20);
    pause();
}
int main(int argc, char **argv)
{
    (void)argc;
    for (int i = 0; i < 10; i++)
        work(i);
    last(argv[1]);
}
C
    gcc -O1 -finstrument-functions "$DIR/ends.c" -o "$PROGRAMS/ends"
    # of one that can execute others nobody knows without a witness whether it was that which Slurm has waited for
    gcc -O1 -finstrument-functions -DEXEC "$DIR/ends.c" -o "$PROGRAMS/ends_exec"
    # Slurm looks once in half a minute for jobs whose time is over: it does so while other cases run.
    LIMITED=$(submit "srun -n1 $PROGRAMS/ends wait" -w n1 -n1 --mem=50M --jobtrail-profile)
    eventually 60 has_said "$LIMITED" 2
    LIMITED_FROM=$(date +%s%N)
    run_as root scontrol update "jobid=$LIMITED" EndTime=now+1
    export LIMITED LIMITED_FROM
}

teardown_file() {
    stop_cluster
}

# said JOB: nanoseconds since 1970 that the job has printed, one a line
said() {
    grep -xE '[0-9]{19}' "$DIR/out/$1"
}

has_said() { # JOB COUNT
    [[ $(said "$1" | wc -l) == "$2" ]]
}

# was_in_last JOB STEP SAID LEAST MOST [ENDED [SIGNAL]]: its calls are there, and its last one, which began when it SAID so, ended
# between two moments; how it ended with that call open. The moment is said to be known; of that at which another program replaced
# it there are bounds, and the truth is between them
was_in_last() {
    local shown was later
    shown=$("$STAGE/bin/jobtrail-profile" show --json "$DIR/kept/$(id -u "$JOB_USER")/$1.0.$2.n1.profile")
    read -r was later < <(jq -r '"\(.rows[] | select(.function == "last").inclusive_seconds) \(.ranks[0].end_later_seconds_max // 0)"' <<<"$shown")
    if ! jq -e --arg ended "${6-}" --arg signal "${7-}" '.ranks[0] as $rank
        | if $ended == "" then $rank.reached_exit and $rank.was_in == null
          else $rank.ended == $ended and $rank.was_in == "last<main<init" and ($rank.signal // "") == $signal end
        and $rank.end_known == ($ended != "exec")
        and ([.rows[] | {key: .function, value: .calls}] | from_entries) == {main: 1, last: 1, work: 10}' <<<"$shown" ||
        # clocks may be slewed, and processes are ended by a coarse one
        ! awk -v was="$was" -v later="$later" -v said="$3" -v least="$4" -v most="$5" \
            'BEGIN { exit !((was + later) * 1e9 >= (least - said) * 0.999 - 2e7 && was * 1e9 <= (most - said) * 1.001 + 2e7) }'; then
        echo "step $2: began $3, ended from $4 to $5: $shown"
        return 1
    fi
}

@test "exit, _exit, exec, signals of its own: the same, each in its step" {
    local job step=0 how times
    local -A ended=([exit]="" [_exit]=_exit [ABRT]="signal SIGABRT" [TERM]="signal SIGTERM" [KILL]="signal SIGKILL" [exec]=exec)
    job=$(submit_and_wait "for how in exit _exit ABRT TERM KILL exec; do
            program=$PROGRAMS/ends
            [[ \$how != exec ]] || program=$PROGRAMS/ends_exec
            srun -n1 \$program \$how
            date +%s%N
        done; true" -w n1 -n1 --mem=50M --jobtrail-profile)
    eventually 60 is_flushed "$job"
    mapfile -t times < <(said "$job")
    ((${#times[@]} == 18))
    for how in exit _exit ABRT TERM KILL exec; do
        # shellcheck disable=SC2086 # words
        was_in_last "$job" $step "${times[@]:step * 3:3}" ${ended[$how]} || {
            echo "$how"
            return 1
        }
        step=$((step + 1))
    done
}

# bats test_tags=needs:cgroup_v1
@test "the kernel ends it for its memory" {
    local job times
    job=$(submit_and_wait "srun --mem=60M -n1 $PROGRAMS/ends eat; date +%s%N" -w n1 -n1 --mem=60M --jobtrail-profile)
    eventually 60 is_flushed "$job"
    mapfile -t times < <(said "$job")
    was_in_last "$job" 0 "${times[@]}" signal SIGKILL
}

@test "the job's time is over" {
    local times
    wait_job "$LIMITED" 120
    eventually 60 is_flushed "$LIMITED"
    [[ $(run_as root scontrol -o show job "$LIMITED") == *JobState=TIMEOUT* ]]
    mapfile -t times < <(said "$LIMITED")
    was_in_last "$LIMITED" 0 "${times[0]}" "$LIMITED_FROM" "$(date +%s%N)" signal SIGTERM
}
