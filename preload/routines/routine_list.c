/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/routines/routine_list.h"

#include "preload/memory.h"

static uint32_t padded(uint32_t size)
{
    return (size + 7) & ~UINT32_C(7);
}

static unsigned char *place(const struct routine_list *list, uint32_t at)
{
    return (unsigned char *)(list->head + 1) + at;
}

/* Reserves a field with `size` bytes of content. Its head has no kind yet. Returns where it is, or
 * ROUTINE_LIST_FULL. */
static uint32_t reserve(const struct routine_list *list, uint32_t size)
{
    const struct ledger_field head = {.kind = LEDGER_NOTHING, .length = size};
    uint32_t whole = (uint32_t)sizeof head + padded(size);
    uint32_t at = __atomic_load_n(&list->head->bytes, __ATOMIC_RELAXED);
    if (at > list->room || whole > list->room - at)
        return ROUTINE_LIST_FULL;
    at = __atomic_fetch_add(&list->head->bytes, whole, __ATOMIC_RELAXED);
    if (at % 8 != 0 || at > list->room || whole > list->room - at)
        return ROUTINE_LIST_FULL;
    memcpy(place(list, at), &head, sizeof head);
    return at;
}

static void finish(const struct routine_list *list, uint32_t at, enum ledger_field_kind kind)
{
    struct ledger_field *head = (struct ledger_field *)(void *)place(list, at);
    __atomic_store_n(&head->kind, (uint16_t)kind, __ATOMIC_RELEASE);
}

uint32_t routine_list_size(uint32_t name_length)
{
    return (uint32_t)sizeof(struct ledger_field) +
           padded((uint32_t)sizeof(struct ledger_routine) + name_length);
}

/* Goes to the next field. Returns its content; NULL: there is none. */
static unsigned char *next(const struct routine_list *list, uint32_t *at, struct ledger_field *head)
{
    uint32_t end = __atomic_load_n(&list->head->bytes, __ATOMIC_RELAXED);
    end = end < list->room ? end : list->room;
    if (*at > end || end - *at < sizeof *head)
        return NULL;
    unsigned char *content = place(list, *at) + sizeof *head;
    memcpy(head, place(list, *at), sizeof *head);
    *at += (uint32_t)sizeof *head;
    if (head->length > end - *at || padded(head->length) > end - *at)
        return NULL;
    *at += padded(head->length);
    return content;
}

/* Where the library is in the list, which may have been loaded before; ROUTINE_LIST_FULL: it is
 * not. */
static uint32_t find_library(const struct routine_list *list, struct image_bytes build_id,
                             const char *path, uint32_t length)
{
    const unsigned char *content;
    struct ledger_field head;
    for (uint32_t at = 0; (content = next(list, &at, &head)) != NULL;) {
        if (head.kind == LEDGER_LIBRARY && head.length == 1 + build_id.size + length &&
            content[0] == build_id.size && memcmp(content + 1, build_id.at, build_id.size) == 0 &&
            memcmp(content + 1 + build_id.size, path, length) == 0)
            return at - padded(head.length) - (uint32_t)sizeof head;
    }
    return ROUTINE_LIST_FULL;
}

uint32_t routine_list_library(const struct routine_list *list, struct image_bytes build_id,
                              const char *path)
{
    const unsigned char id_size = build_id.size > 64 ? 64 : (unsigned char)build_id.size;
    build_id.size = id_size;
    uint32_t length = (uint32_t)text_length(path);
    uint32_t at = find_library(list, build_id, path, length);
    if (at != ROUTINE_LIST_FULL)
        return at;
    at = reserve(list, 1 + id_size + length);
    if (at == ROUTINE_LIST_FULL)
        return at;
    unsigned char *content = place(list, at) + sizeof(struct ledger_field);
    content[0] = id_size;
    memcpy(content + 1, build_id.at, id_size);
    memcpy(content + 1 + id_size, path, length);
    finish(list, at, LEDGER_LIBRARY);
    return at;
}

/* Where the routine is in the list; NULL: it is not yet. */
static struct ledger_routine *find(const struct routine_list *list, const struct routine_call *call)
{
    unsigned char *content;
    struct ledger_field head;
    for (uint32_t at = 0; (content = next(list, &at, &head)) != NULL;) {
        struct ledger_routine *routine = (struct ledger_routine *)(void *)content;
        if (head.kind == LEDGER_ROUTINE && head.length == sizeof *routine + call->length &&
            ((routine->flags ^ call->flags) & LEDGER_ROUTINE_MISSED) == 0 &&
            routine->library == call->library && memcmp(routine + 1, call->name, call->length) == 0)
            return routine;
    }
    return NULL;
}

struct ledger_routine *routine_list_call(const struct routine_list *list,
                                         const struct routine_call *call, uint64_t now_ns)
{
    struct ledger_routine *routine = find(list, call);
    if (routine != NULL)
        return routine;
    uint32_t at = reserve(list, (uint32_t)sizeof *routine + call->length);
    if (at == ROUTINE_LIST_FULL) {
        if ((call->flags & LEDGER_ROUTINE_MISSED) == 0)
            __atomic_fetch_add(&list->head->missed, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    const struct ledger_routine content = {
        .first_ns = now_ns, .library = call->library, .flags = call->flags};
    routine = (struct ledger_routine *)(void *)(place(list, at) + sizeof(struct ledger_field));
    memcpy(routine, &content, sizeof content);
    memcpy(routine + 1, call->name, call->length);
    finish(list, at, LEDGER_ROUTINE);
    return routine;
}
