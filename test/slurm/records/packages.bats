#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Package records of jobs: nobody sets a variable for them.
# shellcheck disable=SC2016 # for the jobs' shells to expand

load ../fixture/cluster

setup_file() {
    export RULES=$'[packages]\nskip = python:name:_distutils_hack'
    start_cluster
    printf '__version__ = "2.5"\n' >"$DIR/programs/alpha.py"
    printf 'import sys, alpha\nprint([p for p in sys.path if "jobtrail" in p and "programs" not in p])\n' >"$DIR/programs/look.py"
}

# packages JOB: "NAME VERSION PROGRAM" of the packages of all its runs, sorted
packages() {
    local uuids
    uuids=$(records "$1" | jq -c 'map(.userT.run_uuid)')
    find "$DIR/records" -type f -name 'pkg.*.json' -exec cat {} + |
        jq --slurp --raw-output --argjson uuids "$uuids" \
            'map(select(.xalt_run_uuid as $u | $uuids | index($u)) | "\(.package_name) \(.package_version) \(.program)") | sort | .[]'
}

version_of() { # DEBIAN-PACKAGE
    dpkg-query -W -f '${Version}' "$1" | sed 's/^[0-9]*://; s/[+-].*//'
}

@test "a Python job has its packages, in the batch script and in its steps" {
    job=$(submit_and_wait "python3 -c 'import numpy, json'; srun python3 -c 'import yaml'")
    [[ $(packages "$job") == "$(printf 'numpy %s python\nyaml %s python' "$(version_of python3-numpy)" "$(version_of python3-yaml)")" ]]
    [[ $(records "$job" | jq -c 'map(.XALT_qaT.JOBTRAIL_PKGS_HOOK)') == '["yes","yes"]' ]]
}

@test "a Python job that is cancelled, killed or out of time has its packages" {
    limited=$(submit "srun python3 -c 'import yaml, time; print(\"up\", flush=True); time.sleep(300)'")
    eventually 60 output_has "$limited" up
    run_as root scontrol update "jobid=$limited" EndTime=now+1
    job=$(submit "srun python3 -c 'import numpy, time; print(\"up\", flush=True); time.sleep(300)'")
    eventually 60 output_has "$job" up
    run_as root scancel "$job"
    wait_job "$job"
    [[ $(packages "$job") == numpy* ]]
    [[ $(field "$job" "$PYTHON" '.slurmT | "\(.end_source) \(.signal)"') == "task_exit 15" ]]
    job=$(submit_and_wait "srun python3 -c 'import os, numpy; os.kill(os.getpid(), 9)'")
    [[ $(packages "$job") == numpy* ]]
    [[ $(field "$job" "$PYTHON" '.slurmT | "\(.end_source) \(.signal)"') == "task_exit 9" ]]
    wait_job "$limited" 180 # Slurm looks at the limits every half minute
    [[ $(packages "$limited") == yaml* ]]
    [[ $(field "$limited" "$PYTHON" '.slurmT | "\(.end_source) \(.signal)"') == "task_exit 15" ]]
    [[ $(run_as root scontrol -o show job "$limited") == *JobState=TIMEOUT* ]]
}

@test "each task of an array has its packages" {
    job=$(submit_and_wait 'python3 -c "import $([[ $SLURM_ARRAY_TASK_ID == 1 ]] && echo numpy || echo yaml)"' --array=1-2)
    find "$DIR/records" -name 'run.*.json' -exec cat {} + | jq -r --argjson job "$job" \
        'select(.slurmT.array_job_id == $job) | "\(.slurmT.array_task_id) \(.slurmT.job_id)"' |
        sort >"$DIR/tasks"
    [[ $(wc -l <"$DIR/tasks") == 2 ]]
    while read -r task id; do
        if [[ $task == 1 ]]; then [[ $(packages "$id") == numpy* ]]; else [[ $(packages "$id") == yaml* ]]; fi
    done <"$DIR/tasks"
}

