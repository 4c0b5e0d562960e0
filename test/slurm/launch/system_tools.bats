#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The small tools of the system are no runs, unless the site wants them.

load ../fixture/cluster

setup_file() {
    export SYSTEM_TOOLS=no
    start_cluster
}

# use TEXT: the configuration from now on, with this appended
use() {
    configure "${1-}"
}

# names JOB: of its runs' executables, each once
names() {
    records "$1" | jq -r '.[].userT.exec_path | split("/")[-1]' | sort -u | tr '\n' ' '
}

# outcomes JOB: "STEP OUTCOME TASKS PROGRAM" of each fact that counts tasks
outcomes() {
    coverage_of "$1" '.coverageA[] | select(.tasks > 0) | "\(.step_id) \(.outcome) \(.tasks) \(.program)"' | sort
}

@test "a job of Rscript is one run, of R, and with system_tools = yes the tools that R starts are runs too" {
    use
    job=$(submit_and_wait "Rscript -e 'cat(1 + 1, \"\\n\")'")
    [[ $(output_of "$job") == 2* ]]
    [[ $(record_count "$job") == 1 ]]
    [[ $(field "$job" R '.userT.exec_path') == */exec/R ]]
    # on a loaded machine the shell may have more time than R
    [[ $(coverage_of "$job" '.coverageA[] | select(.outcome == "recorded") | "\(.step_id) \(.runs)"') == "batch 1" ]]
    SYSTEM_TOOLS=yes use
    job=$(submit_and_wait "Rscript -e 'cat(1 + 1, \"\\n\")'")
    [[ $(names "$job") == "R Rscript rm sed uname " ]]
    (($(record_count "$job") > 5))
}

@test "a tool that [paths] keeps is a run, and so is one that is not the system's" {
    use $'[paths]\nkeep = (/usr)?/bin/sed'
    mkdir -p "$DIR/tools"
    cp "$(command -v sort)" "$DIR/tools/mine"
    cp "$(command -v cat)" "$DIR/tools/cat"
    job=$(submit_and_wait "sed --version; cat --version; awk 1 /dev/null; bash -c 'uname; env true'; $DIR/tools/cat /dev/null
        $DIR/tools/mine /dev/null; python3 -c pass")
    [[ $(names "$job") == "cat mine $PYTHON sed " ]]
    [[ $(field "$job" cat .userT.exec_path) == "$DIR/tools/cat" ]]
}

@test "the coverage counts tasks of these tools as left out, with their core time" {
    use
    job=$(submit_and_wait "srun -n2 sleep 1; srun $PROGRAMS/spin 0; srun sh -c 'sed --version | cat'; srun timeout 9 $PROGRAMS/spin 0" -n2 -N1)
    sleep=$(readlink -f "$(command -v sleep)")
    [[ $(names "$job") == "spin " && $(record_count "$job") == 2 ]]
    outcomes "$job" >"$DIR/outcomes"
    diff "$DIR/outcomes" - <<EOT
0 follower 1 sleep
0 policy 1 $sleep
1 recorded 2 $PROGRAMS/spin
2 follower 1 sh
2 script 1 $(readlink -f /bin/sh)
3 follower 1 timeout
3 script 1 timeout
batch script 1 null
EOT
    # a task has its CPU, and the other one's after that one's end
    [[ $(coverage_of "$job" '.coverageA[] | select(.outcome == "policy" and .step_id == "0") |
        [.core_seconds, .end_time - .start_time]
        | .[0] >= 1 and .[0] > .[1] - 0.01 and .[0] < 2 * .[1] + 0.01') == true ]]
    "$STAGE/bin/jobtrail-load" "$DIR/records" --store "sqlite:$DIR/store.db"
    "$STAGE/bin/jobtrail-acct" --store "sqlite:$DIR/store.db" --coverage -j "$job" -nPo Outcome,Tasks,CoreSeconds |
        sort >"$DIR/sums"
    [[ $(cut -d'|' -f1,2 "$DIR/sums" | grep -v '|0$') == $'policy|2\nrecorded|2\nscript|5' ]]
    awk -F'|' '$1 == "policy" && $3 >= 2 { found = 1 } END { exit !found }' "$DIR/sums"
}

@test "a batch script that starts nothing but tools is a script, and with system_tools = yes it is recorded" {
    use
    job=$(submit_and_wait "hostname; date | sed s/x/y/; sleep 0")
    [[ $(coverage "$job") == "batch script 1" && $(record_count "$job") == 0 ]]
    SYSTEM_TOOLS=yes use
    job=$(submit_and_wait "hostname; date | sed s/x/y/; sleep 0")
    [[ $(coverage_of "$job" '.coverageA[] | select(.outcome == "recorded") | .runs') == 4 ]]
    [[ $(names "$job") == "date hostname sed sleep " ]]
}
