#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Routines of designated libraries of the system in real jobs, from the call to the answer: zlib from C and Python, BLAS and LAPACK
# from numpy, a prepared archive; runs that end and runs that are killed.
# bats file_tags=needs:routines
# shellcheck disable=SC2154,SC2030,SC2031 # bats sets stderr, and runs each test in a subshell

bats_require_minimum_version 1.5.0
load ../fixture/cluster

setup_file() {
    export RULES=$'routine_counts = yes\n\n[routines]\nkeep = soname:libz\\.so\\.1\nkeep = soname:libblas\\.so\\.3
keep = soname:liblapack\\.so\\.3\nkeep = archive:libmade\\.a'
    start_cluster NODES=1
    STORE=sqlite:$DIR/store.db
    export STORE
    make_programs
}

# squeeze calls crc32 five times, deflate three times, and inflate never. With a word it waits for its end.
make_programs() {
    cat >"$DIR/squeeze.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
int main(int count, char **words)
{
    unsigned char in[1000] = "in", out[2000];
    unsigned long sum = 0;
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    for (int i = 0; i < 5; i++)
        sum = crc32(sum, in, sizeof in);
    if (deflateInit(&stream, 9) != Z_OK)
        return 2;
    stream.next_in = in;
    stream.avail_in = sizeof in;
    stream.next_out = out;
    stream.avail_out = sizeof out;
    for (int i = 0; i < 3; i++)
        deflate(&stream, i < 2 ? Z_NO_FLUSH : Z_FINISH);
    if (count > 5)
        inflate(&stream, Z_FINISH);
    printf("%lx %lu up\n", sum, stream.total_out);
    fflush(stdout);
    if (count > 1)
        pause();
    (void)words;
    return deflateEnd(&stream) == Z_OK ? 0 : 1;
}
END
    cc -O2 -Wl,-z,now "$DIR/squeeze.c" -o "$PROGRAMS/squeeze" -lz
    # of a name that two libraries define, the loader says at the first call which one is called
    echo 'unsigned long crc32(unsigned long sum) { return sum; }' | cc -O2 -fPIC -shared -x c - -o "$PROGRAMS/libsum.so"
    cc -O2 -Wl,-z,lazy,--no-as-needed "$DIR/squeeze.c" -o "$PROGRAMS/lazy" -lz "$PROGRAMS/libsum.so"
    echo 'int made(int x) { return x + 1; } int unmade(int x) { return x; }' >"$DIR/made.c"
    echo 'int made(int), unmade(int); int main(int n, char **w) { (void)w; return n > 1 ? unmade(0) : made(1) + made(2) - 5; }' >"$DIR/user.c"
    (
        cd "$DIR" || exit
        cc -O2 -c made.c
        ar rcs libmade.a made.o
        printf 'made\nunmade\n' >entries
        "$STAGE/bin/jobtrail-robj" -w -a -e entries -o libnoted.a libmade.a -i libmade.a >/dev/null
        cc -O2 user.c libnoted.a -o "$PROGRAMS/user"
    )
}

loaded() { # loads what is there, and again
    "$STAGE/bin/jobtrail-load" --store "$STORE" "$DIR/records" >/dev/null
    "$STAGE/bin/jobtrail-load" --store "$STORE" "$DIR/records" | grep -q ' 0 new, 0 updated'
}

acct() { # OPTION...
    run_as root env TZ=UTC "$STAGE/bin/jobtrail-acct" --no-sacct -a --store "$STORE" -n -P "$@"
}

zlib_version() { # of the library's file
    local file
    file=$(ldd "$PROGRAMS/squeeze" | awk '$1 == "libz.so.1" { print $3 }')
    file=$(realpath "$file")
    echo "${file##*.so.}"
}

