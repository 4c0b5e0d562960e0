#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Which processes are tracked, and what a capture holds, beyond what programs.bats shows.

bats_require_minimum_version 1.5.0
load ../fixture/job

setup() {
    new_job
}

# with VARIABLE=VALUE... COMMAND...: tracked, in an environment with these too
with() {
    env "${TRACKED[@]}" "$@"
}

one() { # JQ-PATH: from the only record
    records | jq -r "if length == 1 then .[0] else error(\"\(length) records\") end | $1"
}

@test "nothing is tracked unless XALT_EXECUTABLE_TRACKING is yes" {
    with XALT_EXECUTABLE_TRACKING=no "$PROGRAMS/exit_with"
    env "${TRACKED[@]:0:3}" LD_PRELOAD="$LIBRARY" "$PROGRAMS/exit_with"
    leaves
}

@test "XALT_SCALAR_TRACKING and XALT_MPI_TRACKING switch their kinds off" {
    with XALT_SCALAR_TRACKING=no "$PROGRAMS/exit_with"
    with XALT_MPI_TRACKING=no PMI_RANK=0 PMI_SIZE=2 "$PROGRAMS/exit_with"
    leaves
    new_job
    with XALT_SCALAR_TRACKING=no PMI_RANK=0 PMI_SIZE=2 "$PROGRAMS/exit_with"
    with XALT_MPI_TRACKING=no "$PROGRAMS/exit_with"
    leaves "exit_with fini" "exit_with fini"
}

@test "the site's switches hold where the environment says nothing" {
    RULES=$'[tracking]\nprograms = mpi' new_job
    tracked "$PROGRAMS/exit_with"
    PMI_RANK=0 PMI_SIZE=2 tracked "$PROGRAMS/exit_with"
    flush
    [[ $(one .userDT.num_tasks) == 2 ]]
}

@test "the first rank of each program of an mpirun with several is tracked" {
    for rank in 0 1 2 3; do
        with OMPI_APP_CTX_NUM_PROCS="2 2" OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=4 "$PROGRAMS/exit_with" "$rank" || true
    done
    flush
    [[ $(records | jq -c 'map(.cmdlineA[1]) | sort') == '["0","2"]' ]]
}

@test "the plugin's word on the first rank holds where Slurm started the ranks" {
    for rank in 0 1 2; do
        with JOBTRAIL_LEADER=1 SLURM_PROCID=$rank SLURM_STEP_NUM_TASKS=3 "$PROGRAMS/exit_with" "$rank" || true
    done
    flush
    [[ $(records | jq -c 'map(.cmdlineA[1]) | sort') == '["1"]' ]]
}

@test "the file that the plugin has named as slurmstepd is no run, whatever its name and the rules" {
    RULES=$'[paths]\nkeep = .*' new_job
    with JOBTRAIL_STEPD="$(realpath "$PROGRAMS/exit_with")" "$PROGRAMS/exit_with" 0
    with JOBTRAIL_STEPD="$(realpath "$PROGRAMS/exit_with")x" "$PROGRAMS/exit_with" 3 || true
    flush
    [[ $(records | jq -c 'map(.cmdlineA[1])') == '["3"]' ]]
}

@test "a host that a rule skips leaves nothing" {
    RULES=$'[hosts]\nskip = .*' new_job
    tracked "$PROGRAMS/exit_with"
    leaves
}

@test "XALT_TRACING says what is decided and why, with the rule's line" {
    RULES=$'[paths]\nskip = .*/exit_with' new_job
    line=$(grep -n 'skip = ' "$CONF" | cut -d: -f1)
    run with XALT_TRACING=yes "$PROGRAMS/exit_with"
    [[ $output == "jobtrail: $(realpath "$PROGRAMS")/exit_with: not tracked: a path rule skips it ($CONF:$line)" ]]
    run with XALT_TRACING=run "$PROGRAMS/close_all"
    [[ $output == *"close_all: tracked: no path rule matches"* ]]
    run with XALT_TRACING=yes "$PROGRAMS/spin" 0
    [[ $output == *"spin: tracked: no path rule matches"$'\n'*"spin: ended, recorded" ]]
    run with XALT_TRACING=yes PMI_RANK=1 PMI_SIZE=2 "$PROGRAMS/spin" 0
    [[ $output == *"spin: not tracked: another rank records for this executable" ]]
    run with XALT_TRACING=yes0 PMI_RANK=1 PMI_SIZE=2 "$PROGRAMS/spin" 0
    [[ $output == "" ]]
    run with XALT_TRACING=yes XALT_EXECUTABLE_TRACKING=no "$PROGRAMS/spin" 0
    [[ $output == *"spin: not tracked: XALT_EXECUTABLE_TRACKING is not yes" ]]
    rm "${CONF%.conf}.policy"
    run with XALT_TRACING=yes "$PROGRAMS/spin" 0
    [[ $output == *"spin: not tracked: no usable policy" ]]
}

