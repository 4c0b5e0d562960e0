#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What a user can try from a job: variables that would redirect the spool, the library or the helper,
# and the directories of other jobs on the node.

load ../fixture/cluster

setup_file() {
    NODES=1 start_cluster
    # a library that says for whom it runs: what root's programs must never load
    mkdir -p "$DIR/evil/bin"
    cat >"$DIR/evil/evil.c" <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void tell(void)
{
    int fd = open(EVIL "/seen", O_WRONLY | O_APPEND);
    if (fd >= 0)
        dprintf(fd, "%d\n", (int)geteuid());
    close(fd);
}
C
    cc -shared -fPIC -DEVIL="\"$DIR/evil\"" "$DIR/evil/evil.c" -o "$DIR/evil/evil.so"
    touch "$DIR/evil/seen"
    # a helper that tells that it was run
    printf '#!/bin/sh\nid -u >>%s/helped\n' "$DIR/evil" >"$DIR/evil/bin/jobtrail-submit"
    cp "$DIR/evil/bin/jobtrail-submit" "$DIR/evil/bin/jobtrail-conf"
    chmod -R a+rX "$DIR/evil"
    chmod a+x "$DIR"/evil/bin/*
    chmod 666 "$DIR/evil/seen"
    mkdir -m 1777 "$DIR/evil/spool"
}

# shellcheck disable=SC2016 # for the job to expand
HOSTILE='export JOBTRAIL_SPOOL=$EVIL/spool JOBTRAIL_POLICY=$EVIL/policy JOBTRAIL_TASK=0.0.1 JOBTRAIL_LEADER=7
export PATH=$EVIL/bin:$PATH LD_PRELOAD=$EVIL/evil.so LD_LIBRARY_PATH=$EVIL
export SLURM_SPANK_LD_PRELOAD=$EVIL/evil.so SPANK_LD_PRELOAD=$EVIL/evil.so SLURM_SPANK_JOBTRAIL_SPOOL=$EVIL/spool
export _SLURM_SPANK_OPTION_jobtrail_conf=$EVIL/conf _SLURM_SPANK_OPTION_jobtrail_jobtrail=no
export SLURM_JOB_ACCOUNT=rich SLURM_CLUSTER_NAME=other SLURM_JOB_USER=root SLURM_JOB_UID=0 SLURMD_NODENAME=../evil'

@test "no variable of a user's redirects the spool, the library or the helper" {
    job=$(submit_and_wait "EVIL=$DIR/evil
$HOSTILE
srun --export=ALL,JOBTRAIL_SPOOL=$DIR/evil/spool,JOBTRAIL_POLICY=$DIR/evil/policy $PROGRAMS/exit_with 0" \
        --export="PATH,SPANK_LD_PRELOAD=$DIR/evil/evil.so,SLURM_SPANK_LD_PRELOAD=$DIR/evil/evil.so,_SLURM_SPANK_OPTION_jobtrail_conf=$DIR/evil/conf")
    [[ $(record_count "$job" exit_with) == 1 ]]
    [[ $(field "$job" exit_with '[.userT.user, .slurmT.cluster, .slurmT.node] | join(" ")') == "$JOB_USER lab n1" ]]
    [[ $(field "$job" exit_with .slurmT.account) != rich ]]
    [[ -s $DIR/evil/seen ]]                  # the library works, in the user's processes
    run grep -x 0 "$DIR/evil/seen"           # and never in root's
    [[ $status == 1 ]]
    [[ ! -e $DIR/evil/helped && -z $(ls -A "$DIR/evil/spool") ]]
}

@test "srun with a configuration of the user's own does not keep the plugin off the node" {
    mkdir -p "$DIR/evil/etc"
    cp "$CLUSTER_DIR/etc/slurm.conf" "$DIR/evil/etc/slurm.conf"
    sed -i "s|^PlugStackConfig=.*|PlugStackConfig=$DIR/evil/etc/plugstack.conf|" "$DIR/evil/etc/slurm.conf"
    : >"$DIR/evil/etc/plugstack.conf"
    chmod -R a+rX "$DIR/evil"
    job=$(submit_and_wait "SLURM_CONF=$DIR/evil/etc/slurm.conf srun $PROGRAMS/exit_with 0")
    [[ $(record_count "$job" exit_with) == 1 ]]
}

@test "a job can neither see into nor change the directory of another user's job on its node" {
    make_user jtother
    victim=$(submit "$PROGRAMS/exit_late 600000 pid & wait" -n1 --mem=10)
    eventually 30 output_has "$victim" '^pid'
    spool=$DIR/run/n1/$victim.0
    # not preloaded itself: a shell is skipped
    thief=$(SUBMIT_AS=jtother submit "exec 2>&1
ls $spool; cat $spool/journal; head -c 1 $spool/user/ledger; echo x >>$spool/user/ledger; touch $spool/x; mv $spool $spool.x
rm -rf $DIR/run/n1; mkdir $DIR/run/n1/99.0; ln -s /etc $DIR/run/n1/98.0
JOBTRAIL_SPOOL=$spool LD_PRELOAD=\$LD_PRELOAD $PROGRAMS/exit_with 0" -n1 --mem=10 --output="$DIR/out/%j")
    wait_job "$thief"
    [[ $(grep -c 'Permission denied\|Operation not permitted' "$DIR/out/$thief") -ge 8 ]]
    run_as root scancel "$victim"
    wait_job "$victim"
    [[ $(record_count "$victim") == 1 && $(record_count "$victim" exit_late) == 1 ]]
    [[ $(field "$victim" exit_late .userT.user) == "$JOB_USER" ]]
    [[ -z $(find "$DIR/run/n1" -mindepth 1 -type d) ]]
}

@test "a job with more steps than its journal has room for is bounded, counted and flushed" {
    mkfifo -m 666 "$DIR/out/full"
    job=$(submit "srun $PROGRAMS/exit_with; echo first; read -r <$DIR/out/full
        for i in 1 2 3; do srun -Q $PROGRAMS/exit_with 5 2>/dev/null; echo step \$?; done; read -r <$DIR/out/full" -n1)
    eventually 20 output_has "$job" first
    # as after some hundred thousand steps
    journal=$DIR/run/n1/$job.0/journal
    truncate -s 64M "$journal"
    size=$(stat -c %s "$journal")
    echo >"$DIR/out/full"
    eventually 20 has_lines "$job" 4
    [[ $(output_of "$job") == $'first\nstep 5\nstep 5\nstep 5' ]]
    [[ $(stat -c %s "$journal") == "$size" ]]
    # of each step: its start, program, task, exit and end
    eventually 20 counts 15 "$DIR/run/n1/$job.0/journal.left_out"
    echo >"$DIR/out/full"
    wait_job "$job"
    # the runs of steps that are not noted have records too, without what root knows of these steps
    [[ $(record_count "$job" exit_with) == 4 && ! -e $DIR/run/n1/$job.0 ]]
    [[ $(records "$job" | jq -c "map(.slurmT.exit_code) | sort") == "[null,null,null,0]" ]]
    grep -q "job $job.0: its journal was full: 17 lines are left out" "$CLUSTER_DIR/log/slurmd.n1.log"
}

has_lines() { # JOB NUMBER: in its output
    [[ $(output_of "$1" | wc -l) == "$2" ]]
}

counts() { # NUMBER FILE
    [[ $(stat -c %s "$2") == "$1" ]]
}
