#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What root writes down of a job: on a cluster with accounting, two GPUs on each node and no
# cluster's name in our own configuration, against users who claim otherwise.
# bats file_tags=again

load ../fixture/cluster

setup_file() {
    make_test_user
    start_cluster ACCT=dbd ACCT_USERS="root,$JOB_USER" NODE_CONF=Gres=gpu:2 \
        GRES_CONF=$'Name=gpu File=/dev/null\nName=gpu File=/dev/zero' \
        EXTRA_CONF=$'GresTypes=gpu\nAccountingStorageEnforce=associations,qos'
    sed -i '/^cluster = /d' "$DIR/jobtrail.conf"
    for name in gold silver; do manage add qos "$name"; done
    manage add account physics Cluster=lab
    manage add user "$JOB_USER" Account=physics
    manage modify user "$JOB_USER" set qos=normal,gold,silver
}

# slurmdbd takes users that the machine has.
make_test_user() {
    JOB_USER=jtuser
    id -u "$JOB_USER" >/dev/null 2>&1 || useradd --no-create-home --home-dir /nonexistent \
        --comment "jobtrail tests" --shell /bin/bash "$JOB_USER"
}

manage() {
    run_as root sacctmgr -i "$@" >>"$DIR/sacctmgr.log"
}

# What a user can set in a script, before his steps
LIES='export SLURM_JOB_ACCOUNT=lie SLURM_CLUSTER_NAME=lie SLURM_JOB_QOS=lie SLURM_JOB_USER=lie
export SLURM_JOB_PARTITION=lie SLURM_JOB_GPUS=0,1,2,3,4 SLURM_RESTART_COUNT=9 SLURM_ARRAY_JOB_ID=9
export SLURM_ARRAY_TASK_ID=9 SLURM_HET_JOB_ID=9 SLURMD_NODENAME=lie
'

# vouched QOS: what is known of it without a batch step
vouched() {
    ! "$JOBTRAIL_SOURCE/test/systems/can" credential_qos || echo "$1"
}

facts() { # JOB: of each run, sorted
    records "$1" | jq -r '.[] | [.userT.exec_path | split("/")[-1]] + (.slurmT | [.cluster, .step_id,
        .partition, .qos, .node, .node_id, .task_id, .restart_count, .cpus_alloc, .gpus_alloc,
        .array_job_id, .array_task_id, .het_job_id, .het_offset])
        + (.userT | [.user, .account, .queue, .syshost]) | map(tostring) | join(" ")' | sort
}