SAMPLING=$'[sampling]\nenabled = yes\nscalar = 0 1:100000000\nscalar = 100s 0.5\nscalar = 200s 1\nmpi = 0 1:100000000\nmpi = 300s 1\nalways_ranks = 16'

# bats test_tags=sampling
@test "a run that is sampled out leaves nothing, and one that is long enough is kept for certain" {
    RULES=$SAMPLING new_job
    tracked "$PROGRAMS/exit_with"
    with XALT_TESTING_RUNTIME=99.9 "$PROGRAMS/exit_with"
    with XALT_TESTING_RUNTIME=200.5 "$PROGRAMS/exit_with"
    leaves "exit_with fini"
    [[ $(one .userDT.probability) == 1 ]]
}

# bats test_tags=sampling
@test "MPI programs have a table of their own, and are always kept from a size on" {
    RULES=$SAMPLING new_job
    with XALT_TESTING_RUNTIME=250 PMI_RANK=0 PMI_SIZE=15 "$PROGRAMS/exit_with"
    with XALT_TESTING_RUNTIME=300 PMI_RANK=0 PMI_SIZE=15 "$PROGRAMS/exit_with"
    with PMI_RANK=0 PMI_SIZE=16 "$PROGRAMS/exit_with"
    with XALT_MPI_ALWAYS_RECORD=4 PMI_RANK=0 PMI_SIZE=5 "$PROGRAMS/exit_with"
    flush
    [[ $(records | jq -c 'map(.userDT.num_tasks) | sort') == '[5,15,16]' ]]
}

# bats test_tags=sampling
@test "XALT_SAMPLING switches sampling on and off" {
    with XALT_SAMPLING=no "$PROGRAMS/exit_with"
    with XALT_SAMPLING=yes "$PROGRAMS/exit_with"
    leaves "exit_with fini"
}

# bats test_tags=sampling
@test "the share that is kept is the share that is recorded, and slots are used again" {
    count=200
    [[ -z ${JOBTRAIL_SOAK-} ]] || count=50000
    RULES=$SAMPLING new_job
    for ((i = 0; i < count; i++)); do
        XALT_TESTING_RUNTIME=150 tracked "$PROGRAMS/exit_with" sampled
        XALT_TESTING_RUNTIME=1 tracked "$PROGRAMS/exit_with" hardly
        ((i % 10)) || XALT_TESTING_RUNTIME=250 tracked "$PROGRAMS/exit_with" always
    done
    used=$(od -An -t u8 -j 24 -N 8 "$SPOOL/$JOB.0/user/ledger" | tr -d ' ')
    flush
    # Kept with 0.5, the runs that are recorded stand for those that there were, within five standard
    # deviations of their weighted number; those with 1 exactly.
    records | jq -r '.[] | "\(.cmdlineA[1]) \(.userDT.probability)"' | awk -v n="$count" '
        { weight[$1] += 1 / $2 }
        END {
            off = weight["sampled"] - n
            exit !(off * off < 25 * n && weight["always"] == n / 10 && weight["hardly"] == 0)
        }'
    # The ledger holds what was kept, the one that runs, and its own page.
    [[ $used -le $((($(records | jq length) + 3) * 8192)) ]]
}

