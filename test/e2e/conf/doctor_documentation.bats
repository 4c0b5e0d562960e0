#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What jobtrail-conf doctor finds about the index over documentation: each trouble is made for real.
# bats file_tags=needs:libraries,needs:root

bats_require_minimum_version 1.5.0

# a stable place: root acts on nothing below a directory that others can write to
setup() {
    PLACE=$(mktemp -d /var/lib/jobtrail-doctor-XXXXXX)
    chmod 755 "$PLACE"
    CONF=$PLACE/jobtrail.conf
    : >"$CONF"
    export JOBTRAIL_ALLDOC=$PLACE/alldoc.db
}

teardown() {
    rm -rf --one-file-system "$PLACE"
}

index() {
    mkdir -p "$PLACE/doc/pack"
    echo words >"$PLACE/doc/pack/README"
    "$JOBTRAIL_BIN/jobtrail-alldoc" index --quiet --man none --doc "$PLACE/doc" --module none --pkgconfig none --header none
}

# findings: those about documentation and what makes its index, with no line of cron's but $PLACE/cron
findings() {
    touch "$PLACE/cron" "$PLACE/crontab"
    # shellcheck disable=SC2016
    unshare --mount bash -c 'mkdir -p /etc/cron.d 2>/dev/null
        mount -t tmpfs none /etc/cron.d && cp "$0/cron" /etc/cron.d/site &&
        { [[ ! -e /etc/crontab ]] || mount --bind "$0/crontab" /etc/crontab; } &&
        { [[ ! -d /var/spool/cron ]] || mount -t tmpfs none /var/spool/cron; } && exec "$@"' \
        "$PLACE" "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF" --node e2e --role "${1-login}" --json >"$PLACE/said" || true
    [[ -s $PLACE/said ]] || echo "the doctor has said nothing"
    jq -r '.[] | select(.check == "documentation" or (.check == "timer" and .object == "jobtrail-alldoc index"))
        | "\(.state) \(.check): \(.found): \(.fix)"' "$PLACE/said"
}

@test "nothing is said where there is neither an index nor the site's file for it" {
    [[ $(findings) == "" ]]
    [[ $(findings collector) == "" ]]
}

@test "an index that was never made, or that nothing makes, is a warning" {
    : >"$PLACE/alldoc.conf"
    run findings
    [[ ${lines[0]} == "warning documentation: No such file or directory: jobtrail-alldoc index" ]]
    [[ ${lines[1]} == "warning timer: "*"documentation that is new is not found"* ]]
    echo "17 4 * * * root jobtrail-alldoc index --quiet" >"$PLACE/cron"
    index
    run findings
    [[ ${#lines[@]} == 2 && ${lines[0]} == "ok documentation: everybody can read it, made "* && ${lines[1]} == "ok timer: "* ]]
    run findings collector
    [[ ${lines[0]} == "ok documentation: "* ]]
}

@test "an index that is old, closed or not root's is said" {
    echo "17 4 * * * root jobtrail-alldoc index --quiet" >"$PLACE/cron"
    index
    touch -d '3 days ago' "$JOBTRAIL_ALLDOC.lock"
    run findings
    [[ $output == *"warning documentation: the last successful run is too long ago: "* ]]
    # a run that changes nothing has ended well, too
    index
    run findings
    [[ $output == *"ok documentation: "* ]]
    chmod 600 "$JOBTRAIL_ALLDOC"
    run findings
    [[ $output == *"warning documentation: not everybody can read it: jobtrail-alldoc index --rebuild"* ]]
    chmod 646 "$JOBTRAIL_ALLDOC"
    run findings
    [[ $output == *"bad documentation: $JOBTRAIL_ALLDOC can be changed by others than root: "* ]]
    chmod 644 "$JOBTRAIL_ALLDOC"
    : >"$PLACE/alldoc.conf"
    chown nobody "$PLACE/alldoc.conf"
    run findings
    [[ $output == *"bad documentation: $PLACE/alldoc.conf can be changed by others than root: "* ]]
    rm "$JOBTRAIL_ALLDOC.lock"
    run findings
    [[ $output == *"warning documentation: no run has succeeded here: "* ]]
}
