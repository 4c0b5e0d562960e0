/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes the first inputs of fuzz_ledger to the directory that the only argument names: made from
 * the format's own header, so that they never fall behind it.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/ledger.h"

enum { CHUNK = 768, TAIL = 256 };

struct field {
    uint16_t kind;
    const char *content;
    size_t size;
};

#define FIELD(kind, content)                                                                       \
    {                                                                                              \
        kind, content, sizeof content - 1                                                          \
    }

static const struct field fields[] = {
    FIELD(LEDGER_EXEC, "/bin/x"),
    FIELD(LEDGER_CWD, "/home"),
    FIELD(LEDGER_ARGV, "x\0-a\0"),
    FIELD(LEDGER_ENV, "A=1\0B=2\0"),
    FIELD(LEDGER_OBJECT, "\x02\x01\x02/lib/libc.so"),
    FIELD(LEDGER_WATERMARK, "\2XALT_Link_Info\0A%%b%%\0"),
    FIELD(LEDGER_ANCESTOR, "\x01\0\0\0sh\0/bin/sh\0sh\0"),
    FIELD(LEDGER_BUILD_ID, "\x01\x02"),
    FIELD(LEDGER_TASK, "0.0.50"),
    FIELD(LEDGER_LOADED, "/lib/p.so"),
    FIELD(LEDGER_CONTAINER, "docker"),
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

/* Appends a field at `at`. Returns where the next one goes. */
static unsigned char *add_field(unsigned char *at, uint16_t kind, const void *content, size_t size)
{
    struct ledger_field head = {kind, 0, (uint32_t)size};
    memcpy(at, &head, sizeof head);
    memcpy(at + sizeof head, content, size);
    return at + sizeof head + ((size + 7) & ~(size_t)7);
}

/* Appends the field of a library and two of its routines, one of which is not finished. */
static unsigned char *add_routines(unsigned char *at)
{
    static const char *const names[] = {"dgemm_", "ddot_"};
    unsigned char content[256] = {0}, text[64];
    struct ledger_routines head = {.watched = 2, .called = 1, .flags = LEDGER_ROUTINES_COUNTED};
    unsigned char *start = content + sizeof head;
    unsigned char *next = add_field(start, LEDGER_LIBRARY, "\x02\x01\x02/lib/libblas.so.3", 20);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct ledger_routine routine = {.first_ns = 1200000000, .calls = 3};
        memcpy(text, &routine, sizeof routine);
        memcpy(text + sizeof routine, names[i], strlen(names[i]));
        next = add_field(next, i == 0 ? LEDGER_ROUTINE : LEDGER_NOTHING, text,
                         sizeof routine + strlen(names[i]));
    }
    head.bytes = (uint32_t)(next - start);
    memcpy(content, &head, sizeof head);
    return add_field(at, LEDGER_ROUTINES, content, (size_t)(next - content));
}

/* Two stubs that end at `end`, of which the newer one refers to the fields of the older one.
 * Returns how many units they take. */
static uint16_t add_stubs(unsigned char *end)
{
    const int32_t parents[] = {49, 48};
    unsigned char text[128] = {0};
    unsigned char *rest = add_field(text, LEDGER_EXEC, "/bin/y", 6);
    unsigned char *last = add_field(rest, LEDGER_TASK, "0.0.50", 6);
    last = add_field(last, LEDGER_PARENTS, parents, sizeof parents);
    struct ledger_stub stub = {
        .start_ns = 1100000000,
        .end_ns = 1200000000,
        .elapsed_ns = 100000000,
        .start_ticks = 9,
        .pid = 51,
        .ppid = 49,
        .size = 1,
        .field_units = (uint16_t)((last - text) / LEDGER_STUB_UNIT),
        .exec_at = (uint16_t)((last - text) / LEDGER_STUB_UNIT),
        .rest_at = (uint16_t)((last - rest) / LEDGER_STUB_UNIT),
        .rest_units = (uint8_t)((last - rest) / LEDGER_STUB_UNIT),
    };
    memcpy(end - (last - text), text, (size_t)(last - text));
    end -= (last - text) + (ptrdiff_t)sizeof stub;
    memcpy(end, &stub, sizeof stub);
    stub.field_units = 0;
    stub.pid = 52;
    memcpy(end - sizeof stub, &stub, sizeof stub);
    return (uint16_t)((2 * sizeof stub + (size_t)(last - text)) / LEDGER_STUB_UNIT);
}

/* The slot of index `page` with the first `count` fields, into the CHUNK bytes at `at`, and stubs
 * at the end of the TAIL bytes after them. */
static void make_slot(unsigned char *at, unsigned page, unsigned count)
{
    struct ledger_slot slot = {
        .magic = LEDGER_SLOT_MAGIC,
        .offset = LEDGER_FIRST + (uint64_t)page * LEDGER_PAGE,
        .slot_bytes = LEDGER_PAGE,
        .state = page % 2 != 0 ? LEDGER_OPEN : LEDGER_ENDED,
        .pid = 50,
        .start_ticks = page < 2 ? 7 : page,
        .start_ns = 1000000000,
        .end_ns = 1500000000,
        .size = 1,
        .probability = 1,
    };
    unsigned char *next = at + sizeof slot;
    for (unsigned i = 0; i < count; i++)
        next = add_field(next, fields[i].kind, fields[i].content, fields[i].size);
    if (count == FIELDS)
        next = add_routines(next);
    slot.fields_bytes = (uint32_t)(next - at - (ptrdiff_t)sizeof slot);
    slot.stub_units = page % 2 == 0 ? 0 : add_stubs(at + CHUNK + TAIL);
    memcpy(at, &slot, sizeof slot);
}

/* A ledger of `slots` slots with `count` fields each. */
static int write_seed(const char *directory, unsigned slots, unsigned count)
{
    unsigned char bytes[sizeof(struct ledger_header) + 4 * (CHUNK + TAIL)] = {0};
    struct ledger_header header = {
        .magic = LEDGER_MAGIC,
        .size_bytes = 1 << 20,
        .backed_bytes = 1 << 20,
        .used_bytes = LEDGER_FIRST + slots * (uint64_t)LEDGER_PAGE,
    };
    char path[4096];
    memcpy(bytes, &header, sizeof header);
    for (unsigned i = 0; i < slots; i++)
        make_slot(bytes + sizeof header + (size_t)i * (CHUNK + TAIL), i, count);
    snprintf(path, sizeof path, "%s/%u-slots-%u-fields", directory, slots, count);
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return -1;
    size_t size = sizeof header + (size_t)slots * (CHUNK + TAIL);
    size_t written = fwrite(bytes, 1, size, file);
    return fclose(file) != 0 || written != size ? -1 : 0;
}

int main(int argc, char *argv[])
{
    static const unsigned seeds[][2] = {{0, 0}, {1, 1}, {1, FIELDS}, {3, 1}, {4, FIELDS}};
    for (size_t i = 0; argc == 2 && i < sizeof seeds / sizeof seeds[0]; i++) {
        if (write_seed(argv[1], seeds[i][0], seeds[i][1]) != 0) {
            perror(argv[1]);
            return 1;
        }
    }
    return argc == 2 ? 0 : 2;
}
