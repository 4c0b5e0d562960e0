/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading a compiled policy that is in memory. Header only, no libc, no allocation, so that the
 * preload library, the SPANK plugin and our programs share one bounds-checked reader.
 */
#ifndef JOBTRAIL_POLICY_READ_H
#define JOBTRAIL_POLICY_READ_H

#include <stddef.h>
#include <stdint.h>

#include "policy.h"

/* Whether `size` bytes at `base` (8-byte aligned) start a policy of our version that is whole. */
static inline int policy_usable(const void *base, size_t size)
{
    const struct policy_header *header = (const struct policy_header *)base;
    if (size < sizeof *header || header->magic != POLICY_MAGIC || header->version != POLICY_VERSION)
        return 0;
    if (header->size != size)
        return 0;
    for (int i = 0; i < POLICY_SECTIONS; i++) {
        struct policy_span span = header->section[i];
        if (span.offset % 8 != 0 || span.offset > size || span.size >= size - span.offset)
            return 0;
    }
    return 1;
}

/* The string of a section, NUL-terminated, or NULL when it is damaged. `base` must be usable. */
static inline const char *policy_string(const void *base, enum policy_section which)
{
    const struct policy_header *header = (const struct policy_header *)base;
    const char *text = (const char *)base + header->section[which].offset;
    return text[header->section[which].size] == '\0' ? text : NULL;
}

/* The rules of a list, `*count` of them; NULL when there are none or the section is damaged. */
static inline const struct policy_rule *policy_rules(const void *base, enum policy_section which,
                                                     uint32_t *count)
{
    const struct policy_header *header = (const struct policy_header *)base;
    struct policy_span span = header->section[which];
    const struct policy_dfa *dfa = (const struct policy_dfa *)((const char *)base + span.offset);
    *count = 0;
    if (span.size < sizeof *dfa || dfa->states == 0 || dfa->states > UINT16_MAX)
        return NULL;
    if (dfa->classes == 0 || dfa->classes > 256 || dfa->start >= dfa->states)
        return NULL;
    uint64_t cells = (uint64_t)dfa->states * dfa->classes + dfa->states;
    uint64_t rules_at = (sizeof *dfa + cells * sizeof(uint16_t) + 3) & ~(uint64_t)3;
    if (rules_at + (uint64_t)dfa->rules * sizeof(struct policy_rule) > span.size)
        return NULL;
    *count = dfa->rules;
    return (const struct policy_rule *)((const char *)dfa + rules_at);
}

/* The rule that decides about the `length` bytes at `text`, or NULL when none matches the whole
 * of it. One table step per byte. `base` must be usable. */
static inline const struct policy_rule *policy_match(const void *base, enum policy_section which,
                                                     const char *text, size_t length)
{
    uint32_t count;
    const struct policy_rule *rules = policy_rules(base, which, &count);
    if (rules == NULL)
        return NULL;
    const struct policy_header *header = (const struct policy_header *)base;
    const struct policy_dfa *dfa =
        (const struct policy_dfa *)((const char *)base + header->section[which].offset);
    const uint16_t *next = (const uint16_t *)(dfa + 1);
    const uint16_t *accepts = next + (size_t)dfa->states * dfa->classes;
    uint32_t state = dfa->start;
    for (size_t i = 0; i < length && state != POLICY_DEAD; i++) {
        uint32_t class = dfa->class_of[(unsigned char)text[i]];
        if (class >= dfa->classes)
            return NULL;
        state = next[(size_t)state * dfa->classes + class];
        if (state >= dfa->states)
            return NULL;
    }
    uint32_t rule = accepts[state];
    return rule == 0 || rule > count ? NULL : &rules[rule - 1];
}

#endif
