#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The endings of what Slurm does not wait for, where the kernel witness listens: the same jobs as in processes.bats.
# bats file_tags=needs:hear_kernel,needs:witness

load ../fixture/cluster

setup_file() {
    RULES=$'[witness]\nlevel = objects' start_cluster
    eventually 60 witness_listens
}

# its end is known to 100 microseconds
is_exact() { # JOB NAME
    [[ $(field "$1" "$2" '.slurmT.end_time_error <= 0.0001') == true ]]
}

# ended JOB PROGRAM: statuses of its processes of that program, in their order, as the kernel reported
ended() {
    awk -v name="/$2" '$1 == "listen" { delete path } $1 == "program" { path[$2] = $4 }
        $1 == "end" && substr(path[$9], length(path[$9]) - length(name) + 1) == name { print $10 }' \
        "$DIR/run/n1/$1".*/kernel 2>/dev/null | paste -sd" "
}

has_ended_as() { # JOB PROGRAM STATUSES
    [[ $(ended "$1" "$2") == "$3" ]]
}

@test "children of the batch script that exit have their exit code" {
    job=$(submit_and_wait "$PROGRAMS/exit_with 0; $PROGRAMS/exit_with 7; true")
    [[ $(records "$job" | jq -c 'map(.slurmT | [.end_source, .exit_code]) | sort') == '[["fini",0],["fini",7]]' ]]
}

@test "a child of the batch script that ends by _exit has exit code and end" {
    job=$(submit_and_wait "$PROGRAMS/_exit_with 4; sleep 1; true")
    [[ $(ending "$job" _exit_with) == "kernel 4:0" ]]
    is_exact "$job" _exit_with
}

@test "a child that is killed has its signal and its end" {
    job=$(submit_and_wait "$PROGRAMS/eat_memory 1 & until grep -q full $DIR/out/\$SLURM_JOB_ID; do sleep 0.05; done; kill -KILL \$!; wait; true")
    [[ $(ending "$job" eat_memory) == "kernel 0:9" ]]
    is_exact "$job" eat_memory
}

@test "a child of the batch script has its signal when the job is cancelled" {
    job=$(submit "$PROGRAMS/exit_late 600000 pid & wait")
    eventually 30 output_has "$job" '^pid [0-9]+$'
    run_as root scancel "$job"
    wait_job "$job"
    [[ $(ending "$job" exit_late) == "kernel 0:15" || $(ending "$job" exit_late) == "kernel 0:9" ]]
}

@test "a task's status is Slurm's, and so it stays; its end is the kernel's" {
    job=$(submit_and_wait "srun $PROGRAMS/_exit_with 4; srun $PROGRAMS/exit_with 3")
    [[ $(ending "$job" _exit_with) == "task_exit 4:0" && $(ending "$job" exit_with) == "fini 3:0" ]]
    is_exact "$job" _exit_with
    is_exact "$job" exit_with
}

# each records, as each is another program
@test "tasks that end together have an end each" {
    for i in 0 1 2 3 4 5; do
        cp "$PROGRAMS/spin" "$PROGRAMS/spin$i"
        echo "$i $PROGRAMS/spin$i 100 sleep"
    done >"$DIR/together"
    job=$(submit "srun --multi-prog $DIR/together" -n6 --overcommit)
    all_spin() {
        [[ $("$CLUSTER" exec n1 "$STAGE/bin/jobtrail-ps" --conf "$DIR/jobtrail.conf" --node n1 -nPo exec | grep -c "^spin[0-5]\$") == 6 ]]
    }
    eventually 30 all_spin
    run_as root scancel "$job"
    wait_job "$job"
    [[ $(records "$job" | jq -c 'map(select(.userT.exec_path | test("/spin[0-5]$")) | .slurmT) |
        [length, all(.[]; .end_source == "task_exit" and .end_time_error <= 0.0001), (map(.end_time_max) | unique | length > 1)]') == '[6,true,true]' ]]
}

@test "what leaves no capture is told of: static, set-user-id, without environment, daemons" {
    cp "$PROGRAMS/exit_with" "$PROGRAMS/exit_with_suid"
    chmod 4755 "$PROGRAMS/exit_with_suid"
    mkfifo -m 666 "$DIR/out/go"
    job=$(submit "$PROGRAMS/exit_with_static 3; $PROGRAMS/exit_with_suid 4; env -i $PROGRAMS/_exit_with 5
        (setsid sh -c '$PROGRAMS/exit_with_static 6' &) ; read -r _ <$DIR/out/go")
    eventually 30 has_ended_as "$job" exit_with_static "768 1536"
    eventually 30 has_ended_as "$job" exit_with_suid 1024
    eventually 30 has_ended_as "$job" _exit_with 1280
    echo >"$DIR/out/go"
    wait_job "$job"
}

@test "daemons that have lost their ancestors have status and end" {
    mkfifo -m 666 "$DIR/out/gone"
    job=$(submit "(setsid sh -c '$PROGRAMS/_exit_with 4; $PROGRAMS/kill_self 9; true' &); read -r _ <$DIR/out/gone")
    eventually 30 has_ended_as "$job" _exit_with 1024
    eventually 30 has_ended_as "$job" kill_self 9
    echo >"$DIR/out/gone"
    wait_job "$job"
    [[ $(ending "$job" _exit_with) == "kernel 4:0" && $(ending "$job" kill_self) == "kernel 0:9" ]]
}

@test "of ten thousand processes none is missing" {
    mkfifo -m 666 "$DIR/out/on"
    job=$(submit "for i in \$(seq 10000); do /bin/true; done; echo all; read -r _ <$DIR/out/on")
    eventually 300 output_has "$job" all
    all_ended() { [[ $(ended "$job" true | wc -w) == 10000 ]]; }
    eventually 60 all_ended
    [[ $(ended "$job" true | tr ' ' '\n' | sort -u) == 0 ]]
    grep -q "^left *0$" "$DIR/run/n1/$job".*/kernel
    grep -c "^lost " "$DIR/run/n1/$job".*/kernel | grep -qx 0
    echo >"$DIR/out/on"
    wait_job "$job"
}
