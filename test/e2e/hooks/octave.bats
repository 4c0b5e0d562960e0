#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What Octave programs load, and that they do not notice being asked; and what can be said of the
# MATLAB hook without MATLAB.

load ../fixture/job
load ../fixture/packages

setup() {
    new_job
    HOOKS=$JOBTRAIL_STAGE/share/jobtrail/hooks
    OCTAVE=(/usr/bin/octave-cli --quiet)
}

@test "packages are told once, with version, path and run" {
    hooked "${OCTAVE[@]}" --eval 'pkg load struct; pkg load struct; x = setfields (struct (), "a", 1);'
    flush
    [[ $(package_names) == struct ]]
    [[ $(package struct package_version) == "$(dpkg-query -W -f '${Version}' octave-struct | sed 's/-.*//')" ]]
    [[ $(package struct package_path) == /usr/share/octave/packages/struct-* ]]
    [[ $(package struct program) == octave ]]
    [[ $(package struct xalt_run_uuid) == "$(one .userT.run_uuid)" ]]
}

@test "what was loaded is known of a run that was killed" {
    hooked "${OCTAVE[@]}" --eval 'pkg load struct; kill (getpid (), 9);' || [[ $? == 137 ]]
    flush
    [[ $(package_names) == struct ]]
}

@test "output, status, path, variables, descriptors and errors are as ever" {
    cat >"$BATS_TEST_TMPDIR/look.m" <<'M'
1;
function deep ()
  pkg load none-such
end
who
x = pkg ("list"); disp (numel (x)); pkg list
pkg load struct
disp (path ()); disp (lasterr ()); disp (exist ("setfields"));
disp (numel (readdir ("/proc/self/fd")));
try, deep (); catch e, for s = e.stack', disp (s.name); end, disp (e.message); end
clear all
pkg unload struct
pkg load none-such
M
    unnoticed_hook "${OCTAVE[@]}" "$BATS_TEST_TMPDIR/look.m"
    grep -q none-such "$BATS_TEST_TMPDIR/with/stderr"
    unnoticed_hook "${OCTAVE[@]}" --eval 'pkg load struct; exit (5)'
}

@test "the site's own file and the user's run as ever" {
    mkdir "$BATS_TEST_TMPDIR/home"
    echo 'disp ("the user"); x = 3;' >"$BATS_TEST_TMPDIR/home/.octaverc"
    echo 'disp ("a site"); y = 4;' >"$BATS_TEST_TMPDIR/site"
    for site in "" "$BATS_TEST_TMPDIR/site" /none/such; do
        observe without "${TRACKED[@]}" HOME="$BATS_TEST_TMPDIR/home" OCTAVE_SITE_INITFILE="$site" "${OCTAVE[@]}" --eval 'who'
        observe with "${TRACKED[@]}" HOME="$BATS_TEST_TMPDIR/home" OCTAVE_SITE_INITFILE="$HOOKS/octave/octaverc" \
            JOBTRAIL_OCTAVE_SITE_INITFILE="$site" "${OCTAVE[@]}" --eval 'who'
        grep -q "the user" "$BATS_TEST_TMPDIR/with/stdout"
        diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    done
}

@test "where Octave does not run the hook, that is counted" {
    for option in --norc --no-site-file; do
        hooked "${OCTAVE[@]}" "$option" --eval 'pkg load struct'
    done
    run --separate-stderr flush
    [[ $output == *"unhooked 2"* && $(package_names) == "" ]]
}

@test "a limit on files, no spool: Octave does not notice" {
    # shellcheck disable=SC2016
    unnoticed_hook bash -c '(ulimit -f 0 && "$@") 2>&1 | cat; exit ${PIPESTATUS[0]}' bash "${OCTAVE[@]}" --eval 'pkg load struct; disp (1)'
    unnoticed_hook JOBTRAIL_SPOOL=/nowhere "${OCTAVE[@]}" --eval 'pkg load struct; disp (1)'
    unnoticed_hook LD_PRELOAD= "${OCTAVE[@]}" --eval 'pkg load struct; disp (1)'
    [[ ! -s $SPOOL/$JOB.0/user/packages ]]
}

@test "where files are limited nothing is written, also where there would be room" {
    for limit in 0 1000; do
        # shellcheck disable=SC2016
        hooked bash -c 'ulimit -f "$1"; shift; "$@" | cat; exit "${PIPESTATUS[0]}"' bash "$limit" "${OCTAVE[@]}" --eval 'pkg load struct'
        # shellcheck disable=SC2016
        tracked bash -c 'ulimit -f "$1"; shift; "$@" | cat; exit "${PIPESTATUS[0]}"' bash "$limit" "${OCTAVE[@]}" \
            --eval "addpath ('$HOOKS/matlab'); jobtrail_packages ('start')"
        [[ ! -s $SPOOL/$JOB.0/user/packages ]]
    done
}

@test "the file of packages is not made larger than its bound" {
    for size in $(((16 << 20) - 1)) $((16 << 20)); do
        truncate --size="$size" "$SPOOL/$JOB.0/user/packages"
        hooked "${OCTAVE[@]}" --eval 'pkg load struct'
        tracked "${OCTAVE[@]}" --eval "addpath ('$HOOKS/matlab'); jobtrail_packages ('start')"
        written[size]=$(($(stat -c %s "$SPOOL/$JOB.0/user/packages") - size))
    done
    ((written[(16 << 20) - 1] > 0 && written[16 << 20] == 0))
}

# Octave reads MATLAB's language and knows license('inuse'): it says its packages in use there.
@test "the MATLAB hook writes what it should, as far as Octave can say" {
    tracked "${OCTAVE[@]}" --eval "addpath ('$HOOKS/matlab'); jobtrail_packages ('start'); pkg load struct; jobtrail_packages ('finish');"
    flush
    [[ $(packages | jq -r 'map(.program) | unique | join(" ")') == MATLAB ]]
    [[ " $(package_names) " == *" struct "* ]]
    [[ $(one .XALT_qaT.JOBTRAIL_PKGS_HOOK) == yes ]]
}
