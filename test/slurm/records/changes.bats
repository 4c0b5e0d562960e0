#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A library is replaced between two jobs of a real cluster, by a step of a job, and then removed: jobtrail-acct says which
# runs were before and after, how they ended, and whose step it was. Exit statuses are Slurm's.
# bats file_tags=needs:libraries,needs:fanotify_names,needs:cgroup_v1
# shellcheck disable=SC2030,SC2031,SC2154 # bats sets them

bats_require_minimum_version 1.5.0
load ../fixture/cluster

setup_file() {
    local place
    place=$(readlink -f "$BATS_FILE_TMPDIR")
    chmod o+x "$BATS_RUN_TMPDIR" "$(dirname "$place")" "$place" # for the job's user
    export TREE=$place/sw LOGS=$place/logs WATCH=$place/libraries/watch
    mkdir "$TREE"
    # shellcheck disable=SC2034 # start_cluster uses it
    RULES=$'[libraries]\ntree = '$TREE$'\nowners = jtuser\nwatch = yes\nstate = '$place$'/libraries\nlogs = '$LOGS
    start_cluster cgroups NODES=1
    chown jtuser "$TREE"
    export STORE=sqlite:$DIR/store.db
    run_jobs
    "$STAGE/bin/jobtrail-submit" send --conf "$DIR/jobtrail.conf" >/dev/null
    "$STAGE/bin/jobtrail-load" --store "$STORE" "$DIR/records"
}

# A solver, which ends the program with STATUS, in a file beside the one that is there.
make_solver() { # STATUS
    echo "int solve(void) { return $1; }" |
        run_as jtuser gcc -shared -fPIC -Wl,--build-id -Wl,-soname,libsolver.so.1 -o "$TREE/libsolver.made" -x c -
    readelf -n "$TREE/libsolver.made" | sed -n 's/.*Build ID: //p'
}

# A job whose step runs this piece of Perl, and is there until the watch has looked at it
build() { # PERL WORD-OF-THE-LOG
    local job go=$DIR/out/go.$2
    job=$(submit "srun -n1 perl -e '$1; select undef, undef, undef, 0.01 until -e \"$go\"'")
    eventually 30 grep -qs " $2 path=$TREE/libsolver.so.1 " "$LOGS/libsolver.log"
    run_as jtuser touch "$go"
    wait_job "$job"
    echo "$job"
}

run_jobs() {
    local job
    OLD=$(make_solver 0)
    mv "$TREE/libsolver.made" "$TREE/libsolver.so.1"
    echo 'int solve(void); int main(void) { return solve(); }' |
        gcc -o "$DIR/model" -x c - -x none "$TREE/libsolver.so.1" -Wl,-rpath,"$TREE"
    eventually 30 has_scanned
    BEFORE=$(submit_and_wait "srun -n1 $DIR/model; srun -n1 $DIR/model")
    NEW=$(make_solver 3)
    REPLACER=$(build "rename \"$TREE/libsolver.made\", \"$TREE/libsolver.so.1\" or die" LIB_REPLACED)
    OTHER=$(submit "srun -n1 $PROGRAMS/exit_with 0")
    AFTER=$(submit_and_wait "srun -n1 $DIR/model")
    REMOVER=$(build "unlink \"$TREE/libsolver.so.1\" or die" LIB_REMOVED)
    NEVER=$(submit_and_wait "srun -n1 $DIR/model")
    for job in "$BEFORE" "$REPLACER" "$OTHER" "$AFTER" "$REMOVER" "$NEVER"; do
        wait_job "$job"
        eventually 60 is_flushed "$job"
    done
    export OLD NEW BEFORE REPLACER OTHER AFTER REMOVER NEVER
}

has_scanned() { # the watch knows the library
    grep -qs " LOG_CREATED path=$TREE/libsolver.so.1 " "$LOGS/libsolver.log"
}

acct() { # OPTION...
    run -0 --separate-stderr run_as root "$STAGE/bin/jobtrail-acct" --store "$STORE" --no-sacct -P -n "$@"
    echo "$output$stderr"
}

# line WORD: of the log, with this change of the library
line() {
    grep " $1 path=$TREE/libsolver.so.1 " "$LOGS/libsolver.log"
}

@test "the log names user, job and step of who changed the library" {
    [[ $(line LIB_REPLACED) == *" by=jtuser"*" command=perl "*" job=$REPLACER.0 "* ]]
    [[ $(line LIB_REMOVED) == *" by=jtuser"*" command=perl "*" job=$REMOVER.0 "* ]]
}

@test "the runs of before and after are told by both builds, with who it was and how the runs ended" {
    acct --changes -o change,oldbuild,newbuild,before,failed,unknown,after,failedafter,unknownafter,by,job,step,node,proven
    [[ ${lines[0]} == "replaced|$OLD|$NEW|2|0|0|1|1|0|jtuser|$REPLACER|0|n1|yes" ]]
}

@test "the job that did not start for want of the removed library is after its removal" {
    acct --changes -o change,oldbuild,newbuild,before,failed,unknown,after,failedafter,unknownafter,by,job,step,node,proven
    [[ ${lines[1]} == "removed|$NEW||1|1|0|1|1|0|jtuser|$REMOVER|0|n1|yes" ]]
    [[ ${#lines[@]} == 2 ]]
}

@test "the jobs that the changes are about are listed, and no others" {
    acct --changed today -X -o jobidraw
    [[ $(sort -n <<<"$output" | xargs) == "$BEFORE $AFTER $NEVER" ]]
    acct -X -o jobidraw
    [[ $output == *"$OTHER"* ]]
}

@test "the report has both changes with these runs, and who would be hit if the library went" {
    report() { # PAGE ROW OPTION...
        run_as root "$STAGE/bin/jobtrail-report" "$1" --store "$STORE" -S now-1days --json "${@:3}" | jq -c "[.pages[0].rows[] | $2]"
    }
    [[ $(report changes '[.library, .what, .user, .runs_before, .failed_before, .runs_after, .failed_after]') == \
        '[["libsolver","1 removed","jtuser",1,1,1,1],["libsolver","1 replaced","jtuser",2,0,1,1]]' ]]
    [[ $(report removal '[.user, .program, .how, .runs, .jobs, .certainty]' --lib solver) == \
        '[["jtuser","model","loaded",3,2,"recorded"]]' ]]
}