@test "a batch job and its steps have what Slurm vouches for" {
    job=$(submit_and_wait "$PROGRAMS/exit_with 0; srun $PROGRAMS/spin 0" \
        -N2 -n4 -c1 -A physics -q gold -p other --gres=gpu:2)
    [[ $(facts "$job") == "exit_with lab batch other gold n1 0 0 0 4 2 null null null null $JOB_USER physics other lab
spin lab 0 other gold n1 0 0 0 4 2 null null null null $JOB_USER physics other lab" ]]
}

@test "what a user sets in the job is not believed" {
    job=$(submit_and_wait "$LIES$PROGRAMS/exit_with 0; srun -n2 --gres=gpu:0 $PROGRAMS/spin 0" \
        -n2 -A physics -q gold --gres=gpu:1)
    [[ $(facts "$job") == "exit_with lab batch main gold n1 0 0 0 2 1 null null null null $JOB_USER physics main lab
spin lab 0 main gold n1 0 0 0 2 1 null null null null $JOB_USER physics main lab" ]]
}

@test "what a user sets before the job is not believed" {
    job=$(run_as "$JOB_USER" env SLURM_JOB_ACCOUNT=lie SLURM_JOB_QOS=lie SLURM_CLUSTER_NAME=lie \
        SLURM_JOB_USER=lie SLURM_JOB_GPUS=0,1,2 SPANK_SLURM_JOB_ACCOUNT=lie \
        SLURM_SPANK_SLURM_JOB_ACCOUNT=lie sbatch --parsable -A physics -q silver --output=/dev/null \
        --wrap "$PROGRAMS/exit_with 0")
    wait_job "$job"
    [[ $(facts "$job") == "exit_with lab batch main silver n1 0 0 0 1 0 null null null null $JOB_USER physics main lab" ]]
}

@test "a user whom the node cannot name has the name that Slurm gives, and no account's" {
    local made
    grep -v "^$JOB_USER:" /etc/passwd >"$DIR/passwd"
    "$JOBTRAIL_SOURCE/test/cluster/cluster" exec n1 mount --bind "$DIR/passwd" /etc/passwd
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0" -w n1)
    "$JOBTRAIL_SOURCE/test/cluster/cluster" exec n1 umount /etc/passwd
    made=$(find "$DIR/records" -name '*.json' -exec cat {} + |
        jq -r --argjson job "$job" 'select((.slurmT // .coverageT).job_id == $job) | (.userT // .coverageT).user' | sort -u)
    [[ $made == "$JOB_USER" ]]
}

job_of_argument() { # TEXT: the job whose record has it in the command line
    find "$DIR/records" -type f -name 'run.*.json' -exec cat {} + |
        jq --arg text "$1" 'select(.cmdlineA | index($text)) | .slurmT.job_id'
}

@test "a step without a batch script has what Slurm vouches for, the QOS where credentials have it" {
    run_as "$JOB_USER" env SLURM_JOB_QOS=lie SLURM_CLUSTER_NAME=lie srun -N2 -n2 -A physics -q gold \
        --gres=gpu:1 "$PROGRAMS/exit_with" 0 alone
    has_record() { [[ -n $(job_of_argument alone) ]]; }
    eventually 30 has_record
    job=$(job_of_argument alone)
    [[ $(facts "$job") == "exit_with lab 0 main $(vouched gold) n1 0 0 0 2 1 null null null null $JOB_USER physics main lab" ]]
}

@test "tasks of an array are told with both of their numbers" {
    job=$(submit_and_wait "${LIES}srun $PROGRAMS/spin 0" --array=3,5 -A physics -q gold)
    all=$(find "$DIR/records" -name 'run.*' -exec cat {} + | jq -r --argjson job "$job" \
        'select(.slurmT.array_job_id == $job) | .slurmT.job_id')
    [[ $(for id in $all; do facts "$id"; done | cut -d' ' -f1,3,5,12,13 | sort) == "spin 0 gold $job 3
spin 0 gold $job 5" ]]
    [[ $(wc -w <<<"$all") == 2 ]]
}

@test "components of a heterogeneous job are told, with their own nodes and GPUs" {
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0 : $PROGRAMS/spin 0" \
        -n2 --gres=gpu:1 -A physics : -n1 --gres=gpu:2 -A lab)
    second=$((job + 1))
    wait_job "$second"
    [[ $(facts "$job") == "exit_with lab 0 main normal n1 0 0 0 2 1 null null $job 0 $JOB_USER physics main lab" ]]
    [[ $(facts "$second") == "spin lab 0 main $(vouched normal) n2 0 "*" 0 1 2 null null $job 1 $JOB_USER lab main lab" ]]
}

@test "a run on the second node has that node's name and number" {
    cat >"$DIR/multi" <<EOF
0 $PROGRAMS/exit_with 0
1 $PROGRAMS/spin 0
EOF
    job=$(submit_and_wait "srun --multi-prog $DIR/multi" -N2 -n2 -A physics)
    [[ $(facts "$job" | cut -d' ' -f1,6-9) == $'exit_with n1 0 0 0\nspin n2 1 1 0' ]] ||
        [[ $(facts "$job" | cut -d' ' -f1,6-8) == $'exit_with n1 0 0\nspin n2 1 1' ]]
}

@test "a job whose epilog could not be noted has account and partition from its prolog" {
    job=$(submit "srun $PROGRAMS/exit_late 600000 started" -w n2 -A physics -q gold \
        -p other --no-requeue)
    eventually 30 output_has "$job" started
    "$CLUSTER" crash-node n2
    "$CLUSTER" start-slurmd n2
    recorded() { [[ $(record_count "$job") == 1 ]]; }
    eventually 60 recorded
    [[ $(facts "$job") == "exit_late lab 0 other gold n2 0 0 0 1 0 null null null null $JOB_USER physics other lab" ]]
    run_as root scancel "$job"
    wait_job "$job"
}

@test "the runs of these jobs are read on the loader's fast path" {
    mapfile -d '' files < <(find "$DIR/records" -name 'run.*' -print0)
    ((${#files[@]} > 8))
    "$JOBTRAIL_BUILD/test/unit/load/parse/unit-load_parse-fast_path" "${files[@]}"
}
