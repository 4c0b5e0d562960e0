#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The linker wrapper and XALT's: notes that both read, and both in one PATH.
# shellcheck disable=SC2030,SC2031,SC2317 # bats runs each test in a subshell

bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/links
load ../fixture/mariadb

setup_file() {
    export TZ=UTC
    mariadb_start
}

setup() {
    XALT_NOTE=$JOBTRAIL_SOURCE/test/data/watermark/xalt-3.2.4.s
    READ_AS_XALT=$JOBTRAIL_BUILD/test/programs/read_note_as_xalt
    new_links
}

# note_of FILE [OBJCOPY]: the bytes of the section, in FILE.note
note_of() {
    "${2:-objcopy}" -O binary -j .note.xalt.info "$1" "$1.note"
    (($(wc -c <"$1.note") > 400))
}

# has_xalts_bytes FILE [OBJCOPY]: its note is the one that XALT 3.2.4 would write of the values that are in it
has_xalts_bytes() {
    local key
    for key in XALT_Version Build_{host,Syshost,compiler,compilerPath,OS,User,UUID,Year,date,LOADEDMODULES,LMFILES,CWD,Epoch}; do
        printf '\t.string "<%s>%%%%%s%%%%"\n' "$key" "$(mark "$1" "$key" | sed 's/ /_%_%_/g')"
    done >values
    # The file has the values twice: in .xalt and in the note.
    awk '/\.string "<XALT_Version>/ { while ((getline line < "values") > 0) print line; close("values") }
        !/\.string "</' "$XALT_NOTE" >expected.s
    plain as expected.s -o expected.o
    note_of expected.o
    note_of "$@"
    cmp "$1.note" expected.o.note
}

@test "the note has the bytes that XALT 3.2.4 writes, with each linker and for each machine" {
    for linker in "${LINKERS[@]}"; do
        wrapped LOADEDMODULES=gcc/12 _LMFILES_=/m/gcc/12.lua gcc -fuse-ld="$linker" hello.c -o made
        has_xalts_bytes made
        wrapped gcc -fuse-ld="$linker" -static hello.c -o made
        has_xalts_bytes made
    done
    wrapped gcc -m32 hello.c -o made
    has_xalts_bytes made
    wrapped aarch64-linux-gnu-gcc hello.c -o made
    has_xalts_bytes made aarch64-linux-gnu-objcopy
}

@test "XALT's way to read finds all of it and stays in the note, whatever its length and what lies behind" {
    local blanks
    for linker in "${LINKERS[@]}"; do
        for modules in '' x xy xyz 'a b' '%%' '<a>%%' '%%.<' .x; do
            wrapped LOADEDMODULES="$modules" gcc -fuse-ld="$linker" -ffunction-sections -Wl,--gc-sections hello.c -o made
            strip --strip-all made
            "$READ_AS_XALT" made >keys
            grep -qx "Build_UUID = $(mark made Build_UUID)" keys
            [[ $modules == *%* || $modules == .x ]] || diff keys <(mark made)
        done
        wrapped gcc -fuse-ld="$linker" -static hello.c -o made
        diff <("$READ_AS_XALT" made) <(mark made)
        wrapped SOURCE_DATE_EPOCH=1700000000 gcc -fuse-ld="$linker" hello.c -o made
        diff <("$READ_AS_XALT" made) <(mark made)
    done
    wrapped aarch64-linux-gnu-gcc hello.c -o made
    diff <("$READ_AS_XALT" made) <(mark made)
    printf -v blanks '%9000s' ''
    wrapped LOADEDMODULES="$blanks" _LMFILES_="${blanks// /x}" gcc hello.c -o made
    diff <("$READ_AS_XALT" made) <(mark made)
    # XALT's own note, and what it would have made of ours from before
    plain gcc hello.c "$XALT_NOTE" -o made
    diff <("$READ_AS_XALT" made) <(mark made)
    sed 's/<\(.*\)>%%/\1%%/; /\.byte 0x00/d' "$XALT_NOTE" >before.s
    plain gcc hello.c before.s -o before
    diff <(mark before) <(mark made)
    ! diff <("$READ_AS_XALT" before) <(mark made) || false
}

# in_both FUNCTION: with $STORE and `sql QUERY` for SQLite, then for MariaDB
in_both() {
    STORE=sqlite:$BATS_TEST_TMPDIR/store.db
    # shellcheck disable=SC2329 # the function calls it
    sql() { sqlite3 -separator ' ' "${STORE#sqlite:}" "$1"; }
    "$1"
    mariadb_database jobtrail
    STORE=$MARIADB_STORE
    sql() { mariadb_sql "$1" jobtrail | tr '\t' ' '; }
    "$1"
}

