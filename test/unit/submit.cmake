# SPDX-License-Identifier: LGPL-2.1-or-later
jobtrail_unit_test(submit_journal_test submit_journal_test.c
    ${PROJECT_SOURCE_DIR}/spank/journal_line.c LIBS jobtrail_submit)
jobtrail_unit_test(submit_ledger_test submit_ledger_test.c submit_fixture.c LIBS jobtrail_submit)
jobtrail_unit_test(submit_ending_test submit_ending_test.c LIBS jobtrail_submit)
jobtrail_unit_test(submit_text_test submit_text_test.c submit_fixture.c LIBS jobtrail_submit)
jobtrail_unit_test(submit_record_test submit_record_test.c LIBS jobtrail_submit)
foreach(test submit_spool_test submit_flush_test submit_quarantine_test)
    jobtrail_unit_test(${test} ${test}.c submit_node.c submit_fixture.c LIBS jobtrail_submit)
endforeach()
jobtrail_unit_test(submit_package_test submit_package_test.c LIBS jobtrail_submit)
jobtrail_unit_test(submit_coverage_test submit_coverage_test.c LIBS jobtrail_submit m)
jobtrail_unit_test(submit_crc_test submit_crc_test.c LIBS jobtrail_submit)
jobtrail_unit_test(submit_hash_test submit_hash_test.c LIBS jobtrail_submit)
jobtrail_unit_test(submit_hand_in_test submit_hand_in_test.c LIBS jobtrail_submit)
jobtrail_unit_test(submit_descriptors_test submit_descriptors_test.c LIBS jobtrail_submit)
jobtrail_unit_test(submit_worker_check_test submit_worker_check_test.c submit_node.c submit_fixture.c
    LIBS jobtrail_submit)
target_link_options(unit-submit_worker_check_test PRIVATE -Wl,--wrap=run_record_build)