# bats test_tags=sampling
@test "a killed run is sampled by how long it ran" {
    RULES=$'[sampling]\nenabled = yes\nscalar = 0 1' new_job
    tracked "$PROGRAMS/kill_self" 9 || true
    leaves "kill_self epilog"
    rm -r "$RECORDS"
    RULES=$SAMPLING new_job
    tracked "$PROGRAMS/kill_self" 9 || true
    leaves
}

@test "an object that was loaded while the program ran is in the record" {
    libm=$(ldconfig -p | awk '/libm\.so\.6 .*x86-64/ { print $NF; exit }')
    tracked "$PROGRAMS/dlopen_one" "$libm" >/dev/null
    flush
    [[ $(one ".libA | map(.[0]) | index(\"$(realpath "$libm")\") != null") == true ]]
    # Of each object the build-id that it has, also of this one, whose memory nobody looked at.
    build_ids() { records | jq -r '.[0] | [.libA, .buildIdA] | transpose[] | "\(.[0][0]) \(.[1])"'; }
    [[ $(build_ids | wc -l) -ge 3 ]]
    while read -r object id; do
        [[ $(readelf -n "$object" | sed -n 's/.*Build ID: //p') == "$id" ]]
    done < <(build_ids)
}

# A library that carries the name of a GPU runtime, and devices that are none, in a /dev of the
# test's own.
# bats test_tags=needs:root
@test "GPU devices that are open at the end count where a GPU runtime is loaded" {
    gcc -shared -o "$BATS_TEST_TMPDIR/libcuda.so.1" -xc - <<<'int made_up;'
    # shellcheck disable=SC2016
    unshare --mount bash -c '
        set -e
        mount -t tmpfs dev /dev
        mkdir -p /dev/dri
        touch /dev/null /dev/nvidia0 /dev/nvidia1 /dev/nvidiactl /dev/dri/renderD128
        PROGRAMS=$1 LIBRARY_DIR=$2
        shift 2
        exec 5</dev/nvidia0 6</dev/nvidia0 7</dev/nvidia1 8</dev/nvidiactl
        env "$@" "$PROGRAMS/dlopen_one" "$LIBRARY_DIR/libcuda.so.1"
        env "$@" "$PROGRAMS/exit_with"
        env "$@" XALT_GPU_TRACKING=no "$PROGRAMS/dlopen_one" "$LIBRARY_DIR/libcuda.so.1"
    ' bash "$PROGRAMS" "$BATS_TEST_TMPDIR" "${TRACKED[@]}" >/dev/null
    flush
    [[ $(records | jq -c 'sort_by(.userDT.start_time) | map(.userDT.num_gpus)') == '[2,0,0]' ]]
}

# in_root MARK COMMAND...: in a root directory of its own that has the file or directory MARK
in_root() {
    # shellcheck disable=SC2016
    unshare --mount bash -c '
        set -e
        mount -t tmpfs root "$1"
        cd "$1"
        for top in usr lib lib64 bin etc proc dev tmp "${JOBTRAIL_BUILD#/}" "${JOBTRAIL_SOURCE#/}"; do
            mkdir -p "$top"
            mount --rbind "/$top" "$top"
        done
        mkdir -p "$(dirname "./$2")"
        [[ $2 == "" ]] || touch "./$2"
        exec chroot . "${@:3}"
    ' bash "$BATS_TEST_TMPDIR/root" "$@"
}

# bats test_tags=needs:root
@test "the kind of container is told by what is there" {
    mkdir "$BATS_TEST_TMPDIR/root"
    for mark in "" /.singularity.d /run/.containerenv /.dockerenv /.lock; do
        in_root "$mark" env "${TRACKED[@]}" "$PROGRAMS/exit_with"
    done
    in_root /.dockerenv env "${TRACKED[@]}" CH_RUNNING="Weird Al Yankovic" "$PROGRAMS/exit_with"
    flush
    [[ $(records | jq -c 'sort_by(.userDT.start_time) | map(.userT.container)') == '[null,"apptainer","podman","docker","enroot","charliecloud"]' ]]
}

