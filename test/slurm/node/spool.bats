#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The spool of a node that jobs of several users share: what one of them fills, leaves or looks at is
# his own.
# bats file_tags=again

load ../fixture/cluster

setup_file() {
    RULES=$'[paths]\nkeep = .*/exit_with\nkeep = .*/spin\nkeep = .*/exit_late\nskip = .*' NODES=1 start_cluster
    make_user jtother
}

setup() {
    # shellcheck disable=SC2034 # for teardown
    TEST_BEGAN=$(date +%FT%T)
    reconfigure
}

# reconfigure [SED-SCRIPT]: users' parts are mounted; with changes, in force
reconfigure() {
    write_jobtrail_conf "$RULES"
    sed -i 's|^\[spool\]|&\nmount = yes|' "$DIR/jobtrail.conf"
    [[ -z ${1-} ]] || sed -i "$1" "$DIR/jobtrail.conf"
    "$STAGE/bin/jobtrail-conf" compile --conf "$DIR/jobtrail.conf"
}

on_node() { # COMMAND...
    "$CLUSTER" exec n1 "$@"
}

# parts: what is mounted for jobs on the node, one a line
parts() {
    on_node findmnt --raw --noheadings --output TARGET --source jobtrail || true
}

# small_spool: on a file system of 16 MiB
small_spool() { # SED-SCRIPT
    on_node mkdir -p "$DIR/small"
    on_node mount -t tmpfs -o size=16m,mode=711 none "$DIR/small"
    reconfigure "s|^dir = .*/run/%n|dir = $DIR/small\nledger_size = 1M|; ${1-}"
}

end_small_spool() {
    on_node umount "$DIR/small"
}

# hostile: a job that takes all the room it gets, and goes on
# shellcheck disable=SC2016 # for the job to expand
FILL='exec 2>/dev/null
cat /dev/zero >>$JOBTRAIL_SPOOL/packages
cat /dev/zero >>$JOBTRAIL_SPOOL/ledger
truncate -s 8E $JOBTRAIL_SPOOL/ledger
for i in {1..50}; do touch $JOBTRAIL_SPOOL/$i; done
for i in {1..200}; do $PROGRAMS/exit_with 0; done
echo filled'

