/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A cache of facts about files for one flush: a job runs the same executables and loads the same
 * libraries again and again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conf/base/elf_segments.h"
#include "submit/facts/file_hash.h"

struct file_facts {
    char *path;            /* owned, as asked for */
    char *real;            /* owned; `path` itself where it leads nowhere */
    struct file_hash hash; /* once file_facts_hash() has been asked */
    unsigned char id[BUILD_ID_MAX];
    size_t id_size; /* of the file's build-id; 0: none */
    bool has_hash, has_id, has_replaces;
    bool replaces; /* what elf_replaces() says */
    uint64_t changed_ns;
};

/* The hasher (hasher.h) that is asked for hashes; -1, the default: this process hashes itself. */
void file_facts_hasher(int fd);

/* The file's real path. The facts hold until any of these is called; NULL: out of memory. */
const struct file_facts *file_facts(const char *path);

/* With the hash, of the real path. */
const struct file_facts *file_facts_hash(const char *path);

/* With the build-id that the file has now. */
const struct file_facts *file_facts_build_id(const char *path);

/* With what elf_replaces() says of the file. */
const struct file_facts *file_facts_replaces(const char *path);

/* Whether the ELF file imports a function that replaces the running program (execve(3) and its
 * like), or one that could lead to that unseen (dlopen(3), syscall(2)). True also where that cannot
 * be known. `*changed_ns`: when the file was changed last (its ctime), since the Epoch. */
bool elf_replaces(const char *path, uint64_t *changed_ns);