# bats test_tags=needs:root
@test "a node that is a container itself has runs without one" {
    mkdir "$BATS_TEST_TMPDIR/root"
    rm -r "${SPOOL:?}"
    # shellcheck disable=SC2016
    in_root /.dockerenv bash -c 'set -e; test -e /.dockerenv; "$1/make_spool" "$2" "$3"; env "${@:4}" "$1/exit_with"' \
        bash "$PROGRAMS" "$SPOOL" "$JOB" "${TRACKED[@]}"
    flush
    [[ $(records | jq -c 'map(.userT.container)') == '[null]' ]]
}

@test "the signal handler signs the end, and the program dies as it would without" {
    for signal in 15 11 6 2 8; do
        for handler in no yes; do
            XALT_SIGNAL_HANDLER=$handler unnoticed "$PROGRAMS/kill_self" "$signal"
        done
    done
    flush
    [[ $(records | jq -c 'map(select(.slurmT.end_source == "fini") | .slurmT.signal) | sort') == '[2,6,8,11,15]' ]]
    [[ $(records | jq -c 'map(select(.slurmT.end_source == "epilog")) | length') == 5 ]]
}

@test "the signal handler leaves alone what is not at its default" {
    for handler in no yes; do
        # shellcheck disable=SC2016
        XALT_SIGNAL_HANDLER=$handler unnoticed bash -c 'trap "" TERM; exec "$0" 15' "$PROGRAMS/kill_self"
    done
}

@test "a real fault dies by its signal through the handler" {
    gcc -O0 -o "$BATS_TEST_TMPDIR/fault" -xc - <<<'int main(void) { return *(volatile int *)8; }'
    XALT_SIGNAL_HANDLER=yes unnoticed "$BATS_TEST_TMPDIR/fault"
    flush
    [[ $(one .slurmT.signal) == 11 ]]
}

