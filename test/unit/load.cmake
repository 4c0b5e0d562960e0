# SPDX-License-Identifier: LGPL-2.1-or-later
jobtrail_unit_test(load_record_test load_record_test.c LIBS jobtrail_load_core)
jobtrail_unit_test(load_store_test load_store_test.c LIBS jobtrail_load_core)
jobtrail_unit_test(load_coverage_test load_coverage_test.c LIBS jobtrail_load_core)
jobtrail_unit_test(load_owner_test load_owner_test.c LIBS jobtrail_load_core)
jobtrail_unit_test(load_syslog_line_test load_syslog_line_test.c LIBS jobtrail_load_core)
