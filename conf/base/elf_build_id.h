/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_ELF_BUILD_ID_H
#define JOBTRAIL_ELF_BUILD_ID_H

#include <stddef.h>

enum { BUILD_ID_MAX = 64 };

/* The build-id of the ELF file `path`, at most BUILD_ID_MAX bytes at `id`. Returns its size, or 0
 * where none can be read. */
size_t elf_build_id(const char *path, unsigned char id[BUILD_ID_MAX]);

/* The same of an open file; -1 has none. */
size_t elf_build_id_of(int fd, unsigned char id[BUILD_ID_MAX]);

#endif
