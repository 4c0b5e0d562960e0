#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What documents name is there.
# shellcheck disable=SC2016 # the backquotes are Markdown's

documents() {
    cd "$JOBTRAIL_SOURCE" || return
    ls ./*.md docs/*.md docs/decisions/*.md
}

# missing: of "DOCUMENT PATH" on stdin, those that lead to nothing
missing() {
    local document path
    while read -r document path; do
        [[ -e $path ]] || echo "$document: $path"
    done
}

# A word in capitals stands for a name, as in transport_NAME.c.
@test "each file of ours that a document names in backquotes is there" {
    cd "$JOBTRAIL_SOURCE"
    documents | xargs grep -noE '`(conf|contrib|docs|ldwrap|preload|spank|submit|test)/[A-Za-z0-9_./-]+`' |
        sed -n 's/^\([^:]*:[0-9]*\):`\(.*\)`$/\1 \2/p' | awk '$2 !~ /[A-Z][A-Z][A-Z]/' >"$BATS_TEST_TMPDIR/named"
    (($(wc -l <"$BATS_TEST_TMPDIR/named") > 50))
    run missing <"$BATS_TEST_TMPDIR/named"
    echo "$output"
    [[ $output == "" ]]
}

@test "each link from one document to another leads to one" {
    cd "$JOBTRAIL_SOURCE"
    documents | xargs grep -noE '\]\([^):#]+\)' | while IFS=: read -r document line link; do
        link=${link#']('}
        echo "$document:$line ${document%/*}/${link%')'}"
    done >"$BATS_TEST_TMPDIR/links"
    (($(wc -l <"$BATS_TEST_TMPDIR/links") > 60))
    run missing <"$BATS_TEST_TMPDIR/links"
    echo "$output"
    [[ $output == "" ]]
}

@test "each test that SECURITY.md names for a promise is there" {
    cd "$JOBTRAIL_SOURCE"
    grep -noE '`(e2e|slurm|unit)/[a-z_0-9/]+\.(bats|c)`' SECURITY.md |
        sed 's/^\([0-9]*\):`\(.*\)`$/SECURITY.md:\1 test\/\2/' >"$BATS_TEST_TMPDIR/tests"
    (($(wc -l <"$BATS_TEST_TMPDIR/tests") > 15))
    run missing <"$BATS_TEST_TMPDIR/tests"
    echo "$output"
    [[ $output == "" ]]
    for name in $(grep -oE '`fuzz\.[a-z_]+`' SECURITY.md | tr -d '`' | sort -u); do
        [[ -e test/fuzz/fuzz_${name#fuzz.}.c ]]
    done
}
