/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A relocatable object in memory: its symbols, and what keeps it from being prepared.
 */
#pragma once

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>

struct object {
    const unsigned char *bytes; /* the caller's, at least as long as the object is open */
    size_t size;
    Elf *elf; /* owned */
    GElf_Ehdr header;
    bool is_64;
    size_t symbol_section; /* 0: it has no symbols */
    GElf_Shdr symbols;     /* of that section */
    size_t count, first_global;
    Elf_Data *data;
};

/* Reads the `size` bytes at `bytes`. Returns NULL, or what is wrong with them, a text that follows
 * "the member ": then nothing is open. object_close() releases. */
const char *object_open(const unsigned char *bytes, size_t size, struct object *object);
void object_close(struct object *object);

/* Why the object can be read, and not be prepared: NULL where it can be. */
const char *object_refusal(const struct object *object);

/* The symbol `i` below object->count, with its name. Returns false where it is damaged. */
bool object_symbol(const struct object *object, size_t i, GElf_Sym *symbol, const char **name);

/* The header of the section in which it is defined; false where it is in none. */
bool object_section_of(const struct object *object, const GElf_Sym *symbol, GElf_Shdr *section);

/* Whether code or data of the object itself uses the symbol `i`. Debug information is neither. */
bool object_refers_to(const struct object *object, size_t i);
