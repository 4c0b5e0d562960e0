/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/robj/robj_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/text.h"

enum { ESCAPED = 4, ESCAPED_LEAST = 8 };

static int print_name(const char *name)
{
    size_t size = strlen(name), room = ESCAPED * size + ESCAPED_LEAST;
    bool is_plain = true;
    for (const char *at = name; *at != '\0'; at++)
        is_plain &= *at > ' ' && *at < 0x7f && *at != '\\';
    if (is_plain)
        return fputs(name, stdout) < 0 ? -EIO : 0;
    CLEANUP_FREE char *text = malloc(room);
    if (text == NULL)
        return -ENOMEM;
    terminal_text(name, size, text, room);
    return fputs(text, stdout) < 0 ? -EIO : 0;
}

static int list_symbol(const struct preparation *preparation, const struct archive_symbol *symbol)
{
    int error = print_name(preparation->archive->member[symbol->member].name);
    printf("\t%s\t%s\t", symbol_kind_name(symbol->kind), symbol->is_weak ? "weak" : "global");
    return error != 0 ? error : print_name(symbol->name);
}

int list_symbols(const struct preparation *preparation)
{
    const struct archive_symbols *symbols = preparation->symbols;
    const struct archive *archive = preparation->archive;
    size_t at = 0;
    int error = 0;
    for (size_t i = 0; i < archive->count && error == 0; i++) {
        const char *fault = member_refusal(archive, i);
        if (fault != NULL) {
            error = print_name(archive->member[i].name);
            printf("\trefused\t-\t-\t%s\n", fault);
        }
        for (; at < symbols->count && symbols->item[at].member == i && error == 0; at++) {
            error = list_symbol(preparation, &symbols->item[at]);
            putchar('\n');
        }
    }
    return error;
}

static bool has_routine(const struct archive_symbol *const *of, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (of[i]->kind == SYMBOL_ROUTINE || of[i]->kind == SYMBOL_IFUNC)
            return true;
    return false;
}

static int list_entry(const struct entry *entry, const char *name, const char *fault,
                      bool is_kept_from_programs)
{
    if (fault != NULL)
        fputs("# ", stdout);
    int error = print_name(name);
    if (fault != NULL)
        printf(": %s", fault);
    else if (entry != NULL && error == 0) {
        putchar(' ');
        error = print_name(entry->renamed);
    }
    if (fault == NULL && is_kept_from_programs)
        fputs(" # other members call it: with -x not a program's own in its place", stdout);
    putchar('\n');
    return error;
}

int list_entries(const struct preparation *preparation, const struct entries *entries)
{
    const struct archive_symbols *symbols = preparation->symbols;
    int error = 0;
    for (size_t at = 0, count; at < symbols->count && error == 0; at += count) {
        const char *name = symbols->by_name[at]->name;
        const struct entry *entry = entries == NULL ? NULL : entries_find(entries, name);
        archive_symbols_find(symbols, name, &count);
        if ((entries != NULL && entry == NULL) || !has_routine(symbols->by_name + at, count))
            continue;
        error = list_entry(entry, name, entry_refusal(preparation, at, count),
                           preparation->renames_references &&
                               archive_symbols_are_used(symbols, at, count));
    }
    return error;
}
