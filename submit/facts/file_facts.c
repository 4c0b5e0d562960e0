/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/file_facts.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "submit/facts/elf_replaces.h"
#include "submit/facts/hasher.h"

enum { ENTRIES = 1024 };

static struct file_facts table[ENTRIES];
static int hasher = -1;

void file_facts_hasher(int fd)
{
    hasher = fd;
}

static unsigned slot_of(const char *path)
{
    uint32_t hash = 5381;
    for (; *path != '\0'; path++)
        hash = hash * 33 ^ (unsigned char)*path;
    return hash % ENTRIES;
}

static struct file_facts *find_facts(const char *path)
{
    char real[PATH_MAX];
    struct file_facts *facts = &table[slot_of(path)];
    if (facts->path != NULL && strcmp(facts->path, path) == 0)
        return facts;
    free(facts->path);
    free(facts->real);
    *facts = (struct file_facts){.path = strdup(path)};
    if (facts->path != NULL)
        facts->real = strdup(realpath(path, real) == NULL ? path : real);
    return facts->real == NULL ? NULL : facts;
}

const struct file_facts *file_facts(const char *path)
{
    return find_facts(path);
}

const struct file_facts *file_facts_hash(const char *path)
{
    struct file_facts *facts = find_facts(path);
    if (facts != NULL && !facts->has_hash) {
        if (hasher >= 0)
            hasher_ask(hasher, facts->real, &facts->hash);
        else
            file_hash(NULL, NULL, facts->real, &facts->hash);
        facts->has_hash = true;
    }
    return facts;
}

const struct file_facts *file_facts_build_id(const char *path)
{
    struct file_facts *facts = find_facts(path);
    if (facts != NULL && !facts->has_id) {
        facts->id_size = elf_build_id(facts->real, facts->id);
        facts->has_id = true;
    }
    return facts;
}

const struct file_facts *file_facts_replaces(const char *path)
{
    struct file_facts *facts = find_facts(path);
    if (facts != NULL && !facts->has_replaces) {
        facts->replaces = elf_replaces(facts->real, &facts->changed_ns);
        facts->has_replaces = true;
    }
    return facts;
}
