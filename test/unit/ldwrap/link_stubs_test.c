/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies of the designated archives of a link that has been. The archives are real ones.
 */
#include "ldwrap/link_stubs.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[32];
static struct conf conf;
static struct strings arguments, files;
static struct link_line line;
static struct link_stubs stubs;
static struct link_misses misses;

static const char making[] =
    "cd %s && echo 'int one(void) { return 1; }' >one.c && echo 'int two(void) { return 2; }' "
    ">two.c && "
    "echo 'int one(void), two(void); int main(void) { return one() + two() - 3; }' >main.c && "
    "cc -c one.c two.c main.c && ar rc libone.a one.o && ar rc libtwo.a two.o && "
    "printf '[routines]\\nkeep = archive:lib.*\\n' >conf";

static int set_up(void **state)
{
    static const char *const names[] = {"main.o", "libone.a", "libtwo.a"};
    char command[sizeof making + sizeof directory], path[64];
    struct conf_error error;
    (void)state;
    strcpy(directory, "/tmp/link_stubs.XXXXXX");
    if (mkdtemp(directory) == NULL)
        return -1;
    snprintf(command, sizeof command, making, directory);
    snprintf(path, sizeof path, "%s/conf", directory);
    if (system(command) != 0 || conf_load(path, &conf, &error) != 0)
        return -1;
    strings_add(&arguments, "ld");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        strings_add(&arguments, path);
        strings_add(&files, path);
    }
    misses = (struct link_misses){0, NULL};
    return link_line_read(&arguments, &line);
}

static int tear_down(void **state)
{
    char command[64];
    (void)state;
    link_stubs_free(&stubs);
    link_line_free(&line);
    strings_free(&files);
    strings_free(&arguments);
    conf_free(&conf);
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

static int make(uint64_t until_ms)
{
    const struct stubs_order of = {&conf, &arguments, &line, &files, until_ms};
    return link_stubs_make(&of, &stubs, &misses);
}

static void a_copy_has_members_and_stubs_and_an_archive_has_the_stubs_alone(void **state)
{
    struct stat copy, alone;
    (void)state;
    assert_int_equal(make(UINT64_MAX), 0);
    assert_int_equal(stubs.count, 2);
    assert_int_equal(misses.archives, 0);
    for (size_t i = 0; i < stubs.count; i++) {
        assert_int_equal(fstat(stubs.item[i].fd, &copy), 0);
        assert_int_equal(fstat(stubs.item[i].stubs_fd, &alone), 0);
        assert_true(alone.st_size > 0 && alone.st_size < copy.st_size);
    }
}

/* The link stays as it is, and its record tells of all archives. */
static void what_takes_too_long_is_left_and_counted(void **state)
{
    (void)state;
    assert_int_equal(make(0), 0);
    assert_int_equal(stubs.count, 0);
    assert_int_equal(misses.archives, 2);
    assert_string_equal(misses.why, "reading what is linked takes too long");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_copy_has_members_and_stubs_and_an_archive_has_the_stubs_alone),
        TEST(what_takes_too_long_is_left_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
