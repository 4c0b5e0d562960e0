#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A site's layout for containers: the prefix, the configuration and the spool in one directory, which
# is all that a container has to bind.
# bats file_tags=needs:root
# shellcheck disable=SC2030,SC2031 # bats runs each test in a subshell

load ../fixture/job

setup() {
    export USER=${USER:-root} # ch-run asks
    SITE=$BATS_TEST_TMPDIR/opt/jobtrail
    mkdir -p "$SITE/spool"
    cp -R "$JOBTRAIL_STAGE/." "$SITE"
    # as a site has it on each node, and the plugin for each job
    export MOUNT=yes
    mount -t tmpfs -o mode=711,size=16M none "$SITE/spool"
    PLACE=$SITE LIBRARY=$SITE/lib/jobtrail/before-libasan.so/lib64/libjobtrail.so new_job
    unset MOUNT
    [[ $(findmnt --noheadings --output SOURCE --mountpoint "$SPOOL/$JOB.0/user") == jobtrail ]]
    new_image
}

teardown() {
    umount -l "$SITE/spool"
}

# new_image: a root directory in $IMAGE that has exit_with and knows nothing of us
new_image() {
    IMAGE=$BATS_TEST_TMPDIR/image
    local file
    mkdir -p "$IMAGE"/{proc,dev,tmp,etc,bin,sys,home,usr/bin,root} "$IMAGE$SITE"
    touch "$IMAGE/etc/passwd" "$IMAGE/etc/group" "$IMAGE/etc/hosts" "$IMAGE/etc/resolv.conf"
    cp "$PROGRAMS/exit_with" "$IMAGE/bin"
    ldd "$IMAGE/bin/exit_with" | grep -o '/lib[^ ]*' | sort -u |
        while read -r file; do install -D "$file" "$IMAGE$file"; done
}

@test "a program in bubblewrap is recorded where the one directory is bound" {
    unnoticed bwrap --bind "$IMAGE" / --bind "$SITE" "$SITE" --proc /proc --dev /dev /bin/exit_with 3
    [[ $(<"$BATS_TEST_TMPDIR/with/status") == 3 ]]
    flush
    [[ $(endings | grep -v bwrap) == "exit_with fini" ]]
}

@test "a program in charliecloud is recorded where the one directory is bound" {
    observe without "${TRACKED[@]:0:4}" ch-run --bind "$SITE:$SITE" "$IMAGE" -- /bin/exit_with 3
    observe with "${TRACKED[@]}" ch-run --bind "$SITE:$SITE" "$IMAGE" -- /bin/exit_with 3
    diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    [[ $(<"$BATS_TEST_TMPDIR/with/status") == 3 ]]
    flush
    [[ $(endings | grep -v ch-run) == "exit_with fini" ]]
}

@test "a program in an image without the library runs as ever, and its runtime is recorded" {
    local tracking
    for tracking in yes no; do # no: as other ranks
        TRACKED[3]=XALT_EXECUTABLE_TRACKING=$tracking
        unnoticed bwrap --bind "$IMAGE" / --proc /proc --dev /dev /bin/exit_with 3
        unnoticed ch-run "$IMAGE" -- /bin/exit_with 3
        [[ $(<"$BATS_TEST_TMPDIR/with/status") == 3 ]]
    done
    flush
    [[ $(endings | cut -d ' ' -f 1 | sort -u) == $'bwrap\nch-run' ]]
}

@test "a bind in any form keeps the library, and the user's own libraries stay" {
    local form
    printf 'int main(void) { return getenv("LD_PRELOAD") == 0 ? 0 : puts(getenv("LD_PRELOAD")) < 0; }\n' >"$BATS_TEST_TMPDIR/show.c"
    gcc -include stdio.h -include stdlib.h "$BATS_TEST_TMPDIR/show.c" -o "$BATS_TEST_TMPDIR/bwrap"
    for form in "--bind / /" "--bind $SITE $SITE" "-b$SITE" "-wb$SITE" "--bind=/there:$SITE:ro" "-B /scratch,$SITE" "--args 3" "--join-pid=4"; do
        # shellcheck disable=SC2086
        [[ $(tracked "$BATS_TEST_TMPDIR/bwrap" $form) == "${TRACKED[4]#*=}" ]] || { echo "$form"; false; }
    done
    for form in "--bind /image /" "--chdir / --tmpfs /" "-- $SITE $SITE" "--bind /images/opt /opt"; do
        # shellcheck disable=SC2086
        [[ $(tracked "$BATS_TEST_TMPDIR/bwrap" $form) == "" ]] || { echo "$form"; false; }
    done
    gcc -shared -o "$BATS_TEST_TMPDIR/libjobtrail-mine.so" -x c /dev/null
    TRACKED[4]+=:$BATS_TEST_TMPDIR/libjobtrail-mine.so
    [[ $(tracked "$BATS_TEST_TMPDIR/bwrap") == "$BATS_TEST_TMPDIR/libjobtrail-mine.so" ]]
}
