#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Each command line of docs/coming-from-xalt.md, in its order, over a database that XALT has made.
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0
load ../fixture/links
load ../fixture/mariadb

setup_file() {
    mariadb_start --innodb-flush-log-at-trx-commit=0
    printf '[xalt]\npassword = a password\n' >>"$MARIADB_DIR/credentials"
}

setup() {
    export TZ=UTC JOBTRAIL_STORE=$MARIADB_STORE XALT_FILE_PREFIX=$BATS_TEST_TMPDIR/xalt
    mkdir "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/site" "$XALT_FILE_PREFIX"
    new_links
    cd "$BATS_TEST_TMPDIR/site" || return
    # the administrator's client
    cat >"$BATS_TEST_TMPDIR/bin/mariadb" <<EOF
#!/bin/bash
exec $(command -v mariadb) --no-defaults -uroot -S "$MARIADB_DIR/socket" "\$@"
EOF
    chmod +x "$BATS_TEST_TMPDIR/bin/mariadb"
    PATH=$BATS_TEST_TMPDIR/bin:$JOBTRAIL_BIN:$JOBTRAIL_SOURCE/contrib:$PATH
    mariadb -e "DROP DATABASE IF EXISTS xalt; CREATE DATABASE xalt CHARACTER SET utf8 COLLATE utf8_bin"
    mariadb xalt <"$JOBTRAIL_SOURCE/test/data/xalt_database/xalt_3.2.4.sql"
    mariadb -e "INSERT INTO xalt_field_of_science (account, field_of_science, directorate) VALUES ('physics', 'Physics', 'D')" xalt
    cp "$JOBTRAIL_SOURCE/test/data/conf/xalt_config.py" config.py
    cp "$JOBTRAIL_SOURCE/test/data/xalt_3.2.4/run_marked.json" "$XALT_FILE_PREFIX/run.cluster.1.json"
    echo '{"reverseMapT":{"/home/alice":"flow/1.0"}}' >xalt_rmapT.json
    jobtrail-load --timezone UTC # the collector's timer has made the store
}

# the lines that are indented by four
commands() {
    sed -n 's/^    //p' "$JOBTRAIL_SOURCE/docs/coming-from-xalt.md"
}

@test "each command of the guide does what it says" {
    local count=0
    echo 'int main(void) { return 0; }' >flow.c
    wrapped gcc -o flow flow.c
    while IFS= read -r command; do
        count=$((count + 1))
        run --separate-stderr bash -o pipefail -c "${command//\/usr\/libexec/${JOBTRAIL_BIN%/bin}/libexec}" </dev/null
        printf '%s\n' "\$ $command" "$output" "$stderr"
        [ "$status" -eq 0 ]
        case $command in
        *'import-xalt'* | *' >'* | diff* | *make-key* | *' -o executables.csv'* | 'mariadb -e "CREATE'*) ;;
        jobtrail-acct*'State,ExitCode,Exec') ;; # nothing ran under the plugin yet
        *) [ "$output" != "" ] ;;
        esac
        case $command in
        *--dry-run*) [[ $output == *" 21 new,"* ]] ;;
        *--since*) [[ $output == *" 0 unproven"* ]] ;;
        *"--history --key"*) [[ $output == *" 0 unproven"* && $stderr == *"21 rows of XALT's: 5 links, 11 runs, 5 packages"* ]] ;;
        *'--lib '*) [[ $output == *alice*flow*carol*plain* ]] ;;
        *--show*) [[ $output == *Build* ]] ;;
        *'modules compilers'*) [[ $output == *python3.11*flow/1.0*gcc* ]] ;;
        *"user = 'alice'"*) [[ $output == *input.nml* ]] ;;
        esac
    done < <(commands)
    [ "$count" -gt 25 ]
    [ -s before ]
    [ "$(jq '.runs | length' runs.json)" -eq 11 ]
    [ "$(wc -l <executables.csv)" -gt 4 ]
}
