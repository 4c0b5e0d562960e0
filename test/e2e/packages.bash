# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# For the bats files about package hooks: what packages.* share, beside helper.bash.

# shellcheck disable=SC2034 # helper.bash uses it
# setuptools has a module of its own in every Python of Debian's
RULES=$'[paths]\npkgs = .*/(python[^/]*|pypy3[^/]*|R|octave-cli[^/]*|perl)\nkeep = .*\n[packages]\nskip = python:name:_distutils_hack'

# The variables as the plugin sets them.
hooks=$JOBTRAIL_STAGE/share/jobtrail/hooks
HOOKED=(PYTHONPATH="$hooks/python" R_PROFILE="$hooks/r/Rprofile" OCTAVE_SITE_INITFILE="$hooks/octave/octaverc"
    PERL5OPT="-M-v999;BEGIN{local\$@;local\$!;\$^P||do(q{$hooks/perl/jobtrail.pl})}")

# hooked COMMAND...: as a task of the job runs it that has the hooks' variables from the plugin
hooked() {
    tracked "${HOOKED[@]}" "$@"
}

# unnoticed_hook COMMAND...: stdout, stderr and exit status are the same with and without the hooks
unnoticed_hook() {
    observe without "${TRACKED[@]}" "$@"
    observe with "${TRACKED[@]}" "${HOOKED[@]}" "$@"
    diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
}

# packages: all package records, one JSON array
packages() {
    find "$RECORDS" -type f -name 'pkg.*.json' -exec cat {} + 2>/dev/null | jq --slurp .
}

# one JQ-PATH: from the only run record
one() {
    records | jq -r "if length == 1 then .[0] else error(\"\(length) records\") end | $1"
}

# package_names: of all package records, sorted, in one line
package_names() {
    packages | jq -r 'map(.package_name) | sort | join(" ")'
}

# package NAME KEY: from the one record of this package
package() {
    packages | jq -r --arg name "$1" --arg key "$2" \
        'map(select(.package_name == $name))
         | if length == 1 then .[0][$key] else error("\(length) records of \($name)") end'
}

# make_module DIRECTORY NAME [TEXT]: a Python package
make_module() {
    mkdir -p "$1/$2"
    printf '%s\n' "${3-}" >"$1/$2/__init__.py"
}
