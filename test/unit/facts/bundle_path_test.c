/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which parts of a path are taken for a bundle's directory.
 */
#include "submit/facts/bundle_path.h"
#include "test/unit/fixture/cases.h"

TEST(what_is_random_in_a_directory_is_left_out_and_nothing_else)
{
    static const struct {
        const char *path, *expected;
    } cases[] = {
        {"/tmp/_MEIaB3dE9/libz.so", "/tmp/_MEI*/libz.so"},
        {"/scratch/7/_MEI000000/a/b.so", "/scratch/7/_MEI*/a/b.so"},
        {"/tmp/.mount_SolverAb12Cd/usr/bin/solver", "/tmp/.mount_Solver*/usr/bin/solver"},
        {"/tmp/.mount_Ab12Cd/x", "/tmp/.mount_*/x"},
        {"/tmp/_MEIaB3dE/libz.so", NULL},
        {"/tmp/_MEIaB3dE99/libz.so", NULL},
        {"/tmp/_MEIaB-dE9/libz.so", NULL},
        {"/tmp/.mount_Ab12C/x", NULL},
        {"/tmp/x_MEIaB3dE9/libz.so", NULL},
        {"/tmp/_MEIaB3dE9", NULL},
        {"_MEIaB3dE9/libz.so", NULL},
        {"", NULL},
    };
    char room[PATH_MAX];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *expected = cases[i].expected == NULL ? cases[i].path : cases[i].expected;
        const struct capture_bytes path = {cases[i].path, strlen(cases[i].path), 1};
        struct capture_bytes found = bundle_path(path, room);
        assert_int_equal(found.size, strlen(expected));
        assert_memory_equal(found.at, expected, found.size);
        assert_int_equal(found.cut, 1);
    }
    assert_null(bundle_path((struct capture_bytes){0}, room).at);
}
