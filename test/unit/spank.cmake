# SPDX-License-Identifier: LGPL-2.1-or-later
# The plugin's own sources, built again as part of a program: with its sanitizers, without Slurm.
set(spank ${PROJECT_SOURCE_DIR}/spank)
jobtrail_unit_test(spank_preload_list_test spank_preload_list_test.c ${spank}/preload_list.c
    LIBS jobtrail_journal)
jobtrail_unit_test(spank_leader_test spank_leader_test.c ${spank}/leader.c LIBS jobtrail_journal)
jobtrail_unit_test(spank_spool_test spank_spool_test.c ${spank}/journal_line.c
    ${spank}/journal_owner.c ${spank}/ledger_make.c ${spank}/spool.c ${spank}/spool_access.c
    ${spank}/spool_enter.c ${spank}/spool_make.c ${spank}/spool_reserve.c
    LIBS jobtrail_journal jobtrail_ledger jobtrail_packages jobtrail_policy)
jobtrail_unit_test(spank_path_list_test spank_path_list_test.c ${spank}/path_list.c
    LIBS jobtrail_journal)
jobtrail_unit_test(spank_helper_test spank_helper_test.c ${spank}/helper.c LIBS jobtrail_journal)
target_compile_definitions(unit-spank_helper_test PRIVATE JOBTRAIL_BIN_FROM_PLUGIN="../../bin")
