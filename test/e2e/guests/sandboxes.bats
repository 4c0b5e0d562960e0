#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs that are confined, or that confine themselves: chroot, namespaces, containers, seccomp,
# other credentials. Needs root.
# shellcheck disable=SC2016 # for other shells and languages to expand

load ../fixture/job

setup() {
    RULES=$KEEP_ALL new_job
}

@test "a program in seccomp's strict mode ends as ever, and its end is recorded" {
    unnoticed "$PROGRAMS/seccomp_exit" strict
    [[ $(<"$BATS_TEST_TMPDIR/with/status") == 137 ]]
    leaves "seccomp_exit fini"
}

@test "a program under a seccomp filter that kills ends as ever, and its end is recorded" {
    unnoticed "$PROGRAMS/seccomp_exit" filter
    [[ $(<"$BATS_TEST_TMPDIR/with/status") == 3 ]]
    leaves "seccomp_exit fini"
}

@test "a program that has given up the time stamp counter ends as ever, and its end is recorded" {
    # x86-64's prctl(2) is 157; PR_SET_TSC, PR_TSC_SIGSEGV
    unnoticed perl -e 'syscall(157, 26, 2) == 0 or die $!; exit 3'
    [[ $(<"$BATS_TEST_TMPDIR/with/status") == 3 ]]
    leaves "perl fini"
}

@test "a program that becomes nobody ends as ever, and its end is recorded" {
    unnoticed perl -MPOSIX -e 'POSIX::setgid(65534); POSIX::setuid(65534) or die; exit 5'
    leaves "perl fini"
}

# bats test_tags=needs:root
@test "a program that changes its root ends as ever, and its end is recorded" {
    mkdir "$BATS_TEST_TMPDIR/root"
    unnoticed perl -e 'chroot $ARGV[0] and chdir "/" or die; exit 6' "$BATS_TEST_TMPDIR/root"
    leaves "perl fini"
}

# bats test_tags=needs:root
@test "a program that moves into namespaces of its own ends as ever, and its end is recorded" {
    # CLONE_NEWNS, NEWUTS, NEWIPC, NEWNET, NEWCGROUP; x86-64's unshare(2) is 272
    unnoticed perl -e 'syscall(272, 0x20000 | 0x4000000 | 0x8000000 | 0x40000000 | 0x2000000) == 0 or die $!;
        system "umount", "-l", "/proc"; exit 7'
    leaves "perl fini" "umount fini"
}

# new_root: a root directory with what exit_with, list_fds and a shell need
new_root() {
    ROOT=$BATS_TEST_TMPDIR/root
    local file
    mkdir -p "$ROOT/proc" "$ROOT/dev" "$ROOT/tmp" "$ROOT/etc" "$ROOT/bin"
    cp "$PROGRAMS/exit_with" "$PROGRAMS/list_fds" /bin/dash "$ROOT/bin"
    ldd "$ROOT/bin/exit_with" "$ROOT/bin/list_fds" "$ROOT/bin/dash" | grep -o '/lib[^ ]*' | sort -u |
        while read -r file; do install -D "$file" "$ROOT$file"; done
}

# bats test_tags=needs:root
@test "in a chroot that has the library and no spool a program runs as ever, without a record" {
    new_root
    install -D "$LIBRARY" "$ROOT$LIBRARY"
    unnoticed chroot "$ROOT" /bin/exit_with 3
    unnoticed chroot "$ROOT" /bin/dash -c '/bin/exit_with 3; echo $?; exec /bin/list_fds'
    leaves "chroot exec" "chroot exec"
}

# bats test_tags=needs:root
@test "in a chroot that has library, policy and spool a program is recorded" {
    new_root
    install -D "$LIBRARY" "$ROOT$LIBRARY"
    install -D "${CONF%.conf}.policy" "$ROOT${CONF%.conf}.policy"
    mkdir -p "$ROOT$SPOOL"
    unnoticed unshare --mount bash -c 'mount --bind "$1" "$2$1" && exec chroot "$2" /bin/exit_with 3' \
        bash "$SPOOL" "$ROOT"
    flush
    [[ $(records | jq -r '.[] | select(.cmdlineA[0] == "/bin/exit_with") | .slurmT.end_source') == fini ]]
}

# Nothing that is not there can keep the loader from saying so: a site that uses chroots has the
# library in them.
# bats test_tags=needs:root
@test "in a chroot without the library a program runs as ever but for one line of the loader's" {
    new_root
    observe without "${TRACKED[@]:0:4}" chroot "$ROOT" /bin/exit_with 3
    observe with "${TRACKED[@]}" chroot "$ROOT" /bin/exit_with 3
    cmp "$BATS_TEST_TMPDIR/without/status" "$BATS_TEST_TMPDIR/with/status"
    cmp "$BATS_TEST_TMPDIR/without/stdout" "$BATS_TEST_TMPDIR/with/stdout"
    [[ $(<"$BATS_TEST_TMPDIR/with/stderr") == "ERROR: ld.so: object '$LIBRARY' from LD_PRELOAD cannot be preloaded"*": ignored." ]]
    leaves "chroot exec"
}

