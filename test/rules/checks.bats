#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A test can fail: what check_checks knows of bash, which goes on after a command that fails in more places than one thinks of.

@test "no check in the tests is without effect" {
    "$JOBTRAIL_SOURCE/test/rules/check_checks" "$JOBTRAIL_SOURCE"
}

# finds LINES: in the file of stdin, whose lines begin with |
finds() {
    local said
    mkdir -p "$BATS_TEST_TMPDIR/test"
    sed 's/^|//' >"$BATS_TEST_TMPDIR/test/made.bats"
    said=$("$JOBTRAIL_SOURCE/test/rules/check_checks" "$BATS_TEST_TMPDIR" || true)
    echo "$said"
    [[ $(sed -nE 's/^[^:]*:([0-9]+):.*/\1/p' <<<"$said" | tr '\n' ' ') == "$1" ]]
}

@test "each way to make a check without effect is found" {
    finds "3 10 14 " <<'BATS'
|@test "left of another check" {
|    run false
|    ((status == 0)) && [[ $output == "" ]]
|    [[ -n $output ]] && rm file
|    ((status == 0)) && [[ $output == "" ]]
|}
|
|# directly
|same() {
|    diff one two
|    true
|}
|called() {
|    [[ $1 == one ]]
|    return 0
|}
|plainly() {
|    [[ $1 == one ]]
|    true
|}
|sound() {
|    [[ $1 == one ]] || return
|    if true; then
|        grep -q one "$1"
|    else
|        cmp one "$1"
|    fi
|}
|# by one that is
|calls() {
|    called two
|}
|
|@test "called where bash goes on" {
|    same one || {
|        echo "not the same"
|        return 1
|    }
|    eventually 30 calls
|    wait_for sound
|    plainly
|}
BATS
}
