/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/uses/use_counts.h"

#include "test/unit/fixture/cases.h"

TEST(a_program_is_known_by_its_name)
{
    static const struct {
        const char *program;
        enum use_kind kind;
    } programs[] = {
        {"/usr/bin/ld", USE_LINK},
        {"/usr/bin/x86_64-linux-gnu-ld.bfd", USE_LINK},
        {"/usr/bin/ld.lld-15", USE_LINK},
        {"mold", USE_LINK},
        {"/opt/gcc/libexec/collect2", USE_LINK},
        {"/usr/lib/gcc/x86_64-linux-gnu/12/f951", USE_COMPILE},
        {"/usr/bin/flang-new-15", USE_COMPILE},
        {"/usr/bin/vim.basic", USE_EDIT},
        {"/usr/bin/rsync", USE_COPY},
        {"/usr/bin/dpkg-deb", USE_COPY},
        {"/usr/bin/ldd", USE_OPEN},
        {"/usr/ld/python3", USE_OPEN},
        {"/usr/bin/ld-", USE_OPEN},
        {"-15", USE_OPEN},
        {"-", USE_OPEN},
        {"", USE_OPEN},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        assert_int_equal(use_kind_of(programs[i].program), programs[i].kind);
}

TEST(a_name_beyond_all_bounds_is_no_linker)
{
    char name[300];
    memset(name, 'x', sizeof name);
    strcpy(name + sizeof name - 4, "-ld");
    assert_int_equal(use_kind_of(name), USE_OPEN);
}

TEST(each_kind_has_words_of_its_own)
{
    for (int i = 0; i < USE_KINDS; i++) {
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(use_kind_word((enum use_kind)i),
                                    use_kind_word((enum use_kind)k));
            assert_string_not_equal(use_kind_log_word((enum use_kind)i),
                                    use_kind_log_word((enum use_kind)k));
        }
    }
    assert_string_equal(use_kind_word(USE_LINK), "link");
    assert_string_equal(use_kind_log_word(USE_LINK), "LIB_LINKED");
}
