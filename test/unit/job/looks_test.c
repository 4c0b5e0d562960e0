/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The file of what the process watch has seen: written, read again, and damaged.
 */
#include "submit/job/looks.h"

#include <fcntl.h>

#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

static void write_text(const char *text)
{
    int fd = openat(made_tree_fd, LOOKS_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

TEST(what_is_written_is_read)
{
    struct look look[] = {{.page = 9, .pid = 1, .ticks = 2, .flags = LOOK_FIRST, .start_ns = 3},
                          {.page = UINT32_MAX,
                           .pid = INT32_MAX,
                           .ticks = UINT64_MAX,
                           .flags = LOOK_SIGNED | LOOK_OTHER,
                           .start_ns = UINT64_MAX,
                           .alive_ns = UINT64_MAX,
                           .gone_ns = UINT64_MAX,
                           .exec = UINT64_MAX,
                           .device = UINT64_MAX,
                           .inode = UINT64_MAX}};
    const struct looks written = {.next_offset = UINT64_MAX, .look = look, .count = 2};
    struct looks read;
    assert_int_equal(looks_write(made_tree_fd, &written), 0);
    assert_int_equal(looks_read(made_tree_fd, &read), 0);
    assert_int_equal(read.next_offset, UINT64_MAX);
    assert_int_equal(read.count, 2);
    assert_memory_equal(read.look, look, sizeof look);
    looks_free(&read);
}

TEST(a_file_of_another_form_is_as_none)
{
    static const char *const texts[] = {
        "",
        "x\n",
        "next 7\n1 2 3\n",
        "next 7\n9 1 2 1 3 4 5 f\n",                          /* without the file */
        "next 7\n0 1 2 1 3 4 5 f 6 7\n",                      /* the ledger's header */
        "next 7\n9 0 2 1 3 4 5 f 6 7\n",                      /* no process */
        "next 7\n9 -1 2 1 3 4 5 f 6 7\n",                     /* all processes */
        "next 7\n9 1 2 16 3 4 5 f 6 7\n",                     /* an unknown flag */
        "next 7\n9 1 2 1 3 4 5 f 6 7\n9 1 2 1 3 4 5 f 6 7\n", /* a page twice */
        "next 7\n9 1 2 1 3 4 5 f 6 7\n8 1 2 1 3 4 5 f 6 7\n", /* pages that descend */
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct looks looks;
        write_text(texts[i]);
        assert_int_equal(looks_read(made_tree_fd, &looks), 0);
        assert_int_equal(looks.next_offset, 0);
        assert_int_equal(looks.count, 0);
        looks_free(&looks);
    }
}

ALL(made_tree_set_up, made_tree_tear_down)
