#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-libmon list, and the file [libraries] list that scans keep.
# bats file_tags=needs:root,needs:libraries
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0

load ../fixture/library

setup() {
    PLACE=$(mktemp -d /var/lib/jobtrail-list-XXXXXX) # root writes nothing below what others can change
    chmod 755 "$PLACE"
    TREE=$PLACE/sw
    LIST=$PLACE/list.jsonl
    CONF=$PLACE/jobtrail.conf
    mkdir "$TREE"
    configure
}

teardown() {
    rm -rf --one-file-system "$PLACE"
}

configure() { # LINE...
    printf '%s\n' "[site]" "cluster = alpha" "timezone = Asia/Tokyo" "[libraries]" "tree = $TREE" "state = $PLACE/state" "logs =" \
        "group = math libfft*" "$@" "[transport]" "use = none" "[submit]" "state = $PLACE/submit" >"$CONF"
}

scan() {
    "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF" --quiet "$@"
}

list() {
    "$JOBTRAIL_BIN/jobtrail-libmon" list --conf "$CONF" "$@"
}

# files [FILE]: the lines of files, without the head
files() {
    tail -n +2 "$LIST"
}

@test "list prints each library with what is known of it, and a pattern chooses" {
    make_library "$TREE/a/libfft.so.1" one
    make_library "$TREE/b/libsolve.so.2" two
    run -3 --separate-stderr list
    [[ $stderr == "jobtrail-libmon: the state in $PLACE/state: there was no scan yet: jobtrail-libmon scan" ]]
    scan
    run -0 list
    [[ ${lines[0]} =~ ^Library\ +Version\ +Package\ +Bytes\ +Since\ +Path$ ]]
    [[ ${lines[1]} =~ ^libfft\ +-\ +-\ +$(stat -c %s "$TREE/a/libfft.so.1")\ \ [0-9-]{10}\ \ $TREE/a/libfft.so.1$ ]]
    [[ ${lines[2]} == libsolve\ *\ "$TREE/b/libsolve.so.2" && ${#lines[@]} == 3 ]]
    [[ $(list --json 'libs*' | tail -n +2 | jq -r .path) == "$TREE/b/libsolve.so.2" ]]
    [[ $(list --json '*/a/*' | tail -n +2 | jq -r .path) == "$TREE/a/libfft.so.1" ]]
    [[ $(list --json 'libs*' '*/a/*' | wc -l) == 3 ]]
    run -1 --separate-stderr list libf
    [[ $stderr == "jobtrail-libmon: no library is chosen: 'jobtrail-libmon list' has all" ]]
    run -2 list 'lib['
    [[ ${lines[0]} == "jobtrail-libmon: a pattern without an end: close '[' by ']'" ]]
    run -2 list --dry-run
    [[ ${lines[0]} == "jobtrail-libmon: list has only --conf and --json" ]]
    run -2 "$JOBTRAIL_BIN/jobtrail-libmon" lst
    [[ ${lines[0]} == "jobtrail-libmon: no command lst: there are scan, watch and list" ]]
    run -3 --separate-stderr as 65534 "$JOBTRAIL_BIN/jobtrail-libmon" list --conf "$CONF"
    [[ $stderr == "jobtrail-libmon: the state in $PLACE/state: only root can read it; everybody can read the file of [libraries] list, if there is one" ]]
}

@test "a scan keeps the list as a file that all can read, with each key" {
    configure "list = $LIST"
    make_library "$TREE/libfft.so.1" one
    printf x >"$TREE/"$'\xff\x1b.a'
    scan
    [[ $(stat -c %a "$LIST") == 644 ]]
    [[ $(head -n 1 "$LIST" | jq -c 'keys_unsorted') == '["jobtrail_libraries","cluster","node","made"]' ]]
    head -n 1 "$LIST" | jq -e --arg node "$(hostname -s)" '.jobtrail_libraries == 1 and .cluster == "alpha" and .node == $node
        and (.made | test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\+09:00$"))'
    files | jq -e -s --arg path "$TREE/libfft.so.1" --arg id "$(build_id "$TREE/libfft.so.1")" \
        --argjson size "$(stat -c %s "$TREE/libfft.so.1")" '
        .[0] | (.since | test("T[0-9:]{8}\\+09:00$")) and del(.since) == {path: $path, library: "libfft", group: "math", package: "",
        version: "", soname: "libfft.so.1", build_id: $id, size: $size}'
    [[ $(files | jq -r -s '.[1].path') == "$TREE/"$'\uefff\e.a' ]]
    [[ $(list --json | tail -n +2) == "$(files)" ]]
}

# seen: when libx was first seen, as the list has it
seen() {
    files | jq -r 'select(.path | endswith("libx.so")).since'
}

@test "the list is written anew when something has changed, or it is gone; since is when the path was first seen" {
    local inode
    configure "list = $LIST"
    make_library "$TREE/libx.so" one
    scan
    sqlite3 "$PLACE/state/libraries.db" "UPDATE file SET since = 1000000000"
    rm "$LIST"
    scan
    [[ $(seen) == 2001-09-09T10:46:40+09:00 ]]
    scan # what was written just now may be read again
    touch "$LIST"
    inode=$(stat -c %i "$LIST")
    touch -d 2020-01-01 "$CONF"
    scan
    [[ $(stat -c %i "$LIST") == "$inode" ]]
    make_library "$TREE/libx.so" other
    make_library "$TREE/liby.so" new
    scan
    [[ $(stat -c %i "$LIST") != "$inode" && $(seen) == 2001-09-09T10:46:40+09:00 ]]
    [[ $(files | jq -r 'select(.path | endswith("libx.so")).build_id') == "$(build_id "$TREE/libx.so")" ]]
    [[ $(files | jq -r 'select(.path | endswith("liby.so")).since[:4]') -ge 2026 ]]
    rm "$TREE/libx.so"
    scan
    [[ $(files | jq -r .path) == "$TREE/liby.so" ]]
    touch "$LIST"
    configure "list = $LIST" "group = other liby"
    scan
    [[ $(files | jq -r .group) == other ]]
}

@test "a list of a time that is to come is written anew" {
    configure "list = $LIST"
    make_library "$TREE/libx.so" one
    scan
    touch -d '+1 year' "$LIST"
    make_library "$TREE/liby.so" new
    scan
    [[ $(files | jq -r .path) == "$TREE/libx.so"$'\n'"$TREE/liby.so" ]]
    (($(stat -c %Y "$LIST") <= $(date +%s)))
}

@test "what not all can read is in the list of root alone" {
    configure "list = $LIST"
    make_library "$TREE/libx.so" one
    make_library "$TREE/closed/deep/liby.so" two
    make_library "$TREE/libz.so" three
    chmod 700 "$TREE/closed"
    chmod o-r "$TREE/libz.so"
    scan
    [[ $(files | jq -r .path) == "$TREE/libx.so" ]]
    [[ $(list --json | tail -n +2 | jq -r .path | sort) == "$TREE/closed/deep/liby.so"$'\n'"$TREE/libx.so"$'\n'"$TREE/libz.so" ]]
    # a directory that is opened or closed changes none of its files
    chmod 755 "$TREE/closed"
    run -0 "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF" --json
    [[ $(jq '.changes | length' <<<"$output") == 0 ]]
    [[ $(files | jq -r .path | sort) == "$TREE/closed/deep/liby.so"$'\n'"$TREE/libx.so" ]]
    chmod 700 "$TREE/closed"
    scan
    [[ $(files | jq -r .path) == "$TREE/libx.so" ]]
}

@test "a dry run writes no list, and a list that cannot be written fails the scan, which has told all" {
    configure "list = $LIST" "logs = $PLACE/logs"
    sed -i '/^logs =$/d' "$CONF"
    make_library "$TREE/libx.so" one
    scan --dry-run
    [[ ! -e $LIST ]]
    mkdir -m 777 "$PLACE/open"
    sed -i "s|^list = .*|list = $PLACE/open/list|" "$CONF"
    run -3 --separate-stderr scan
    [[ $stderr == "jobtrail-libmon: root writes no $PLACE/open/list: $PLACE/open can be changed by others" ]]
    [[ -s $PLACE/logs/libx.log && ! -e $PLACE/open/list ]]
    sed -i "s|^list = .*|list = $PLACE/none/list|" "$CONF"
    run -3 --separate-stderr scan
    [[ $stderr == "jobtrail-libmon: the list $PLACE/none/list: No such file or directory; the next scan writes it" ]]
    sed -i "s|^list = .*|list = $LIST|" "$CONF"
    scan
    [[ $(files | jq -r .path) == "$TREE/libx.so" ]]
}

@test "a state of another version is refused" {
    configure "list = $LIST"
    make_library "$TREE/libx.so" one
    scan
    sqlite3 "$PLACE/state/libraries.db" "PRAGMA user_version = 2"
    run -3 --separate-stderr "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF"
    [[ $stderr == *"it is of another version of jobtrail"* ]]
}

@test "more files than a page has are listed once each" {
    mkdir "$TREE/many"
    for ((i = 0; i < 1000; i++)); do echo "$i" >"$TREE/many/$i.a"; done
    scan
    [[ $(list --json | tail -n +2 | jq -r .path | sort | uniq | wc -l) == 1000 && $(list | wc -l) == 1001 ]]
}
