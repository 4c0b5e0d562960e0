/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/designated_archive.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "conf/base/whole_file.h"
#include "conf/policy/policy_read.h"
#include "contrib/routines/robj/prepare.h"
#include "contrib/routines/robj/stub_templates.h"
#include "preload/routine_note.h"

/* Larger archives are not read at a link. */
enum { LINK_ARCHIVE_MAX = 256 << 20 };

static bool has_notes(const struct object *object)
{
    size_t names;
    GElf_Shdr header;
    if (elf_getshdrstrndx(object->elf, &names) != 0)
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(object->elf, section)) != NULL;) {
        const char *name = gelf_getshdr(section, &header) == NULL
                               ? NULL
                               : elf_strptr(object->elf, names, header.sh_name);
        if (name != NULL && strcmp(name, ROUTINE_NOTE_SECTION) == 0)
            return true;
    }
    return false;
}

int designated_archive_open(const char *path, struct designated_archive *designated)
{
    struct archive *archive = &designated->archive;
    const char *fault = NULL;
    char *bytes;
    size_t size;
    *designated = (struct designated_archive){.path = path, .name = basename(path)};
    int error = whole_file_open_read(path, LINK_ARCHIVE_MAX, &bytes, &size);
    if (error == 0)
        error = archive_read(bytes, size, designated->name, archive, &fault);
    if (error == 0 && (fault != NULL || !archive->is_archive))
        error = -ENOTSUP;
    if (error == 0 && archive->count == 0)
        error = -EALREADY;
    if (error == 0)
        error = archive_symbols_read(archive, &designated->symbols);
    for (size_t i = 0; i < archive->count && error == 0; i++)
        if (member_refusal(archive, i) != NULL)
            error = -ENOTSUP;
        else if (has_notes(&archive->member[i].object))
            error = -EALREADY;
    if (error == 0)
        designated->uses = calloc(designated->symbols.count + 1, 1);
    return error == 0 && designated->uses == NULL ? -ENOMEM : error;
}

void designated_archive_close(struct designated_archive *designated)
{
    archive_symbols_free(&designated->symbols);
    archive_free(&designated->archive);
    free(designated->uses);
    designated->uses = NULL;
}

void designated_archive_see(struct designated_archive *designated, const char *name,
                            enum symbol_use use)
{
    size_t count, at = archive_symbols_find(&designated->symbols, name, &count);
    if (count > 0)
        designated->uses[at] |= (unsigned char)use;
}

static bool is_skipped(const struct designated_archive *designated, const void *policy,
                       const char *name)
{
    char text[sizeof "routine::" + ROUTINE_NOTE_LIBRARY_MAX + ROUTINE_NOTE_NAME_MAX];
    int length = snprintf(text, sizeof text, "routine:%s:%s", designated->name, name);
    if (length < 0 || (size_t)length >= sizeof text)
        return true;
    const struct policy_rule *rule = policy_match(policy, POLICY_ROUTINE, text, (size_t)length);
    return rule != NULL && rule->action == POLICY_SKIP;
}

static int add_entry(const struct archive_symbols *symbols, const char *name,
                     struct entries *entries)
{
    char *renamed = NULL;
    size_t others;
    if (asprintf(&renamed, "%s" ENTRY_SUFFIX, name) < 0)
        return -ENOMEM;
    archive_symbols_find(symbols, renamed, &others);
    char *copy = others > 0 ? NULL : strdup(name);
    if (copy == NULL || GROW(entries->item, entries->count) != 0) {
        free(copy);
        free(renamed);
        return others > 0 ? 0 : -ENOMEM;
    }
    entries->item[entries->count++] = (struct entry){copy, renamed, 0};
    return 0;
}

/* In the order of their names. */
static int choose_entries(const struct designated_archive *designated, const void *policy,
                          const struct preparation *preparation, struct entries *entries)
{
    const struct archive_symbols *symbols = &designated->symbols;
    int error = 0;
    for (size_t at = 0, count; at < symbols->count && error == 0; at += count) {
        const char *name = symbols->by_name[at]->name;
        archive_symbols_find(symbols, name, &count);
        if (designated->uses[at] == USE_REFERS && entry_refusal(preparation, at, count) == NULL &&
            !is_skipped(designated, policy, name))
            error = add_entry(symbols, name, entries);
    }
    return error;
}

long designated_archive_write(const struct designated_archive *designated, const void *policy,
                              int fd, int stubs_fd)
{
    CLEANUP_ENTRIES struct entries entries = {NULL, 0};
    struct stub_template stub;
    struct prepared prepared;
    struct prepare_order order = {
        .preparation = {&designated->archive, &designated->symbols, true, true},
        .entries = &entries,
        .has_members = true,
        .stub = &stub,
        .library = designated->name,
    };
    int error = choose_entries(designated, policy, &order.preparation, &entries);
    if (error != 0 || entries.count == 0)
        return error;
    if (stub_template_find(&designated->archive.member[0].object, &stub) != 0)
        return -ENOTSUP;
    error = prepare_write(&order, fd, &prepared);
    order.has_members = false;
    if (error == 0)
        error = prepare_write(&order, stubs_fd, &prepared);
    stub_template_close(&stub);
    return error == 0 ? (long)entries.count : error;
}
