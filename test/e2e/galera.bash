# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A Galera cluster of three nodes on this machine, to be loaded beside mariadb.bash.
#
#   galera_start   in $GALERA_DIR/0 ... 2, on ports from $GALERA_PORT on; the database is jobtrail
#   galera_stop

galera_sql() { # NODE SQL [DATABASE]
    MARIADB_DIR=$GALERA_DIR/$1 mariadb_sql "${@:2}"
}

galera_is_synced() { # NODE
    [ "$(galera_sql "$1" "SELECT variable_value FROM information_schema.global_status
        WHERE variable_name = 'wsrep_local_state_comment'" 2>/dev/null)" = Synced ]
}

galera_node() { # NODE ADDRESSES: starts it, and waits until it has what the others have
    local as=() dir=$GALERA_DIR/$1 port=$((GALERA_PORT + 10 * $1)) i
    [ "$(id -u)" -ne 0 ] || as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
    local provider=(base_port=$((port + 1)) gmcast.listen_addr=tcp://127.0.0.1:$((port + 1))
        ist.recv_addr=127.0.0.1:$((port + 2)))
    "${as[@]}" mariadbd --no-defaults --datadir="$dir/data" --socket="$dir/socket" \
        --tmpdir="$dir" \
        --pid-file="$dir/pid" --log-error="$dir/log" --skip-networking=0 --skip-name-resolve \
        --port="$port" --bind-address=127.0.0.1 --innodb-buffer-pool-size=64M \
        --innodb-log-file-size=64M --binlog-format=ROW --innodb-autoinc-lock-mode=2 --wsrep-on=ON \
        --wsrep-provider=/usr/lib/galera/libgalera_smm.so --wsrep-sst-method=rsync \
        --wsrep-cluster-name="jobtrail$GALERA_PORT" --wsrep-cluster-address="gcomm://$2" \
        --wsrep-node-address=127.0.0.1:$((port + 1)) --wsrep-node-name="node$1" \
        --wsrep-sst-receive-address=127.0.0.1:$((port + 3)) \
        --wsrep-provider-options="$(IFS=';' && echo "${provider[*]}")" \
        >>"$dir/log" 2>&1 3>&- 4>&- </dev/null &
    GALERA_PIDS[$1]=$!
    for ((i = 0; i < 600; i++)); do
        ! galera_is_synced "$1" || return 0
        kill -0 "${GALERA_PIDS[$1]}" 2>/dev/null || break
        sleep 0.1
    done
    tail -n 20 "$dir/log" >&2
    return 1
}

galera_start() {
    local node addresses
    GALERA_DIR=$(mktemp -d /tmp/jobtrail-galera.XXXXXX) GALERA_PIDS=()
    GALERA_PORT=$((20000 + RANDOM % 400 * 30))
    addresses=127.0.0.1:$((GALERA_PORT + 1)),127.0.0.1:$((GALERA_PORT + 11)),127.0.0.1:$((GALERA_PORT + 21))
    chmod 711 "$GALERA_DIR"
    for node in 0 1 2; do
        mkdir -p "$GALERA_DIR/$node/data"
        [ "$(id -u)" -ne 0 ] || chown nobody:nogroup "$GALERA_DIR/$node" "$GALERA_DIR/$node/data"
        ((node > 0)) || mariadb_install "$GALERA_DIR/$node/data"
        galera_node "$node" "$( ((node == 0)) || echo "$addresses")"
    done
    galera_sql 0 "CREATE DATABASE jobtrail; CREATE USER loader@'%' IDENTIFIED BY 'secret';
                  GRANT ALL ON jobtrail.* TO loader@'%'"
    printf '[client]\nuser = loader\npassword = secret\nskip-ssl\n' >"$GALERA_DIR/credentials"
    chmod 600 "$GALERA_DIR/credentials"
    export JOBTRAIL_CREDENTIALS=$GALERA_DIR/credentials
}

galera_stop() {
    local pid
    [ -n "${GALERA_DIR:-}" ] || return 0
    for pid in "${GALERA_PIDS[@]}"; do
        ! kill -KILL "$pid" 2>/dev/null || wait "$pid" || true
    done
    rm -rf "$GALERA_DIR"
}
