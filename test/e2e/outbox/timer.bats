#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The timer's unit for systemd: no systemd runs here, so that what it grants is put together by hand, and
# its commands are to do their work with that. Needs root.

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/unit

USER_ID=$(id -u nobody) # and the group of this number

setup() {
    PLACE=$(mktemp -d /tmp/jobtrail-timer-XXXXXX)
    chmod 755 "$PLACE"
    mkdir "$PLACE/writable" "$PLACE/state"
    cp -R "$JOBTRAIL_STAGE" "$PLACE/stage"
    install -m 755 "$JOBTRAIL_BUILD/test/programs/exit_with" "$PLACE/exit_with"
    # shellcheck disable=SC2034 # new_job uses it
    RULES=$(printf '[preload]\nlibrary = %s/stage/lib/jobtrail/before-libasan.so/lib64/libjobtrail.so\n%s\n' "$PLACE" "$KEEP_ALL")
    UNIT=$PLACE/jobtrail-send.service
    sed 's|/[^ ]*/bin/\(jobtrail-[a-z]*\)|'"$PLACE/stage/bin/\\1|" \
        "$JOBTRAIL_STAGE/share/jobtrail/jobtrail-send.service" >"$UNIT"
    cp "$JOBTRAIL_STAGE/share/jobtrail/jobtrail-send.timer" "$PLACE"
}

teardown() {
    rm -rf --one-file-system "$PLACE"
}

@test "systemd has nothing to say about the units, and calls their exposure low" {
    is_clean 40 "$PLACE/jobtrail-send.timer"
}

# bats test_tags=needs:systemd_manager
@test "the unit fails where the flush breaks down for job after job, and not where records wait" {
    ends_as 0 success ExecStopPost
    ends_as 1 success ExecStopPost
    ends_as 5 exit-code ExecStopPost
}

# bats test_tags=needs:root
@test "with what the unit grants its commands flush jobs and sessions of others, and send" {
    local commands command
    OWNER=nobody PLACE=$PLACE/writable new_job # in a place of its own: what the unit may write to
    sed -i "s|^dir = .*/spool\$|&\nsessions = $PLACE/writable/sessions|" "$CONF"
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    # systemd runs this one also when one before it has failed
    [[ $(setting ExecStopPost) == */jobtrail-submit" status --write" ]]
    mapfile -t commands < <(sed -nE 's/^Exec(Start|StopPost)=//p' "$UNIT")
    ((${#commands[@]} == 4))
    # shellcheck disable=SC2086
    confined ${commands[0]} --conf "$CONF" # which makes the directory for sessions
    # a job of this user that is over, whose ledger he has closed
    sed -i "s/uid=0 gid=0/uid=$USER_ID gid=$USER_ID/" "$SPOOL/$JOB.0/journal"
    chown "$USER_ID:$USER_ID" "${TRACKED[0]#*=}"/{ledger,packages}
    tracked setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups "$PLACE/exit_with" 0
    echo 'epilog time=1700000000.000000000' >>"$SPOOL/$JOB.0/journal"
    chmod 000 "${TRACKED[0]#*=}/ledger"
    # and a session
    # shellcheck disable=SC2016
    setsid --wait setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups env -i PATH=/usr/bin:/bin bash -ec '
        while read -r verb name value; do [[ $name == JOBTRAIL_* || $name == XALT_* || $name == LD_PRELOAD ]] &&
            variables+=("$name=$value"); done < <("$1" session --conf "$2")
        env "${variables[@]}" "$3" 0' _ "$PLACE/stage/bin/jobtrail-submit" "$CONF" "$PLACE/exit_with"
    for command in "${commands[@]}"; do
        # shellcheck disable=SC2086
        confined $command --conf "$CONF" || [[ $(setting SuccessExitStatus) == "$?" ]]
    done
    [[ ! -e $SPOOL/$JOB.0 ]]
    [[ $(records | jq -c 'map([.userT.exec_path, .userT.user, .slurmT.job_id != null]) | sort') == \
        "[[\"$PLACE/exit_with\",\"nobody\",false],[\"$PLACE/exit_with\",\"nobody\",true]]" ]] || { records; false; }
    may_all 40
}
