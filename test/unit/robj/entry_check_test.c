/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/robj/entry_check.h"

#include "test/unit/fixture/cases.h"

/* Why `count` symbols of one name cannot be an entry. */
static const char *refusal(const struct archive_symbol *symbols, size_t count, bool x, bool a)
{
    static struct archive_member member; /* its object refers to nothing */
    const struct archive archive = {.member = &member, .count = 1};
    const struct archive_symbol *by_name[3];
    for (size_t i = 0; i < count; i++)
        by_name[i] = &symbols[i];
    const struct archive_symbols all = {(struct archive_symbol *)(uintptr_t)symbols, count,
                                        by_name};
    const struct preparation preparation = {&archive, &all, x, a};
    return entry_refusal(&preparation, 0, count);
}

static const char *refusal_of(struct archive_symbol symbol)
{
    return refusal(&symbol, 1, false, true);
}

TEST(a_routine_can_be_an_entry_also_if_it_is_used_and_there_twice)
{
    const struct archive_symbol symbols[] = {
        {.name = "f", .kind = SYMBOL_REFERENCE},
        {.name = "f", .kind = SYMBOL_ROUTINE},
        {.name = "f", .kind = SYMBOL_ROUTINE},
    };
    assert_null(refusal(symbols, 3, false, true));
    assert_null(refusal(symbols, 3, true, false));
    assert_string_equal(refusal(symbols, 1, false, true),
                        "is not defined in the archive, only used");
    assert_string_equal(refusal(symbols, 0, false, true), "is not in the archive");
}

TEST(what_is_no_routine_is_none)
{
    for (int kind = SYMBOL_DATA; kind < SYMBOL_KINDS; kind++) {
        const struct archive_symbol symbols[] = {
            {.name = "f", .kind = SYMBOL_ROUTINE},
            {.name = "f", .kind = (enum symbol_kind)kind},
        };
        assert_non_null(refusal(symbols, 2, false, false));
    }
    assert_non_null(strstr(refusal_of((struct archive_symbol){.name = "f", .is_grouped = true}),
                           "group of sections"));
    assert_string_equal(refusal_of((struct archive_symbol){.name = "f@@V1"}),
                        "is a symbol with a version");
    assert_string_equal(refusal_of((struct archive_symbol){.name = "f\x1b"}),
                        "has a name that no entry file can have");
}

TEST(weak_symbols_depend_on_the_references)
{
    const struct archive_symbol weak = {.name = "f", .kind = SYMBOL_ROUTINE, .is_weak = true};
    const struct archive_symbol asked[] = {
        {.name = "f", .kind = SYMBOL_ROUTINE},
        {.name = "f", .kind = SYMBOL_REFERENCE, .is_weak = true},
    };
    assert_null(refusal(&weak, 1, false, true));
    assert_non_null(strstr(refusal(&weak, 1, true, true), "is weak"));
    assert_non_null(strstr(refusal(asked, 2, false, true), "refers to it weakly"));
    assert_null(refusal(asked, 2, true, true));
}

TEST(a_name_that_no_note_can_have_gets_no_trampoline)
{
    char name[257];
    const struct archive_symbol symbol = {.name = name, .kind = SYMBOL_ROUTINE};
    memset(name, 'f', 256);
    name[255] = '\0';
    assert_null(refusal(&symbol, 1, false, true));
    name[255] = 'f';
    name[256] = '\0';
    assert_non_null(strstr(refusal(&symbol, 1, false, true), "255 bytes"));
    assert_null(refusal(&symbol, 1, false, false));
}
