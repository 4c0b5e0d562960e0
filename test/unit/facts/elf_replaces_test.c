/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/file_facts.h"

#include "test/unit/fixture/cases.h"

TEST(a_shell_replaces_and_a_small_tool_does_not)
{
    uint64_t changed_ns = 0;
    assert_true(elf_replaces("/bin/sh", &changed_ns));
    assert_true(changed_ns != 0 && changed_ns != UINT64_MAX);
    assert_false(elf_replaces("/bin/true", &changed_ns));
}

TEST(what_cannot_be_told_counts_as_replacing)
{
    uint64_t changed_ns;
    assert_true(elf_replaces("/etc/passwd", &changed_ns));
    assert_true(elf_replaces("/nonexistent", &changed_ns));
    assert_int_equal(changed_ns, UINT64_MAX);
}