# bats test_tags=needs:mpi_pmix
@test "of an MPI job rank 0 tells its packages" {
    job=$(submit_and_wait "srun --mpi=pmix python3 -c 'from mpi4py import MPI; import numpy; print(MPI.COMM_WORLD.rank, \"of\", MPI.COMM_WORLD.size)'" -N2 -n4)
    [[ $(output_of "$job" | grep -c "of 4") == 4 ]]
    [[ $(packages "$job" | cut -d' ' -f1 | tr '\n' ' ') == "mpi4py numpy " ]]
    [[ $(field "$job" "$PYTHON" '"\(.userDT.num_tasks) \(.slurmT.task_id)"') == "4 0" ]]
}

@test "R jobs have their packages, normal and killed, also those of parallel's workers" {
    job=$(submit_and_wait "srun Rscript -e 'library(parallel); x <- mclapply(1:2, function(i) loadNamespace(\"jsonlite\"), mc.cores = 2); library(MASS)'")
    [[ $(packages "$job" | cut -d' ' -f1,3) == $'MASS R\njsonlite R' ]]
    job=$(submit "srun Rscript -e 'library(jsonlite); cat(\"up\\n\"); Sys.sleep(300)'")
    eventually 60 output_has "$job" up
    run_as root scancel --signal=KILL --full "$job"
    wait_job "$job"
    [[ $(packages "$job") == "jsonlite $(version_of r-cran-jsonlite) R" ]]
}

@test "an Octave job has its packages" {
    job=$(submit_and_wait "octave-cli --eval 'pkg load struct'")
    [[ $(packages "$job") == "struct $(version_of octave-struct) octave" ]]
}