@test "the start-up object that is linked into a program records once, with the library and alone" {
    mapfile -t objects < <(cd "$JOBTRAIL_SOURCE/preload" && printf "$JOBTRAIL_BUILD/preload/CMakeFiles/jobtrail.dir/%s.o\n" *.c {routines,slots}/*.c)
    gcc -o "$BATS_TEST_TMPDIR/dynamic" -xc - -xnone "${objects[@]}" <<<'int main(void) { return 0; }'
    gcc -static -o "$BATS_TEST_TMPDIR/static" -xc - -xnone "${objects[@]}" <<<'int main(void) { return 0; }'
    tracked "$BATS_TEST_TMPDIR/dynamic"
    with LD_PRELOAD= "$BATS_TEST_TMPDIR/dynamic"
    with LD_PRELOAD= "$BATS_TEST_TMPDIR/static"
    leaves "dynamic fini" "dynamic fini" "static fini"
}

@test "a rejected process makes no file and opens none but the policy and the ledger" {
    RULES=$'[paths]\nskip = .*/exit_with' new_job
    env "${TRACKED[@]}" strace -f -o "$BATS_TEST_TMPDIR/calls" -e trace=openat,open,creat "$PROGRAMS/exit_with"
    [[ $(sed -n '/libjobtrail/,/policy/p' "$BATS_TEST_TMPDIR/calls" | grep -c "jobtrail.policy") == 1 ]]
    [[ $(grep -c "$SPOOL" "$BATS_TEST_TMPDIR/calls") == 1 ]]
    env "${TRACKED[@]}" PMI_RANK=1 PMI_SIZE=2 strace -f -o "$BATS_TEST_TMPDIR/calls" -e trace=openat "$PROGRAMS/exit_with"
    run ! grep "jobtrail.policy" "$BATS_TEST_TMPDIR/calls"
    [[ $(grep -c "$SPOOL" "$BATS_TEST_TMPDIR/calls") == 1 ]]
}

@test "the executable is named by its canonical path, however it was started" {
    local at=$BATS_TEST_TMPDIR/at loader
    mkdir -p "$at/real" "$at/script"
    cp "$PROGRAMS/say_hello" "$at/real/plain"
    ln -s real "$at/link"
    ln -s plain "$at/real/name"
    printf '#!%s -x\n' "$at/link/plain" >"$at/script/run"
    chmod +x "$at/script/run"
    loader=$(readelf -l "$at/real/plain" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
    cd "$at"
    for name in "$at/real/plain" "$at/link/plain" "$at/real/name" "$at//real/plain" "$at/./real/plain" \
        "$at/link/../real/plain" real/plain "$at/script/run"; do
        tracked "$name" >/dev/null || true
    done
    tracked PATH="$at/real:$PATH" plain >/dev/null
    tracked "$loader" real/plain >/dev/null
    flush
    [[ $(records | jq -r '.[].userT.exec_path' | sort | uniq -c) == *" 10 $(readlink -f "$at/real/plain")" ]]
}

# bats test_tags=needs:root
@test "a pid that comes back to another process is no exec, an exec is one" {
    # shellcheck disable=SC2016
    tracked LD_PRELOAD= unshare --pid --fork --mount-proc sh -c '
        export LD_PRELOAD=$1; shift
        "$1/_exit_with" 0 & first=$!
        wait
        LD_PRELOAD= sleep 0.03 # starts are told by the hundredth of a second
        echo $((first - 1)) >/proc/sys/kernel/ns_last_pid
        "$1/say_hello" >/dev/null & second=$!
        wait
        "$1/exec_to" "$1/exit_with" 0
        [ $first = $second ]' sh "$LIBRARY" "$PROGRAMS"
    leaves "_exit_with epilog" "say_hello fini" "exec_to exec" "exit_with fini"
}

# slots: "PID STATE END_BY END_NS" of each capture in the ledger (preload/ledger.h)
slots() {
    perl -e '
        open F, "<:raw", shift or die;
        read F, my $head, 4096;
        for (my $at = 36864; $at < unpack "x24 Q", $head; $at += 4096) {
            seek F, $at, 0;
            read F, my $slot, 128;
            my ($state, $pid, $end, $by) = unpack "x20 L x8 l x20 Q x52 L", $slot;
            print "$pid $state $by $end\n" if substr($slot, 2, 5) eq "JTSLT";
        }' "$SPOOL/$JOB.0/user/ledger"
}

# shellcheck disable=SC2016 # for the waiting program to expand
@test "a program that is not recorded ends the run of the one before it in its process" {
    local way pid seen told
    mkfifo "$BATS_TEST_TMPDIR/go"
    ended() { [[ $(slots | tail -n 1) == "$pid 2 1 "* ]]; } # LEDGER_ENDED, LEDGER_END_REPLACED
    for way in skipped switched-off other-rank no-policy other-kind; do
        rm -rf "$SPOOL" "$RECORDS"
        RULES=$'[paths]\nskip = .*/dash' new_job
        case $way in
        skipped) set -- ;;
        switched-off) set -- /usr/bin/env XALT_EXECUTABLE_TRACKING=no ;;
        other-rank) set -- /usr/bin/env PMI_RANK=1 PMI_SIZE=2 ;;
        no-policy) set -- /usr/bin/env JOBTRAIL_POLICY=/nonexistent ;;
        other-kind) set -- /usr/bin/env XALT_SCALAR_TRACKING=no ;;
        esac
        # the last program of the process that is recorded is exec_to, or env
        env "${TRACKED[@]}" "$PROGRAMS/exec_to" "$@" /usr/bin/dash -c 'read -r _ <"$1"; exit 4' sh "$BATS_TEST_TMPDIR/go" &
        pid=$!
        wait_for ended
        seen=$(slots)
        told=$(date +%s.%N)
        echo >"$BATS_TEST_TMPDIR/go"
        wait "$pid" || [[ $? == 4 ]]
        [[ $(slots) == "$seen" ]]
        flush >/dev/null
        [[ $(records | jq --argjson told "$told" 'sort_by(.userDT.start_time) | last | .userDT.end_time < $told + 0.01') == true ]]
    done
}