@test "a job's routines are those that it called, with library, version and number" {
    job=$(submit_and_wait "srun $PROGRAMS/squeeze")
    loaded
    acct --routines -j "$job" --exec squeeze -o exec,library,version,routine,calls,missed --sort routine >"$DIR/found"
    printf 'squeeze|z|%s|%s|0\n' "$(zlib_version)" 'crc32|5' "$(zlib_version)" 'deflate|3' "$(zlib_version)" 'deflateEnd|1' \
        "$(zlib_version)" 'deflateInit_|1' | diff - "$DIR/found"
    # the file, as the run's libraries have it, and its build-id
    acct --routines -j "$job" --exec squeeze -o librarypath,buildid | sort -u >"$DIR/found"
    [[ $(cut -d'|' -f1 "$DIR/found") == "$(field "$job" squeeze '.libA[] | .[0] | select(contains("libz.so"))')" ]]
    [[ $(cut -d'|' -f2 "$DIR/found") == "$(readelf -n "$(cut -d'|' -f1 "$DIR/found")" | sed -n 's/.*Build ID: //p')" ]]
    # the first call is in the time of the run, give or take a tick
    run_as root env "$STAGE/bin/jobtrail-acct" --no-sacct -a --store "$STORE" -j "$job" --exec squeeze --json |
        jq -e '.runs[0] | .start_time as $from | .end_time as $to | [.routines.called[].first_call] |
            length == 4 and all(. != null and . >= $from - 1 and . <= $to + 1)'
}

# Where the loader alone knows which function it binds at the first call, the later calls are not seen.
@test "a number that is a lower bound is shown as one" {
    job=$(submit_and_wait "srun $PROGRAMS/lazy")
    loaded
    [[ $(acct --routines -j "$job" --exec lazy -o routine,calls --sort routine) == $'crc32|>=1\ndeflate|3\ndeflateEnd|1\ndeflateInit_|1' ]]
}

@test "a job that is killed has its routines" {
    job=$(submit "srun $PROGRAMS/squeeze wait")
    eventually 60 output_has "$job" up
    run_as root scancel --signal=KILL "$job.0"
    wait_job "$job"
    killed=$(submit "$PROGRAMS/squeeze wait & wait_for=\$!; until grep -q up $DIR/out/\$SLURM_JOB_ID; do sleep 0.1; done; kill -9 \$wait_for; wait")
    wait_job "$killed"
    loaded
    for id in "$job" "$killed"; do
        [[ $(acct --routines -j "$id" --exec squeeze -o routine,calls --sort routine) == $'crc32|5\ndeflate|3\ndeflateInit_|1' ]]
    done
    [[ $(field "$job" squeeze .slurmT.signal) == 9 ]]
    [[ $(acct -j "$job,$killed" --exec squeeze -o jobidraw,nroutines) == "$job.0|3"$'\n'"$killed.batch|3" ]]
}

@test "runs are found by a routine that they called, and not by one that they could have called" {
    job=$(submit_and_wait "srun $PROGRAMS/squeeze")
    idle=$(submit_and_wait "srun $PROGRAMS/exit_with 0")
    loaded
    [[ $(acct -j "$job,$idle" --routine crc32 --exec squeeze -o jobidraw) == "$job.0" ]]
    run --separate-stderr acct -j "$job" --routine inflate --exec squeeze
    [[ $output == "" && $stderr == *"no runs of job $job with "*"--routine inflate"* ]]
    run --separate-stderr acct -j "$job" --routine defalte --exec squeeze
    [[ $output == "" && $stderr == *"--routine defalte: no run has called one; did you mean deflate"* ]]
    run --separate-stderr acct --routines -j "$idle" --exec exit_with
    [[ $output == "" && $stderr == *"1 of 1 run loaded no library that [routines] designates"* ]]
}

@test "a program with a prepared archive has what it called of that" {
    job=$(submit_and_wait "srun $PROGRAMS/user")
    loaded
    [[ $(acct --routines -j "$job" --exec user -o library,version,buildid,routine,calls) == "libmade.a|||made|2" ]]
    [[ $(acct -j "$job" --routine made -o exec) == user ]]
}

@test "numpy's calls of BLAS and LAPACK are its run's" {
    job=$(submit_and_wait "srun /usr/bin/python3 -c 'import numpy as n; print(n.linalg.solve(n.eye(3) + 1, n.ones((3, 3)) @ n.ones((3, 3))))'")
    loaded
    acct --routines -j "$job" --exec "$(basename "$(readlink -f /usr/bin/python3)")" -o library,routine,calls >"$DIR/found"
    cat "$DIR/found"
    grep -qx 'lapack|dgesv_|1' "$DIR/found"
    grep -qE '^blas\|cblas_dgemm\|1$' "$DIR/found"
    ! grep -E 'zgesv_|dgemv_' "$DIR/found" || false
}
