/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/file_facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_shell_replaces_and_a_small_tool_does_not(void **state)
{
    uint64_t changed_ns = 0;
    (void)state;
    assert_true(elf_replaces("/bin/sh", &changed_ns));
    assert_true(changed_ns != 0 && changed_ns != UINT64_MAX);
    assert_false(elf_replaces("/bin/true", &changed_ns));
}

static void what_cannot_be_told_counts_as_replacing(void **state)
{
    uint64_t changed_ns;
    (void)state;
    assert_true(elf_replaces("/etc/passwd", &changed_ns));
    assert_true(elf_replaces("/nonexistent", &changed_ns));
    assert_int_equal(changed_ns, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shell_replaces_and_a_small_tool_does_not),
        cmocka_unit_test(what_cannot_be_told_counts_as_replacing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
