/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/uses/use_counts.h"

#include <fcntl.h>

#include "test/unit/fixture/cases.h"

static struct use_counts counts;
static struct use_opens opens;

static int begin(void **state)
{
    (void)state;
    opens.count = opens.next = 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    use_counts_clear(&counts);
    return 0;
}

static void open_by(int32_t pid, const char *path)
{
    const struct library_who who = {.how = LIBRARY_WHO_BY_FILE, .uid = (uint32_t)pid};
    int64_t place = use_counts_add(&counts, path, USE_OPEN, &who);
    assert_true(place >= 0);
    use_opens_note(&opens, pid, (size_t)place);
}

static void assert_count(size_t place, uint64_t count)
{
    assert_int_equal(counts.use[place].count[USE_RECORD], count);
}

TEST(who_closes_what_was_open_for_writing_has_not_used_it)
{
    open_by(1, "/a");
    open_by(1, "/b");
    open_by(2, "/a");
    open_by(1, "/a");
    use_opens_closed(&opens, &counts, 1, "/a");
    assert_count(0, 1);
    assert_count(1, 1);
    assert_count(2, 1);
    use_opens_closed(&opens, &counts, 1, "/a");
    assert_count(0, 0);
    /* another process has closed it */
    use_opens_closed(&opens, &counts, 3, "/a");
    assert_count(2, 0);
    use_opens_closed(&opens, &counts, 3, "/a"); /* of an open that nobody remembers */
    use_opens_closed(&opens, &counts, 1, "/c");
    assert_count(1, 1);
}

TEST(the_oldest_is_forgotten)
{
    open_by(1, "/first");
    for (int i = 0; i < USE_OPENS_MAX; i++)
        open_by(2, "/a");
    use_opens_closed(&opens, &counts, 1, "/first");
    assert_count(0, 1);
    for (int i = 0; i <= USE_OPENS_MAX; i++)
        use_opens_closed(&opens, &counts, 2, "/a");
    assert_count(1, 0);
}

TEST(what_is_open_for_writing_still_is_no_use)
{
    char path[] = "/tmp/use_opens.XXXXXX";
    int written = mkstemp(path), read = open(path, O_RDONLY);
    const int32_t self = (int32_t)getpid();
    assert_true(written >= 0 && read >= 0);
    open_by(self, path);
    open_by(self, "/nowhere");
    open_by(INT32_MAX, path);
    use_opens_settle(&opens, &counts);
    assert_count(0, 0);
    assert_count(1, 1);
    assert_count(2, 1);
    close(written);
    open_by(self, path);
    use_opens_settle(&opens, &counts);
    assert_count(0, 1);                            /* it is read */
    use_opens_closed(&opens, &counts, self, path); /* is settled */
    assert_count(0, 1);
    close(read);
    unlink(path);
}

EACH(begin, end)
