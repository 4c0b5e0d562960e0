#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Numbers that add up: jobs that live through the end of a day and of winter time. The site's time zone is one
# that the test makes while the jobs run: in it, 23:30 is in two seconds, and then clocks are put forward by one
# hour. So the next day begins at half past midnight.

load numbers

setup_file() {
    export SYSTEM_TOOLS=no PARTLY=no-node-but-one
    start_numbers NODES=2 NODE_CPUS=32
    make_holder
    make_zones
    let_run
    pass_midnight
    release_holders
    run_as root scancel "$(job_of cancelled-later)"
    load_cases
}

# Nodes see our zones in the place of the machine's; so does whoever has TZDIR.
make_zones() {
    export TZDIR=$DIR/zones
    mkdir -p "$TZDIR"/Test
    chmod 755 "$TZDIR" "$TZDIR"/Test
    cp /usr/share/zoneinfo/UTC "$TZDIR/UTC"
    write_zone $((EPOCHSECONDS + 86400))
    for node in n1 n2 ctl; do
        "$CLUSTER" exec "$node" mount --bind "$TZDIR" /usr/share/zoneinfo
    done
    sed -i 's|^cluster = lab|&\ntimezone = Test/Soon|' "$DIR/jobtrail.conf"
    "$CLUSTER" exec n1 "$STAGE/bin/jobtrail-conf" compile --conf "$DIR/jobtrail.conf"
}

# write_zone TIME: at which it is 23:30 in the zone, and then 0:30 of the next day
write_zone() {
    local last offset
    last=$(date -u -d "$(date -u -d "@$1" +%F) 23:30" +%s)
    offset=$((last - $1))
    # no zone of the world is further away than this
    ((offset <= 43200)) || last=$((last - 86400)) offset=$((offset - 86400))
    FIRST_DAY=$(date -u -d "@$last" +%F) NEXT_DAY=$(date -u -d "@$((last + 3600))" +%F)
    export FIRST_DAY NEXT_DAY
    cat >"$DIR/zone" <<ZONE
Zone Test/Soon $(clock "$offset") - STD $(date -u -d "@$last" "+%Y %b %e %H:%M:%S")
               $(clock $((offset + 3600))) - DST
ZONE
    zic -b fat -d "$TZDIR" "$DIR/zone"
}

clock() { # SECONDS: as H:M:S, with its sign
    local seconds=$1 sign=
    ((seconds >= 0)) || { sign=- && seconds=$((-seconds)); }
    printf '%s%d:%02d:%02d' "$sign" $((seconds / 3600)) $((seconds / 60 % 60)) $((seconds % 60))
}

let_run() {
    add_case one-program "srun -c2 $PROGRAMS/hold $HOLD" -c2
    add_case at-once "srun -c2 bash -c '$PROGRAMS/hold $HOLD & $PROGRAMS/hold $HOLD & wait'" -c2
    add_case followers "srun -n4 $PROGRAMS/hold $HOLD" -N2 -n4
    add_case batch-and-step "srun --exact -n1 -c1 $PROGRAMS/hold $HOLD & $PROGRAMS/hold $HOLD; wait" -c4
    add_case script-alone "read -r < $HOLD" -n1
    add_case opted-out "srun --jobtrail=no $PROGRAMS/hold $HOLD" -n1
    add_case static-before "srun $PROGRAMS/spin_static 300 sleep" -n2
    add_case cancelled-later "srun $SPIN 300 sleep" -n2
    add_case next-day-only "srun $SPIN 1 sleep" -n1 --hold
    add_case first-day-only "srun $SPIN 1 sleep" -n1
    add_case two-days-two-steps "srun $SPIN 0.5 sleep; srun $PROGRAMS/hold $HOLD; srun $SPIN 1 sleep" -n2
    add_case no-node-but-one "$PROGRAMS/hold $HOLD" -N2 -n2
}

pass_midnight() {
    local case
    for case in one-program at-once followers batch-and-step two-days-two-steps no-node-but-one; do
        eventually 60 is_captured "$case" "$PROGRAMS/hold"
    done
    eventually 60 is_captured cancelled-later "$SPIN"
    eventually 60 step_runs opted-out 0
    eventually 60 step_runs static-before 0
    eventually 60 job_is_over first-day-only
    MIDNIGHT=$((EPOCHSECONDS + 2))
    export MIDNIGHT
    write_zone "$MIDNIGHT"
    until ((EPOCHSECONDS > MIDNIGHT + 1)); do sleep 0.1; done # until it is that day
    run_as root scontrol release "$(job_of next-day-only)"
    run_as root scancel "$(job_of static-before)"
}

job_is_over() { # CASE
    has_ended "$(job_of "$1")"
}

both_days() { # CASE EXPRESSION: of each day's parts, of which there are two
    holds "$1" ".days | keys == [\"$FIRST_DAY\", \"$NEXT_DAY\"]" "[.days[] | $2] | all"
}

@test "programs + uncertain + unseen + idle = allocation = sacct's, for each job, node and day" {
    adds_up
}

@test "so do the reports' rows, by cluster, user, account and day" {
    reports_agree "$DIR"/reports/*
}

@test "a program's core time is cut at midnight, by each day's own time" {
    both_days one-program '.programs >= 2 * 0.99 * least'
    both_days at-once '.programs >= 2 * 0.99 * least'
    both_days followers '.programs >= 4 * 0.99 * least'
    both_days batch-and-step '.programs >= 4 * 0.99 * least'
    both_days two-days-two-steps '.programs >= 0.9'
    both_days no-node-but-one '.programs >= 0.9'
}

@test "so is what was not seen" {
    both_days script-alone '.unseen >= 0.9'
    both_days opted-out '.unseen >= 0.9'
    both_days cancelled-later '(.programs // 0) + (.uncertain // 0) >= 2 * 0.9'
    both_days static-before '(.programs // 0) + (.uncertain // 0) + (.unseen // 0) >= 2 * 0.9'
}

@test "the first day's part ends at the moment of midnight" {
    holds one-program "near(.days[\"$FIRST_DAY\"].programs; 2 * ($MIDNIGHT - .runs[0].start_time); 0.05)" \
        "near(.days[\"$NEXT_DAY\"].programs; 2 * (.runs[0].end_time - $MIDNIGHT); 0.05)"
}

@test "a job of one day has that day only" {
    holds next-day-only ".days | keys == [\"$NEXT_DAY\"]"
    holds first-day-only '.days | length == 1'
}

@test "the records say in which zone their days are" {
    holds one-program '.nodes.n1.timezone == "Test/Soon"'
}
