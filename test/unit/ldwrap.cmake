# SPDX-License-Identifier: LGPL-2.1-or-later
jobtrail_unit_test(ldwrap_arguments_test ldwrap_arguments_test.c LIBS jobtrail_ldwrap)
jobtrail_unit_test(ldwrap_files_test ldwrap_files_test.c LIBS jobtrail_ldwrap)
jobtrail_unit_test(ldwrap_note_test ldwrap_note_test.c LIBS jobtrail_ldwrap)
jobtrail_unit_test(ldwrap_guard_test ldwrap_guard_test.c LIBS jobtrail_ldwrap)
