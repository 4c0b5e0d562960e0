/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libq/line_read.h"

#include "conf/base/cleanup.h"
#include "test/unit/fixture/cases.h"

static int made_file(const char *bytes, size_t size)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fflush(file), 0);
    int fd = dup(fileno(file));
    fclose(file);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static void assert_piece(struct line_reader *reader, const char *text, size_t size, off_t place,
                         bool has_newline)
{
    struct line_piece piece;
    assert_int_equal(line_next(reader, &piece), 1);
    assert_int_equal(piece.size, size);
    assert_memory_equal(piece.at, text, size);
    assert_int_equal(piece.place, place);
    assert_int_equal(piece.has_newline, has_newline);
    assert_true(piece.begins && piece.ends);
}

TEST(lines_are_read_whatever_is_in_them_and_at_the_end)
{
    static const char text[] = "one\n\n\0two\0\nthree";
    for (size_t step = 1; step < 20; step++) {
        CLEANUP_CLOSE int fd = made_file(text, sizeof text - 1);
        CLEANUP_LINES struct line_reader reader = {0};
        struct line_piece piece;
        assert_int_equal(line_reader_open(&reader, fd, 0, step), 0);
        assert_piece(&reader, "one", 3, 0, true);
        assert_piece(&reader, "", 0, 4, true);
        assert_piece(&reader, "\0two\0", 5, 5, true);
        assert_piece(&reader, "three", 5, 11, false);
        assert_int_equal(line_next(&reader, &piece), 0);
        assert_int_equal(line_next(&reader, &piece), 0);
    }
}

TEST(a_long_line_comes_in_pieces)
{
    const size_t size = 3 * LINE_ROOM + 5;
    CLEANUP_FREE char *text = malloc(size + 3);
    struct line_piece piece;
    assert_non_null(text);
    memset(text, 'x', size);
    memcpy(text + size, "\ny\n", 3);
    CLEANUP_CLOSE int fd = made_file(text, size + 3);
    CLEANUP_LINES struct line_reader reader = {0};
    assert_int_equal(line_reader_open(&reader, fd, 0, LINE_ROOM), 0);
    for (size_t taken = 0; taken < size; taken += piece.size) {
        assert_int_equal(line_next(&reader, &piece), 1);
        assert_int_equal(piece.place, taken);
        assert_int_equal(piece.begins, taken == 0);
        assert_int_equal(piece.ends, taken + piece.size == size);
    }
    assert_piece(&reader, "y", 1, (off_t)size + 1, true);
}

TEST(a_line_as_long_as_the_room_ends_where_the_file_does)
{
    CLEANUP_FREE char *text = malloc(LINE_ROOM);
    struct line_piece piece;
    assert_non_null(text);
    memset(text, 'x', LINE_ROOM);
    CLEANUP_CLOSE int fd = made_file(text, LINE_ROOM);
    CLEANUP_LINES struct line_reader reader = {0};
    assert_int_equal(line_reader_open(&reader, fd, 0, LINE_ROOM), 0);
    assert_int_equal(line_next(&reader, &piece), 1);
    assert_true(piece.begins && !piece.ends && piece.size == LINE_ROOM);
    assert_int_equal(line_next(&reader, &piece), 1);
    assert_true(!piece.begins && piece.ends && piece.size == 0);
    assert_int_equal(line_next(&reader, &piece), 0);
}

TEST(a_seek_leads_to_the_next_begin_of_a_line)
{
    static const char text[] = "skipped one\ntwo\nthree";
    CLEANUP_CLOSE int fd = made_file(text, sizeof text - 1);
    for (off_t place = 8; place <= 30; place++) {
        CLEANUP_LINES struct line_reader reader = {0};
        struct line_piece piece;
        /* what is before 8 is not looked at: there, the first line begins */
        assert_int_equal(line_reader_seek(&reader, fd, 8, place, 2), 0);
        off_t expected = place == 8 ? 8 : place <= 12 ? 12 : place <= 16 ? 16 : -1;
        int found = line_next(&reader, &piece);
        assert_int_equal(found, expected >= 0);
        if (found == 1)
            assert_int_equal(piece.place, expected);
    }
}

TEST(a_file_may_shrink_and_grow_meanwhile)
{
    CLEANUP_CLOSE int fd = made_file("one\ntwo\nthree\n", 14);
    CLEANUP_LINES struct line_reader reader = {0};
    struct line_piece piece;
    assert_int_equal(line_reader_open(&reader, fd, 0, 5), 0);
    assert_piece(&reader, "one", 3, 0, true);
    assert_int_equal(ftruncate(fd, 6), 0);
    assert_piece(&reader, "tw", 2, 4, false);
    assert_int_equal(line_next(&reader, &piece), 0);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(pwrite(fd, "one\ntwo\nfour\n", 13, 0), 13);
    line_reader_free(&reader);
    assert_int_equal(line_reader_seek(&reader, fd, 0, 100, 5), 0);
    assert_int_equal(line_next(&reader, &piece), 0);
    line_reader_free(&reader);
    assert_int_equal(line_reader_seek(&reader, fd, 0, 8, 5), 0);
    assert_piece(&reader, "four", 4, 8, true);
}

TEST(an_error_of_the_file_is_returned)
{
    CLEANUP_LINES struct line_reader reader = {0};
    struct line_piece piece;
    assert_int_equal(line_reader_open(&reader, -1, 0, 5), 0);
    assert_int_equal(line_next(&reader, &piece), -EBADF);
}
