/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit_captures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct made_ledger made;
struct made_fields fields;

struct captures read_file(int fd)
{
    struct captures found = {.count = 0};
    for (;;) {
        struct ledger_reader *reader = &found.reader[found.count];
        struct capture *capture = &found.capture[found.count];
        int result = 1;
        assert_true(found.count < PAGES_MAX);
        assert_int_equal(ledger_open(fd, UINT64_C(1) << 30, reader), 0);
        for (size_t i = 0; i <= found.count && result == 1; i++)
            result = ledger_next(reader, capture);
        if (result == 0)
            break;
        assert_int_equal(result, 1);
        assert_int_equal(capture->offset % LEDGER_PAGE, 0);
        found.count++;
    }
    found.damaged = found.reader[found.count].damaged;
    found.dropped = found.reader[found.count].dropped;
    ledger_close(&found.reader[found.count]);
    return found;
}

void captures_free(struct captures *captures)
{
    for (size_t i = 0; i < captures->count; i++)
        ledger_close(&captures->reader[i]);
    captures->count = 0;
}

struct captures read_cut(size_t size)
{
    int fd = made_file(&made, size);
    struct captures captures = read_file(fd);
    close(fd);
    return captures;
}

struct captures read_made(void)
{
    return read_cut(made.size);
}

void assert_bytes(struct capture_bytes bytes, const void *expected, size_t size)
{
    assert_non_null(bytes.at);
    assert_int_equal(bytes.size, size);
    assert_memory_equal(bytes.at, expected, size);
}

void assert_text(struct capture_bytes bytes, const char *expected)
{
    assert_bytes(bytes, expected, strlen(expected));
}

size_t one_capture(void)
{
    struct ledger_slot slot = made_slot(10, 5000);
    fields.size = 0;
    made_text(&fields, LEDGER_EXEC, "/bin/x");
    made_start(&made);
    return made_add(&made, &slot, 0, &fields);
}
