#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What jobtrail-conf doctor finds about the site's libraries: each trouble is made for real.
# bats file_tags=needs:libraries,needs:root

bats_require_minimum_version 1.5.0

# a stable place: root acts on nothing below a directory that others can write to
setup() {
    PLACE=$(mktemp -d /var/lib/jobtrail-doctor-XXXXXX)
    chmod 755 "$PLACE"
    TREE=$PLACE/sw
    STATE=$PLACE/state
    LOGS=$PLACE/logs
    CONF=$PLACE/jobtrail.conf
    SAID=$PLACE/said
    mkdir "$TREE"
    echo x >"$TREE/x.a"
    configure "tree = $TREE"
}

teardown() {
    rm -rf --one-file-system "$PLACE"
}

configure() { # LINE...
    printf '%s\n' "[libraries]" "state = $STATE" "logs = $LOGS" "$@" "[submit]" "state = $PLACE/submit" >"$CONF"
}

# With no line of cron's but $PLACE/cron, and what $PLACE/before does
doctor() {
    touch "$PLACE/cron" "$PLACE/crontab" "$PLACE/before"
    # shellcheck disable=SC2016
    unshare --mount bash -c 'mkdir -p /etc/cron.d 2>/dev/null
        mount -t tmpfs none /etc/cron.d && cp "$0/cron" /etc/cron.d/site &&
        { [[ ! -e /etc/crontab ]] || mount --bind "$0/crontab" /etc/crontab; } &&
        { [[ ! -d /var/spool/cron ]] || mount -t tmpfs none /var/spool/cron; } && source "$0/before" && exec "$@"' \
        "$PLACE" "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF" --node e2e --role login --json >"$SAID" || true
}

# findings: those about libraries, but for what is good
findings() {
    doctor
    [[ -s $SAID ]] || echo "the doctor has said nothing"
    jq -r '.[] | select(.state != "ok" and (.check | IN("tree", "libraries", "scan") or . == "timer")
        and (.object | startswith("jobtrail-submit") | not)) | "\(.state) \(.check) \(.object): \(.found): \(.fix)"' "$SAID"
}

has_cron() {
    echo "17 * * * * root jobtrail-libmon scan --quiet --wait" >"$PLACE/cron"
}

scan() {
    "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF" --quiet
}

@test "an owner whom the host does not know is said" {
    configure "tree = $TREE" "owners = root @root @no-such other"
    has_cron
    scan
    [[ $(findings) == "warning libraries @no-such: there is no such user or group: its files name no libraries: fix [libraries] owners in $CONF" ]]
}

@test "logs and records of uses without a watch are said to have no effect, and logs in one directory are refused" {
    configure "tree = $TREE" "use_logs = $PLACE/uses"
    has_cron
    scan
    [[ $(findings) == "warning libraries $PLACE/uses: use_logs has no effect: it needs 'watch = yes' or 'use_atime = yes', and a tree: write 'watch = yes' in [libraries] of jobtrail.conf" ]]
    configure "tree = $TREE" "use_records = yes"
    scan
    [[ $(findings) == "warning libraries use_records: use_records has no effect: it needs 'watch = yes' or 'use_atime = yes', and a tree: write 'watch = yes' in [libraries] of jobtrail.conf" ]]
    configure "tree = $TREE" "log_dir = $LOGS"
    run ! "$JOBTRAIL_BIN/jobtrail-conf" check --conf "$CONF"
    [[ $output == *"'log_dir' and 'logs' must be separate directories"* ]]
}

@test "uses by times of last access: what runs the turns, mounts without a witness, and that uses go somewhere" {
    mount -t tmpfs -o relatime tree "$TREE"
    echo x >"$TREE/x.a"
    configure "tree = $TREE" "use_atime = yes"
    has_cron
    scan
    atime() { jq -r '.[] | select(.check == "atime" or .object == "jobtrail-libuse poll") | "\(.state) \(.check) \(.object): \(.found): \(.fix)"' "$SAID"; }
    doctor
    local said
    said=$(atime)
    umount "$TREE"
    [[ $said == "warning timer jobtrail-libuse poll: no "*": use_atime = yes of [libraries] has no effect. "* ]]
    [[ $said == *"warning atime use_atime: uses are reported nowhere: neither use_logs nor use_records is set: write 'use_records = yes' in [libraries] of jobtrail.conf" ]]
    mount -t tmpfs -o noatime tree "$TREE"
    configure "tree = $TREE" "use_atime = yes" "use_records = yes"
    echo "*/10 * * * * root jobtrail-libuse poll --quiet" >>"$PLACE/cron"
    doctor
    said=$(atime)
    umount "$TREE"
    [[ $said == *"ok timer jobtrail-libuse poll: a line in /etc/cron.d/site runs it; whether cron is running is not checked: "* ]]
    [[ $said == "warning atime $TREE: no uses are known: it is mounted with noatime: reads leave no trace: mount it writable and with relatime here; or watch on the hosts where it is used"* ]]
    mount -t tmpfs -o relatime tree "$TREE"
    echo x >"$TREE/x.a"
    doctor
    said=$(atime)
    umount "$TREE"
    [[ $said == *"ok atime $TREE: trees whose uses are known by times of last access: 1: "* ]]
    [[ $(findings) != *use_records* ]]
}

