#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What LD_PRELOAD does not reach has a record all the same, where the kernel witness listens.
# bats file_tags=needs:hear_kernel,needs:witness

load ../fixture/cluster

setup_file() {
    RULES=$'[witness]\nlevel = objects\n[paths]\nskip = .*/left_out' start_cluster
    cp "$PROGRAMS/exit_with" "$PROGRAMS/exit_with_suid"
    chmod 4755 "$PROGRAMS/exit_with_suid"
    cp "$PROGRAMS/exit_with_static" "$PROGRAMS/left_out"
    cp -r "$PROGRAMS" "$DIR/bound"
    make_image
    eventually 60 witness_listens
}

# The system's files without the library's: what a container without the bind is.
make_image() {
    mkdir -p "$DIR"/image/{bin,dev,etc,proc,sys,tmp,usr,home,mnt,root,run}
    cp "$PROGRAMS/exit_with_static" "$DIR/image/bin/program"
    : >"$DIR/image/etc/hosts"
    : >"$DIR/image/etc/resolv.conf"
    : >"$DIR/image/etc/passwd"
    : >"$DIR/image/etc/group"
}

# told JOB NAME: by whom, and how, the only run of that program
told() {
    field "$1" "$2" '.slurmT | "\(.captured_by) \(.end_source) \(.exit_code):\(.signal) \(.step_id) \(.task_id)"'
}

