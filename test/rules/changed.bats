#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What test/changed says that a change can break: of this checkout, since a commit that differs from it in some files.

setup_file() {
    export GIT_DIR=$BATS_FILE_TMPDIR/git GIT_WORK_TREE=$JOBTRAIL_SOURCE
    git init -q
    git -C "$JOBTRAIL_SOURCE" add -A
}

# since PATH...: a commit in which these had another content
since() {
    local path tree empty
    empty=$(git hash-object -w --stdin </dev/null)
    export GIT_INDEX_FILE=$BATS_TEST_TMPDIR/index
    cp "$GIT_DIR/index" "$GIT_INDEX_FILE"
    for path; do git update-index --add --cacheinfo "100644,$empty,$path"; done
    tree=$(git write-tree)
    SINCE=$(git -c user.name=x -c user.email=x commit-tree -m x "$tree")
    unset GIT_INDEX_FILE
}

changed() { # WHAT...
    run "$JOBTRAIL_SOURCE/test/changed" "$@" "$SINCE"
    echo "$output"
    ((status == 0))
}

entries() {
    changed --entries "$JOBTRAIL_BUILD"
    output=" ${output//$'\n'/ } "
}

@test "of a C file, the unit tests that are made of it, and no others" {
    since conf/redact.c
    changed --files
    [[ $output == conf/redact.c ]]
    changed --targets "$JOBTRAIL_BUILD"
    [[ $output == *unit-conf-redact* && $output != *unit-base-days* && $(uniq -d <<<"$output") == "" ]]
    entries
    [[ $output == *" unit.conf.redact "* && $output != *" unit.base.days "* && $output != *" e2e."* ]]
    changed --others "$JOBTRAIL_BUILD"
    [[ $output == "" ]]
}

@test "of a header, the unit tests of what includes it" {
    since conf/redact.h
    entries
    [[ $output == *" unit.conf.redact "* && $output != *" unit.base.days "* ]]
}

@test "of a bats file, itself; of a fixture, those that load it" {
    since test/e2e/answers/patterns.bats
    entries
    [[ $output == " e2e.answers.patterns " ]]
    since test/e2e/fixture/browser.bash
    entries
    [[ $output == *" e2e.answers.web "* && $output != *" e2e.robj."* && $output != *" unit."* ]]
}

@test "fixtures and programs go by their path, and what runs only if it is asked for is left out" {
    since test/slurm/fixture/cluster.bash
    entries
    [[ $output == *" slurm.records.states "* && $output != *" slurm.endings.load "* && $output != *" e2e."* ]]
    since test/rules/machine.bash
    entries
    [[ $output == " rules.apart rules.changed " ]]
    since test/programs/wrap_write.c
    entries
    [[ $output == " rules.changed e2e.guests.preloads " ]]
}

@test "of a folder below contrib, the bats files with its name" {
    since contrib/jobtrail/report/pages.py
    entries
    [[ $output == *" e2e.answers.report "* && $output == *" e2e.answers.report_html "* && $output != *" e2e.answers.acct "* ]]
}

@test "what no entry is made of is said" {
    since README.md conf/redact.c gone
    changed --others "$JOBTRAIL_BUILD"
    [[ $output == "gone (deleted)"$'\n'README.md ]]
    changed --files
    [[ $output == README.md$'\n'conf/redact.c ]]
}
