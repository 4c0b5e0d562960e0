/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which records are made of the changes that a scan tells, and that none is lost or half kept.
 */
#include "contrib/libraries/outbox/library_outbox.h"

#include <json-c/json.h>

#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_outbox.h"

static char none[] = "none";
static struct library_outbox *box;

static const struct library_sighting sighting = {.source = "scan",
                                                 .after_ns = 5,
                                                 .before_ns = LIBRARY_RECORD_NONE,
                                                 .who = LIBRARY_RECORD_NOBODY};

static int begin(void **state)
{
    (void)state;
    box = make_outbox() ? library_outbox_new(&conf) : NULL;
    return box == NULL ? -1 : 0;
}

static int end(void **state)
{
    (void)state;
    library_outbox_free(box);
    return remove_outbox();
}

/* ---- Changes --------------------------------------------------------------------------------- */

static struct library_change change_of(enum library_change_kind kind, const char *library,
                                       const char *path)
{
    struct library_change change = {.kind = kind, .path = path, .group = "", .found_s = 100};
    change.was.size = 10;
    change.is.size = 20;
    snprintf(change.was.name, sizeof change.was.name, "%s", library);
    snprintf(change.is.name, sizeof change.is.name, "%s", library);
    return change;
}

static void add(enum library_change_kind kind, const char *library, const char *path, bool is_first)
{
    struct library_change change = change_of(kind, library, path);
    change.is_first = is_first;
    assert_int_equal(library_outbox_change(box, &change, &sighting), 0);
}

TEST(each_change_is_a_record_with_both_files)
{
    add(LIBRARY_REPLACED, "libm", "/sw/libm.so", false);
    add(LIBRARY_REMOVED, "libm", "/sw/libm.a", false);
    assert_int_equal(read_all(), 0); /* until it is kept */
    assert_int_equal(library_outbox_keep(box), 0);
    assert_int_equal(read_all(), 2);
    assert_string_equal(text(0, "what"), "replaced");
    assert_string_equal(text(0, "path"), "/sw/libm.so");
    assert_int_equal(number(0, "wasT", "size"), 10);
    assert_int_equal(number(0, "isT", "size"), 20);
    assert_int_equal(number(0, "libraryT", "found"), 100);
    assert_int_equal(number(0, "libraryT", "before"), 101);
    assert_string_equal(text(1, "what"), "removed");
    assert_null(value(1, "isT", "size"));
    assert_string_equal(text(0, "event"), text(1, "event"));
}

TEST(a_first_scan_is_a_record_a_library)
{
    add(LIBRARY_ADDED, "liba", "/sw/liba.so.1", true);
    add(LIBRARY_ADDED, "liba", "/sw/liba.so.2", true);
    add(LIBRARY_ADDED, "liba", "/sw/liba.so.3", true);
    add(LIBRARY_ADDED, "libb", "/sw/libb.so", true);
    add(LIBRARY_REPLACED, "libc", "/sw/libc.so", false);
    assert_int_equal(library_outbox_keep(box), 0);
    assert_int_equal(read_all(), 3);
    assert_string_equal(text(0, "library"), "liba");
    assert_string_equal(text(0, "path"), "/sw/liba.so.1");
    assert_int_equal(number(0, "libraryT", "files"), 3);
    assert_int_equal(number(0, "isT", "size"), 60);
    assert_string_equal(text(0, "first_scan"), "true");
    assert_string_equal(text(1, "library"), "libb");
    assert_int_equal(number(1, "libraryT", "files"), 1);
    assert_int_equal(number(1, "isT", "size"), 20);
    assert_string_equal(text(2, "first_scan"), "false");
}

TEST(what_is_too_much_is_counted_by_kind)
{
    char path[32];
    for (size_t i = 0; i < LIBRARY_OUTBOX_RECORDS + 5; i++) {
        snprintf(path, sizeof path, "/sw/%zu.so", i);
        add(i % 2 == 0 ? LIBRARY_ADDED : LIBRARY_REMOVED, "libm", path, false);
    }
    add(LIBRARY_ADDED, "libn", "/sw/n1.so", true);
    add(LIBRARY_ADDED, "libn", "/sw/n2.so", true);
    assert_int_equal(library_outbox_keep(box), 0);
    const size_t count = LIBRARY_OUTBOX_RECORDS;
    assert_int_equal(read_all(), count + 3);
    for (size_t i = count; i < count + 3; i++)
        assert_string_equal(text(i, "library"), LIBRARY_OUTBOX_OTHERS);
    assert_int_equal(number(count, "libraryT", "files"), 2); /* first_scan */
    assert_string_equal(text(count, "first_scan"), "true");
    assert_string_equal(text(count + 1, "what"), "added");
    assert_int_equal(number(count + 1, "libraryT", "files"), 3);
    assert_int_equal(number(count + 1, "isT", "size"), 60);
    assert_string_equal(text(count + 2, "what"), "removed");
    assert_int_equal(number(count + 2, "libraryT", "files"), 2);
    assert_int_equal(number(count + 2, "wasT", "size"), 20);
}

