#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A configuration, or a compiled policy, that others than root can change: root does nothing by it.
# bats file_tags=needs:root

load ../fixture/job

setup() {
    PLACE=$BATS_TEST_TMPDIR/site
    mkdir "$PLACE"
    RULES=$KEEP_ALL new_job
    POLICY=${CONF%.conf}.policy
    tracked "$PROGRAMS/exit_with" 0
    LEDGER=${TRACKED[0]#*=}/ledger
}

# refused REASON COMMAND...
refused() {
    run "${@:2}"
    [[ $status != 0 && $output == *"root does not use it: others can change $1 (give it to root, writable by root alone)"* ]]
}

each_refuses() { # CULPRIT
    refused "$1" "$JOBTRAIL_BIN/jobtrail-submit" flush --all --conf "$CONF" --node e2e
    refused "$1" "$JOBTRAIL_BIN/jobtrail-submit" flush --sessions --conf "$CONF" --node e2e
    refused "$1" "$JOBTRAIL_BIN/jobtrail-submit" send --conf "$CONF"
    refused "$1" "$JOBTRAIL_BIN/jobtrail-submit" watch --conf "$CONF" --node e2e
    refused "$1" "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    # and leave all as it was
    [[ -e $LEDGER && ! -e $RECORDS && ! -e $PLACE/state ]]
    # to look at it is no harm
    "$JOBTRAIL_BIN/jobtrail-conf" check --conf "$CONF"
}

@test "a configuration that its group or others can write to, or that is not root's" {
    for mode in 664 646; do
        chmod $mode "$CONF"
        each_refuses "$CONF"
    done
    chmod 644 "$CONF"
    chown nobody "$CONF"
    each_refuses "$CONF"
    chown root "$CONF"
    flush
    [[ $(endings) == "exit_with fini" ]]
}

@test "a configuration in a directory that others can write to, or that is not root's" {
    chmod 775 "$PLACE"
    each_refuses "$PLACE"
    chmod 1777 "$PLACE" # nobody can replace what is root's there
    chmod 755 "$PLACE"
    chown nobody "$PLACE"
    each_refuses "$PLACE"
    chown root "$PLACE"
    flush
    [[ $(endings) == "exit_with fini" ]]
}

@test "a configuration by way of somebody's link" {
    ln -s "$CONF" "$BATS_TEST_TMPDIR/link.conf"
    chown -h nobody "$BATS_TEST_TMPDIR/link.conf"
    refused "$BATS_TEST_TMPDIR/link.conf" "$JOBTRAIL_BIN/jobtrail-submit" flush --all --node e2e \
        --conf "$BATS_TEST_TMPDIR/link.conf"
    [[ -e $LEDGER ]]
    chown -h root "$BATS_TEST_TMPDIR/link.conf"
    "$JOBTRAIL_BIN/jobtrail-submit" flush --all --node e2e --conf "$BATS_TEST_TMPDIR/link.conf"
    [[ $(endings) == "exit_with fini" ]]
}

@test "a policy that others can change: neither flush nor process acts on it, and it is made anew" {
    local other=$BATS_TEST_TMPDIR/other.conf
    # one that would leave out every run
    printf '[paths]\nskip = .*\n' >"$other"
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$other" --output "$POLICY"
    chown nobody "$POLICY"
    tracked "$PROGRAMS/exit_with" 0 # not captured
    run "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF" --if-newer
    [[ $status == 0 && $(stat -c '%U %a' "$POLICY") == "root 644" ]]
    tracked "$PROGRAMS/exit_with" 0
    flush
    [[ $(endings) == $'exit_with fini\nexit_with fini' ]]
}

@test "users act on their own configurations" {
    chown -R nobody "$PLACE"
    chmod 755 "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR"
    setpriv --reuid nobody --regid nogroup --clear-groups "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    run setpriv --reuid nobody --regid nogroup --clear-groups "$JOBTRAIL_BIN/jobtrail-submit" session --conf "$CONF"
    [[ $output != *"root does not use"* ]]
}

# doctor_says STATE CHECK WORDS
doctor_says() {
    "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "${LINKED:-$CONF}" --node e2e --json >"$BATS_TEST_TMPDIR/said" || true
    jq -e --arg state "$1" --arg check "$2" --arg words "$3" \
        'any(.[]; .state == $state and .check == $check and (.found | contains($words)))' "$BATS_TEST_TMPDIR/said" || {
        cat "$BATS_TEST_TMPDIR/said"
        return 1
    }
}

@test "doctor finds bad what root does not act on: somebody's link, and one through a directory of all" {
    local LINKED=$BATS_TEST_TMPDIR/link.conf open=$BATS_TEST_TMPDIR/open
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    ln -s "$CONF" "$LINKED"
    ln -s "$POLICY" "${LINKED%.conf}.policy"
    doctor_says ok configuration good
    chown -h nobody "$LINKED" "${LINKED%.conf}.policy"
    doctor_says bad configuration "$LINKED can be changed by others than root"
    doctor_says bad policy "${LINKED%.conf}.policy can be changed by others than root"
    refused "$LINKED" "$JOBTRAIL_BIN/jobtrail-submit" flush --all --node e2e --conf "$LINKED"
    # root's link to a link in a directory that everybody can write to
    mkdir -m 777 "$open"
    ln -s "$CONF" "$open/middle.conf"
    ln -s "$POLICY" "$open/middle.policy"
    ln -sfn "$open/middle.conf" "$LINKED"
    ln -sfn "$open/middle.policy" "${LINKED%.conf}.policy"
    doctor_says bad configuration "$open can be changed by others than root"
    doctor_says bad policy "$open can be changed by others than root"
    refused "$open" "$JOBTRAIL_BIN/jobtrail-submit" flush --all --node e2e --conf "$LINKED"
    [[ -e $LEDGER ]]
}

@test "doctor finds library and helper bad where somebody's link, or one through a directory of all, leads there" {
    local open=$BATS_TEST_TMPDIR/open
    mkdir -m 777 "$open"
    ln -s "$JOBTRAIL_BIN/jobtrail-submit" "$BATS_TEST_TMPDIR/helper"
    ln -s "$JOBTRAIL_BIN/jobtrail-submit" "$open/library"
    chown -h nobody "$BATS_TEST_TMPDIR/helper"
    ln -s "$open/library" "$BATS_TEST_TMPDIR/library"
    printf '[preload]\nlibrary = %s\n[submit]\nprogram = %s\n' "$BATS_TEST_TMPDIR/library" "$BATS_TEST_TMPDIR/helper" \
        >"$BATS_TEST_TMPDIR/other.conf"
    LINKED=$BATS_TEST_TMPDIR/other.conf
    chmod 755 "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR"
    doctor_says bad helper "$BATS_TEST_TMPDIR/helper can be changed by others than root"
    doctor_says bad library "$open can be changed by others than root"
}

proven() { # RECORDS
    rm -f "$BATS_TEST_TMPDIR"/store.db*
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store.db" "$1" >/dev/null
    sqlite3 "$BATS_TEST_TMPDIR/store.db" 'SELECT DISTINCT proven FROM run'
}

@test "records are not proven where somebody could put another directory of root's in the place of theirs" {
    local open=$BATS_TEST_TMPDIR/open
    flush
    mkdir "$open"
    mv "$RECORDS" "$open/records"
    [[ $(proven "$open/records") == 1 ]]
    chmod 1777 "$open"
    [[ $(proven "$open/records") == 1 ]]
    chmod 777 "$open"
    [[ $(proven "$open/records") == 0 ]]
    chmod 755 "$open"
    chown nobody "$open"
    [[ $(proven "$open/records") == 0 ]]
    chown root "$open"
    ln -s "$open/records" "$BATS_TEST_TMPDIR/link"
    [[ $(proven "$BATS_TEST_TMPDIR/link") == 1 ]]
    chown -h nobody "$BATS_TEST_TMPDIR/link"
    [[ $(proven "$BATS_TEST_TMPDIR/link") == 0 ]]
}
