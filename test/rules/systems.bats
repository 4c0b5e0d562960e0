#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The list of packages, and how tests run on other releases of Debian (test/run --on).

@test "packages.txt names packages that this release has" {
    local package unknown=
    local names
    mapfile -t names < <("$JOBTRAIL_SOURCE/test/install-packages" --list)
    ((${#names[@]} > 100))
    apt-cache policy "${names[@]}" >"$BATS_TEST_TMPDIR/policy"
    for package in "${names[@]}"; do
        grep -qxF "$package:" "$BATS_TEST_TMPDIR/policy" || unknown+=" $package"
    done
    unknown+=$(grep -B 2 'Candidate: (none)' "$BATS_TEST_TMPDIR/policy" || true)
    echo "unknown:$unknown"
    [[ $unknown == "" ]]
}

@test "of alternatives the first that the release has is installed, and NN is the default compiler's version" {
    local gcc
    gcc=$(gcc -dumpversion)
    cp "$JOBTRAIL_SOURCE/test/install-packages" "$BATS_TEST_TMPDIR"
    cat >"$BATS_TEST_TMPDIR/packages.txt" <<'TEXT'
[one]
no-such-package-1|bash|no-such-package-2 # a comment
dash|bash
gcc-NN-base
[two]
no-such-package-1|no-such-package-2
no-such-package-3
TEXT
    cd "$BATS_TEST_TMPDIR"
    [[ $(./install-packages --list one) == "bash"$'\n'"dash"$'\n'"gcc-${gcc%%.*}-base" ]]
    # What is missing in all releases is for apt-get to complain about.
    [[ $(./install-packages --list two) == "no-such-package-2"$'\n'"no-such-package-3" ]]
    # all of it is installed: nothing happens
    [[ $(./install-packages one 2>&1) == "" ]]
}

@test "each feature that a case needs is known" {
    local needed known asked
    needed=$(grep -rhoE --include='*.bats' '^# bats (test|file)_tags=.*' "$JOBTRAIL_SOURCE"/test/{e2e,rules/style.bats,slurm} |
        grep -oE 'needs:[a-z_0-9]+' | sed 's/needs://' | sort -u)
    known=$("$JOBTRAIL_SOURCE/test/systems/can" --all)
    [[ $(comm -23 <(echo "$needed") <(echo "$known")) == "" ]]
    # and each is one that a case is left out for, or that a case asks for: test/run names those files
    asked=$(grep -rhoE --include='*.bats' 'systems/can"? [a-z_0-9]+' "$JOBTRAIL_SOURCE"/test/{e2e,slurm} | sed 's/.* //')
    [[ $(comm -13 <(printf '%s\n' "$needed" "$asked" | sort -u) <(echo "$known")) == "" ]]
    run "$JOBTRAIL_SOURCE/test/systems/can" no_such_feature
    [[ $status == 2 ]]
}

@test "what needs no root has the label user: unit tests, rules and e2e, but for files that say so" {
    local entries
    entries=$(ctest --test-dir "$JOBTRAIL_BUILD" -N -L '^user$' --fixture-exclude-any . | sed -n 's/^ *Test *#[0-9]*: //p')
    [[ $(cut -d . -f 1 <<<"$entries" | sort -u) == e2e$'\n'rules$'\n'unit ]]
    [[ $entries == *unit.job.journal* && $entries == *e2e.load.files* && $entries == *rules.style* && $entries != *rules.apart* ]]
}

@test "what this system's Slurm lacks runs on the second system: those files have the tag again" {
    local feature file missing=
    for feature in contain_spank credential_start entire_step_in_ns external_launcher reload_plugins run_in_job stepmgr; do
        ! "$JOBTRAIL_SOURCE/test/systems/can" "$feature" || continue
        while read -r file; do
            grep -qE '^# bats file_tags=(.*,)?again$' "$file" || missing+=" ${file##*/slurm/} ($feature)"
        done < <(grep -rlE "^# bats (test|file)_tags=.*needs:$feature(,|\$)" "$JOBTRAIL_SOURCE/test/slurm")
    done
    echo "without:$missing"
    [[ $missing == "" ]]
}

@test "a program that crashes when a feature is asked for is no message" {
    printf '#!/bin/sh\nkill -SEGV $$\n' >"$BATS_TEST_TMPDIR/mpirun.openmpi"
    chmod +x "$BATS_TEST_TMPDIR/mpirun.openmpi"
    PATH=$BATS_TEST_TMPDIR:$PATH run "$JOBTRAIL_SOURCE/test/systems/can" openmpi_mpmd
    echo "$status $output"
    [[ $status != 0 && $output == "" ]]
}

@test "a case that needs what the system lacks is left out, and the others run" {
    # bats would take lines that begin with @test for cases of this file
    sed 's/^=/@/' >"$BATS_TEST_TMPDIR/two.bats" <<'TEXT'
# bats test_tags=needs:no_such_feature
=test "one" { false; }
=test "two" { true; }
TEXT
    run bats --tap --filter-tags '!needs:other,!needs:no_such_feature' "$BATS_TEST_TMPDIR/two.bats"
    echo "$output"
    [[ $status == 0 && $output == "1..1"$'\n'"ok 1 two" ]]
}

# A test/run that only says what it leaves out
@test "CI fails if a feature is lacking on all systems, and --soak runs every tier on Debian 13" {
    local place=$BATS_TEST_TMPDIR/ci
    mkdir -p "$place/.ci" "$place/test"
    cp "$JOBTRAIL_SOURCE/.ci/run" "$place/.ci"
    cat >"$place/test/run" <<'SH'
#!/bin/bash
echo "test/run $*" >>calls
lacks="mpi sluid renamed"
[[ $* != *trixie* ]] || lacks="stepmgr sluid renamed"
[[ $* != *forky* ]] || lacks="mpi $FORKY_LACKS"
for feature in $lacks; do echo "== left out, this system lacks $feature: some.bats"; done
echo "3 passed, 0 failed"
SH
    chmod +x "$place/test/run"
    run "$place/.ci/run"
    echo "$output"
    [[ $status == 1 && ${lines[-1]} == "9 passed, 1 failed" && ${lines[-2]} == "not ok  renamed: no system has it"* ]]
    sed -i 's/ renamed"/"/' "$place/test/run"
    run "$place/.ci/run"
    [[ $status == 0 && ${lines[-1]} == "9 passed, 0 failed" ]]
    rm "$place/calls"
    run "$place/.ci/run" --soak
    [[ $status == 0 && ${lines[-1]} == "15 passed, 0 failed" ]]
    [[ $(sort "$place/calls") == "test/run --on forky --tier unit --tier rules --tier slurm --soak"$'\n'"test/run --on lived-in --soak"$'\n'"test/run --on trixie --soak"$'\n'"test/run --preset core --soak"$'\n'"test/run --soak" ]]
    FORKY_LACKS=sluid run "$place/.ci/run" --soak
    [[ $status == 1 && ${lines[-2]} == "not ok  sluid: no system has it"* ]]
}

@test "what CI takes for features of Debian testing alone are features" {
    local only
    only=$(sed -n 's/^ONLY_WITH_SOAK=(\(.*\))$/\1/p' "$JOBTRAIL_SOURCE/.ci/run" | tr ' ' '\n')
    [[ $(wc -w <<<"$only") -ge 1 ]]
    [[ $(comm -23 <(sort <<<"$only") <("$JOBTRAIL_SOURCE/test/systems/can" --all)) == "" ]]
}

@test "test/run refuses releases and options that make no sense" {
    local arguments
    cd "$JOBTRAIL_SOURCE"
    for arguments in "--on" "--on ../trixie" "--on trixie --tier nonsense" "--on trixie --room job" \
        "--on trixie --tier unit --soak fuzz"; do
        # shellcheck disable=SC2086 # several arguments
        JOBTRAIL_SYSTEMS=$BATS_TEST_TMPDIR/none run test/run --no-install $arguments
        echo "$arguments: $status $output"
        ((status != 0))
        [[ ! -e $BATS_TEST_TMPDIR/none ]]
    done
}

# This machine's own files serve as the system.
# bats test_tags=needs:root
@test "what runs in another system has its own processes, network and files, and its end is noticed" {
    local systems=$BATS_TEST_TMPDIR/systems enter=$BATS_TEST_TMPDIR/checkout/test/systems/enter
    mkdir -p "$systems" "$BATS_TEST_TMPDIR/checkout"
    cp -R "$JOBTRAIL_SOURCE/test" "$BATS_TEST_TMPDIR/checkout"
    export JOBTRAIL_SYSTEMS=$systems
    ln -s / "$("$JOBTRAIL_SOURCE/test/systems/make" --name here)"
    # shellcheck disable=SC2016 # for the inner shell
    run "$enter" here bash -c '
        pwd; hostname; echo "pid $$"
        ip -o address show up | awk "{ print \$4 }" | sort | paste -sd " "
        touch /etc/jobtrail-was-here
        mkdir -p build && echo tested >build/test.log
        test/systems/can --all >/dev/null && echo complete
        sleep 1000 & exit 7' </dev/null 2>"$BATS_TEST_TMPDIR/errors"
    cat "$BATS_TEST_TMPDIR/errors"
    echo "$output"
    ((status == 7))
    [[ ${lines[0]} == /srv/jobtrail && ${lines[1]} == here && ${lines[2]} == "pid 1" ]]
    [[ ${lines[3]} == *"127.0.0.1/8"*"192.0.2.1/24"* && ${lines[4]} == complete ]]
    [[ ! -e /etc/jobtrail-was-here ]]
    [[ $(cat "$BATS_TEST_TMPDIR/checkout/build/here.log") == tested ]]
    [[ $(find "$systems" -mindepth 1 -name '*run-*') == "" ]]
}

# A copy of test/, and this machine's own files as the system "here"
make_checkout() {
    SYSTEMS=$BATS_TEST_TMPDIR/systems ENTER=$BATS_TEST_TMPDIR/checkout/test/systems/enter
    mkdir -p "$SYSTEMS" "$BATS_TEST_TMPDIR/checkout" "$BATS_TEST_TMPDIR/bin"
    cp -R "$JOBTRAIL_SOURCE/test" "$BATS_TEST_TMPDIR/checkout"
    ln -s / "$(JOBTRAIL_SYSTEMS=$SYSTEMS "$JOBTRAIL_SOURCE/test/systems/make" --name here)"
}

# bats test_tags=needs:root
@test "what a killed run has left is removed, with its cgroups" {
    local hierarchies hierarchy name=jobtrail-run-$$-$BATS_TEST_NUMBER
    make_checkout
    mkdir -p "$SYSTEMS/$name/root"
    mapfile -t hierarchies < <(awk '$0 ~ / - cgroup / { print $5 }' /proc/self/mountinfo)
    for hierarchy in "${hierarchies[@]}"; do mkdir -p "$hierarchy/$name/below" || true; done
    JOBTRAIL_SYSTEMS=$SYSTEMS "$ENTER" here true </dev/null
    [[ $(find "$SYSTEMS" -name '*run-*') == "" ]]
    for hierarchy in "${hierarchies[@]}"; do [[ ! -e $hierarchy/$name ]]; done
}

# bats test_tags=needs:root
@test "a directory or a system that another run removes before it is locked is made again" {
    make_checkout
    # The first directory and the first system are gone as soon as they are made.
    cat >"$BATS_TEST_TMPDIR/bin/mkdir" <<'TEXT'
#!/bin/bash
/usr/bin/mkdir "$@" || exit
[[ ${*: -1} != "$JOBTRAIL_SYSTEMS"/jobtrail-run-* || -e $JOBTRAIL_SYSTEMS/once ]] || { rmdir "${*: -1}" && touch "$JOBTRAIL_SYSTEMS/once"; }
TEXT
    cat >"${ENTER%/*}/make" <<'TEXT'
#!/bin/bash
[[ -e $JOBTRAIL_SYSTEMS/made ]] || { touch "$JOBTRAIL_SYSTEMS/made"; echo "$JOBTRAIL_SYSTEMS/gone"; exit; }
exec "$JOBTRAIL_SOURCE/test/systems/make" "$@"
TEXT
    chmod +x "$BATS_TEST_TMPDIR/bin/mkdir"
    PATH=$BATS_TEST_TMPDIR/bin:$PATH JOBTRAIL_SYSTEMS=$SYSTEMS JOBTRAIL_SOURCE=$JOBTRAIL_SOURCE \
        run "$ENTER" here echo inside </dev/null
    echo "$output"
    [[ $status == 0 && $output == inside && -e $SYSTEMS/once && -e $SYSTEMS/made ]]
}
