#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Who gets to hear the database's password, and what is said to it: the loader (C) and what people ask
# with (Python), against a real server with TLS, and against impostors.
# shellcheck disable=SC2154,SC2119 # bats sets stderr

bats_require_minimum_version 1.5.0
load ../fixture/mariadb

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

certificate() { # CA NAME SUBJECT-ALTERNATIVE-NAMES: NAME.key, NAME.pem
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$2" \
        -keyout "$2.key" -out "$2.csr" 2>/dev/null
    openssl x509 -req -in "$2.csr" -CA "$1.pem" -CAkey "$1.key" -days 2 -set_serial "$RANDOM" \
        -extfile <(echo "subjectAltName=$3") -out "$2.pem" 2>/dev/null
}

authority() { # NAME
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
        -subj "/CN=$1" -keyout "$1.key" -out "$1.pem" 2>/dev/null
}

setup_file() {
    export TZ=UTC PLACE=$BATS_FILE_TMPDIR PORT
    cd "$PLACE" || return
    authority ours
    authority other
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=itself \
        -addext subjectAltName=IP:127.0.0.1,IP:127.0.0.2 -keyout itself.key -out itself.pem 2>/dev/null
    certificate ours server DNS:localhost,IP:127.0.0.1
    certificate ours elsewhere DNS:elsewhere.example
    certificate ours client DNS:client.example
    certificate other forged DNS:localhost,IP:127.0.0.1
    PORT=$(free_port)
    chmod 755 "$PLACE" "${PLACE%/*}" "$BATS_RUN_TMPDIR"
    chmod 644 ./*.key
    mariadb_start --skip-networking=0 --port="$PORT" --bind-address=127.0.0.1 \
        --ssl-cert="$PLACE/server.pem" --ssl-key="$PLACE/server.key" --ssl-ca="$PLACE/ours.pem" --plugin-load-add=auth_ed25519
    mariadb_sql "CREATE USER tcp@'127.0.0.1' IDENTIFIED BY 'opensesame';
                 CREATE USER modern@'127.0.0.1' IDENTIFIED VIA ed25519 USING PASSWORD('opensesame');
                 GRANT ALL ON jobtrail.* TO tcp@'127.0.0.1', modern@'127.0.0.1'"
    "$JOBTRAIL_BIN/jobtrail-load" --store "$MARIADB_STORE" "$JOBTRAIL_SOURCE/test/data/records"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    export JOBTRAIL_CREDENTIALS=$BATS_TEST_TMPDIR/credentials
    # of this host: no authority but the test's counts
    export SSL_CERT_FILE=$PLACE/other.pem SSL_CERT_DIR=/nonexistent
    IMPOSTOR=
}

teardown() {
    [ -z "$IMPOSTOR" ] || kill "$IMPOSTOR"
}

say() { # LINE...: in the credentials file, beside user and password
    printf '%s\n' '[client]' 'user = tcp' 'password = opensesame' "$@" >credentials
    chmod 600 credentials
}

impostor() { # OPTION...: $FALSE is its address
    rm -f port
    : >heard
    "$JOBTRAIL_SOURCE/test/collectors/mariadb_impostor" heard "$@" >port 2>said 3>&- &
    IMPOSTOR=$!
    until [ -s port ]; do kill -0 "$IMPOSTOR"; sleep 0.02; done
    FALSE=mariadb://127.0.0.1:$(cat port)/jobtrail
}

both() { # FUNCTION ARGUMENT...: by the loader, then by what people ask with
    ask=("$JOBTRAIL_BIN/jobtrail-load" "$JOBTRAIL_SOURCE/test/data/records" --store)
    "$@"
    ask=("$JOBTRAIL_SOURCE/contrib/jobtrail-acct" -a -n -P -S 2024-11-20 --no-sacct --store)
    "$@"
}

answers() { # ADDRESS
    run --separate-stderr "${ask[@]}" "$1"
    echo "$status $output $stderr"
    [ "$status" -eq 0 ]
    [ "$stderr" = "" ]
}

refuses() { # ADDRESS WORDS
    run --separate-stderr timeout $((60 * SLOW)) "${ask[@]}" "$1"
    echo "$status $output $stderr"
    [ "$status" -eq 3 ] || [ "$status" -eq 1 ]
    [[ "$stderr" == *"$2"* ]]
}

heard_nothing() { # but what comes before a user's name
    ! grep -aE 'tcp|opensesame|SELECT|precious' heard || false
    kill -0 "$IMPOSTOR"
}

@test "a host is believed when an authority that was named certifies its name or address" {
    say "ssl-ca = $PLACE/ours.pem"
    both answers "mariadb://127.0.0.1:$PORT/jobtrail"
    say "ssl_ca = '$PLACE/ours.pem'" "host = 127.0.0.1" "port = $PORT"
    both answers mariadb:///jobtrail
    openssl rehash . 2>/dev/null || true
    mkdir authorities
    cp "$PLACE/ours.pem" authorities
    openssl rehash authorities
    say "ssl-capath = $PWD/authorities"
    both answers "mariadb://127.0.0.1:$PORT/jobtrail"
    say "ssl-ca = $PLACE/ours.pem" "tls-version = TLSv1.3"
    both answers "mariadb://127.0.0.1:$PORT/jobtrail"
}

@test "without a named authority those of the system count" {
    say
    SSL_CERT_FILE=$PLACE/ours.pem both answers "mariadb://127.0.0.1:$PORT/jobtrail"
    both refuses "mariadb://127.0.0.1:$PORT/jobtrail" "skip-ssl"
}

@test "what is said goes through TLS, unless the site says that it need not" {
    mariadb_sql "ALTER USER tcp@'127.0.0.1' REQUIRE SSL"
    say "ssl-ca = $PLACE/ours.pem"
    both answers "mariadb://127.0.0.1:$PORT/jobtrail"
    say "skip-ssl"
    both refuses "mariadb://127.0.0.1:$PORT/jobtrail" "Access denied"
    mariadb_sql "ALTER USER tcp@'127.0.0.1' REQUIRE NONE"
    both answers "mariadb://127.0.0.1:$PORT/jobtrail"
    say "ssl = off"
    both answers "mariadb://127.0.0.1:$PORT/jobtrail"
    say "skip-ssl-verify-server-cert"
    both answers "mariadb://127.0.0.1:$PORT/jobtrail"
}

@test "our own certificate is shown, and one of the server's that was revoked is not believed" {
    mariadb_sql "ALTER USER tcp@'127.0.0.1' REQUIRE X509"
    say "ssl-ca = $PLACE/ours.pem"
    both refuses "mariadb://127.0.0.1:$PORT/jobtrail" "Access denied"
    chmod 600 "$PLACE/client.key"
    say "ssl-ca = $PLACE/ours.pem" "ssl-cert = $PLACE/client.pem" "ssl-key = $PLACE/client.key" \
        "ssl-cipher = ECDHE-ECDSA-AES256-GCM-SHA384"
    both answers "mariadb://127.0.0.1:$PORT/jobtrail"
    mariadb_sql "ALTER USER tcp@'127.0.0.1' REQUIRE NONE"
    printf '[ca]\ndefault_ca = d\n[d]\ndatabase = index\ndefault_md = sha256\ndefault_crl_days = 2\n' >ca.conf
    : >index
    ca() { openssl ca -config ca.conf -keyfile "$PLACE/ours.key" -cert "$PLACE/ours.pem" "$@" 2>/dev/null; }
    ca -gencrl -out none.crl
    say "ssl-ca = $PLACE/ours.pem" "ssl-crl = $PWD/none.crl"
    both answers "mariadb://127.0.0.1:$PORT/jobtrail"
    ca -revoke "$PLACE/server.pem"
    ca -gencrl -out revoked.crl
    say "ssl-ca = $PLACE/ours.pem" "ssl-crl = $PWD/revoked.crl"
    both refuses "mariadb://127.0.0.1:$PORT/jobtrail" "revoked"
}

@test "a socket needs no TLS" {
    printf '[client]\nuser = loader\npassword = secret\nsocket = %s\n' "$MARIADB_DIR/socket" >credentials
    chmod 600 credentials
    both answers mariadb:///jobtrail
    both answers mariadb://localhost/jobtrail
    # it is not taken for another host's
    both refuses "mariadb://127.0.0.1:$PORT/jobtrail" "skip-ssl"
}

@test "an authority or a name that is not the host's ends it before a name is told" {
    local host
    say "ssl-ca = $PLACE/ours.pem"
    impostor --tls "$PLACE/forged.pem" "$PLACE/forged.key"
    both refuses "$FALSE" "certif"
    heard_nothing
    kill "$IMPOSTOR"
    impostor --tls "$PLACE/elsewhere.pem" "$PLACE/elsewhere.key"
    both refuses "$FALSE" "certif"
    heard_nothing
    # certified by itself, where it need not prove by the password who it is, and where it could
    say
    for host in 127.0.0.1 127.0.0.2; do
        kill "$IMPOSTOR"
        impostor --host $host --tls "$PLACE/itself.pem" "$PLACE/itself.key"
        export MARIADB_TLS_DISABLE_PEER_VERIFICATION=1
        both refuses "${FALSE/127.0.0.1/$host}" "certif"
        heard_nothing
    done
}

@test "a host without TLS hears no name and no password" {
    say "ssl-ca = $PLACE/ours.pem"
    impostor
    both refuses "$FALSE" "TLS"
    heard_nothing
    # a server that need not prove anything hears the name, but no more
    say "skip-ssl-verify-server-cert"
    both refuses "$FALSE" "TLS"
    ! grep -aE 'opensesame|SELECT' heard || false
}

@test "nobody gets the password in clear text, not even by TLS, nor a file of ours" {
    local plugin
    echo precious >secret
    for plugin in mysql_clear_password dialog sha256_password caching_sha2_password mysql_old_password auth_gssapi_client; do
        say "skip-ssl"
        impostor --ask "$plugin"
        both refuses "$FALSE" lugin
        ! grep -aE 'opensesame' heard || false
        kill "$IMPOSTOR"
    done
    say "ssl-ca = $PLACE/ours.pem"
    impostor --ask mysql_clear_password --tls "$PLACE/server.pem" "$PLACE/server.key"
    both refuses "$FALSE" lugin
    ! grep -aE 'opensesame' heard || false
    kill "$IMPOSTOR"
    impostor --old --tls "$PLACE/server.pem" "$PLACE/server.key"
    both refuses "$FALSE" ""
    kill "$IMPOSTOR"
    impostor --file "$PWD/secret" --tls "$PLACE/server.pem" "$PLACE/server.key"
    both refuses "$FALSE" ""
    grep -a 'SET ' heard
    ! grep -aE 'opensesame|precious' heard || false
}

@test "an account may use ed25519" {
    printf '[jobtrail]\nuser = modern\npassword = opensesame\nssl-ca = %s\n' "$PLACE/ours.pem" >credentials
    chmod 600 credentials
    both answers "mariadb://127.0.0.1:$PORT/jobtrail"
}

@test "the credentials are read alike by both, and nothing about TLS is passed over" {
    local line
    mariadb_sql "CREATE OR REPLACE USER odd@localhost IDENTIFIED BY ' a\\\\\"b#c=d '; GRANT ALL ON jobtrail.* TO odd@localhost"
    cat >credentials <<EOF
# a comment
[mysqld]
ssl-nothing = of ours
[client]
 default-character-set = latin1
loose_user = nobody
user=odd
password = "\\sa\\\\"b#c=d "
socket = '$MARIADB_DIR/socket'
EOF
    chmod 600 credentials
    both answers mariadb:///jobtrail
    for line in "ssl-crlpath = /x" "ssl-verify-server-cert = perhaps" "tls-something" "ssl-ca" "!include /x" "skip-ssl-ca"; do
        say "$line"
        both refuses mariadb:///jobtrail "credentials:4: unknown option"
    done
}
