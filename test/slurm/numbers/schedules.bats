#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Random schedules of jobs of all launch kinds are told as they were: see schedules.bash. Without the kernel's word for jobtrail.
# bats file_tags=soak

load schedules

setup_file() {
    RULES=$'[witness]\nlevel = off' start_schedules
    run_schedules
}

@test "no record is lost, doubled or wrong, by what programs noted and the kernel said" {
    "$SCHEDULE" check "$NOTES" "$DIR/truth" "$STORE"
}

@test "what nodes allocated adds up, and is what sacct has of each attempt" {
    check_numbers "$STORE"
}
