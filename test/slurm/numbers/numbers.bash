# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# For the bats files of this folder: many jobs, each a case, at the same time on a cluster with slurmdbd.
# Then everything is loaded, Slurm's accounting too, and tests look at what became of each case.
#
#   load numbers
#   setup_file() {
#       start_numbers [VARIABLE=VALUE...]         as start_cluster
#       add_case NAME 'SCRIPT' [SBATCH-OPTION...]
#       load_cases
#   }
#   @test "..." { holds NAME 'JQ EXPRESSION'; }
#
# A case's name is that of its job, and of its account. Expressions are true of one object of what check_numbers --json
# prints: a job with its allocation, programs, uncertain, unseen, idle, outcomes, by (program), runs, ...
# Programs mostly sleep, since core time is no CPU time; and they sleep for as long as told, or longer.

load ../fixture/cluster

start_numbers() {
    # may be said for a step: --jobtrail=no
    RULES="opt_out = yes"$'\n'"${RULES-}"
    start_cluster ACCT=dbd ACCT_USERS=root,jtuser "$@"
    add_accounts
    mkdir "$DIR/cases"
    export STORE=sqlite:$DIR/store.db NUMBERS=$DIR/numbers.json
    export SPIN=$PROGRAMS/spin
    CHECK=$JOBTRAIL_SOURCE/test/slurm/numbers/check_numbers
    export CHECK
}

# One for each case that the test file names: its report by accounts is one by cases.
add_accounts() {
    local names
    names=$(grep -oE '(add_case |--account=)[a-z][a-zA-Z0-9_-]*' "$BATS_TEST_FILENAME" | sed 's/.*[ =]//' | sort -u | paste -sd,)
    run_as root sacctmgr -i -Q add account "$names" Cluster=lab >&2
    run_as root sacctmgr -i -Q add user "$JOB_USER" Account="$names" >&2
}

# add_case NAME 'SCRIPT' [SBATCH-OPTION...]
add_case() {
    local name=$1 script=$2 id
    shift 2
    id=$(submit "$script" --job-name="$name" --account="$name" "$@") && echo "$id" >"$DIR/cases/$name"
}

job_of() { # CASE
    cat "$DIR/cases/$1"
}

# A program that lives until release_holders; its argument is $HOLD.
make_holder() {
    cp "$(command -v cat)" "$PROGRAMS/hold"
    HOLD=$DIR/cases/.hold
    mkfifo -m 644 "$HOLD"
}

# release_holders: those that wait, and those that come later
release_holders() {
    mv "$HOLD" "$HOLD.old"
    : >"$HOLD"
    : >"$HOLD.old"
}

# write_program NAME: an executable script from stdin
write_program() {
    cat >"$PROGRAMS/$1"
    chmod 755 "$PROGRAMS/$1"
}

nothing_runs() {
    local jobs
    jobs=$(run_as root squeue -h 2>/dev/null) && [[ -z $jobs ]]
}

step_runs() { # CASE STEP
    run_as root squeue -h -s -j "$(job_of "$1")" -o %i 2>/dev/null | grep -qx "$(job_of "$1").$2"
}

# is_captured CASE PROGRAM: a process of the job runs it
is_captured() {
    local pid job
    job=$(job_of "$1")
    for pid in $(pgrep -f "^$2( |\$)"); do
        ! tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | grep -qx "SLURM_JOB_ID=$job" || return 0
    done
    return 1
}

ask_sacct() {
    run_as root sacct -aDPn --starttime=now-1day -o JobIDRaw,JobID,JobName%80,Account%80,AllocCPUS,CPUTimeRAW,NNodes,State
}

# slurmdbd knows the end of every job: slurmctld has told everything, and each case is there
is_accounted() {
    run_as root sdiag 2>/dev/null | grep -qE 'DBD Agent queue size: *0$' || return 1
    ask_sacct >"$DIR/sacct" && ! grep -qE '\|(PENDING|RUNNING|SUSPENDED)$' "$DIR/sacct" || return 1
    [[ -z $(comm -23 <(find "$DIR/cases" -type f ! -name '.*' -printf '%f\n' | sort) <(cut -d'|' -f3,4 "$DIR/sacct" | tr '|' '\n' | sort -u)) ]]
}

