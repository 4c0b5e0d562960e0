/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a record's file name tells of it.
 */
#include "submit/definition/record_view.h"
#include "test/unit/fixture/cases.h"

#define UUID "019a9f00-1122-7abc-8def-0102030405ff"
#define DATE "2024_11_20_10_00_00_0001"

TEST(a_name_tells_kind_host_uuid_and_key)
{
    static const struct {
        const char *name;
        enum record_kind kind;
        const char *kind_word, *syshost, *key, *user; /* user NULL: not exact */
        bool is_start;
    } names[] = {
        {"run.alpha." DATE ".alice.zzz." UUID ".json", RECORD_RUN, "run", "alpha", "run_fini_" UUID,
         "alice", false},
        {"run.alpha." DATE ".alice.aaa." UUID ".json", RECORD_RUN, "run", "alpha", "run_strt_" UUID,
         "alice", true},
        {"link.b." DATE ".bob." UUID ".json", RECORD_LINK, "link", "b", "link_" UUID, "bob", false},
        {"pkg.b." DATE ".bob." UUID ".0123456789ab.json", RECORD_PACKAGE, "pkg", "b",
         "pkg_" UUID "_0123456789ab", "bob", false},
        {"coverage.b." DATE ".bob." UUID ".json", RECORD_COVERAGE, "coverage", "b",
         "coverage_" UUID, "bob", false},
        {"lib.b." DATE ".unknown." UUID ".json", RECORD_LIBRARY, "lib", "b", "lib_" UUID, "unknown",
         false},
        {"ranks.b." DATE ".unknown." UUID ".json", RECORD_RANKS, "ranks", "b", "ranks_" UUID,
         "unknown", false},
        {"profile.b." DATE ".bob." UUID ".json", RECORD_PROFILE, "profile", "b", "profile_" UUID,
         "bob", false},
        {"miss.b.x.u." UUID ".json", RECORD_KINDS, "miss", "b", "miss_" UUID, NULL, false},
        /* with a part too many, too few, or another one */
        {"run.alpha." DATE ".alice." UUID ".json", RECORD_RUN, "run", "alpha", "run_fini_" UUID,
         NULL, false},
        {"run.alpha." DATE ".alice.yyy." UUID ".json", RECORD_RUN, "run", "alpha", "run_fini_" UUID,
         NULL, false},
        {"run.alpha." DATE ".alice.zzz." UUID ".x.json", RECORD_RUN, "run", "alpha",
         "run_" UUID "_x", NULL, false},
        {"link.b." DATE ".bob.x." UUID ".json", RECORD_LINK, "link", "b", "link_" UUID, NULL,
         false},
        {"link.b.bob." UUID ".json", RECORD_LINK, "link", "b", "link_" UUID, NULL, false},
        {"link.b." DATE ".bob." UUID ".0123456789ab.json", RECORD_LINK, "link", "b",
         "link_" UUID "_0123456789ab", NULL, false},
        {"pkg.b." DATE ".bob." UUID ".0123456789aB.json", RECORD_PACKAGE, "pkg", "b",
         "pkg_" UUID "_0123456789aB", NULL, false},
        {"pkg.b." DATE ".bob." UUID ".json", RECORD_PACKAGE, "pkg", "b", "pkg_" UUID, NULL, false},
    };
    char key[RECORD_KEY_SIZE];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct record_view view = record_view(names[i].name, "{}", 2);
        assert_ptr_equal(view.name, names[i].name);
        assert_int_equal(view.length, 2);
        assert_int_equal(view.kind, names[i].kind);
        assert_true(record_word_is(view.kind_word, names[i].kind_word));
        assert_true(record_word_is(view.syshost, names[i].syshost));
        assert_memory_equal(view.uuid, UUID, RECORD_UUID_SIZE - 1);
        assert_true(record_view_key(&view, key));
        assert_string_equal(key, names[i].key);
        if (view.is_exact != (names[i].user != NULL))
            fail_msg("%s", names[i].name);
        assert_true(record_word_is(view.user, names[i].user == NULL ? "" : names[i].user));
        assert_true(record_word_is(view.date, names[i].user == NULL ? "" : DATE));
        assert_int_equal(view.is_start, names[i].is_start);
    }
}

TEST(what_is_no_name_of_a_record_has_no_kind_no_uuid_and_no_key)
{
    static const char *const names[] = {
        "",
        "x",
        "run." UUID ".json",
        "run.alpha.d.alice.zzz." UUID ".txt",
        "run.alpha.d.alice.zzz.019a9f00-1122-7abc-8def-0102030405f.json",
        "run.alpha.d.alice.zzz.019a9f00-1122-7abc-8def_0102030405ff.json",
        "run.alpha.d.alice.zzz.019a9f00-1122-7abc-8def-0102030405fg.json",
        "run..d.alice.zzz." UUID ".json",
        ".alpha.d.alice.zzz." UUID ".json",
        "a.b.c.d.e.f.g.h.i." UUID ".json",
        "pkg.b.d.bob." UUID ".0123456789abcdef0123456789abcdef01234567.json",
        "averyveryverylongkind.alpha.d.alice." UUID ".json",
    };
    char key[RECORD_KEY_SIZE] = "untouched";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct record_view view = record_view(names[i], "", 0);
        if (view.kind != RECORD_KINDS || view.uuid != NULL || view.is_exact ||
            record_view_key(&view, key))
            fail_msg("%s is taken", names[i]);
        assert_string_equal(key, "untouched");
        assert_true(record_word_is(view.kind_word, "other"));
        assert_true(record_word_is(view.syshost, "unknown"));
    }
}

TEST(a_sound_name_can_stand_in_lines_directories_and_json)
{
    static const char *const unsound[] = {"", ".a", "a b", "a/b", "a\nb", "a\tb", "a\"b", "a\\b"};
    char name[300];
    assert_true(record_name_is_sound("run.alpha.d.alice.zzz." UUID ".json"));
    assert_true(record_name_is_sound("x"));
    for (size_t i = 0; i < sizeof unsound / sizeof unsound[0]; i++)
        assert_false(record_name_is_sound(unsound[i]));
    memset(name, 'x', sizeof name);
    name[240] = '\0';
    assert_true(record_name_is_sound(name));
    name[240] = 'x';
    name[241] = '\0';
    assert_false(record_name_is_sound(name));
}
