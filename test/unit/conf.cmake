# SPDX-License-Identifier: LGPL-2.1-or-later
jobtrail_unit_test(conf_regex_test conf_regex_test.c LIBS jobtrail_conf)
jobtrail_unit_test(conf_policy_test conf_policy_test.c LIBS jobtrail_conf)
jobtrail_unit_test(conf_decide_test conf_decide_test.c conf_compiled.c LIBS jobtrail_conf)
jobtrail_unit_test(conf_trusted_test conf_trusted_test.c LIBS jobtrail_conf)
jobtrail_unit_test(conf_load_test conf_load_test.c LIBS jobtrail_conf)
target_compile_definitions(unit-conf_load_test PRIVATE
    SHIPPED_CONF="$<TARGET_PROPERTY:jobtrail_conf,BINARY_DIR>/jobtrail.conf")
jobtrail_unit_test(conf_redact_test conf_redact_test.c conf_compiled.c LIBS jobtrail_conf)
