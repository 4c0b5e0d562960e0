/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/robj/entry_check.h"

#include "test/unit/fixture/cases.h"

/* What has been complained of, "LINE NAME TEXT;" one after the other. */
static char told[1024];

static void tell(void *context, size_t line, const char *name, const char *text)
{
    size_t used = strlen(told);
    (void)context;
    snprintf(told + used, sizeof told - used, "%zu %s %s;", line, name, text);
}

static long read_text(const char *text, struct entries *entries)
{
    told[0] = '\0';
    return entries_read(text, strlen(text), tell, NULL, entries);
}

TEST(a_line_has_a_routine_and_its_new_name)
{
    struct entries entries;
    assert_int_equal(read_text("# MYSUBR1 MYSURF1\n\n MYSUBR2\r\nMYFUN1\tMYPUN1 # MINEONLY\n"
                               "a#comment_is_no_name_but_this_is\nlast #",
                               &entries),
                     1);
    assert_string_equal(told, "5 a#comment_is_no_name_but_this_is this cannot be the name of an "
                              "entry;");
    assert_int_equal(entries.count, 3);
    assert_string_equal(entries.item[0].name, "MYFUN1");
    assert_string_equal(entries.item[0].renamed, "MYPUN1");
    assert_int_equal(entries.item[0].line, 4);
    assert_string_equal(entries_find(&entries, "MYSUBR2")->renamed, "MYSUBR2.real");
    assert_string_equal(entries_find(&entries, "last")->renamed, "last.real");
    assert_null(entries_find(&entries, "MYSUBR1"));
    entries_free(&entries);
}

TEST(an_empty_file_has_no_entries)
{
    struct entries entries;
    assert_int_equal(read_text("", &entries), 0);
    assert_int_equal(entries.count, 0);
    assert_null(entries_find(&entries, ""));
    entries_free(&entries);
}

TEST(a_name_is_taken_once)
{
    struct entries entries;
    assert_int_equal(read_text("b x\na x\nb\nc a\nd d\ne 1 2\nf@2\n", &entries), 6);
    assert_string_equal(told, "5 d its new name is the old one;"
                              "6 2 a line has a routine, its new name, and no more;"
                              "7 f@2 this cannot be the name of an entry;"
                              "3 b it has been named before;"
                              "4 a the new name is that of another entry;"
                              "2 x another routine has this new name, too;");
    assert_int_equal(entries.count, 3);
    entries_free(&entries);
}

TEST(names_have_no_control_characters)
{
    static const char *const good[] = {"dgemm_", "_ZN1aC2Ev", "gr\xc3\xbc\xc3\x9f", "a.b$c"};
    static const char *const bad[] = {"", "a b", "a\x1b[2J", "a\x7f", "a@V", "a#", "a\n"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(entry_is_name(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(entry_is_name(bad[i]));
}