TEST(who_goes_on_after_a_kill_tells_the_same_one_by_one)
{
    *library_outbox_count(box) = LIBRARY_OUTBOX_RECORDS - 1;
    for (size_t i = 0; i < 2; i++) {
        const uint64_t count = *library_outbox_count(box);
        add(LIBRARY_ADDED, "libm", "/sw/1.so", false);
        add(LIBRARY_ADDED, "libm", "/sw/2.so", false);
        add(LIBRARY_ADDED, "libm", "/sw/3.so", false);
        assert_int_equal(library_outbox_keep(box), 0);
        library_outbox_free(box);
        box = library_outbox_new(&conf);
        assert_non_null(box);
        *library_outbox_count(box) = count;
    }
    assert_int_equal(read_all(), 4);
    assert_string_equal(text(0, "uuid"), text(2, "uuid"));
    assert_string_equal(text(1, "uuid"), text(3, "uuid"));
    assert_string_equal(text(1, "library"), LIBRARY_OUTBOX_OTHERS);
}

TEST(what_is_counted_alone_has_no_record_of_its_own)
{
    struct library_change change = change_of(LIBRARY_MODIFIED, "~bob", "/sw/bob.so");
    change.is.owner = 1000;
    assert_int_equal(library_outbox_change(box, &change, &sighting), 0);
    change.is_beyond = true;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(library_outbox_change(box, &change, &sighting), 0);
    assert_int_equal(library_outbox_keep(box), 0);
    assert_int_equal(read_all(), 2);
    assert_string_equal(text(0, "library"), "~bob");
    assert_int_equal(number(0, "isT", "owner"), 1000);
    assert_string_equal(text(1, "library"), LIBRARY_OUTBOX_OTHERS);
    assert_int_equal(number(1, "libraryT", "files"), 3);
}

TEST(a_full_outbox_keeps_nothing_and_takes_it_later)
{
    struct library_change change = change_of(LIBRARY_REPLACED, "libm", "/sw/libm.so");
    conf.outbox_bytes = 1;
    int error = 0;
    for (size_t i = 0; i < 100 && error == 0;
         i++) /* the first one finds room where nothing waits */
        error = library_outbox_change(box, &change, &sighting);
    assert_int_equal(error, -ENOBUFS);
    assert_int_equal(library_outbox_change(box, &change, &sighting), -ENOBUFS);
    assert_int_equal(library_outbox_keep(box), -ENOBUFS);
    assert_int_equal(read_all(), 0);
    conf.outbox_bytes = UINT64_C(1) << 30;
    add(LIBRARY_REPLACED, "libm", "/sw/libm.so", false);
    add(LIBRARY_REPLACED, "libm", "/sw/libm.a", false);
    assert_int_equal(library_outbox_keep(box), 0);
    assert_int_equal(read_all(), 2);
}

TEST(told_again_is_the_same_record)
{
    for (size_t i = 0; i < 2; i++) {
        add(LIBRARY_ADDED, "liba", "/sw/liba.so.1", true);
        add(LIBRARY_ADDED, "liba", "/sw/liba.so.2", true);
        add(LIBRARY_MOVED, "libm", "/sw/libm.so", false);
        assert_int_equal(library_outbox_keep(box), 0);
        library_outbox_free(box); /* as after a kill */
        box = library_outbox_new(&conf);
        assert_non_null(box);
    }
    assert_int_equal(read_all(), 4);
    assert_string_equal(text(0, "uuid"), text(2, "uuid"));
    assert_string_equal(text(1, "uuid"), text(3, "uuid"));
    assert_string_not_equal(text(0, "uuid"), text(1, "uuid"));
}

TEST(without_a_transport_there_is_no_outbox)
{
    conf.transport = none;
    add(LIBRARY_REPLACED, "libm", "/sw/libm.so", false);
    assert_int_equal(library_outbox_keep(box), 0);
    char path[sizeof place + 32];
    snprintf(path, sizeof path, "%s/outbox", place);
    assert_int_equal(access(path, F_OK), -1);
}

TEST(what_is_not_kept_is_dropped)
{
    add(LIBRARY_ADDED, "liba", "/sw/liba.so.1", true);
    add(LIBRARY_REPLACED, "libm", "/sw/libm.so", false);
    library_outbox_free(box);
    box = NULL;
    assert_int_equal(read_all(), 0);
}

/* A clock that was set back, or a time that nobody knows. */
TEST(no_change_is_before_it_was_after)
{
    struct library_change change = change_of(LIBRARY_REPLACED, "libm", "/sw/libm.so");
    struct library_sighting later = sighting;
    later.after_ns = INT64_C(200) * 1000000000;
    assert_int_equal(library_outbox_change(box, &change, &later), 0);
    assert_int_equal(library_outbox_keep(box), 0);
    assert_int_equal(read_all(), 1);
    assert_null(value(0, "libraryT", "after"));
}

EACH(begin, end)

ALL(NULL, put_all)
