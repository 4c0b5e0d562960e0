#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# cmake --install, and again over what a site has made of it.

install_into() { # PREFIX
    cmake --install "$JOBTRAIL_BUILD" --prefix "$1" >"$BATS_TEST_TMPDIR/said"
}

setup() {
    PREFIX=$BATS_TEST_TMPDIR/opt
    DIRECTORY=$PREFIX/etc/jobtrail
}

@test "the first installation makes jobtrail.conf, with an example beside it that is the same" {
    install_into "$PREFIX"
    cmp "$DIRECTORY/jobtrail.conf" "$DIRECTORY/jobtrail.conf.example"
    "$PREFIX/bin/jobtrail-conf" check --conf "$DIRECTORY/jobtrail.conf"
}

@test "another installation leaves what the site has edited alone, and renews the example" {
    install_into "$PREFIX"
    printf '[site]\ncluster = ours\n' >"$DIRECTORY/jobtrail.conf"
    chmod 600 "$DIRECTORY/jobtrail.conf"
    echo old >"$DIRECTORY/jobtrail.conf.example"
    install_into "$PREFIX"
    [[ $(cat "$DIRECTORY/jobtrail.conf") == $'[site]\ncluster = ours' ]]
    [[ $(stat -c %a "$DIRECTORY/jobtrail.conf") == 600 ]]
    grep -q "Left alone: $DIRECTORY/jobtrail.conf" "$BATS_TEST_TMPDIR/said"
    grep -q '^#dir = /run/jobtrail' "$DIRECTORY/jobtrail.conf.example"
}

@test "a configuration that is a link stays one, also while what it leads to is not there" {
    mkdir -p "$DIRECTORY"
    ln -s "$BATS_TEST_TMPDIR/shared/jobtrail.conf" "$DIRECTORY/jobtrail.conf"
    install_into "$PREFIX"
    [[ $(readlink "$DIRECTORY/jobtrail.conf") == "$BATS_TEST_TMPDIR/shared/jobtrail.conf" ]]
}

@test "with DESTDIR what is there counts, not what this machine has at the same place" {
    install_into "$PREFIX"
    DESTDIR=$BATS_TEST_TMPDIR/package install_into "$PREFIX"
    cmp "$BATS_TEST_TMPDIR/package$DIRECTORY/jobtrail.conf" "$DIRECTORY/jobtrail.conf.example"
    echo '# packaged' >"$BATS_TEST_TMPDIR/package$DIRECTORY/jobtrail.conf"
    rm "$DIRECTORY/jobtrail.conf"
    DESTDIR=$BATS_TEST_TMPDIR/package install_into "$PREFIX"
    [[ $(cat "$BATS_TEST_TMPDIR/package$DIRECTORY/jobtrail.conf") == "# packaged" ]]
    [[ ! -e $DIRECTORY/jobtrail.conf ]]
}

@test "nothing else that is installed is a site's to edit where it lies" {
    install_into "$PREFIX"
    [[ $(cd "$PREFIX" && find etc -type f | sort | paste -sd ' ') == "etc/jobtrail/jobtrail.conf etc/jobtrail/jobtrail.conf.example" ]]
}