is_flushed() {
    [[ -z $(find "$DIR"/run/*/ -mindepth 1 -maxdepth 1 -name '[0-9]*' -type d) ]]
}

load_store() {
    "$STAGE/bin/jobtrail-load" --store "$STORE" "$DIR/records" >&2 &&
        run_as root "$STAGE/bin/jobtrail-load" --store "$STORE" --slurm=2 >&2
}

# $PARTLY has the names of cases of which nodes need not tell all.
check_numbers() { # [OPTION...]
    local partly
    read -ra partly <<<"${PARTLY-}"
    "$CHECK" --sacct "$DIR/sacct" "${partly[@]/#/--partly=}" "$@"
}

# The five numbers as a report has them, of all jobs, by accounts and so on: $DIR/reports/BY
make_reports() {
    mkdir "$DIR/reports"
    for by in clusters users accounts days; do
        "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$STORE" --summary "$DIR/summary.db" --top 0 \
            --starttime="$(date -d '-2 months' +%F)" --endtime="$(date -d '+2 months' +%F)" \
            --json --of "$by" allocation >"$DIR/reports/$by" || return 1
    done
}

# Everything that was submitted is over, loaded and divided.
load_cases() {
    eventually 300 nothing_runs
    eventually 60 is_flushed
    eventually 60 is_accounted
    load_store
    check_numbers --json "$STORE" >"$NUMBERS" 2>"$DIR/faults" || true
    check_numbers "$STORE" >"$DIR/table" 2>&1 || true
    make_reports
}

# What expressions may use beside jq's own.
# shellcheck disable=SC2016 # jq's variables
DEFINITIONS='
    def near($a; $b; $tolerance): $a - $b | fabs <= $tolerance;
    def total: add // 0;
    def runs($name): [.runs[] | select(.program == $name)];
    def seconds($name): [runs($name)[].run_time] | total;             # inclusive
    def core($name): [runs($name)[].core_seconds] | total;            # exclusive, on the nodes of the records
    def span($name): (runs($name) | ((map(.end_time) | max) - (map(.start_time) | min))); # first start to last end
    def rows($outcome): [.rows[] | select(.outcome == $outcome)];
    # of Slurm, of the nodes with the record and of the others
    def tasks_of($name): [(rows("recorded") + rows("follower"))[] | select(.program | endswith("/" + $name)) | .tasks] | total;
    def time_of($outcome): [rows($outcome)[].core_seconds] | total;
    def noted_by($node): .nodes[$node].allocation;
    # what a second more or less is
    def slack: .cpus + 0.01;
    # the same, but for what whole seconds of Slurm take off
    def about($a; $b): $a <= $b + 0.1 and $a >= $b - slack;
    # what of a time has to be there: a record has ends to a hundredth
    def least: 0.98;
    # the same for many short runs, by their number
    def lost($runs): $runs * .cpus * 0.01;
'

# numbers CASE: its objects, one a line; of an array and a requeued job there are several
numbers() {
    jq -c --arg name "$1" '.[] | select(.name == $name)' "$NUMBERS"
}

# holds CASE EXPRESSION...: all are true of all of the case's jobs, of which there is one or more
holds() {
    local name=$1 said expression
    shift
    for expression in "$@"; do
        said=$(numbers "$name" | jq -c "$DEFINITIONS $expression" | sort | uniq -c)
        [[ $said =~ ^\ *[0-9]+\ true$ ]] || {
            fail "$name: not true: $expression ($said)" || true
            numbers "$name" | jq .rows,.
            tail -n 40 "$DIR/out/$(job_of "$name")" || true
            return 1
        }
    done
}

# adds_up: for every job of this file
adds_up() {
    cat "$DIR/table"
    [[ ! -s $DIR/faults ]] || return 1
    local file
    for file in "$DIR"/cases/*; do
        [[ -n $(numbers "${file##*/}") ]] || fail "nothing is known of ${file##*/}" || return 1
    done
}

# reports_agree: with what the tables say
reports_agree() {
    check_numbers "${@/#/--report=}" "$STORE" >/dev/null
}

# Numbers that were changed are found. STATEMENT changes a copy of the store
finds_change() { # STATEMENT
    sqlite3 "$DIR/store.db" ".backup $DIR/changed.db"
    [[ $(sqlite3 "$DIR/changed.db" "$1; SELECT changes() > 0") == 1 ]] || fail "nothing was changed by: $1" || return 1
    ! check_numbers "sqlite:$DIR/changed.db" >/dev/null 2>&1 || fail "not found: $1"
}

# acct_agrees CASE...: with what the tables say of each; of a job that is one by itself, and of each of its runs
acct_agrees() {
    local name acct="$JOBTRAIL_SOURCE/contrib/jobtrail-acct" job
    for name; do
        job=$(numbers "$name" | jq .job)
        "$acct" --store "$STORE" -a --no-sacct --coverage -j "$job" --json >"$DIR/coverage.json" || return 1
        jq -es --argjson numbers "$(numbers "$name")" '.[0].allocation as $acct |
            (["programs", "uncertain", "unseen", "idle"] | all($acct[.] - $numbers[.] | fabs <= 0.01)) and
            ($acct.allocation - $numbers.allocation | fabs <= $numbers.cpus)' "$DIR/coverage.json" >/dev/null || {
            cat "$DIR/coverage.json" <(numbers "$name")
            fail "$name: jobtrail-acct --coverage has other numbers"
            return 1
        }
        "$acct" --store "$STORE" -a --no-sacct -j "$job" --json >"$DIR/runs.json" || return 1
        jq -es --argjson numbers "$(numbers "$name")" '[.[0].runs[].core_seconds // 0] | add // 0 |
            . <= $numbers.programs + $numbers.cpus' "$DIR/runs.json" >/dev/null || {
            cat "$DIR/runs.json" <(numbers "$name")
            fail "$name: the runs in jobtrail-acct have more than programs have"
            return 1
        }
    done
}
