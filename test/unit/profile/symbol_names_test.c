/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/symbol_names.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test/unit/fixture/cases.h"

TEST(a_function_of_no_symbol_has_the_name_of_the_file)
{
    struct symbol_names names = {.debug = "/nowhere"};
    const struct profiled_object object = {.path = (char[]){"/nowhere/program"}};
    assert_string_equal(symbol_name(&names, &object, 0x1f0), "program+0x1f0");
    assert_string_equal(symbol_name(&names, NULL, 0x1f0), "?+0x1f0");
    symbol_names_free(&names);
}

/* To open a device may do something: what is no regular file is looked at only. */
TEST(what_is_no_file_is_not_opened)
{
    char fifo[] = "/tmp/jobtrail-symbols-XXXXXX", event[4096];
    struct symbol_names names = {.debug = "/nowhere"};
    const struct profiled_object object = {.path = fifo};
    int opens = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    close(mkstemp(fifo));
    assert_true(inotify_add_watch(opens, fifo, IN_OPEN) >= 0);
    assert_non_null(strstr(symbol_name(&names, &object, 0x1f0), "+0x1f0"));
    assert_true(read(opens, event, sizeof event) > 0); /* a file is */
    symbol_names_free(&names);
    unlink(fifo);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    while (read(opens, event, sizeof event) > 0)
        continue;
    assert_true(inotify_add_watch(opens, fifo, IN_OPEN) >= 0);
    assert_non_null(strstr(symbol_name(&names, &object, 0x1f0), "+0x1f0"));
    assert_int_equal(read(opens, event, sizeof event), -1);
    assert_int_equal(errno, EAGAIN);
    symbol_names_free(&names);
    unlink(fifo);
    close(opens);
}

/* Each function of a hostile program has such a name. */
TEST(no_name_is_longer_than_that_of_a_file)
{
    static char path[8000];
    struct symbol_names names = {.debug = "/nowhere"};
    const struct profiled_object object = {.path = path};
    path[0] = '/';
    memset(path + 1, 'x', sizeof path - 2);
    assert_int_equal(strlen(symbol_name(&names, &object, 0x1f0)), NAME_MAX + strlen("+0x1f0"));
    symbol_names_free(&names);
}
