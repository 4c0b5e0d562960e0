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

# findings FILE...: the words of C, as in doctor_add(doctor, FINDING_BAD, "word", ...), doctor_writable(doctor, "word", ...)
findings() {
    cat "$@" 2>/dev/null | tr -s ' \n' ' ' | grep -oP '(?:(?:FINDING_\w+|doctor), |define CHECK )"\K[a-z]+(?=")' | sort -u
}

# told: the words of a manual page on stdin
told() {
    grep -oP '^\t?- \K_[a-z_, ]*_(?=:)' | grep -oP '[a-z]+' | sort -u
}

@test "each check of doctor is in the manual, those of an extension in its own page" {
    local page extension extensions all=$BATS_TEST_TMPDIR/told
    cd "$JOBTRAIL_SOURCE"
    page=$(sed -n '/^\*doctor\*$/,/^\*make-key\*$/p' conf/command/jobtrail-conf.8.scd)
    # all but the stations of --run, which have one word
    { sed '/^\tWith \*--run\*/,$d' <<<"$page" | told && grep -oP 'a finding _\K[a-z]+' <<<"$page"; } >"$all"
    read -ra extensions < <(sed -nE 's/^set\(JOBTRAIL_EXTENSIONS (.*)\)$/\1/p' CMakeLists.txt)
    for extension in "${extensions[@]}"; do
        sed -n '/^# DOCTOR/,/^# SEE/p' "contrib/$extension/jobtrail-$extension.5.scd" | told | tee -a "$all" >"$all.own"
        [[ -s $all.own && $(comm -13 <(findings "contrib/$extension"/{doctor*.c,doctor/*.c}) "$all.own") == "" ]]
    done
    [[ $(wc -l <"$all") -ge 40 ]]
    diff <(findings conf/command/*doctor*.c contrib/*/doctor*.c contrib/*/doctor/*.c) <(sort -u "$all")
}

@test "each page of the report is in the navigation" {
    [ "$(PYTHONPATH=$JOBTRAIL_SOURCE/contrib python3 -c 'from jobtrail.answers.page.html_output import GROUPS, PAGES
print("but", *set(PAGES) - {name for _, names in GROUPS for name in names})')" = "but" ]
}

@test "each key of the configuration is in the manual, those of an extension in its own page" {
    local section key page count=0
    cd "$JOBTRAIL_SOURCE"
    while read -r section key; do
        page=$(sed -n "/^## \[$section\]/,/^#/p" conf/jobtrail.conf.5.scd)
        [[ $page ]] || page=$(<"contrib/$section/jobtrail-$section.5.scd")
        grep -qE "^(\*.*, )?\*$key\* = " <<<"$page" || { echo "[$section] $key" && false; }
        count=$((count + 1))
    done < <(sed -nE 's/^CONF_(LINES_)?KEY\("([a-z]+)", "([a-z_]+)".*/\2 \3/p' conf/conf_settings.def contrib/*/*_settings.def)
    [[ $count -ge 85 ]]
}

@test "manual pages render without a warning, and name pages that exist" {
    local page name
    cd "$JOBTRAIL_SOURCE"
    for page in "$JOBTRAIL_STAGE"/share/man/man*/*jobtrail*; do
        man --warnings -l "$page" 2>&1 >/dev/null | grep . && { echo "$page" && false; }
    done
    find . -path ./build -prune -o -name '*.scd' -print | sed -E 's|.*/(.*)\.([0-9])\.scd$|\1(\2)|' | sort >"$BATS_TEST_TMPDIR/pages"
    grep -rhoP --include='*.scd' '\*(?=[a-z_]*jobtrail)\K[a-z_.-]+\*\([0-9]\)' conf contrib ldwrap spank submit | tr -d '*' | sort -u |
        comm -13 "$BATS_TEST_TMPDIR/pages" - | grep . && false
    true
}
