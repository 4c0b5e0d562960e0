#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# PrologFlags=RunInJob where steps have a pid namespace of their own (namespace/linux, Slurm 25.11 or later):
# journals have the pids of that namespace. The spool is in memory, where a prolog would mount a file system for a
# job's user (private_tmp_in_job.bats).
#
# bats file_tags=needs:run_in_job,needs:namespace_linux,again

load ../fixture/cluster

setup_file() {
    export SPOOL_IN_MEMORY=1
    SCRATCH=/var/tmp start_cluster NAMESPACES=CLONE_NEWPID EXTRA_CONF=PrologFlags=RunInJob
}

is_flushed() { # JOB
    [[ -z $(find "$DIR/run" -mindepth 2 -maxdepth 2 -name "$1.*") ]]
}

# flush_orphans old|new: from the node's pid namespace, or from a new one
flush_orphans() {
    local by=()
    [[ ${1-} != new ]] || by=(unshare --pid --fork --mount-proc)
    "$CLUSTER" exec n1 "${by[@]}" "$STAGE/bin/jobtrail-submit" flush --orphans --json --conf "$DIR/jobtrail.conf" \
        --node n1
}

@test "a job that goes on is left alone, from the node and from its own pid namespace, and flushed at its end" {
    mkfifo -m 666 "$DIR/out/go"
    job=$(submit "srun $PROGRAMS/exit_with; echo ended; read -r <$DIR/out/go" -n1 -w n1)
    eventually 30 output_has "$job" ended
    journal=$DIR/run/n1/$job.0/journal
    kill -KILL "$(sed -n 's/^step .* step=4294967292 .* pid=\([0-9]*\) .*/\1/p' "$journal")"
    run flush_orphans old
    [[ $status == 1 && $(jq -c '[.running, .jobs]' <<<"${lines[-1]}") == "[1,0]" ]]
    run flush_orphans new
    [[ $status == 1 && $(jq -c '[.running, .jobs]' <<<"${lines[-1]}") == "[1,0]" ]]
    [[ $(grep -c '^step ' "$journal") == 3 ]]
    echo >"$DIR/out/go"
    run_as root scancel "$job"
    nothing_lives() { flush_orphans old >/dev/null; }
    eventually 60 nothing_lives
    is_flushed "$job"
    [[ $(record_count "$job" exit_with) == 1 ]]
}