# bats test_tags=needs:root
@test "unshare gives a program its own mounts, processes and users, and it is recorded" {
    unnoticed unshare --mount "$PROGRAMS/exit_with" 3
    unnoticed unshare --pid --fork "$PROGRAMS/exit_with" 3
    unnoticed unshare --pid --fork --mount-proc "$PROGRAMS/exit_with" 3
    unnoticed unshare --user --map-root-user "$PROGRAMS/exit_with" 3
    unnoticed unshare --net --ipc --uts --cgroup "$PROGRAMS/exit_with" 3
    flush
    [[ $(endings | grep exit_with) == "$(repeated 5 "exit_with fini")" ]]
}

# bats test_tags=needs:root
@test "programs that are each the first of a process namespace have a record each" {
    for _ in {1..6}; do
        tracked unshare --pid --fork --mount-proc "$PROGRAMS/_exit_with" &
    done
    wait
    flush
    [[ $(endings | grep _exit_with) == "$(repeated 6 "_exit_with epilog")" ]]
}

# bats test_tags=needs:root
@test "without /proc a program runs as ever, and is recorded under the name it was called by" {
    unnoticed unshare --mount bash -c 'umount -l /proc && exec "$0" 3' "$PROGRAMS/exit_with"
    unnoticed unshare --mount bash -c 'umount -l /proc && cd "${0%/*}" && exec ./exit_with 3' "$PROGRAMS/exit_with"
    flush
    [[ $(records | jq -r '.[] | select(.cmdlineA[1] == "3") | "\(.userT.exec_path) \(.slurmT.end_source)"' | sort) == "$(repeated 2 "$PROGRAMS/exit_with fini")" ]]
}

# bats test_tags=needs:root
@test "without /proc several programs that only the flush ends have a record each" {
    tracked unshare --mount bash -c 'umount -l /proc; for i in 1 2 3; do "$0" "$i"; done; exit 0' "$PROGRAMS/_exit_with"
    flush
    [[ $(endings | grep _exit_with) == "$(repeated 3 "_exit_with epilog")" ]]
}

# bats test_tags=needs:root
@test "with a /tmp and a spool that others do not see a program runs as ever, without a record" {
    unnoticed unshare --mount bash -c 'mount -t tmpfs none "$1" && exec "$0" 3' "$PROGRAMS/exit_with" "$SPOOL"
    leaves "bash epilog" "mount fini" "unshare exec"
}

@test "a program that hides /proc behind its own users and processes has its end recorded" {
    unnoticed unshare --user --map-root-user --pid --fork --mount-proc --kill-child "$PROGRAMS/list_fds"
    flush
    [[ $(endings | grep list_fds) == "list_fds fini" ]]
}

@test "bubblewrap runs a program as ever, and it is recorded when the spool is to be seen" {
    unnoticed bwrap --bind / / --dev /dev --proc /proc --unshare-all --die-with-parent "$PROGRAMS/exit_with" 3
    unnoticed bwrap --bind / / --dev /dev --proc /proc "$PROGRAMS/list_fds"
    flush
    [[ $(endings | grep -v bwrap) == $'exit_with fini\nlist_fds fini' ]]
}

@test "bubblewrap with a read-only or a hidden spool runs a program as ever, without a record" {
    unnoticed bwrap --ro-bind / / --dev /dev --proc /proc --unshare-all "$PROGRAMS/exit_with" 3
    unnoticed bwrap --bind / / --dev /dev --proc /proc --tmpfs "$SPOOL" "$PROGRAMS/exit_with" 3
    flush
    [[ $(endings | grep -v bwrap) == "" ]]
}

@test "where a filter kills for executable memory, and the spool is hidden, a program runs as ever, without a record" {
    unnoticed bwrap --bind / / --dev /dev --proc /proc --tmpfs "$SPOOL" "$PROGRAMS/exec_without_x" "$PROGRAMS/exit_with" 3
    [[ $(<"$BATS_TEST_TMPDIR/with/status") == 3 ]]
    flush
    [[ $(endings | grep -v bwrap) == "" ]]
}

@test "charliecloud runs a program in an image that has the library, and it is recorded" {
    new_root
    mkdir -p "$ROOT/usr/bin" "$ROOT/home" "$ROOT/mnt/0" "$ROOT/mnt/1" "$ROOT/mnt/2" "$ROOT/sys"
    touch "$ROOT/etc/passwd" "$ROOT/etc/group" "$ROOT/etc/hosts" "$ROOT/etc/resolv.conf"
    local bind=(--bind "${LIBRARY%/*}:/mnt/0" --bind "$SPOOL:/mnt/1" --bind "${CONF%/*}:/mnt/2")
    local inside=(--set-env=LD_PRELOAD=/mnt/0/libjobtrail.so "--set-env=JOBTRAIL_SPOOL=/mnt/1/$JOB.0/user"
        --set-env=JOBTRAIL_POLICY=/mnt/2/jobtrail.policy)
    export USER=${USER:-root}
    observe without "${TRACKED[@]:0:4}" ch-run "${bind[@]}" "$ROOT" -- /bin/exit_with 3
    observe with "${TRACKED[@]}" ch-run "${bind[@]}" "${inside[@]}" "$ROOT" -- /bin/exit_with 3
    diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    flush
    [[ $(endings | grep -v ch-run) == "exit_with fini" ]]
}
