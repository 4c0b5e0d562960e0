#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What documents, comments and scripts name is there, also after files were moved.

@test "what is named by path or as a test exists, and links lead somewhere" {
    "$JOBTRAIL_SOURCE/test/rules/check_names" "$JOBTRAIL_SOURCE"
}

@test "each name of nothing is found" {
    local top=$BATS_TEST_TMPDIR/top expected=$BATS_TEST_TMPDIR/expected
    mkdir -p "$top"/{docs,submit/job,test/{e2e/load,unit/job}}
    touch "$top"/submit/job/{here.c,here.h,made.h.in} "$top"/test/{e2e/load/files.bats,unit/job/here_test.c}
    printf '# A title, here\n[a](docs/b.md)\n' >"$top/README.md"
    cat >"$top/docs/b.md" <<'TEXT'
[good](../README.md#a-title-here) [gone](../GONE.md) [no heading](../README.md#b)
Good: `submit/job/here.c`, submit/job/made.h, `submit/job/*.h`, `submit/job/`, test/unit/ROOM/NAME_test.c, here.h, here.c,
`e2e/load/files.bats`, e2e.load.files, unit.job.here, unit.job, slurm.conf, https://example.org/submit/gone
Gone: submit/job/gone.c.
Gone: `submit/gone/`, `test/e2e/files.bats`
Gone: `e2e/files.bats`, unit.job.gone
Gone: gone.h
Gone: gone.c
TEXT
    cat >"$expected" <<'TEXT'
docs/b.md:4: submit/job/gone.c
docs/b.md:5: submit/gone/
docs/b.md:5: test/e2e/files.bats
docs/b.md:6: e2e/files.bats
docs/b.md:6: unit.job.gone
docs/b.md:7: gone.h
docs/b.md:8: gone.c
docs/b.md: link to ../GONE.md
docs/b.md: link to ../README.md#b
TEXT
    diff <("$JOBTRAIL_SOURCE/test/rules/check_names" "$top") "$expected"
}

@test "each transport is in the configuration file and in the manual" {
    local name names
    names=$(sed -n 's/^ *{\.name = "\([a-z]*\)".*/\1/p' "$JOBTRAIL_SOURCE/conf/conf_transport.c")
    [[ $(wc -w <<<"$names") -ge 4 ]]
    for name in $names; do
        grep -qE "^# none, or some of: .*\b$name\b" "$JOBTRAIL_SOURCE/conf/jobtrail.conf.in" || { echo "jobtrail.conf.in: $name" && false; }
        grep -qx "|  $name" "$JOBTRAIL_SOURCE/submit/command/jobtrail-submit.8.scd" || { echo "jobtrail-submit.8.scd: $name" && false; }
    done
}

@test "each check of doctor is in the manual" {
    local code page
    # doctor_add(doctor, FINDING_BAD, "word", ...), doctor_writable(doctor, "word", ...)
    code=$(cd "$JOBTRAIL_SOURCE" && cat conf/command/*doctor*.c contrib/*/doctor*.c contrib/libraries/doctor/*.c | tr -s ' \n' ' ' |
        grep -oP '(?:(?:FINDING_\w+|doctor), |define CHECK )"\K[a-z]+(?=")' | sort -u)
    page=$(sed -n '/^\*doctor\*$/,/^\*make-key\*$/p' "$JOBTRAIL_SOURCE/conf/command/jobtrail-conf.8.scd")
    [[ $(wc -l <<<"$code") -ge 40 && -n $page ]]
    # all but the stations of --run, which have one word
    diff <(echo "$code") <(sed '/^\tWith \*--run\*/,$d' <<<"$page" | grep -oP '^\t- \K_[a-z_, ]*_(?=:)' | grep -oP '[a-z]+' |
        cat - <(grep -oP 'a finding _\K[a-z]+' <<<"$page") | sort -u)
}