# bats test_tags=needs:root
@test "a program that is not recorded leaves the runs of other processes alone" {
    local seen
    RULES=$'[paths]\nskip = .*/dash' new_job
    # A child of a captured one; one whose pid a captured one had that was killed; and one of a
    # namespace where a captured one of another namespace has the same pid
    # shellcheck disable=SC2016
    tracked LD_PRELOAD= unshare --pid --fork --mount-proc sh -c '
        export LD_PRELOAD=$1; shift
        "$1/_exit_with" 0 & first=$!
        wait
        LD_PRELOAD= sleep 0.03 # starts are told by the hundredth of a second
        echo $((first - 1)) >/proc/sys/kernel/ns_last_pid
        dash -c : & second=$!
        wait
        LD_PRELOAD= unshare --pid --fork --mount-proc sh -c "
            echo $((first - 1)) >/proc/sys/kernel/ns_last_pid
            LD_PRELOAD=$LD_PRELOAD dash -c : & [ \$! = $first ]; wait"
        "$1/vfork_child" /usr/bin/dash -c :
        [ $first = $second ]' sh "$LIBRARY" "$PROGRAMS"
    seen=$(slots)
    [[ $(cut -d " " -f 2,3 <<<"$seen") == $'1 0\n2 0' ]]
    leaves "_exit_with epilog" "vfork_child fini"
}

