#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Random schedules of jobs of all launch kinds are told as they were: see schedules.bash. With the witness.
# bats file_tags=needs:hear_kernel,needs:witness,soak

load schedules

setup_file() {
    RULES=$'[witness]\nlevel = objects' start_schedules
    eventually 60 witness_listens
    run_schedules
}

@test "no record is lost, doubled or wrong, by what programs noted and the kernel said" {
    "$SCHEDULE" check "$NOTES" "$DIR/truth" "$STORE"
}

@test "what nodes allocated adds up, and is what sacct has of each attempt" {
    check_numbers "$STORE"
}