hostile() {
    local id
    id=$(SUBMIT_AS=jtother submit "PROGRAMS=$PROGRAMS; $FILL
exec $PROGRAMS/spin 100 sleep" -n1 --mem=10)
    eventually 60 output_has "$id" filled || return 1
    echo "$id"
}

# comes_through: a job whose journal and records are whole, while another one goes on
comes_through() {
    local job
    job=$(submit_and_wait "srun -n2 $PROGRAMS/exit_with 0; $PROGRAMS/exit_with 3" -n2 --mem=10)
    [[ $(record_count "$job") == 2 && $(coverage "$job") == *"recorded"* ]]
    [[ $(coverage_of "$job" '.coverageA | map(.tasks) | add') == 3 ]]
    [[ $(field_of_all "$job" .slurmT.dropped) == 0 ]]
}

field_of_all() { # JOB JQ-PATH
    records "$1" | jq -r "map($2) | unique | map(tostring) | join(\" \")"
}

@test "a job that fills up its part takes no room from the next one, and only its own is lost" {
    small_spool
    job=$(hostile)
    [[ $(parts) == "$DIR/small/$job.0/user" ]]
    comes_through
    run_as root scancel "$job"
    wait_job "$job"
    (($(field_of_all "$job" .slurmT.dropped) > 10))
    [[ -z $(parts) && $(on_node ls "$DIR/small") == version ]]
    end_small_spool
}

@test "where nothing is mounted, the next journal has room all the same" {
    small_spool 's|^mount = yes|mount = no|'
    job=$(hostile)
    [[ -z $(parts) ]]
    next=$(submit_and_wait "srun $PROGRAMS/exit_with 0" -n1 --mem=10)
    [[ $(coverage_of "$next" '.coverageA | map(.tasks) | add') == 2 ]] # all of it: the journal is whole
    run_as root scancel "$job"
    wait_job "$job"
    [[ $(on_node ls "$DIR/small") == version ]]
    end_small_spool
}

@test "what another user's job of the same id has left is his, and nothing of this one" {
    victim=$(SUBMIT_AS=jtother submit "echo started; exec $PROGRAMS/spin 100 sleep" -n1 --mem=10)
    spool=$DIR/run/n1
    captured() { on_node grep -aq "$PROGRAMS/spin" "$spool/$victim.0/user/ledger"; }
    eventually 30 captured
    next=$((victim + 1))
    # as a node is left whose slurmd was set up anew, and so knows of no job
    on_node cp -a "$spool/$victim.0" "$spool/$next.0"
    on_node rm "$spool/$next.0/mounted"
    on_node sed -i "s/ job=$victim / job=$next /" "$spool/$next.0/journal"
    job=$(submit_and_wait "$PROGRAMS/exit_with 0" -n1 --mem=10)
    [[ $job == "$next" ]]
    [[ $(records "$job" | jq -r 'map(select(.userT.user == "'"$JOB_USER"'") | .userT.exec_path | split("/")[-1])
        | join(" ")') == exit_with ]]
    [[ $(field "$job" spin .userT.user) == jtother ]]
    [[ $(find "$spool" -mindepth 1 -maxdepth 1 -type d) == "$spool/$victim.0" ]]
    run_as root scancel "$victim"
    wait_job "$victim"
    [[ $(field "$victim" spin .userT.user) == jtother && -z $(parts) ]]
}

@test "a directory without a journal is kept aside, and the job has its records" {
    before=$(submit_and_wait "true" -n1 --mem=10)
    job=$((before + 1))
    on_node mkdir "$DIR/run/n1/$job.0"
    on_node touch "$DIR/run/n1/$job.0/ledger"
    [[ $(submit_and_wait "$PROGRAMS/exit_with 0" -n1 --mem=10) == "$job" ]]
    [[ $(record_count "$job" exit_with) == 1 ]]
    [[ $(cat "$DIR/state/quarantine/$job.0.left1/reason") == "the journal does not say whose job this is" ]]
}

@test "no other user can look into a job's directory, and its own can use it" {
    victim=$(submit "stat -c %n \$JOBTRAIL_SPOOL/ledger; $PROGRAMS/exit_late 600000 pid" -n1 --mem=10)
    eventually 30 output_has "$victim" '^pid'
    spool=$DIR/run/n1/$victim.0
    output_has "$victim" "^$spool/user/ledger"
    for path in journal mounted user user/ledger user/packages opted_out none; do
        run on_node setpriv --reuid jtother --regid "$(id -g "$JOB_USER")" --init-groups stat "$spool/$path"
        [[ $status == 1 && $output == *"Permission denied"* ]] || fail "$path: $output"
    done
    run on_node setpriv --reuid jtother --regid "$(id -g "$JOB_USER")" --clear-groups ls "$spool"
    [[ $status != 0 && $output == *"Permission denied"* ]]
    run_as root scancel "$victim"
    wait_job "$victim"
    [[ $(record_count "$victim" exit_late) == 1 ]]
}

@test "what a flush could not do is unmounted by the next one" {
    reconfigure "s|^program = .*|program = $DIR/none/jobtrail-submit|"
    job=$(submit_and_wait "$PROGRAMS/exit_with 0" -n1 --mem=10)
    [[ $(parts) == "$DIR/run/n1/$job.0/user" && $(record_count "$job") == 0 ]]
    reconfigure
    on_node "$STAGE/bin/jobtrail-submit" flush --orphans --conf "$DIR/jobtrail.conf" --node n1
    [[ $(record_count "$job") == 1 && -z $(parts) && ! -e $DIR/run/n1/$job.0 ]]
}

@test "a flush in a mount namespace of its own, as a unit of systemd may have it, unmounts them for all" {
    reconfigure "s|^program = .*|program = $DIR/none/jobtrail-submit|"
    job=$(submit_and_wait "$PROGRAMS/exit_with 0" -n1 --mem=10)
    reconfigure
    on_node unshare --mount --propagation slave \
        "$STAGE/bin/jobtrail-submit" flush --orphans --conf "$DIR/jobtrail.conf" --node n1
    [[ $(record_count "$job") == 1 && -z $(parts) && ! -e $DIR/run/n1/$job.0 ]]
}

# in_unit DIRECTORY COMMAND...: on the node, in a mount namespace made as systemd makes that of a unit
# whose ReadWritePaths name the directory: its mounts lie there thrice, and no path leads to two of them
in_unit() {
    # shellcheck disable=SC2016 # for the inner shell
    on_node unshare --mount --propagation slave bash -ec '
        mount --rbind / "$1"
        mount --rbind "$1$2" "$1$2"
        cd "$1"
        mount --move . /
        exec chroot . "${@:3}"' _ "$DIR/root" "$@"
}

@test "a flush in a unit of systemd's leaves an empty directory, under no job's name, for slurmd's next" {
    mkdir "$DIR/root"
    reconfigure "s|^program = .*|program = $DIR/none/jobtrail-submit|"
    job=$(submit_and_wait "$PROGRAMS/exit_with 0" -n1 --mem=10)
    reconfigure
    flush=("$STAGE/bin/jobtrail-submit" flush --orphans --conf "$DIR/jobtrail.conf" --node n1)
    run in_unit "$DIR/run/n1" "${flush[@]}"
    [[ $status == 0 && $output == *"jobs 1"* ]] || fail "$output"
    [[ $(record_count "$job") == 1 && ! -e $DIR/run/n1/$job.0 ]]
    run in_unit "$DIR/run/n1" "${flush[@]}"
    [[ $status == 0 && $output != *"jobs 1"* ]] || fail "$output"
    left=$(on_node ls -A "$DIR/run/n1" | grep '^\.new\.')
    [[ $(on_node find "$DIR/run/n1/$left" -printf '%P ') == " user " ]]
    on_node touch -d '-4 minutes' "$DIR/run/n1/$left"
    in_unit "$DIR/run/n1" "${flush[@]}"
    [[ -e $DIR/run/n1/$left && $(record_count "$job") == 1 ]]
    next=$(submit_and_wait "$PROGRAMS/exit_with 0" -n1 --mem=10)
    [[ $(record_count "$next") == 1 && -z $(parts) && ! -e $DIR/run/n1/$left ]]
}

@test "captures that are mounted on slurmd's node alone are not taken for lost elsewhere" {
    reconfigure "s|^program = .*|program = $DIR/none/jobtrail-submit|"
    job=$(submit_and_wait "$PROGRAMS/exit_with 0" -n1 --mem=10)
    reconfigure
    # not on the node: in the mount namespace of this test
    run "$STAGE/bin/jobtrail-submit" flush --job "$job" --conf "$DIR/jobtrail.conf" --node n1
    [[ $status == 1 && $output == *"another mount namespace"* && -e $DIR/run/n1/$job.0 ]]
    on_node "$STAGE/bin/jobtrail-submit" flush --job "$job" --conf "$DIR/jobtrail.conf" --node n1
    [[ $(record_count "$job") == 1 && -z $(parts) ]]
}

@test "below a directory in memory slurmd's start makes the spool a file system of its own" {
    on_node mkdir -p "$DIR/memory"
    on_node mount -t tmpfs -o size=16m,mode=755 none "$DIR/memory"
    reconfigure "s|^dir = .*/run/%n|dir = $DIR/memory/jobtrail|"
    "$CLUSTER" restart-slurmd n1
    "$CLUSTER" wait-idle
    [[ $(on_node stat --format '%a %U' "$DIR/memory/jobtrail") == "711 root" ]]
    [[ $(parts) == "$DIR/memory/jobtrail" ]]
    job=$(submit_and_wait "srun $PROGRAMS/exit_with 0" -n1 --mem=10)
    [[ $(record_count "$job" exit_with) == 1 ]]
    "$CLUSTER" restart-slurmd n1 # which mounts no second one
    "$CLUSTER" wait-idle
    [[ $(parts) == "$DIR/memory/jobtrail" ]]
    run on_node "$STAGE/bin/jobtrail-conf" doctor --node n1 --plugstack "$CLUSTER_DIR/etc/plugstack.conf"
    [[ $status == 0 && $output != *" place "* ]]
    # what is there after an upgrade: the spool of a slurmd that mounted nothing, and its process watch's files
    "$CLUSTER" stop-slurmd n1
    on_node umount "$DIR/memory/jobtrail"
    on_node touch "$DIR/memory/jobtrail/watch.pid" "$DIR/memory/jobtrail/.reserve"
    on_node mkfifo "$DIR/memory/jobtrail/wake"
    "$CLUSTER" start-slurmd n1
    "$CLUSTER" wait-idle
    [[ $(parts) == "$DIR/memory/jobtrail" ]]
    on_node "$STAGE/bin/jobtrail-submit" watch --stop --conf "$DIR/jobtrail.conf" --node n1
    on_node umount "$DIR/memory/jobtrail"
    on_node "$STAGE/bin/jobtrail-submit" watch --stop --conf "$DIR/jobtrail.conf" --node n1
    [[ -z $(parts) ]] # which mounts nothing
    on_node rm -r "$DIR/memory/jobtrail"
    on_node "$STAGE/bin/jobtrail-submit" watch --stop --conf "$DIR/jobtrail.conf" --node n1
    [[ ! -e $DIR/memory/jobtrail ]]
    on_node umount "$DIR/memory"
}

@test "a spool that slurmd has mounted for itself alone is not taken for an empty one elsewhere" {
    on_node mkdir -p "$DIR/memory"
    on_node mount -t tmpfs -o size=16m,mode=755 none "$DIR/memory"
    reconfigure "s|^dir = .*/run/%n|dir = $DIR/memory/jobtrail|"
    submit=("$STAGE/bin/jobtrail-submit") conf=(--conf "$DIR/jobtrail.conf" --node n1)
    # what a slurmd with a mount namespace of its own does when it starts
    on_node unshare --mount "${submit[@]}" watch --detach "${conf[@]}"
    inside=(nsenter --mount --target "$(pgrep --newest -f "watch --detach --conf $DIR/jobtrail.conf")")
    [[ -z $(parts) && $("${inside[@]}" stat -c %m "$DIR/memory/jobtrail") == "$DIR/memory/jobtrail" ]]
    for what in --orphans --all "--job 1"; do
        # shellcheck disable=SC2086 # two words
        run on_node "${submit[@]}" flush $what "${conf[@]}"
        [[ $status == 3 && $output == *"in a mount namespace of its own"* ]] || fail "$output"
    done
    run on_node "$STAGE/bin/jobtrail-conf" doctor --node n1 --plugstack "$CLUSTER_DIR/etc/plugstack.conf"
    [[ $output == *" place "*"in a mount namespace of its own"* ]]
    on_node "${submit[@]}" flush --sessions "${conf[@]}"
    "${inside[@]}" "${submit[@]}" flush --orphans "${conf[@]}"
    "${inside[@]}" "${submit[@]}" watch --stop "${conf[@]}"
    # slurmd is as before, and mounts nothing
    reconfigure "s|^dir = .*/run/%n|dir = $DIR/memory/jobtrail|; s|^mount = yes|mount = no|"
    "$CLUSTER" restart-slurmd n1
    "$CLUSTER" wait-idle
    on_node "${submit[@]}" flush --orphans "${conf[@]}"
    on_node "${submit[@]}" watch --stop "${conf[@]}"
    on_node umount "$DIR/memory"
}
