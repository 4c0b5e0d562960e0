/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The functions of one ELF file that anybody may have made.
 */
#ifndef JOBTRAIL_SYMBOL_TABLE_H
#define JOBTRAIL_SYMBOL_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "conf/base/elf_sections.h"

struct symbol_function {
    uint64_t address, size; /* size 0: not known */
    uint32_t name;          /* offset in `names` */
    uint32_t rank;          /* of several at one address: which is named */
};

struct symbol_table {
    struct symbol_function *function; /* owned; by address, each once */
    size_t count;
    struct elf_part names; /* owned */
};

/* Reads the functions of the open file's section of this type, SHT_SYMTAB or SHT_DYNSYM. Returns 0,
 * -ENOENT where there is none, or -errno as elf_sections.h. symbol_table_free() releases, in every
 * case. */
int symbol_table_read(int fd, uint32_t type, struct symbol_table *table);
void symbol_table_free(struct symbol_table *table);

static inline size_t symbol_table_bytes(const struct symbol_table *table)
{
    return table->count * sizeof *table->function + table->names.size;
}

/* The name of the function that has this address; NULL: none. It is the table's. */
const char *symbol_table_find(const struct symbol_table *table, uint64_t address);

#endif