# Each program here starts say_hello twice: the first time the program is looked at, and the second time
# what was seen is taken from the ledger.
@test "ancestors are those of the moment, when a parent becomes another program or the same one again" {
    local addresses
    for addresses in '' 'setarch -R'; do # without random addresses nothing is taken
        rm -rf "$SPOOL" "$RECORDS"
        RULES=$KEEP_ALL new_job
        # shellcheck disable=SC2016,SC2086
        tracked LD_PRELOAD= $addresses bash -c '
            run="LD_PRELOAD=\$1 \$2/say_hello; LD_PRELOAD=\$1 \$2/say_hello;"
            eval "$run"
            exec bash -c "$run exec dash -c \"$(sed "s/\\$/\\\\$/g" <<<"$run") :\" three \"\$@\"" two "$@"
            ' one "$LIBRARY" "$PROGRAMS" >/dev/null
        flush >/dev/null
        [[ $(records | jq -r 'map(select(.userT.exec_path | endswith("/say_hello"))) | sort_by(.userDT.start_time)[]
            | .ptA[0] | "\(.cmd_path | split("/")[-1]) \(.cmdlineA[3])"') == "$(repeated 2 "bash one"
        repeated 2 "bash two"
        repeated 2 "dash three")" ]]
    done
}

# bats test_tags=needs:root
@test "ancestors are right where a pid is used again, by a program and by a forked child of the same" {
    RULES=$KEEP_ALL new_job
    # shellcheck disable=SC2016
    tracked LD_PRELOAD= JOBTRAIL_TASK=0.0.1 unshare --pid --fork --mount-proc bash -c '
        again() { echo $((first - 1)) >/proc/sys/kernel/ns_last_pid; }
        hello() { LD_PRELOAD=$library "$programs/say_hello"; LD_PRELOAD=$library "$programs/say_hello"; }
        library=$1 programs=$2
        (hello) & first=$!
        wait
        again
        dash -c "LD_PRELOAD=$library $programs/say_hello; LD_PRELOAD=$library $programs/say_hello; :" other & [ $! = $first ]
        wait
        # the same program, under another parent
        (again; (hello) & [ $! = $first ]; wait) & parent=$!
        wait
        echo "$first $parent"' one "$LIBRARY" "$PROGRAMS" >"$BATS_TEST_TMPDIR/pids"
    flush >/dev/null
    read -r first parent < <(tail -n 1 "$BATS_TEST_TMPDIR/pids")
    [[ $(records | jq -r 'map(select(.userT.exec_path | endswith("/say_hello"))) | sort_by(.userDT.start_time)[]
        | .ptA | map("\(.pid) \(.cmd_path | split("/")[-1])") | join(", ")') == "$(
        repeated 2 "$first bash"
        repeated 2 "$first dash"
        repeated 2 "$first bash, $parent bash"
    )" ]]
}

@test "the exit path makes no system call" {
    env "${TRACKED[@]}" strace -o "$BATS_TEST_TMPDIR/calls" "$PROGRAMS/exit_with" 5 || true
    env "${TRACKED[@]:0:4}" strace -o "$BATS_TEST_TMPDIR/plain" "$PROGRAMS/exit_with" 5 || true
    # From where the program's own code runs on, both make the same calls.
    [[ $(sed -n '/munmap.*ld.so.cache\|exit_group/p' "$BATS_TEST_TMPDIR/calls" | tail -n 1) == $(tail -n 2 "$BATS_TEST_TMPDIR/plain" | head -n 1) ]]
    [[ $(tail -n 3 "$BATS_TEST_TMPDIR/calls" | head -n 1) == close* ]]
}

# As a hook in another language would: by JOBTRAIL_SPOOL and the pid alone, with the format's numbers.
@test "a process that a pkgs rule marks can find its run's uuid by its pid" {
    RULES=$'[paths]\npkgs = .*/python3[.0-9]*' new_job
    uuid=$(tracked /usr/bin/python3 -c '
import os, struct, uuid
page = 4096
with open(os.environ["JOBTRAIL_SPOOL"] + "/ledger", "rb") as ledger:
    used = struct.unpack_from("<Q", ledger.read(page), 24)[0]
    at = 9 * page
    while at < used:
        ledger.seek(at)
        head = ledger.read(120)
        magic, offset, size, state = struct.unpack_from("<QQII", head)
        pid = struct.unpack_from("<i", head, 32)[0]
        if magic == 0x31544C53544A0A7F and state == 1 and pid == os.getpid():
            print(uuid.UUID(bytes=head[64:80]))
        at += size if magic == 0x31544C53544A0A7F else page
')
    flush
    [[ $(one .userT.run_uuid) == "$uuid" ]]
    [[ $(one .XALT_qaT.JOBTRAIL_PKGS) == yes ]]
}

# arguments NAME: of the only record of this program, and of its parent: [[...],[...]]
arguments() {
    records | jq -c --arg name "/$1" 'map(select(.userT.exec_path | endswith($name))) | .[0]
        | [.cmdlineA[1:], .ptA[0].cmdlineA[1:]]'
}

# The library is preloaded into the whole: a bash with an argument, and a program below it.
below_bash() {
    tracked bash -c '"$@"; true' argument-of-bash "$PROGRAMS/exit_with" 0 argument-of-program || true
}

@test "[tracking] command_line says how much is recorded, of ancestors too, and what is not wanted is not even captured" {
    RULES=$'[paths]\nkeep = .*' new_job
    below_bash
    grep -q argument-of-program "$SPOOL/$JOB.0/user/ledger"
    flush
    [[ $(arguments exit_with) == '[["0","argument-of-program"],["-c","\"$@\"; true","argument-of-bash",'* ]]
    for wanted in program no; do
        rm -rf "$RECORDS"
        RULES=$'[paths]\nkeep = .*\n[tracking]\ncommand_line = '$wanted new_job
        below_bash
        grep -q exit_with "$SPOOL/$JOB.0/user/ledger"
        ! grep -qa 'argument-of-\(program\|bash\)' "$SPOOL/$JOB.0/user/ledger" || false
        flush
        [[ $(arguments exit_with) == '[[],[]]' ]]
        [[ $(records | jq -c 'map([(.cmdlineA | length), (.ptA[0].cmdlineA | length)]) | unique') == \
            "$([[ $wanted == no ]] && echo '[[0,0]]' || echo '[[1,1]]')" ]]
    done
}

@test "an ancestor that [paths] or [arguments] leave out gives only its program" {
    below_bash
    ! grep -qa argument-of-bash "$SPOOL/$JOB.0/user/ledger" || false
    flush
    [[ $(arguments exit_with) == '[["0","argument-of-program"],[]]' ]]
    local rules=$'[paths]\ncustom = .*/(r?ba)?sh\n[arguments]\n'
    for decision in keep skip; do
        rm -rf "$RECORDS"
        RULES="$rules$decision = .*;.*of-bash"$'\nskip = .*/bash;' new_job
        below_bash
        flush
        [[ $(arguments exit_with) == '[["0","argument-of-program"],'"$([[ $decision == keep ]] && echo '["-c"' || echo '[]')"* ]]
    done
}

@test "XALT_CMDLINE_RECORD=no: a user wants no command lines, whatever the site says" {
    RULES=$KEEP_ALL new_job
    XALT_CMDLINE_RECORD=no below_bash
    ! grep -qa 'argument-of-\(program\|bash\)' "$SPOOL/$JOB.0/user/ledger" || false
    flush
    [[ $(arguments exit_with) == '[[],[]]' ]]
}
