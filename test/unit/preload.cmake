# SPDX-License-Identifier: LGPL-2.1-or-later
# The preload library's own sources, built again as part of a program, which has a libc.
set(preload ${PROJECT_SOURCE_DIR}/preload)
find_package(Threads REQUIRED)
jobtrail_unit_test(preload_slot_test preload_slot_test.c ${preload}/slot.c ${preload}/fields.c
    LIBS jobtrail_ledger Threads::Threads)
