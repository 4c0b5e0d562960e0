#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2030,SC2031 # bats sets output for each case
# How test/run and .ci/run count and print the results of tests.

# count: ctest's output on stdin through test/count.awk; sets output, and writes passed, failed, details
count() {
    cd "$BATS_TEST_TMPDIR" || return
    run gawk -v title=dev -v passed=passed -v failed=failed -v details=details -v times=times \
        -v late=late -f "$JOBTRAIL_SOURCE/test/count.awk"
    echo "$output"
    ((status == 0))
}

@test "the beginning of what explains a failure stands right below it, and all of it in the details" {
    count < <(
        printf '1: 1..2\n1: not ok 1 - it works\n'
        seq -f '1: # reason %g' 40
        printf '1: ok 2 - it ends\n1/1 Test #1: unit.job.journal ....***Failed    0.02 sec\n'
    )
    [[ ${lines[0]} == "not ok  dev unit.job.journal - not ok 1 - it works" && ${lines[1]} == "    # reason 1" ]]
    [[ ${lines[30]} == "    # reason 30" && ${lines[31]} == "    ..." && ${lines[32]} == "   1 ok, 1 failed"* ]]
    [[ $(cat passed) == 1 && $(cat failed) == "dev unit.job.journal - not ok 1 - it works" ]]
    [[ $(grep -c reason details) == 40 ]]
}

@test "a suite that ends before its plan, a skipped test and a suite without a plan fail" {
    count < <(
        printf '1: 1..2\n1: ok 1 - begins\n1/3 Test #1: e2e.load.files ....   Passed    0.02 sec\n'
        printf '2: 1..1\n2: ok 1 - not here # skip why\n2/3 Test #2: e2e.load.signatures ....   Passed    0.02 sec\n'
        printf '3: cannot start\n3/3 Test #3: e2e.guests.abi ....***Failed    0.02 sec\n'
    )
    [[ $output == *"not ok  dev e2e.load.files: ran 1 of 2 tests"* && $output == *"not ok  dev e2e.load.signatures - skipped: "* ]]
    [[ $output == *"not ok  dev e2e.guests.abi: no plan"*$'\n'"    cannot start"* || $output == *"e2e.guests.abi: ***Failed"* ]]
    [[ $(cat passed) == 1 && $(wc -l <failed) == 3 ]]
}

@test "a test's own lines hide nothing: no failure behind a word of ours, no early end behind numbers" {
    count < <(
        printf '1: 1..1\n1: not ok 1 x\n1: # late\n1/2 Test #1: e2e.load.stop ....***Failed    0.02 sec\n'
        printf '2: 1..2\n2: ok 1 - x\n2: ok 7 - y\n2/2 Test #2: unit.base.grow ....   Passed    0.02 sec\n'
    )
    [[ $output == *"not ok  dev e2e.load.stop - not ok 1 x"* && $output == *"unit.base.grow: this is not the next test: ok 7 - y"* ]]
    [[ $(wc -l <failed) == 2 && ! -e late ]]
}

