/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/fields.h"

#include "preload/memory.h"

int fields_begin(struct fields *fields, enum ledger_field_kind kind)
{
    if (fields->room - fields->used < sizeof(struct ledger_field)) {
        fields->slot_flags |= LEDGER_SLOT_CUT;
        return 0;
    }
    fields->open = fields->used;
    fields->field = (struct ledger_field){.kind = (uint16_t)kind};
    fields->used += sizeof(struct ledger_field);
    return 1;
}

void fields_add(struct fields *fields, const void *bytes, size_t size, size_t limit)
{
    if (fields->open == fields->used)
        return;
    struct ledger_field *field = &fields->field;
    size_t room = fields->room - fields->used;
    if (limit - field->length < room)
        room = limit - field->length;
    if (size > room) {
        size = room;
        field->flags |= LEDGER_FIELD_CUT;
    }
    memcpy(fields->start + fields->used, bytes, size);
    fields->used += size;
    field->length += (uint32_t)size;
}

unsigned char *fields_room(struct fields *fields, size_t limit, size_t *size)
{
    size_t room = fields->room - fields->used;
    *size = room < limit ? room : limit;
    return fields->start + fields->used;
}

void fields_wrote(struct fields *fields, size_t size)
{
    fields->field.length += (uint32_t)size;
    fields->used += size;
}

void fields_end(struct fields *fields)
{
    if (fields->open == fields->used)
        return;
    memcpy(fields->start + fields->open, &fields->field, sizeof fields->field);
    while (fields->used % 8 != 0 && fields->used < fields->room)
        fields->start[fields->used++] = 0;
    fields->open = fields->used;
}

void fields_cancel(struct fields *fields)
{
    fields->used = fields->open;
}

void fields_put(struct fields *fields, enum ledger_field_kind kind, const void *bytes, size_t size)
{
    if (!fields_begin(fields, kind))
        return;
    fields_add(fields, bytes, size, fields->room);
    fields_end(fields);
}