@test "nothing is said where no tree is named" {
    configure
    has_cron
    doctor
    [[ $(jq 'length > 0 and all(.[]; .check != "tree" and .check != "libraries" and .check != "scan"
        and (.object | startswith("jobtrail-libmon") | not))' "$SAID") == true ]]
}

@test "a tree with scans of it is good" {
    has_cron
    scan
    [[ $(findings) == "" ]]
    jq -e --arg tree "$TREE" 'any(.[]; .check == "tree" and .object == $tree) and
        any(.[]; .check == "scan" and (.found | startswith("the last scan saw all, 20"))) and
        any(.[]; .check == "timer" and .object == "jobtrail-libmon scan" and (.found | startswith("a line in /etc/cron.d/site runs it")))' "$SAID"
    [[ $(jq '[.[] | select(.check == "libraries")] | length' "$SAID") == 2 ]]
    # on a machine that is a collector alone, too
    "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf "$CONF" --role collector --json >"$SAID" || true
    jq -e 'any(.[]; .check == "scan" and .state == "ok")' "$SAID"
}

@test "a tree that is missing, a link, a file, no absolute path, or one that others can change" {
    has_cron
    scan
    configure "tree = $PLACE/none"
    [[ $(findings) == "warning tree $PLACE/none: No such file or directory: its libraries do not count as removed: mount it, or fix line 4 of $CONF; if it is gone for good: jobtrail-libmon scan --accept-away --conf $CONF" ]]
    ln -s "$PLACE" "$PLACE/link"
    configure "tree = $PLACE/link/sw"
    [[ $(findings) == "warning tree $PLACE/link/sw: a part of its path is a symbolic link, and a scan follows none: write 'tree = $TREE' in $CONF, line 4" ]]
    configure "tree = $TREE/x.a"
    [[ $(findings) == "warning tree $TREE/x.a: it is no directory: name a directory in line 4 of $CONF" ]]
    configure "tree = $TREE"
    for change in "chmod 777" "chmod 775" "chown nobody"; do
        $change "$TREE"
        [[ $(findings) == "warning tree $TREE: others than root can change which libraries programs load, by $TREE: chown root: $TREE && chmod go-w $TREE, unless "* ]]
        bash -c "$(jq -r '.[] | select(.check == "tree").fix | sub(", unless.*"; "")' "$SAID")"
        [[ $(findings) == "" ]]
    done
    configure "tree = sw"
    doctor
    jq -e 'any(.[]; .check == "configuration" and .state == "bad" and (.found | contains("not an absolute path")))' "$SAID"
}

@test "directories for state and logs that root does not write to" {
    has_cron
    scan
    chmod 777 "$STATE"
    [[ $(findings) == "bad libraries $STATE: $STATE can be changed by others than root: chown root: $STATE && chmod go-w $STATE" ]]
    chmod 700 "$STATE"
    chown nobody "$LOGS"
    [[ $(findings) == "bad libraries $LOGS: $LOGS can be changed by others than root: chown root: $LOGS && chmod go-w $LOGS" ]]
    rm -r "$LOGS"
    touch "$LOGS"
    [[ $(findings) == "bad libraries $LOGS: cannot write to $LOGS: Not a directory: fix [libraries] logs in jobtrail.conf" ]]
    LOGS='' configure "tree = $TREE"
    [[ $(findings) == "" ]]
}

@test "logs below a /var/log that a group can write to, as on Ubuntu" {
    has_cron
    scan
    LOGS=/var/log/jobtrail-doctor/libraries configure "tree = $TREE"
    echo 'mount -t tmpfs -o mode=775,gid=daemon none /var/log' >"$PLACE/before"
    [[ $(findings) == "bad libraries /var/log/jobtrail-doctor/libraries: /var/log can be changed by others than root: chown root: /var/log && chmod go-w /var/log" ]]
    # the scan, which the doctor speaks for
    # shellcheck disable=SC2016
    run -3 unshare --mount bash -c 'source "$0" && "$@"' "$PLACE/before" "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF"
    [[ $output == *"root writes nothing to /var/log/jobtrail-doctor/libraries: /var/log can be changed by others" ]]
    echo 'mount -t tmpfs -o mode=755 none /var/log' >"$PLACE/before"
    [[ $(findings) != *" libraries "* ]]
}

@test "no timer, no scan yet, the last one too long ago, or failed, or it could not see all" {
    local fix
    findings
    [[ $(findings) == "warning timer jobtrail-libmon scan: no "*"changes in the trees of [libraries] are not found. "* ]]
    fix=$(jq -r '.[] | select(.check == "timer" and .state == "warning" and .object == "jobtrail-libmon scan").fix' "$SAID")
    [[ $fix == "systemctl enable --now jobtrail-libmon.timer" || $fix == "let cron run 'jobtrail-libmon scan', as jobtrail-libmon.timer does" ]]
    has_cron
    [[ $(findings) == "warning scan $STATE: no scan has ended yet: let the first one read all libraries: jobtrail-libmon scan --conf $CONF" ]]
    scan
    [[ $(findings) == "" ]]
    printf 'ended=%20d failed=0 away=%20d unreadable=%20d seen=%20d pid=%10d\n' "$(date -d '26 hours ago' +%s)" 0 0 0 1 >"$STATE/lock"
    [[ $(findings) == "warning scan $STATE: the last scan is too long ago: $(date -d '26 hours ago' +%Y-%m-%d)"*": see journalctl -u jobtrail-libmon, and what this says: jobtrail-libmon scan --conf $CONF" ]]
    scan
    [[ $(findings) == "" ]]
    mv "$TREE" "$TREE.away"
    mkdir "$TREE"
    run -1 scan
    [[ $(findings) == "warning scan $STATE: 1 trees or mounts were away in the last scan; their libraries do not count as removed: mount them; if they are gone for good: jobtrail-libmon scan --accept-away --conf $CONF" ]]
    bash -c "$JOBTRAIL_BIN/$(jq -r '.[] | select(.check == "scan").fix | sub(".*: "; "")' "$SAID")"
    [[ $(findings) == "" ]]
    echo no database >"$STATE/libraries.db"
    run -3 scan
    [[ $(findings) == "bad scan $STATE: the last scan failed, 20"*": fix what this command says: jobtrail-libmon scan --conf $CONF" ]]
    echo nonsense >"$STATE/lock"
    [[ $(findings) == "warning scan $STATE: how the last scan ended cannot be read: Invalid argument: remove $STATE/lock, and: jobtrail-libmon scan --conf $CONF" ]]
}

# nfs DIRECTORY: as jobtrail-conf is to see it
nfs() {
    gcc -shared -fPIC -o "$PLACE/nfs.so" -x c - <<'TEXT'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

int statfs(const char *path, struct statfs *status)
{
    int (*real)(const char *, struct statfs *) = (int (*)(const char *, struct statfs *))dlsym(RTLD_NEXT, "statfs");
    int result = real(path, status);
    if (strcmp(path, getenv("NFS")) == 0)
        status->f_type = 0x6969;
    return result;
}

int statfs64(const char *path, struct statfs64 *status)
{
    return statfs(path, (struct statfs *)status);
}
TEXT
    echo "export LD_PRELOAD=$PLACE/nfs.so NFS=$1" >"$PLACE/before"
}

@test "trees on a file system of the network are missed by no host that does not scan them" {
    nfs "$TREE"
    chmod 777 "$TREE"
    [[ $(findings) == "" ]]
    jq -e --arg tree "$TREE" 'any(.[]; .check == "tree" and .object == $tree and .state == "ok"
        and .found == "trees on shared file systems are scanned by one host, which is not this one")' "$SAID"
    [[ $(jq '[.[] | select(.check == "libraries")] | length' "$SAID") == 0 ]]
    # but by one with a timer, or that has scanned them, or with a tree of its own
    has_cron
    [[ $(findings) == *"warning tree $TREE: others than root can change"* ]]
    : >"$PLACE/cron"
    scan
    chmod 755 "$TREE"
    [[ $(findings) == "warning timer jobtrail-libmon scan: "* ]]
    rm -r "$STATE"
    [[ $(findings) == "" ]]
    mkdir "$PLACE/own"
    configure "tree = $TREE" "tree = $PLACE/own"
    [[ $(findings) == "warning timer jobtrail-libmon scan: "* ]]
}