@test "an entry says what time it took, and one that came too late is named, and neither passed nor failed" {
    count < <(
        printf '1: 1..1\n1: ok 1 - begins\n1: # took 12.3 4.5\n1/2 Test #1: e2e.load.files ....   Passed    12.31 sec\n'
        printf '2: # late\n2/2 Test #2: e2e.load.memory ....   Passed    0.02 sec\n'
    )
    [[ ${lines[0]} == "   1 ok  dev e2e.load.files  12.3 s, processors 4.5 s" && ${#lines[@]} == 1 ]]
    [[ $(cat times) == "12.3 4.5 dev e2e.load.files" && $(cat late) == "dev e2e.load.memory" ]]
    [[ $(cat passed) == 1 && ! -e failed ]]
}

@test "an entry that still runs at JOBTRAIL_STOP is ended, and has failed" {
    run env JOBTRAIL_STOP=$((EPOCHSECONDS + 1)) "$JOBTRAIL_SOURCE/test/timed" sleep 1000
    echo "$output"
    ((status == 124))
    [[ $output == "# took "* ]]
    run env JOBTRAIL_STOP=$((EPOCHSECONDS + 1000)) "$JOBTRAIL_SOURCE/test/timed" true
    ((status == 0))
}

@test "an entry makes files that others can read and not change, whatever the umask" {
    (umask 077 && "$JOBTRAIL_SOURCE/test/timed" touch "$BATS_TEST_TMPDIR/one")
    (umask 002 && "$JOBTRAIL_SOURCE/test/timed" touch "$BATS_TEST_TMPDIR/two")
    [[ $(stat -c %a "$BATS_TEST_TMPDIR"/{one,two} | sort -u) == 644 ]]
}

@test "what test/run would not do it refuses: names and a preset, two ways to choose" {
    for wrong in "--preset asan unit.base" "--room base rules.size" "--room base --changed" "--tier unit rules.size"; do
        # shellcheck disable=SC2086 # words
        run "$JOBTRAIL_SOURCE/test/run" --no-install $wrong
        [[ $status == 2 && $output == *"one of them" ]]
    done
}

# bats test_tags=needs:root
@test "a cache that others can change is not used" {
    mkdir "$BATS_TEST_TMPDIR/cache"
    mount --bind "$BATS_TEST_TMPDIR/cache" /var/cache/jobtrail
    for way in "ln -s /etc runs" "install -d -o nobody runs" "install -d -m 777 bin" "chown nobody ."; do
        (cd /var/cache/jobtrail && rm -rf runs bin && $way)
        run "$JOBTRAIL_SOURCE/test/apart" true
        [[ $status == 1 && $output == "others can write here, or have made it; remove it: /var/cache/jobtrail"* ]]
    done
    umount /var/cache/jobtrail
}

# bats test_tags=needs:root
@test "a checkout whose path has a blank, or that others cannot read, is tested as a copy" {
    local top="$JOBTRAIL_BUILD/a blank"
    mkdir -p "$top"
    tar -C "$JOBTRAIL_SOURCE" -cf - test CMakeLists.txt | tar -C "$top" -xf -
    run "$top/test/run" --no-install --room nothing
    mv "$top" "$JOBTRAIL_BUILD/closed" && top=$JOBTRAIL_BUILD/closed
    [[ $output == *"it has a blank: testing a copy"*"no unit tests of a room 'nothing'"* && $status == 2 ]]
    chmod -R go= "$top"
    run "$top/test/run" --no-install --room nothing
    rm -rf "$top"
    [[ $output == *"other users cannot read $top"*"no unit tests of a room 'nothing'"* && $status == 2 ]]
}

# ci RESULT-HERE RESULT-ON-TRIXIE [RESULT-OF-THE-CORE]: .ci/run, with a test/run that says so
ci() {
    local top=$BATS_TEST_TMPDIR/top
    mkdir -p "$top/.ci" "$top/test"
    cp "$JOBTRAIL_SOURCE/.ci/run" "$top/.ci"
    # shellcheck disable=SC2016 # for the script to expand
    printf '%s\n' '#!/bin/bash' "result='$1'" "[[ \$1 != --on ]] || result='$2'" "[[ \$* != *core ]] || result='${3-1 passed, 0 failed}'" \
        'echo "test/run $*"; [[ ! $result ]] || echo "$result"; [[ $result == *" 0 failed" ]]' >"$top/test/run"
    chmod +x "$top/test/run"
    run "$top/.ci/run"
    echo "$output"
    last=${lines[-1]}
}

@test "CI's last line adds both systems and the core, and its status is that of all" {
    ci "3 passed, 0 failed" "2 passed, 0 failed"
    [[ $status == 0 && $last == "6 passed, 0 failed" && $(grep -cE '^[0-9]+ passed' <<<"$output") == 1 ]]
    [[ $output == *"test/run --on trixie --again --preset dev --tier unit --tier slurm"*"core: test/run --quick --preset core"* ]]
    ci "3 passed, 0 failed" "2 passed, 1 failed"
    [[ $status == 1 && $last == "6 passed, 1 failed" ]]
    ci "" "2 passed, 0 failed"
    [[ $status == 1 && $last == "3 passed, 1 failed" && $output == *"not ok  here: test/run ended"* ]]
    ci "3 passed, 0 failed" "2 passed, 0 failed" "0 passed, 0 failed"
    [[ $status == 1 && $last == "5 passed, 1 failed" && $output == *"not ok  core: test/run ended"* ]]
}

@test "test/quick-bats says of a failure what this system's bats says" {
    "$JOBTRAIL_SOURCE/test/quick-bats" "$BATS_TEST_TMPDIR/quick"
    [[ -x $BATS_TEST_TMPDIR/quick/bats ]] || return 0 # only of that one release it is known how
    # bats reads @test here, too
    sed 's/^%/@/' >"$BATS_TEST_TMPDIR/fails.bats" <<'BATS'
setup_file() { [[ -z ${BREAKS-} ]]; }
helper() {
    local one=1
    [[ $one == 2 ]]
}
teardown() { [[ $BATS_TEST_NUMBER != 7 ]]; }
%test "a command" { false; }
%test "a helper's" { helper; }
%test "after run" {
    run true
    ((status == 1))
}
%test "in a subshell" { x=$(exit 3); }
%test "in a loop" {
    for i in 1 2; do
        [ "$i" = 1 ]
    done
}
%test "no such command" { no_such_command; }
%test "only the teardown's" { true; }
%test "none" { diff <(echo a) <(echo a); }
BATS
    local breaks
    for breaks in '' 1; do
        BREAKS=$breaks /usr/bin/bats "$BATS_TEST_TMPDIR/fails.bats" >"$BATS_TEST_TMPDIR/ours" || true
        BREAKS=$breaks "$BATS_TEST_TMPDIR/quick/bats" "$BATS_TEST_TMPDIR/fails.bats" >"$BATS_TEST_TMPDIR/quicks" || true
        diff "$BATS_TEST_TMPDIR/ours" "$BATS_TEST_TMPDIR/quicks"
        grep -q '^# (' "$BATS_TEST_TMPDIR/ours"
    done
}
