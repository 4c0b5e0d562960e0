/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_reads.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>

#include "contrib/libraries/scan/library_facts.h"
#include "test/unit/fixture/cases.h"

#define KEY(text) text, sizeof text - 1

static struct library_state *reads;
static char path[] = "/tmp/library_reads.XXXXXX";
static struct stat status;
static struct library_file is;

static void look(void)
{
    assert_int_equal(stat(path, &status), 0);
    library_identity(&status, &is);
}

/* Adds a row of this place, as a scan does. */
static void add_row(const char *key, size_t size, size_t place)
{
    const struct library_pending pending = {
        .key = key, .size = size, .kind = LIBRARY_ADDED, .is_place = place, .is = is};
    assert_int_equal(library_state_pend(reads, &pending), 0);
}

/* A state in memory with two names of a file on one mount, and a copy of it on another one. */
static int begin(void **state)
{
    struct library_place place[] = {{.key = "\0a", .size = 2, .is_visited = true, .inode = 1},
                                    {.key = "\0b", .size = 2, .is_visited = true, .inode = 1}};
    const struct library_places places = {place, 2};
    (void)state;
    strcpy(path + strlen(path) - 6, "XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(library_state_open(":memory:", false, &reads), 0);
    assert_int_equal(library_reads_prepare(reads), 0);
    look();
    strcpy(is.name, "x");
    place[0].device = is.device;
    place[1].device = is.device + 1;
    add_row(KEY("\0a\0x"), 0);
    add_row(KEY("\0a\0y"), 0);
    add_row(KEY("\0b\0x"), 1);
    assert_int_equal(library_state_settle(reads, &places, 1), 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    library_state_close(reads);
    unlink(path);
    return 0;
}

static struct library_read_row row_of(const char *key, size_t size)
{
    struct library_read_row row = {.place = 99};
    assert_int_equal(library_reads_find(reads, key, size, &row), 1);
    return row;
}

TEST(what_is_noted_of_a_file_is_noted_of_its_names_and_of_no_copy)
{
    struct library_read_row row;
    assert_int_equal(library_reads_find(reads, KEY("\0a\0z"), &row), 0);
    assert_int_equal(row_of(KEY("\0a\0x")).seen_ns, LIBRARY_READS_NEVER);
    assert_int_equal(library_reads_seen(reads, &is, 77), 0);
    assert_int_equal(library_reads_changed(reads, &is, 88), 0);
    assert_int_equal(row_of(KEY("\0a\0x")).seen_ns, 77);
    assert_int_equal(row_of(KEY("\0a\0y")).seen_ns, 77);
    assert_int_equal(row_of(KEY("\0a\0y")).file.changed_ns, 88);
    row = row_of(KEY("\0b\0x"));
    assert_int_equal(row.seen_ns, LIBRARY_READS_NEVER);
    assert_int_equal(row.file.changed_ns, is.changed_ns);
    assert_int_equal(row.place, 1);
}

TEST(a_file_of_which_there_is_no_row_is_an_error)
{
    struct library_file other = is;
    other.device += 2; /* as of a file below a bind mount, or on an overlay */
    assert_int_equal(library_reads_seen(reads, &other, 77), -ESTALE);
    assert_non_null(strstr(library_state_error(reads), " is in no scan"));
    assert_int_equal(library_reads_changed(reads, &other, 88), -ESTALE);
    assert_int_equal(row_of(KEY("\0a\0x")).seen_ns, LIBRARY_READS_NEVER);
    assert_int_equal(library_reads_seen(reads, &is, 77), 0);
    assert_int_equal(library_reads_seen(reads, &is, 77), 0);
}

static int is_rearmed(const struct library_file *was)
{
    const struct library_seen seen = {AT_FDCWD, path, KEY("\0a\0x"), &status, 0, false};
    return library_reads_is_rearmed(reads, &seen, was);
}

static void set_atime(int64_t time_ns)
{
    const struct timespec times[] = {{time_ns / 1000000000, time_ns % 1000000000},
                                     {.tv_nsec = UTIME_OMIT}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_int_equal(stat(path, &status), 0);
}

TEST(a_time_that_was_set_is_known_by_it_and_by_what_else_the_file_is)
{
    const int64_t seen_ns = INT64_C(1500000001000000005);
    struct library_rearm rearm = {.was = is, .seen_ns = seen_ns, .armed_ns = seen_ns - 1000000000};
    assert_int_equal(library_reads_rest(path, &rearm.rest), 0);
    set_atime(rearm.armed_ns);
    assert_int_equal(is_rearmed(&is), 0);
    assert_int_equal(library_reads_arm(reads, &rearm), 0);
    assert_int_equal(is_rearmed(&is), 1);
    set_atime(seen_ns); /* it was not set */
    assert_int_equal(is_rearmed(&is), 0);
    set_atime(seen_ns + 1); /* it was read */
    assert_int_equal(is_rearmed(&is), 1);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(is_rearmed(&is), 0);
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(is_rearmed(&is), 1);
    struct library_file other = is;
    other.modified_ns++;
    assert_int_equal(is_rearmed(&other), 0);
    assert_int_equal(library_reads_armed(reads, &is), 0);
    assert_int_equal(is_rearmed(&is), 0);
}

TEST(attributes_are_part_of_what_a_file_is_and_bounded)
{
    struct digest before, after;
    char *large = calloc(1, 4096);
    assert_int_equal(library_reads_rest(path, &before), 0);
    if (setxattr(path, "trusted.x", "y", 1, 0) != 0)
        skip(); /* not as root, or not here */
    assert_int_equal(library_reads_rest(path, &after), 0);
    assert_memory_not_equal(&before, &after, sizeof before);
    int error = 0;
    for (int i = 0; i < 20 && error == 0; i++) {
        char name[32];
        snprintf(name, sizeof name, "trusted.x%d", i);
        if (setxattr(path, name, large, 4096, 0) == 0)
            error = library_reads_rest(path, &after);
        else
            error = 1; /* the file system has no room for so much */
    }
    assert_true(error == -E2BIG || error == 1);
    free(large);
}

TEST(uses_are_told_when_their_tree_is_ended_or_dropped)
{
    struct library_use uses[2] = {{.path = NULL}};
    struct library_reads_sum sum;
    size_t count;
    assert_int_equal(library_reads_add(reads, "/a", KEY("\0a\0x"), 10, 20), 0);
    assert_int_equal(library_reads_add(reads, "/a", KEY("\0a\0z"), 12, 22), 0);
    assert_int_equal(library_reads_add(reads, "/b", KEY("\0b\0x"), 10, 20), 0);
    assert_int_equal(library_reads_uses(reads, INT64_MIN, uses, 2, &count), 0);
    assert_int_equal(count, 0);
    assert_int_equal(library_reads_sum(reads, "/a", &sum), 0);
    assert_int_equal(sum.files, 2);
    assert_int_equal(sum.after_s, 10);
    assert_int_equal(sum.before_s, 22);
    assert_int_equal(library_reads_end(reads, "/b", true), 0);
    assert_int_equal(library_reads_end(reads, "/a", false), 0);
    assert_int_equal(library_reads_sum(reads, "/a", &sum), 0);
    assert_int_equal(sum.files, 0);
    assert_int_equal(library_reads_uses(reads, INT64_MIN, uses, 2, &count), 0);
    assert_int_equal(count, 2);
    assert_string_equal(uses[0].path, "/a/x");
    assert_string_equal(uses[0].library, "x");
    assert_int_equal(uses[0].before_s, 20);
    assert_string_equal(uses[1].library, ""); /* no scan has seen it */
    assert_int_equal(library_reads_told(reads, uses[1].id), 0);
    assert_int_equal(library_reads_uses(reads, INT64_MIN, uses, 2, &count), 0);
    assert_int_equal(count, 0);
    free(uses[0].path);
    free(uses[1].path);
}

TEST(a_place_has_the_time_of_its_last_turn)
{
    int64_t began_s = 0;
    assert_int_equal(library_reads_polled(reads, 1, &began_s), 0);
    assert_int_equal(began_s, LIBRARY_READS_NEVER);
    assert_int_equal(library_reads_set_polled(reads, 1, 5), 0);
    assert_int_equal(library_reads_set_polled(reads, 1, 6), 0);
    assert_int_equal(library_reads_polled(reads, 1, &began_s), 0);
    assert_int_equal(began_s, 6);
}

EACH(begin, end)
