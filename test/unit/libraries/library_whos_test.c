/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/library_whos.h"

#include <limits.h>
#include <sys/mman.h>

#include "test/unit/fixture/cases.h"

#define S INT64_C(1000000000)

static struct library_whos *whos;

static int begin(void **state)
{
    (void)state;
    whos = library_whos_new();
    return whos == NULL;
}

static int end(void **state)
{
    (void)state;
    library_whos_free(whos);
    return 0;
}

static void add(const char *path, unsigned deeds, uint32_t uid, int64_t time_ns)
{
    const struct library_who who = {.how = LIBRARY_WHO_BY_FILE, .uid = uid, .command = "cp"};
    assert_int_equal(library_whos_add(whos, path, deeds, &who, time_ns), 0);
}

static struct library_who find(const char *path, const char *from, bool is_gone, int64_t changed_ns)
{
    const struct library_whos_question question = {path, from, is_gone, changed_ns};
    struct library_who who;
    library_whos_find(whos, &question, &who);
    return who;
}

TEST(who_was_last_did_it_and_others_are_counted)
{
    add("/sw/a", LIBRARY_DEED_CAME, 7, 10 * S);
    add("/sw/a", LIBRARY_DEED_WROTE, 7, 11 * S);
    add("/sw/a", LIBRARY_DEED_WROTE, 8, 12 * S);
    struct library_who who = find("/sw/a", NULL, false, 12 * S);
    assert_true(who.how == LIBRARY_WHO_BY_FILE && who.uid == 8 && who.others == 1);
    assert_string_equal(who.command, "cp");
    assert_true(find("/sw/b", NULL, false, 12 * S).how == LIBRARY_WHO_UNKNOWN);
    /* its last event is of a process that was gone */
    const struct library_who gone = {.how = LIBRARY_WHO_UNKNOWN};
    assert_int_equal(library_whos_add(whos, "/sw/a", LIBRARY_DEED_WROTE, &gone, 13 * S), 0);
    assert_true(find("/sw/a", NULL, false, 13 * S).how == LIBRARY_WHO_UNKNOWN);
}

TEST(an_event_that_is_read_late_is_of_what_changed_since_none_was_waiting)
{
    add("/sw/a", LIBRARY_DEED_WROTE, 7, 30 * S);
    assert_true(find("/sw/a", NULL, false, 20 * S).how == LIBRARY_WHO_UNKNOWN);
    library_whos_since(whos, 15 * S);
    add("/sw/b", LIBRARY_DEED_WROTE, 7, 30 * S);
    assert_true(find("/sw/b", NULL, false, 20 * S).how == LIBRARY_WHO_BY_FILE);
    assert_true(find("/sw/b", NULL, false, 10 * S).how == LIBRARY_WHO_UNKNOWN);
}

TEST(a_close_alone_names_nobody)
{
    add("/sw/a", LIBRARY_DEED_WROTE, 7, 10 * S);
    add("/sw/a", LIBRARY_DEED_CLOSED, 7, 11 * S);
    struct library_who who = find("/sw/a", NULL, false, 10 * S);
    assert_true(who.uid == 7 && who.others == 0);
    add("/sw/a", LIBRARY_DEED_CLOSED, 0, 20 * S);
    who = find("/sw/a", NULL, false, 10 * S);
    assert_true(who.uid == 7 && who.others == 1);
    assert_true(find("/sw/a", NULL, false, 20 * S).how == LIBRARY_WHO_UNKNOWN);
    add("/sw/b", LIBRARY_DEED_CLOSED, 0, 10 * S);
    assert_true(find("/sw/b", NULL, false, 10 * S).how == LIBRARY_WHO_UNKNOWN);
    assert_int_equal(library_whos_count(whos), 1);
    /* one that is gone stays gone, and one of a process that was over is nobody's */
    add("/sw/c", LIBRARY_DEED_WENT, 7, 10 * S);
    add("/sw/c", LIBRARY_DEED_CLOSED, 0, 11 * S);
    assert_true(find("/sw/c", NULL, true, 0).uid == 7);
    const struct library_who gone = {.how = LIBRARY_WHO_UNKNOWN};
    assert_int_equal(library_whos_add(whos, "/sw/d", LIBRARY_DEED_WROTE, &gone, 13 * S), 0);
    add("/sw/d", LIBRARY_DEED_CLOSED, 0, 13 * S);
    assert_true(find("/sw/d", NULL, false, 13 * S).how == LIBRARY_WHO_UNKNOWN);
}

TEST(a_change_beyond_the_events_is_nobodys)
{
    add("/sw/a", LIBRARY_DEED_WROTE, 7, 10 * S);
    add("/sw/a", LIBRARY_DEED_WROTE, 7, 20 * S);
    assert_true(find("/sw/a", NULL, false, 15 * S).uid == 7);
    assert_true(find("/sw/a", NULL, false, 0).uid == 7);
    assert_true(find("/sw/a", NULL, false, 23 * S).how == LIBRARY_WHO_UNKNOWN);
    assert_true(find("/sw/a", NULL, false, 7 * S).how == LIBRARY_WHO_UNKNOWN);
    /* who wrote to it has not removed it */
    assert_true(find("/sw/a", NULL, true, 0).how == LIBRARY_WHO_UNKNOWN);
}

