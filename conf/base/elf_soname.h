/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_ELF_SONAME_H
#define JOBTRAIL_ELF_SONAME_H

#include <stddef.h>

/* The soname of the open ELF file `fd`, cut to `size` bytes with its NUL, as its segments tell it:
 * "" where it has none. The bytes are the file's own. */
void elf_soname(int fd, char *name, size_t size);

#endif
