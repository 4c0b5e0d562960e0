/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_ELF_REPLACES_H
#define JOBTRAIL_ELF_REPLACES_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the ELF file imports a function that replaces the running program (execve(3) and its
 * like), or one that could lead to that unseen (dlopen(3), syscall(2)). True also where that cannot
 * be told. `*changed_ns`: when the file was changed last (its ctime), since the Epoch. */
bool elf_replaces(const char *path, uint64_t *changed_ns);

#endif