TEST(what_a_directory_brings_or_takes_was_done_by_its_mover)
{
    add("/sw/old", LIBRARY_DEED_DIRECTORY | LIBRARY_DEED_WENT, 7, 10 * S);
    add("/sw/new", LIBRARY_DEED_DIRECTORY | LIBRARY_DEED_CAME, 7, 10 * S);
    assert_true(find("/sw/old/x/a", NULL, true, 0).how == LIBRARY_WHO_BY_DIRECTORY);
    assert_true(find("/sw/new/x/a", "/sw/old/x/a", false, 1 * S).uid == 7);
    assert_true(find("/sw/newer/a", NULL, false, 10 * S).how == LIBRARY_WHO_UNKNOWN);
    /* what came long after it was watched had an event of its own */
    library_whos_watched(whos, "/sw/new", 11 * S);
    assert_true(find("/sw/new/a", NULL, false, 12 * S).how == LIBRARY_WHO_BY_DIRECTORY);
    assert_true(find("/sw/new/a", NULL, false, 20 * S).how == LIBRARY_WHO_UNKNOWN);
    add("/sw/third", LIBRARY_DEED_DIRECTORY | LIBRARY_DEED_CAME, 7, 10 * S);
    assert_true(find("/sw/third/a", NULL, false, 20 * S).how == LIBRARY_WHO_BY_DIRECTORY);
    library_whos_watched(whos, NULL, 11 * S);
    assert_true(find("/sw/third/a", NULL, false, 20 * S).how == LIBRARY_WHO_UNKNOWN);
    /* its mover has removed none of its files */
    assert_true(find("/sw/new/a", NULL, true, 0).how == LIBRARY_WHO_UNKNOWN);
}

TEST(what_is_told_is_forgotten)
{
    add("/sw/a", LIBRARY_DEED_WROTE, 7, 10 * S);
    add("/sw/b", LIBRARY_DEED_WROTE, 8, 20 * S);
    library_whos_forget(whos, 15 * S);
    assert_int_equal(library_whos_count(whos), 1);
    assert_true(find("/sw/a", NULL, false, 10 * S).how == LIBRARY_WHO_UNKNOWN);
    assert_true(find("/sw/b", NULL, false, 20 * S).uid == 8);
}

TEST(memory_is_bounded_and_the_rest_counted)
{
    char path[32];
    const struct library_who who = {.how = LIBRARY_WHO_BY_FILE};
    for (int i = 0; i < LIBRARY_WHOS_MAX; i++) {
        snprintf(path, sizeof path, "/sw/%d", i);
        add(path, LIBRARY_DEED_CAME, 0, S);
    }
    assert_int_equal(library_whos_add(whos, "/sw/x", LIBRARY_DEED_CAME, &who, S), -ENOSPC);
    assert_int_equal(library_whos_lost(whos), 1);
    add("/sw/0", LIBRARY_DEED_WROTE, 8, S);
    assert_true(find("/sw/0", NULL, false, S).uid == 8);
}

static int fill(uint32_t uid, int most)
{
    const struct library_who who = {.how = LIBRARY_WHO_BY_FILE, .uid = uid};
    char path[32];
    for (int i = 0; i < most; i++) {
        snprintf(path, sizeof path, "/sw/%u/%d", uid, i);
        if (library_whos_add(whos, path, LIBRARY_DEED_CAME, &who, S + uid) != 0)
            return i;
    }
    return most;
}

TEST(no_user_takes_the_room_of_others)
{
    assert_int_equal(fill(7, LIBRARY_WHOS_MAX), LIBRARY_WHOS_MAX / 4 * 3);
    assert_int_equal(library_whos_lost(whos), 1);
    assert_int_equal(fill(8, LIBRARY_WHOS_MAX), LIBRARY_WHOS_MAX / 8);
    assert_int_equal(fill(0, LIBRARY_WHOS_MAX), LIBRARY_WHOS_MAX / 8);
    library_whos_forget(whos, S + 8);
    assert_int_equal(fill(7, 10), 10);
}

TEST(bytes_of_paths_are_bounded)
{
    static char path[PATH_MAX];
    const struct library_who who = {.how = LIBRARY_WHO_BY_FILE};
    memset(path, 'd', sizeof path - 1);
    path[0] = '/';
    int error = 0, count = 0;
    for (; count < LIBRARY_WHOS_MAX && error == 0; count++) {
        snprintf(path + 1, 8, "%07d", count);
        path[8] = '/';
        error = library_whos_add(whos, path, LIBRARY_DEED_CAME, &who, S + count);
    }
    assert_int_equal(error, -ENOSPC);
    assert_true(count >= 8000 && count <= 9000);
    /* what is forgotten makes room */
    library_whos_forget(whos, 2 * S);
    assert_int_equal(library_whos_add(whos, path, LIBRARY_DEED_CAME, &who, S), 0);
}

static int copy(size_t cut, struct library_whos **read)
{
    int fd = memfd_create("whos", MFD_CLOEXEC);
    assert_int_equal(library_whos_write(whos, fd), 0);
    off_t size = lseek(fd, 0, SEEK_END);
    assert_int_equal(ftruncate(fd, size - (off_t)cut), 0);
    lseek(fd, 0, SEEK_SET);
    int error = library_whos_read(fd, read);
    close(fd);
    return error;
}

TEST(what_is_written_is_read)
{
    struct library_whos *read = NULL;
    add("/sw/a", LIBRARY_DEED_WROTE, 7, 10 * S);
    add("/sw/dir", LIBRARY_DEED_DIRECTORY | LIBRARY_DEED_CAME, 8, 10 * S);
    assert_int_equal(copy(1, &read), -EPROTO);
    assert_int_equal(copy(0, &read), 0);
    library_whos_free(whos);
    whos = read;
    assert_int_equal(library_whos_count(whos), 2);
    assert_true(find("/sw/a", NULL, false, 10 * S).uid == 7);
    assert_true(find("/sw/dir/b", NULL, false, 10 * S).uid == 8);
}

EACH(begin, end)