# is_whole JOB NAME: what it used is known, and its end to a millisecond
is_whole() {
    field "$1" "$2" '.slurmT | [.end_time_error, .max_rss, .user_cpu, .system_cpu, .disk_read, .disk_write]'
    [[ $(field "$1" "$2" '.slurmT | .end_time_error <= 0.0001 and .max_rss > 0 and .user_cpu >= 0 and .system_cpu >= 0
        and .disk_read >= 0 and .disk_write >= 0') == true ]]
}

# build_id JOB NAME
build_id() {
    field "$1" "$2" .slurmT.build_id
}

# build_id_of FILE
build_id_of() {
    readelf -n "$1" | sed -n 's/ *Build ID: //p'
}

@test "a static program below a shell has a record, with the kernel's numbers and its ancestors" {
    job=$(submit_and_wait "bash -c '$PROGRAMS/exit_with_static 3; true'; true")
    [[ $(told "$job" exit_with_static) == "kernel kernel 3:0 batch 0" ]]
    is_whole "$job" exit_with_static
    [[ $(build_id "$job" exit_with_static) == "$(build_id_of "$PROGRAMS/exit_with_static")" ]]
    [[ $(field "$job" exit_with_static .hash_id) == "$(sha1sum "$PROGRAMS/exit_with_static" | cut -d' ' -f1)" ]]
    [[ $(field "$job" exit_with_static '[.ptA[].cmd_name] | join(" ")') == "bash slurm_script slurmstepd" ||
        $(field "$job" exit_with_static '[.ptA[].cmd_name] | join(" ")') == "bash bash slurmstepd" ]]
    [[ $(field "$job" exit_with_static '.cmdlineA | join(" ")') == "$PROGRAMS/exit_with_static" ]]
}

@test "it has the core time that it would have with the library, and its script has the rest" {
    echo $'#include <unistd.h>\nint main(void) { return sleep(2); }' >"$DIR/out/still.c"
    gcc -static -o "$DIR/out/still" "$DIR/out/still.c"
    gcc -o "$DIR/out/heard" "$DIR/out/still.c"
    job=$(submit_and_wait "$DIR/out/still; $DIR/out/heard; true")
    [[ $(records "$job" | jq 'map(select(.userT.exec_path | test("/(still|heard)$")) | .slurmT.core_seconds / .userDT.run_time) |
        length == 2 and (.[0] / .[1] | . > 0.99 and . < 1.01)') == true ]]
    [[ $(coverage_of "$job" '[.coverageA[] | select(.outcome == "recorded") | .core_seconds] | add > 3.9') == true ]]
}

@test "a set-user-id program, and one without environment, have one" {
    job=$(submit_and_wait "$PROGRAMS/exit_with_suid 4; env -i $PROGRAMS/_exit_with 5; (unset LD_PRELOAD; $PROGRAMS/kill_self 11); true")
    [[ $(told "$job" exit_with_suid) == "kernel kernel 4:0 batch 0" ]]
    [[ $(told "$job" _exit_with) == "kernel kernel 5:0 batch 0" ]]
    [[ $(told "$job" kill_self) == "kernel kernel 0:11 batch 0" ]]
    is_whole "$job" exit_with_suid
    [[ $(field "$job" _exit_with '[.libA[][0] | split("/")[-1]] | index("libc.so.6") != null') == true ]]
    [[ $(field "$job" _exit_with '(.libA | length) == (.buildIdA | length)') == true ]]
}

@test "programs of Go and of musl have one" {
    cat >"$DIR/out/main.go" <<<$'package main\nimport "os"\nfunc main() { os.Exit(6) }'
    (cd "$DIR/out" && GO111MODULE=off GOCACHE="$DIR/go-cache" GOFLAGS=-p=1 CGO_ENABLED=0 go build -o made_by_go main.go)
    musl-gcc -static -o "$DIR/out/made_by_musl" -x c - <<<'int main(void) { return 7; }'
    job=$(submit_and_wait "$DIR/out/made_by_go; $DIR/out/made_by_musl; true")
    [[ $(told "$job" made_by_go) == "kernel kernel 6:0 batch 0" ]]
    [[ $(told "$job" made_by_musl) == "kernel kernel 7:0 batch 0" ]]
    is_whole "$job" made_by_go
}

@test "what runs in a container without the library has one" {
    job=$(SUBMIT_AS=root submit_and_wait "bwrap --bind $DIR/image / --unshare-pid -- /bin/program 8; ch-run $DIR/image -- /bin/program 9; true")
    [[ $(records "$job" | jq -r 'map(select(.userT.exec_path | endswith("/bin/program")) |
        "\(.slurmT.captured_by) \(.slurmT.exit_code) \(.userT.container)") | sort | .[]') == $'kernel 8 bubblewrap\nkernel 9 charliecloud' ]]
    # the host has no such file, or another one
    [[ $(records "$job" | jq -r 'map(select(.userT.exec_path | endswith("/bin/program")) | .hash_id) | unique[]') == 0 ]]
}

@test "what cannot write its ledger has one, unless its user left it out" {
    job=$(submit_and_wait "bwrap --ro-bind / / --dev /dev $PROGRAMS/_exit_with 9
        bwrap --ro-bind / / --dev /dev env XALT_EXECUTABLE_TRACKING=no $PROGRAMS/exit_with 8; env -u JOBTRAIL_SPOOL $PROGRAMS/kill_self 11; true")
    [[ $(told "$job" _exit_with) == "kernel kernel 9:0 batch 0" ]]
    [[ $(told "$job" kill_self) == "kernel kernel 0:11 batch 0" ]]
    [[ $(record_count "$job" exit_with) == 0 ]]
    is_whole "$job" _exit_with
}

@test "a task whose program is static has one record, with what it used" {
    job=$(submit_and_wait "srun $PROGRAMS/exit_with_static 3")
    [[ $(told "$job" exit_with_static) == "journal task_exit 3:0 0 0" ]]
    [[ $(field "$job" exit_with_static '.slurmT.max_rss > 0') == true ]]
}

@test "a parallel program that the library does not reach has one record for all ranks" {
    job=$(submit_and_wait "srun -O -n2 $PROGRAMS/exit_with_static 3; srun -O -n2 env -i $PROGRAMS/_exit_with 4
        srun -O -n2 bash -c '$PROGRAMS/exit_with_static 5; true'
        srun -O -n2 bash -c 'if [[ \$SLURM_PROCID == 1 ]]; then $PROGRAMS/exit_with_static 6; fi; true'; true")
    [[ $(records "$job" | jq -c 'map(select(.userT.exec_path | test("exit_with(_static)?$"))) |
        map([.slurmT.captured_by, .slurmT.exit_code, .userDT.num_tasks]) | sort_by(.[1])') == \
        '[["journal",3,2],["kernel",4,2],["kernel",5,2],["kernel",6,1]]' ]]
}

@test "workers that rank 0 did not run have no record, and are no followers" {
    job=$(submit_and_wait "srun -O -n3 bash -c 'if [[ \$SLURM_PROCID == 0 ]]; then $PROGRAMS/exit_with 0; else $PROGRAMS/_exit_with 4; fi; true'; true")
    [[ $(record_count "$job" exit_with) == 1 && $(record_count "$job" _exit_with) == 0 ]]
    [[ $(coverage_of "$job" '.coverageT | "\(.witness_unexplained) \(.witness_causes)"') =~ ^"0 "(.* )?not_first=2( |$) ]]
}

@test "no run is counted twice, and the site's rules hold" {
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0; $PROGRAMS/exit_with 1; $PROGRAMS/exec_to $PROGRAMS/exit_with_static 2
        $PROGRAMS/left_out 3; true")
    [[ $(record_count "$job" left_out) == 0 ]]
    [[ $(records "$job" | jq -c 'map(select(.userT.exec_path | test("/exit_with$")) | .slurmT |
        [.captured_by, .exit_code]) | sort') == '[["library",0],["library",1]]' ]]
    # an exec from a program of which the library told
    [[ $(told "$job" exec_to) == "library exec null:null batch 0" ]]
    [[ $(told "$job" exit_with_static) == "kernel kernel 2:0 batch 0" ]]
    [[ $(field "$job" exec_to .slurmT.max_rss) == null && $(field "$job" exit_with_static '.slurmT.max_rss > 0') == true ]]
}

@test "each program of a chain without the library has one, and ends when the next one begins" {
    job=$(submit_and_wait "env -i $PROGRAMS/exec_to $PROGRAMS/thread_exec $PROGRAMS/exit_with_static 3; true")
    [[ $(told "$job" exec_to) == "kernel exec null:null batch 0" ]]
    [[ $(told "$job" thread_exec) == "kernel exec null:null batch 0" ]]
    [[ $(told "$job" exit_with_static) == "kernel kernel 3:0 batch 0" ]]
    [[ $(build_id "$job" thread_exec) == "$(build_id_of "$PROGRAMS/thread_exec")" ]]
    [[ $(field "$job" exec_to '[.libA[][0] | split("/")[-1]] | index("libc.so.6") != null') == true ]]
    # what the process used is told of its last program alone, and how far an end may be off of each
    [[ $(records "$job" | jq -c 'map(select(.userT.exec_path | test("/(exec_to|thread_exec|exit_with_static)$"))) |
        sort_by(.userDT.start_time) | [(map(.slurmT.end_time_error <= 0.0001) | all), map(.slurmT.max_rss != null)[],
        ([.[:-1], .[1:]] | transpose | all((.[0].userDT.end_time - .[1].userDT.start_time) | fabs < 0.001))]') == \
        '[true,false,false,true,true]' ]]
}

@test "what a killed program had loaded later is known" {
    job=$(submit "$PROGRAMS/dlopen_one $(ldconfig -p | sed -n 's/.*libz.so.1 .*=> //p' | head -n 1) sleep & wait")
    eventually 30 has_loaded
    pkill -KILL -u "$JOB_USER" dlopen_one
    wait_job "$job"
    [[ $(told "$job" dlopen_one) == "library kernel 0:9 batch 0" ]]
    [[ $(field "$job" dlopen_one '[.libA[][0] | select(test("/libz[.]so"))] | length') == 1 ]]
    [[ $(field "$job" dlopen_one '[.libA[][0] | select(test("/libc[.]so"))] | length') == 1 ]]
}

has_loaded() {
    local pid
    pid=$(pgrep -u "$JOB_USER" -x dlopen_one) && grep -q "/libz[.]so" "/proc/$pid/maps"
}

@test "processor time, memory and bytes of a run are those of its process" {
    job=$(submit_and_wait "srun $PYTHON -c 'x = bytearray(200 << 20)
for i in range(3000000): pass
import os
with open(\"$DIR/out/data\", \"wb\") as f:
    f.write(b\"x\" * (8 << 20)); f.flush(); os.fsync(f.fileno())'")
    field "$job" "$PYTHON" '.slurmT | [.user_cpu, .system_cpu, .max_rss, .disk_read, .disk_write]'
    [[ $(field "$job" "$PYTHON" '.slurmT.max_rss > 200 * 1048576 and .slurmT.max_rss < 400 * 1048576') == true ]]
    [[ $(field "$job" "$PYTHON" '.slurmT.user_cpu > 0.01 and .slurmT.user_cpu + .slurmT.system_cpu <= .userDT.run_time + 1') == true ]]
}

@test "what workers used that execute nothing stands beside what their program used" {
    job=$(submit_and_wait "srun $PYTHON -c 'import multiprocessing
def work(n): return sum(range(n))
with multiprocessing.get_context(\"fork\").Pool(2) as pool: pool.map(work, [9000000] * 4)'")
    [[ $(field "$job" "$PYTHON" '.slurmT | .forked >= 2 and .forked_cpu > .user_cpu and .forked_max_rss > 0') == true ]]
}

# acct JOB FIELDS: by jobtrail-acct, without Slurm's word
acct() {
    "$STAGE/bin/jobtrail-load" --store "sqlite:$DIR/store" "$DIR/records" >/dev/null
    "$STAGE/bin/jobtrail-acct" --store "sqlite:$DIR/store" --no-sacct -a -S 2000-01-01 -j "$1" -P -n --format "$2" | sort
}

@test "of no run of a job it is open how it ended, whoever waited for it" {
    job=$(submit_and_wait "$PROGRAMS/exit_with 0; $PROGRAMS/_exit_with 4; $PROGRAMS/exit_with_static 3
        $PROGRAMS/kill_self 9; (setsid $PROGRAMS/exit_with_static 5 &); bash -c '$PROGRAMS/_exit_with 6 & wait'
        env -i $PROGRAMS/exit_with 7; $PROGRAMS/exit_with_suid 8; srun -O -n2 $PROGRAMS/_exit_with 2; true")
    run acct "$job" State,ExitCode,Exec,CapturedBy
    echo "$output"
    [[ $(acct "$job" State,ExitCode,Exec,CapturedBy | grep -v '|srun|') == 'COMPLETED|0:0|bash|library
COMPLETED|0:0|bash|library
COMPLETED|0:0|exit_with|library
EXECED|?:?|env|library
EXECED|?:?|setsid|library
FAILED|2:0|_exit_with|library
FAILED|3:0|exit_with_static|kernel
FAILED|4:0|_exit_with|library
FAILED|5:0|exit_with_static|kernel
FAILED|6:0|_exit_with|library
FAILED|7:0|exit_with|kernel
FAILED|8:0|exit_with_suid|kernel
KILLED|0:9|kill_self|library' ]]
    # but of what another program has replaced, which has the numbers of the process
    [[ $(acct "$job" State,RunMaxRSS | grep -vc '|[0-9.]*[KM]$') == 2 ]]
}