@test "a Perl job has its packages, normal and killed, also below a user's own PERL5OPT" {
    mkdir -p "$DIR/perl"
    printf 'package Alpha; our $VERSION = "1.50"; 1;\n' >"$DIR/perl/Alpha.pm"
    export_path=PERL5LIB=$DIR/perl
    job=$(submit_and_wait "export $export_path PERL5OPT=-w; srun perl -e 'use Alpha; print qq(\$^W \$ENV{PERL5OPT}\n)'")
    [[ $(packages "$job") == "Alpha 1.50 perl" ]]
    [[ $(output_of "$job") == "1 -M"*"jobtrail.pl"*" -w" ]]
    job=$(submit_and_wait "export $export_path; srun --export=ALL,PERL5OPT=-W perl -e 'use Alpha; print qq(\$^W \$ENV{PERL5OPT}\n)'
        srun --export=ALL,PERL5OPT=-T perl -e 'print qq(\${^TAINT} \$ENV{PERL5OPT}\n)'")
    [[ $(packages "$job") == "Alpha 1.50 perl" ]]
    [[ $(output_of "$job") == *"1 -M"*" -W"*"1 -T" ]]
    job=$(submit "export $export_path; srun perl -e 'use Alpha; \$| = 1; print qq(up\n); sleep 300'")
    eventually 60 output_has "$job" up
    run_as root scancel --signal=KILL --full "$job"
    wait_job "$job"
    [[ $(packages "$job") == "Alpha 1.50 perl" ]]
}

@test "hooks that a site has from XALT report to the runs that load the packages" {
    local xalt=$JOBTRAIL_SOURCE/test/data/xalt_hooks expected
    mkdir -p "$DIR/xalt/python" "$DIR/xalt/mine/libexec"
    cp "$xalt/sitecustomize.py" "$DIR/xalt/python"
    cp "$xalt/Rprofile" "$DIR/xalt/R"
    chmod -R a+rX "$DIR/xalt"
    # jobtrail's own hooks are left out, so that all comes from XALT's
    printf 'echo "$XALT_DIR"; export PYTHONPATH=%s/xalt/python:%s/programs R_PROFILE=%s/xalt/R\n' "$DIR" "$DIR" "$DIR" >"$DIR/programs/xalts"
    job=$(submit_and_wait ". $DIR/programs/xalts; python3 -c 'import alpha'; Rscript -e 'library(MASS)'
        python3 -c 'pass'")
    [[ $(output_of "$job") == "$STAGE/share/jobtrail/hooks/xalt" ]]
    expected=$(/usr/bin/python3 -c 'import platform; print(platform.python_version())')
    [[ $(packages "$job" | grep -e '^alpha ' -e '^MASS ') == "MASS 7."*$' R\nalpha '"$expected python" ]]
    "$STAGE/bin/jobtrail-load" --store "sqlite:$DIR/xalt/store" "$DIR/records"
    [[ $(sqlite3 -separator ' ' "$DIR/xalt/store" "SELECT pkg_name, exec_path FROM xalt_run JOIN xalt_pkg USING (run_id)
        WHERE job_id = '$job' AND pkg_name IN ('alpha', 'MASS') ORDER BY 1") == \
        $'MASS /usr/lib/R/bin/exec/R\nalpha /usr/bin/'"$PYTHON" ]]
    # a value of the user's, or of the site's own XALT, is left alone
    job=$(submit_and_wait 'echo "$XALT_DIR ${XALT_RUN_UUID-none}"; srun bash -c "echo \$XALT_DIR \${XALT_RUN_UUID-none}"' \
        "--export=ALL,XALT_DIR=$DIR/xalt/mine")
    [[ $(output_of "$job" | sort -u) == "$DIR/xalt/mine none" ]]
    job=$(submit_and_wait 'srun --export=ALL,XALT_DIR=/mine bash -c "echo \$XALT_DIR"; srun --export=NONE /bin/bash -c "echo \$XALT_DIR"')
    [[ $(output_of "$job" | grep -v '^srun: ') == "/mine
$STAGE/share/jobtrail/hooks/xalt" ]] # srun may say that it waits for the first step's end
}

@test "the user's own variables stay in force, also those that srun sets" {
    mkdir -p "$DIR/profile"
    echo 'cat("the profile of", Sys.getenv("USER"))' >"$DIR/profile/R"
    export_path=PYTHONPATH=$DIR/programs
    # set in the script, and for one step alone
    job=$(submit_and_wait "export $export_path R_PROFILE=$DIR/profile/R
        srun python3 $DIR/programs/look.py; srun Rscript -e 'library(MASS)'")
    [[ $(output_of "$job") == *"[]"* && $(output_of "$job") == *"the profile of jtuser"* ]]
    [[ $(packages "$job" | cut -d' ' -f1,3) == $'MASS R\nalpha python' ]]
    job=$(submit_and_wait "srun --export=ALL,$export_path python3 $DIR/programs/look.py; srun --export=NONE,$export_path /usr/bin/python3 $DIR/programs/look.py
        srun --export=ALL,R_PROFILE=$DIR/profile/R Rscript -e 'library(MASS)'")
    [[ $(output_of "$job" | grep -c '^\[\]$') == 2 ]]
    [[ $(output_of "$job") == *"the profile of jtuser"* ]]
    [[ $(packages "$job" | cut -d' ' -f1 | sort | uniq -c | tr -s ' \n' ' ') == " 1 MASS 2 alpha " ]]
}

@test "a job that comes from a session outside of Slurm has the plugin's variables, each once, and keeps them" {
    local modulecmd=/usr/lib/x86_64-linux-gnu/modulecmd.tcl
    mkdir -p "$DIR/modulefiles" "$DIR/profile"
    echo 'cat("the profile of", Sys.getenv("USER"))' >"$DIR/profile/R"
    sed "s|^dir = .*/run/%n$|&\nsessions = $DIR/sessions|" "$DIR/jobtrail.conf" >"$DIR/session.conf"
    "$STAGE/bin/jobtrail-conf" compile --conf "$DIR/session.conf"
    "$STAGE/bin/jobtrail-submit" flush --sessions --conf "$DIR/session.conf"
    sed "s|exec [^ ]*/jobtrail-submit session|exec $STAGE/bin/jobtrail-submit session --conf $DIR/session.conf|" \
        "$STAGE/share/jobtrail/modulefiles/jobtrail" >"$DIR/modulefiles/jobtrail"
    cat >"$DIR/job" <<JOB
#!/bin/bash
look() { printf '%s\n' "spool \$JOBTRAIL_SPOOL" "preload \$LD_PRELOAD" "python \$PYTHONPATH" "R \$R_PROFILE" "Octave \$OCTAVE_SITE_INITFILE" "Perl \$PERL5OPT"; }
look
eval "\$($modulecmd bash purge)" # as many scripts begin
look
python3 -c 'import numpy'
srun Rscript -e 'library(MASS)'
JOB
    job=$(run_as "$JOB_USER" env MODULEPATH="$DIR/modulefiles" R_PROFILE="$DIR/profile/R" bash -c \
        'eval "$($0 bash load jobtrail)"; [[ $JOBTRAIL_SPOOL == */sessions/* ]] && sbatch --parsable --output="$1/out/%j" "$1/job"' \
        "$modulecmd" "$DIR")
    wait_job "$job"
    local hooks=$STAGE/share/jobtrail/hooks
    mapfile -t expected <<VARIABLES
spool $DIR/run/n1/$job.0/user
preload $STAGE/lib/jobtrail/before-libasan.so/\$PLATFORM/libjobtrail.so
python $hooks/python
R $hooks/r/Rprofile
Octave $hooks/octave/octaverc
Perl -M-v999;BEGIN{local\$@;local\$!;\$^P||do(q{$hooks/perl/jobtrail.pl})}
VARIABLES
    diff <(printf '%s\n' "${expected[@]}" "${expected[@]}") <(output_of "$job" | sed 's/the profile of.*//; /^$/d')
    [[ $(output_of "$job" | grep -o "the profile of $JOB_USER" | wc -l) == 1 ]]
    [[ $(packages "$job" | cut -d' ' -f1,3) == $'MASS R\nnumpy python' ]]
}

@test "each package says whose job it is from, and is that run's in the store" {
    local store=$DIR/store.db
    find "$DIR/records" -type f -name 'pkg.*.json' -exec cat {} + |
        jq -c '[.xalt_run_uuid, .ownerT.user, .ownerT.uid, .ownerT.job_id, .ownerT.restart_count, .ownerT.cluster, .ownerT.node]' |
        sort -u >"$DIR/of_packages"
    find "$DIR/records" -type f -name 'run.*.json' -exec cat {} + | jq -c '[.userT.run_uuid, .userT.user,
        .slurmT.uid, .slurmT.job_id, .slurmT.restart_count, .slurmT.cluster, .slurmT.node]' | sort -u >"$DIR/of_runs"
    [[ -s $DIR/of_packages && $(comm -23 "$DIR/of_packages" "$DIR/of_runs") == "" ]]
    [[ $("$STAGE/bin/jobtrail-load" --json --store "sqlite:$store" "$DIR/records" | jq .conflicts) == 0 ]]
    [[ $(sqlite3 "$store" 'SELECT (SELECT count(*) FROM run_package) = (SELECT count(*) FROM xalt_pkg)') == 1 ]]
    [[ $(sqlite3 "$store" 'SELECT count(*) FROM conflict') == 0 ]]
}

@test "without hooks there are no variables of theirs and no package records" {
    sed -i 's|^dir = .*/hooks$|dir =|' "$DIR/jobtrail.conf"
    "$STAGE/bin/jobtrail-conf" compile --conf "$DIR/jobtrail.conf"
    job=$(submit_and_wait 'srun python3 -c "import numpy, os; print([n for n in os.environ if n in (\"PYTHONPATH\", \"R_PROFILE\", \"OCTAVE_SITE_INITFILE\", \"MATLABPATH\", \"PERL5OPT\")])"')
    [[ $(output_of "$job") == "[]" ]]
    [[ $(packages "$job") == "" ]]
    [[ $(field "$job" "$PYTHON" .XALT_qaT.JOBTRAIL_PKGS_HOOK) == no ]]
}
