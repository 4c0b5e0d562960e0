/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_start.h"

#include <stddef.h>

#include "preload/memory.h"

/* The loader looks for a file of the name that is needed, whatever soname it has. */
static bool is_named(const struct loaded *object, const char *needed)
{
    const char *name = text_last_part(needed);
    return text_equal(object->soname, name) ||
           text_equal(text_last_part(object->entry->l_name), name);
}

/* Objects are nearly always in the order in which they are needed. */
static uint32_t add_needed(const struct timed_search *search, const struct loaded *object,
                           uint32_t count)
{
    const ElfW(Dyn) *at = object->names == NULL ? NULL : object->entry->l_ld;
    for (; at != NULL && at->d_tag != DT_NULL && count < search->count; at++) {
        if (at->d_tag == DT_NEEDED &&
            is_named(&search->object[count].loaded, object->names + at->d_un.d_val))
            count++;
    }
    return count;
}

static bool is_needed(const struct timed_search *search, uint32_t number)
{
    for (uint32_t i = 0; i < number; i++) {
        if (add_needed(search, &search->object[i].loaded, number) > number)
            return true;
    }
    return false;
}

/* The program, and what is preloaded, as this library is: all before the first object that one of
 * them needs. */
static uint32_t count_preloaded(const struct timed_search *search)
{
    uint32_t own = 0;
    while (own < search->count &&
           !text_equal(search->object[own].loaded.soname, "libjobtrail-profile.so"))
        own++;
    uint32_t first = own < search->count ? own + 1 : 1, next = first;
    while (next < search->count && !is_needed(search, next))
        next++;
    return next < search->count ? next : first;
}

uint32_t timed_start_count(struct timed_search *search)
{
    uint32_t before = 0, count = search->start == 0 ? count_preloaded(search) : search->start;
    while (search->start == 0 && count != before) {
        before = count;
        for (uint32_t i = 0; i < count && count < search->count; i++)
            count = add_needed(search, &search->object[i].loaded, count);
    }
    search->start = count;
    return count;
}
