# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A MariaDB of a test's own, on a Unix socket, as an unprivileged user, with the defaults for durability.
#
#   load mariadb
#   setup_file() { mariadb_start; }
#   teardown_file() { mariadb_stop; }
#
# $MARIADB_DIR holds all of it; $MARIADB_STORE is the address of an empty database, for which
# $JOBTRAIL_CREDENTIALS is set.

mariadb_server() { # OPTION...: mariadbd, in the background, until it answers
    local as=()
    [ "$(id -u)" -ne 0 ] || as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
    "${as[@]}" mariadbd --no-defaults --datadir="$MARIADB_DIR/data" --socket="$MARIADB_DIR/socket" \
        --pid-file="$MARIADB_DIR/pid" --log-error="$MARIADB_DIR/log" --skip-networking \
        --innodb-buffer-pool-size="${MARIADB_POOL:-64M}" --innodb-log-file-size=64M "$@" \
        >>"$MARIADB_DIR/log" 2>&1 3>&- 4>&- </dev/null &
    MARIADB_PID=$!
    local i
    for ((i = 0; i < 600; i++)); do
        ! mariadb_sql 'SELECT 1' >/dev/null 2>&1 || return 0
        kill -0 "$MARIADB_PID" 2>/dev/null || break
        sleep 0.05
    done
    tail -n 20 "$MARIADB_DIR/log" >&2
    return 1
}

mariadb_sql() { # SQL [DATABASE]
    mariadb --no-defaults --default-character-set=utf8mb4 -uroot -S "$MARIADB_DIR/socket" -N -B -e "$1" "${2:-mysql}"
}

mariadb_install() { # DIR
    mkdir -p "$1"
    [ "$(id -u)" -ne 0 ] || chown nobody:nogroup "$1" "$(dirname "$1")"
    mariadb-install-db --no-defaults --auth-root-authentication-method=normal --skip-test-db \
        --user="$([ "$(id -u)" -ne 0 ] && id -un || echo nobody)" --datadir="$1" >/dev/null
}

# shellcheck disable=SC2120 # a test may give options of mariadbd
mariadb_start() {
    # under /tmp: a socket's path has to be short
    MARIADB_DIR=$(mktemp -d /tmp/jobtrail-db.XXXXXX)
    chmod 711 "$MARIADB_DIR"
    mariadb_install "$MARIADB_DIR/data"
    mariadb_server "$@"
    mariadb_sql "CREATE USER loader@localhost IDENTIFIED BY 'secret'"
    printf '[client]\nuser = loader\npassword = secret\nsocket = %s\n' "$MARIADB_DIR/socket" \
        >"$MARIADB_DIR/credentials"
    chmod 600 "$MARIADB_DIR/credentials"
    export MARIADB_DIR MARIADB_PID JOBTRAIL_CREDENTIALS=$MARIADB_DIR/credentials
    mariadb_database jobtrail
}

# mariadb_database NAME: an empty one, which $MARIADB_STORE is the address of
mariadb_database() {
    mariadb_sql "DROP DATABASE IF EXISTS $1; CREATE DATABASE $1;
                 GRANT ALL ON $1.* TO loader@localhost"
    export MARIADB_STORE=mariadb://localhost/$1
}

mariadb_stop() {
    [ -n "${MARIADB_DIR:-}" ] || return 0
    if [ -e "$MARIADB_DIR/pid" ]; then
        kill "$(cat "$MARIADB_DIR/pid")"
        while [ -e "$MARIADB_DIR/pid" ]; do sleep 0.05; done
    fi
    rm -rf "$MARIADB_DIR"
}
