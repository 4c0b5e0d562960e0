/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a record's file name says.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "submit/definition/record_name.h"

#define UUID "019a9f00-1122-7abc-8def-0102030405ff"

static void a_name_tells_kind_host_uuid_and_key(void **state)
{
    static const char *const names[][4] = {
        {"run.alpha.2024_11_20_10_00_00_0001.alice.zzz." UUID ".json", "run", "alpha",
         "run_fini_" UUID},
        {"run.alpha.2024_11_20_10_00_00_0001.alice.aaa." UUID ".json", "run", "alpha",
         "run_strt_" UUID},
        {"link.b.2024_11_20_10_00_00_0001.bob." UUID ".json", "link", "b", "link_" UUID},
        {"pkg.b.2024_11_20_10_00_00_0001.bob." UUID ".0123456789ab.json", "pkg", "b",
         "pkg_" UUID "_0123456789ab"},
        {"miss.b.x.u." UUID ".json", "miss", "b", "miss_" UUID},
    };
    struct record_name name;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(record_name_parse(names[i][0], &name), 0);
        assert_string_equal(name.kind, names[i][1]);
        assert_string_equal(name.syshost, names[i][2]);
        assert_string_equal(name.uuid, UUID);
        assert_string_equal(name.key, names[i][3]);
    }
}

static void what_is_no_name_of_a_record_is_refused(void **state)
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
    struct record_name name;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (record_name_parse(names[i], &name) != -EINVAL)
            fail_msg("%s is taken", names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_tells_kind_host_uuid_and_key),
        cmocka_unit_test(what_is_no_name_of_a_record_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
