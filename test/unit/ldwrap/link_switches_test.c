/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The variables of XALT that links listen to.
 */
#include "ldwrap/link_switches.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "conf/base/io.h"

static void each_switch_has_its_default(void **state)
{
    (void)state;
    unsetenv("XALT_EXECUTABLE_TRACKING");
    unsetenv("XALT_FUNCTION_TRACKING");
    unsetenv("XALT_CMDLINE_RECORD");
    assert_false(switch_tracking());
    assert_true(switch_functions());
    assert_true(switch_command_line());
    setenv("XALT_EXECUTABLE_TRACKING", "yes", 1);
    setenv("XALT_FUNCTION_TRACKING", "no", 1);
    setenv("XALT_CMDLINE_RECORD", "no", 1);
    assert_true(switch_tracking());
    assert_false(switch_functions());
    assert_false(switch_command_line());
    setenv("XALT_EXECUTABLE_TRACKING", "YES", 1);
    setenv("XALT_FUNCTION_TRACKING", "", 1);
    setenv("XALT_CMDLINE_RECORD", "yes", 1);
    assert_false(switch_tracking());
    assert_true(switch_functions());
    assert_true(switch_command_line());
}

static void a_trace_goes_to_the_end_of_a_file_as_one_line(void **state)
{
    char path[] = "/tmp/jobtrail-trace-XXXXXX", tracing[64], text[8192], message[6000];
    (void)state;
    close(mkstemp(path));
    snprintf(tracing, sizeof tracing, "link:%s", path);
    setenv("XALT_TRACING", tracing, 1);
    switch_trace("%d of %s", 1, "two");
    switch_trace("second");
    assert_int_equal(io_read_text(AT_FDCWD, path, text, sizeof text), 42);
    assert_string_equal(text, "jobtrail-ld: 1 of two\njobtrail-ld: second\n");

    memset(message, 'x', sizeof message - 1);
    message[sizeof message - 1] = '\0';
    switch_trace("%s", message);
    ssize_t size = io_read_text(AT_FDCWD, path, text, sizeof text);
    assert_int_equal(size, 42 + 4095); /* what is longer is cut */
    assert_int_equal(text[size - 1], '\n');
    setenv("XALT_TRACING", "run", 1);
    switch_trace("nowhere");
    assert_int_equal(io_read_text(AT_FDCWD, path, text, sizeof text), size);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_switch_has_its_default),
        cmocka_unit_test(a_trace_goes_to_the_end_of_a_file_as_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
