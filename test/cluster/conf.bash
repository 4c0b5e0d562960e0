# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The configuration files of the test cluster.

node_names() {
    seq -f n%g 1 "$NODES"
}

write_conf() {
    mkdir -p "$ETC" "$LOG" "$RUN/mark" "$RUN/spool" "$RUN/tmp" "$STATE/slurmctld"
    # Jobs of ordinary users read slurm.conf and reach munge's socket.
    chmod 755 "$CLUSTER_DIR" "$ETC" "$LOG" "$RUN" "$RUN/spool" "$RUN/tmp"
    [[ -e $PLUGSTACK ]] || : >"$PLUGSTACK"
    echo "127.0.0.1 localhost $CONTROLLER $(node_names | tr '\n' ' ')" >"$ETC/hosts"
    slurm_conf >"$SLURM_CONF"
    # Also where no plugin uses cgroups: slurmd would find the version out, and end where that is the
    # second (which wants systemd) or a mixture.
    cgroup_conf >"$ETC/cgroup.conf"
    [[ $PRIVATE_TMP != yes ]] || job_container_conf >"$ETC/job_container.conf"
    [[ -z $NAMESPACES ]] || namespace_yaml >"$ETC/namespace.yaml"
    [[ -z $GRES_CONF ]] || echo "$GRES_CONF" >"$ETC/gres.conf"
}

slurm_conf() {
    local i node_hostname=
    # Without own host names slurmd must find the machine's name in its node's line.
    [[ $UTS == 1 ]] || node_hostname=" NodeHostname=$CONTROLLER"
    cat <<CONF
ClusterName=$CLUSTER_NAME
SlurmctldHost=$CONTROLLER(127.0.0.1)
SlurmctldPort=$PORT_BASE
SlurmUser=root
SlurmdUser=root
# bind to the address of the host name, which is 127.0.0.1 on our nodes, and not to 0.0.0.0
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket=$MUNGE_SOCKET
CredType=cred/munge
StateSaveLocation=$STATE/slurmctld
SlurmdSpoolDir=$RUN/spool/%n
# mpi/pmix makes a directory named for the step here, which nodes of one machine must not share
TmpFS=$RUN/tmp/%n
SlurmctldPidFile=$RUN/slurmctld.pid
SlurmdPidFile=$RUN/slurmd.%n.pid
SlurmctldLogFile=$LOG/slurmctld.log
SlurmdLogFile=$LOG/slurmd.%n.log
SlurmctldDebug=verbose
SlurmdDebug=verbose
ProctrackType=proctrack/$PROCTRACK
TaskPlugin=task/$TASKPLUGIN
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=5
# what sacct -c reads, as root (it opens the file for writing): job accounting without a database
JobCompType=jobcomp/filetxt
JobCompLoc=$LOG/jobcomp
SelectType=select/cons_tres
SelectTypeParameters=$SELECT_PARAMS
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1,sched_min_interval=0
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
# nodes may advertise more than the machine has
SlurmdParameters=config_overrides${SLURMD_PARAMS:+,$SLURMD_PARAMS}
# a machine that is slow is not dead
SlurmdTimeout=$((5 * SLOW))
SlurmctldTimeout=$((5 * SLOW))
InactiveLimit=0
MinJobAge=300
KillWait=$KILL_WAIT
BatchStartTimeout=$((5 * SLOW))
UnkillableStepTimeout=$((15 * SLOW))
MessageTimeout=$((5 * SLOW))
OverTimeLimit=0
MailProg=$MAIL_PROG
CONF
    if [[ $ACCT == dbd ]]; then
        cat <<CONF
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$((PORT_BASE + 1))
AccountingStoragePass=$MUNGE_SOCKET
CONF
    else
        echo AccountingStorageType=accounting_storage/none
    fi
    # the controller sends nodes the one beside slurm.conf
    if [[ $CONFIGLESS == yes ]]; then
        echo SlurmctldParameters=enable_configless
    else
        echo "PlugStackConfig=$PLUGSTACK"
    fi
    [[ $PRIVATE_TMP != yes ]] || printf '%s\n' JobContainerType=job_container/tmpfs PrologFlags=Contain
    [[ -z $NAMESPACES ]] || printf '%s\n' NamespaceType=namespace/linux PrologFlags=Contain
    echo "NodeName=DEFAULT CPUs=$NODE_CPUS RealMemory=2000 State=UNKNOWN $NODE_CONF"
    for ((i = 1; i <= NODES; i++)); do
        echo "NodeName=n$i$node_hostname NodeAddr=127.0.0.1 Port=$((PORT_BASE + 10 + i))"
    done
    echo "PartitionName=DEFAULT Nodes=ALL State=UP MaxTime=INFINITE DefaultTime=$((10 * SLOW)) OverSubscribe=NO"
    echo "PartitionName=main Default=YES"
    echo "PartitionName=other"
    echo "$EXTRA_CONF"
}

job_container_conf() {
    printf '%s\n' AutoBasePath=true "BasePath=$RUN/private" "$CONTAINER_CONF" # each node's in a directory of its name
}

namespace_yaml() { # each node's base is a directory of its name
    printf '%s\n' defaults: '  auto_base_path: true' "  base_path: $RUN/private" \
        "  clone_ns_flags: [$NAMESPACES]"
}

cgroup_conf() {
    cat <<CONF
CgroupPlugin=cgroup/v1
CgroupMountpoint=/sys/fs/cgroup
ConstrainCores=no
ConstrainRAMSpace=$CONSTRAIN_RAM
CONF
}

slurmdbd_conf() {
    cat <<CONF
AuthType=auth/munge
AuthInfo=socket=$MUNGE_SOCKET
DbdHost=$CONTROLLER
DbdAddr=127.0.0.1
CommunicationParameters=NoInAddrAny
DbdPort=$((PORT_BASE + 1))
SlurmUser=root
DebugLevel=verbose
LogFile=$LOG/slurmdbd.log
PidFile=$RUN/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=slurm
StoragePass=lab
StorageLoc=slurm_acct_db
CommitDelay=1
CONF
}
