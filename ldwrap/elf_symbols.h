/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_LDWRAP_ELF_SYMBOLS_H
#define JOBTRAIL_LDWRAP_ELF_SYMBOLS_H

#include <gelf.h>

/* Called for each symbol that has a name; returns 0 to continue. */
typedef int elf_symbol_taker(void *context, const char *name, const GElf_Sym *symbol);

/* The symbols of the tables of one type, SHT_SYMTAB or SHT_DYNSYM. Returns what ended it, or 0. */
int elf_symbols_each(Elf *elf, GElf_Word type, elf_symbol_taker *take, void *context);

#endif