acct() { # OPTION...
    "$JOBTRAIL_BIN/jobtrail-acct" --store "$STORE" -a -n -P -S 2020-01-01 -o jobname,compiler,builtby,module "$@"
}

# The runs of two programs of XALT's link, and the link's record as XALT writes it.
both_runs_are_joined() {
    "$JOBTRAIL_BIN/jobtrail-load" --store "$STORE" "$BATS_TEST_TMPDIR/of_xalt" "$RECORDS"
    [[ $(sql "SELECT count(*) FROM run JOIN build ON build.id = run.build_id
        JOIN link ON link.uuid = build.build_uuid AND link.build_user = build.build_user") == 2 ]]
    [[ $(sql "SELECT DISTINCT build_host, build_os, build_epoch, build_modules, build_cwd FROM build WHERE build_xalt = '3.2.4'") == \
        "login1 Linux 6.1.0 1732000000.5"*" gcc/13:hdf5/1.14 /home/bob/flow" ]]
    [[ $(acct -j 4711 --built-by bob | wc -l) == 2 && $(acct -j 4711 --function H5Fopen | wc -l) == 2 ]]
    [[ $(acct -j 4711 | grep -c '|gcc|bob|') == 2 ]]
}

@test "a run of a program that XALT has marked is joined to XALT's record of the link, in each database" {
    plain gcc hello.c "$XALT_NOTE" -o marked
    sed 's/<\(.*\)>%%/\1%%/; /\.byte 0x00/d' "$XALT_NOTE" >before.s # as earlier builds of jobtrail have written it
    plain gcc hello.c before.s -o marked_before
    new_job
    tracked "$WORK/marked"
    tracked "$WORK/marked_before"
    flush
    [[ $(records | jq -c 'map(.xaltLinkT | [.Build_UUID, .Build_User, .Build_date, length])') == \
        '[["5468e07b-0c8a-49a1-8010-3c9a11fce259","bob","Tue Nov 19 07:06:40 2024",14],["5468e07b-0c8a-49a1-8010-3c9a11fce259","bob","Tue Nov 19 07:06:40 2024",14]]' ]]
    "$JOBTRAIL_SOURCE/test/collectors/check_records" "$RECORDS"/run.*.json
    "$JOBTRAIL_SOURCE/test/collectors/write_as_xalt" 3 file "$BATS_TEST_TMPDIR/of_xalt"
    find "$BATS_TEST_TMPDIR/of_xalt" -type f ! -name 'link.*' -delete
    in_both both_runs_are_joined
}

@test "hostile notes are bounded, and their program's record is whole" {
    local i
    {
        sed '/^2:/q' "$XALT_NOTE"
        for ((i = 0; i < 3000; i++)); do
            printf '.string "<K%d>%%%%%s%%%%"\n' "$i" xxxxxxxx
        done
        printf '.string "<Build_UUID>%%%%late%%%%"\n3: .p2align 2\n'
    } >many.s
    {
        sed '/^2:/q' "$XALT_NOTE"
        printf '.string "<Build_User%%%%no%%%%"\n.string "Build_User>%%%%no%%%%"\n.string "<<Build_User>>%%%%no%%%%"\n'
        printf '.string "<Build_host>%%%%\\377\\001\\"\\\\%%%%"\n.ascii "<Build_UUID>%%%%cut"\n3:\n'
    } >odd.s
    sed 's/3f - 2f/0x7fffffff/' "$XALT_NOTE" >huge.s
    sed 's/3f - 2f/0/' "$XALT_NOTE" >none.s
    sed 's/3f - 2f/0xffffffff/' "$XALT_NOTE" >negative.s
    new_job
    for i in many odd huge none negative; do
        plain gcc hello.c $i.s -o $i
        mark $i >said 2>&1 || true
        tracked "$WORK/$i"
    done
    flush
    "$JOBTRAIL_SOURCE/test/collectors/check_records" "$RECORDS"/run.*.json
    [[ $(records | jq -c 'map({(.userT.exec_path | split("/")[-1]): (.xaltLinkT | keys)}) | add | [.many, .odd, .huge, .none, .negative]') == \
        '[[],["Build_UUID","Build_host"],[],[],[]]' ]]
}

# in_order DIRECTORY... -- COMMAND...: with these in front of PATH
in_order() {
    local front=
    while [[ $1 != -- ]]; do
        front+=$1:
        shift
    done
    wrapped XALT_NOTE="$XALT_NOTE" XALT_RECORDS="$BATS_TEST_TMPDIR/xalts" COMPILER_PATH="${front%:}" PATH="$front$PATH" "${@:2}"
}

# one_record_each FIRST: and the note of the wrapper that stands FIRST in PATH is the one that is read
one_record_each() {
    local ours xalts
    ours=$(links | jq -r '.[].resultT.uuid')
    xalts=$(ls "$BATS_TEST_TMPDIR/xalts")
    [[ $(wc -l <<<"$ours") == 1 && $(wc -l <<<"$xalts") == 1 && -n $ours && -n $xalts ]]
    [[ $(links | jq -r '.[0].resultT | "\(.link_program) \(.exec_path)"') == "gcc $WORK/made" ]]
    # nothing of the other's
    [[ $(links | jq '.[0].jobtrailT.objects') == "$OBJECTS" ]]
    [[ $(links | jq '[.[].linkA[][0] | select(test("xalt"))] | length') == 0 ]]
    grep -q '/libc\.[as]' "$BATS_TEST_TMPDIR/xalts/$xalts"
    ! grep -e fd -e memfd -e jobtrail "$BATS_TEST_TMPDIR/xalts/$xalts" || false
    [[ $(readelf -nW made | grep -c '^  XALT ') == "${NOTES:-2}" ]]
    case $1 in
        ours) [[ $(mark made Build_UUID) == "$ours" ]] ;;
        xalts) [[ $(mark made Build_UUID) == "$xalts" ]] ;;
    esac
    "$READ_AS_XALT" made >keys
    grep -qx "Build_UUID = $(mark made Build_UUID)" keys
    ./made
    rm -rf "$RECORDS" "$BATS_TEST_TMPDIR/xalts" made
}

@test "XALT's wrapper and ours in one PATH, in both orders: one record each, of the same link" {
    local xalt=$BATS_TEST_TMPDIR/xalt again=$BATS_TEST_TMPDIR/again linker
    wrapped gcc hello.c -o made
    OBJECTS=$(links | jq '.[0].jobtrailT.objects')
    rm -rf "$RECORDS" made
    mkdir "$xalt" "$again"
    for linker in ld ld.bfd ld.gold ld.lld; do
        cp "$JOBTRAIL_SOURCE/test/collectors/ld_as_xalt" "$xalt/$linker"
        cp "$JOBTRAIL_SOURCE/test/collectors/ld_as_xalt" "$again/$linker"
    done
    for linker in '' -fuse-ld=bfd -fuse-ld=gold -fuse-ld=lld -static; do # mold has no -t
        in_order "$LD_DIRECTORY" "$xalt" -- gcc ${linker:+"$linker"} hello.c -o made
        one_record_each ours
        in_order "$xalt" "$LD_DIRECTORY" -- gcc ${linker:+"$linker"} hello.c -o made
        one_record_each xalts
    done
    # a second copy of XALT's
    in_order "$xalt" "$LD_DIRECTORY" "$again" -- gcc hello.c -o made
    one_record_each xalts
    in_order "$LD_DIRECTORY" "$xalt" "$again" -- gcc hello.c -o made
    one_record_each ours
    # a report that the user asks for: XALT's links twice
    in_order "$xalt" "$LD_DIRECTORY" -- gcc -Wl,-M hello.c -o made >said
    grep -q '^Linker script and memory map' said
    one_record_each xalts
    in_order "$xalt" "$LD_DIRECTORY" -- gcc -Wl,-t hello.c -o made
    NOTES=1 one_record_each xalts
    # who switches both off has no record
    in_order "$xalt" "$LD_DIRECTORY" -- env XALT_EXECUTABLE_TRACKING=no gcc hello.c -o made
    is_unmarked made
    [[ ! -e $RECORDS && ! -e $BATS_TEST_TMPDIR/xalts ]]
}

@test "a link that fails, fails in both orders, and there is no record" {
    local xalt=$BATS_TEST_TMPDIR/xalt
    mkdir "$xalt"
    cp "$JOBTRAIL_SOURCE/test/collectors/ld_as_xalt" "$xalt/ld"
    echo 'int missing(void); int main(void) { return missing(); }' >fails.c
    run ! in_order "$xalt" "$LD_DIRECTORY" -- gcc fails.c -o made
    run ! in_order "$LD_DIRECTORY" "$xalt" -- gcc fails.c -o made
    [[ ! -e made && ! -e $RECORDS && ! -e $BATS_TEST_TMPDIR/xalts ]]
}
