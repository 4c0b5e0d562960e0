#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# However a task of a step ends, where the site has no witness: its calls are there, and the one that was open lasts until
# then, as the program and Slurm saw it.

# bats file_tags=needs:profile

load ../fixture/cluster

setup_file() {
    start_cluster cgroups SELECT_PARAMS=CR_Core_Memory EXTRA_CONF="DefMemPerCPU=100"
    mkdir -m 711 "$DIR/kept"
    configure "[profile]
steps = asked
size = 8M
directory = $DIR/kept"
    local source=$JOBTRAIL_SOURCE/test/e2e/profile/programs/ends.c
    gcc -O1 -finstrument-functions "$source" -o "$PROGRAMS/ends"
    # of one that can execute others nobody knows without a witness whether it was that which Slurm has waited for
    gcc -O1 -finstrument-functions -DEXEC "$source" -o "$PROGRAMS/ends_exec"
    # Slurm looks once in half a minute for jobs whose time is over: it does so while other cases run.
    LIMITED=$(submit "srun -n1 $PROGRAMS/ends wait" -w n1 -n1 --mem=50M --jobtrail-profile)
    eventually 60 has_said "$LIMITED" 3
    LIMITED_FROM=$(date +%s%N)
    run_as root scontrol update "jobid=$LIMITED" EndTime=now+1
    export LIMITED LIMITED_FROM
}

# said JOB: nanoseconds since 1970 that the job has printed, one a line
said() {
    grep -xE '[0-9]{19}' "$DIR/out/$1"
}

has_said() { # JOB COUNT
    [[ $(said "$1" | wc -l) == "$2" ]]
}

# was_in_last JOB STEP BEFORE AFTER LEAST MOST [ENDED [SIGNAL]]: its calls are there, and its last one, which began between the first
# two moments, ended between the others; how it ended with that call open. The moment is said to be known; of that at which another program replaced
# it there are bounds, and the truth is between them
was_in_last() {
    local shown was later
    shown=$("$STAGE/bin/jobtrail-profile" show --json "$DIR/kept/$(id -u "$JOB_USER")/$1.0.$2.n1.profile")
    read -r was later < <(jq -r '"\(.rows[] | select(.function == "last").inclusive_seconds) \(.ranks[0].end_later_seconds_max // 0)"' <<<"$shown")
    if ! jq -e --arg ended "${7-}" --arg signal "${8-}" '.ranks[0] as $rank
        | if $ended == "" then $rank.reached_exit and $rank.was_in == null
          else $rank.ended == $ended and $rank.was_in == "last<main<init" and ($rank.signal // "") == $signal end
        and $rank.end_known == ($ended != "exec")
        and ([.rows[] | {key: .function, value: .calls}] | from_entries) == {main: 1, last: 1, work: 10}' <<<"$shown" ||
        # clocks may be slewed, and processes are ended by a coarse one
        ! awk -v was="$was" -v later="$later" -v before="$3" -v after="$4" -v least="$5" -v most="$6" \
            'BEGIN { exit !((was + later) * 1e9 >= (least - after) * 0.999 - 2e7 && was * 1e9 <= (most - before) * 1.001 + 2e7) }'; then
        echo "step $2: began from $3 to $4, ended from $5 to $6: $shown"
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
    ((${#times[@]} == 24))
    for how in exit _exit ABRT TERM KILL exec; do
        # shellcheck disable=SC2086 # words
        was_in_last "$job" $step "${times[@]:step * 4:4}" ${ended[$how]} || {
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
    was_in_last "$LIMITED" 0 "${times[@]:0:2}" "$LIMITED_FROM" "$(date +%s%N)" signal SIGTERM
}
