/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

void made_field(struct made_fields *fields, enum ledger_field_kind kind, unsigned flags,
                const void *content, size_t size)
{
    struct ledger_field head = {(uint16_t)kind, (uint16_t)flags, (uint32_t)size};
    size_t padded = (size + 7) & ~(size_t)7;
    assert_true(fields->size + sizeof head + padded <= sizeof fields->bytes);
    memcpy(fields->bytes + fields->size, &head, sizeof head);
    fields->size += sizeof head;
    memset(fields->bytes + fields->size, 0, padded);
    if (size > 0)
        memcpy(fields->bytes + fields->size, content, size);
    fields->size += padded;
}

void made_text(struct made_fields *fields, enum ledger_field_kind kind, const char *text)
{
    made_field(fields, kind, 0, text, strlen(text));
}

void made_start(struct made_ledger *ledger)
{
    const struct ledger_header header = {
        .magic = LEDGER_MAGIC,
        .size_bytes = MADE_LEDGER_MAX,
        .backed_bytes = MADE_LEDGER_MAX,
        .used_bytes = LEDGER_PAGE,
    };
    memset(ledger->bytes, 0, sizeof ledger->bytes);
    memcpy(ledger->bytes, &header, sizeof header);
    ledger->size = LEDGER_PAGE;
}

struct ledger_header *made_header(struct made_ledger *ledger)
{
    return (struct ledger_header *)(void *)ledger->bytes;
}

struct ledger_slot made_slot(int32_t pid, uint64_t start_ns)
{
    return (struct ledger_slot){
        .state = LEDGER_OPEN,
        .pid = pid,
        .ppid = 1,
        .start_ticks = 1000u + (uint64_t)pid,
        .start_ns = start_ns,
        .uuid = {0x01, 0x9a, 0x9f, 0x00, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, (uint8_t)pid},
        .size = 1,
    };
}

size_t made_add(struct made_ledger *ledger, const struct ledger_slot *slot, unsigned class,
                const struct made_fields *fields)
{
    struct ledger_slot head = *slot;
    size_t offset = ledger->size;
    head.magic = LEDGER_SLOT_MAGIC;
    head.offset = offset;
    head.slot_bytes = LEDGER_PAGE << class;
    head.fields_bytes = (uint32_t)fields->size;
    assert_true(fields->size <= head.slot_bytes - sizeof head);
    assert_true(offset + head.slot_bytes <= sizeof ledger->bytes);
    memcpy(ledger->bytes + offset, &head, sizeof head);
    memcpy(ledger->bytes + offset + sizeof head, fields->bytes, fields->size);
    ledger->size += head.slot_bytes;
    made_header(ledger)->used_bytes = ledger->size;
    return offset;
}

struct ledger_slot *made_at(struct made_ledger *ledger, size_t offset)
{
    return (struct ledger_slot *)(void *)(ledger->bytes + offset);
}

int made_file(const struct made_ledger *ledger, size_t size)
{
    int fd = memfd_create("ledger", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, ledger->bytes, size), size);
    return fd;
}

uint64_t made_random(uint64_t *state)
{
    uint64_t value = *state += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}
