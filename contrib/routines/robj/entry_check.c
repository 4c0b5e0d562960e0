/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/robj/entry_check.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "conf/base/text.h"
#include "preload/routines/routine_note.h"

struct entry_reader {
    entry_complaint *complain;
    void *context;
    long faults;
};

static void entry_fault(struct entry_reader *reader, size_t line, const char *name,
                        const char *text)
{
    reader->complain(reader->context, line, name, text);
    reader->faults++;
}

/* An '@' begins a version; control characters and blanks end words, or drive terminals. */
bool entry_is_name(const char *name)
{
    for (const char *at = name; *at != '\0'; at++)
        if ((unsigned char)*at <= ' ' || *at == 0x7f || *at == '@' || *at == '#')
            return false;
    return name[0] != '\0';
}

/* The next word of the text that ends at `end`, as a copy; NULL behind the last one, before a
 * comment, or with `*error` set. */
static char *next_word(const char **at, const char *end, int *error)
{
    const char *from = *at;
    while (from < end && (*from == ' ' || *from == '\t' || *from == '\r'))
        from++;
    *at = from;
    if (from == end || *from == '#')
        return NULL;
    while (*at < end && **at != ' ' && **at != '\t' && **at != '\r')
        (*at)++;
    char *word = strndup(from, (size_t)(*at - from));
    if (word == NULL)
        *error = -ENOMEM;
    return word;
}

static int add_entry(struct entries *entries, char **name, char **renamed, size_t line)
{
    if (*renamed == NULL) {
        size_t length = strlen(*name);
        *renamed = malloc(length + sizeof ENTRY_SUFFIX);
        if (*renamed == NULL)
            return -ENOMEM;
        memcpy(*renamed, *name, length);
        memcpy(*renamed + length, ENTRY_SUFFIX, sizeof ENTRY_SUFFIX);
    }
    if (GROW(entries->item, entries->count) != 0)
        return -ENOMEM;
    entries->item[entries->count++] = (struct entry){*name, *renamed, line};
    *name = *renamed = NULL;
    return 0;
}

static int read_entry(struct entry_reader *reader, const char *at, const char *end, size_t line,
                      struct entries *entries)
{
    int error = 0;
    CLEANUP_FREE char *name = next_word(&at, end, &error);
    if (name == NULL)
        return error;
    CLEANUP_FREE char *renamed = next_word(&at, end, &error);
    CLEANUP_FREE char *more = error == 0 ? next_word(&at, end, &error) : NULL;
    if (error != 0)
        return error;
    if (!entry_is_name(name))
        entry_fault(reader, line, name, "this cannot be the name of an entry");
    else if (renamed != NULL && !entry_is_name(renamed))
        entry_fault(reader, line, renamed, "this cannot be the new name of an entry");
    else if (more != NULL)
        entry_fault(reader, line, more, "a line has a routine, its new name, and no more");
    else if (renamed != NULL && strcmp(name, renamed) == 0)
        entry_fault(reader, line, name, "its new name is the old one");
    else
        return add_entry(entries, &name, &renamed, line);
    return 0;
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int by_name = strcmp(a->name, b->name);
    return by_name != 0 ? by_name : (a->line > b->line) - (a->line < b->line);
}

static int compare_renamed(const void *left, const void *right)
{
    const struct entry *a = *(const struct entry *const *)left,
                       *b = *(const struct entry *const *)right;
    int by_name = strcmp(a->renamed, b->renamed);
    return by_name != 0 ? by_name : (a->line > b->line) - (a->line < b->line);
}

/* Orders the entries; of those with one name, the first stays. */
static void sort_entries(struct entry_reader *reader, struct entries *entries)
{
    size_t kept = 0;
    if (entries->count > 0)
        qsort(entries->item, entries->count, sizeof *entries->item, compare_entries);
    for (size_t i = 0; i < entries->count; i++) {
        struct entry *item = &entries->item[i];
        if (kept > 0 && strcmp(entries->item[kept - 1].name, item->name) == 0) {
            entry_fault(reader, item->line, item->name, "it has been named before");
            free(item->name);
            free(item->renamed);
        } else {
            entries->item[kept++] = *item;
        }
    }
    entries->count = kept;
}

/* No two routines get one name, and none that of another entry. */
static int check_renamed(struct entry_reader *reader, const struct entries *entries)
{
    CLEANUP_FREE const struct entry **order = calloc(entries->count + 1, sizeof(struct entry *));
    if (order == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < entries->count; i++)
        order[i] = &entries->item[i];
    if (entries->count > 0)
        qsort(order, entries->count, sizeof(struct entry *), compare_renamed);
    for (size_t i = 0; i < entries->count; i++) {
        if (i > 0 && strcmp(order[i - 1]->renamed, order[i]->renamed) == 0)
            entry_fault(reader, order[i]->line, order[i]->renamed,
                        "another routine has this new name, too");
        else if (entries_find(entries, order[i]->renamed) != NULL)
            entry_fault(reader, order[i]->line, order[i]->renamed,
                        "the new name is that of another entry");
    }
    return 0;
}

long entries_read(const char *text, size_t size, entry_complaint *complain, void *context,
                  struct entries *entries)
{
    struct entry_reader reader = {complain, context, 0};
    struct entries found = {NULL, 0};
    const char *end = text + size;
    int error = 0;
    size_t line = 0;
    for (const char *at = text; at < end && error == 0;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline == NULL ? end : newline;
        error = read_entry(&reader, at, stop, ++line, &found);
        at = newline == NULL ? end : newline + 1;
    }
    if (error == 0) {
        sort_entries(&reader, &found);
        error = check_renamed(&reader, &found);
    }
    if (error != 0) {
        entries_free(&found);
        return error;
    }
    *entries = found;
    return reader.faults;
}

const struct entry *entries_find(const struct entries *entries, const char *name)
{
    size_t low = 0, high = entries->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(entries->item[middle].name, name);
        if (order == 0)
            return &entries->item[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

void entries_free(struct entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        free(entries->item[i].name);
        free(entries->item[i].renamed);
    }
    free(entries->item);
    *entries = (struct entries){NULL, 0};
}

const char *member_refusal(const struct archive *archive, size_t i)
{
    const struct archive_member *member = &archive->member[i], *first = &archive->member[0];
    const char *fault = member->fault != NULL ? member->fault : object_refusal(&member->object);
    if (fault != NULL || i == 0 || first->fault != NULL)
        return fault;
    return member->object.header.e_machine != first->object.header.e_machine ||
                   member->object.is_64 != first->object.is_64
               ? "is for another machine than the first member"
               : NULL;
}

/* Of a definition by itself */
static const char *definition_refusal(const struct archive_symbol *symbol)
{
    static const char *const texts[SYMBOL_KINDS] = {
        [SYMBOL_DATA] = "is data, not a routine",
        [SYMBOL_COMMON] = "is a common block, not a routine",
        [SYMBOL_TLS] = "is thread-local data, not a routine",
        [SYMBOL_IFUNC] = "is an IFUNC: the program's start-up code calls it to choose the routine",
        [SYMBOL_UNTYPED] = "has no type, so that it is not known to be a routine",
    };
    if (symbol->kind != SYMBOL_ROUTINE)
        return texts[symbol->kind];
    if (symbol->is_grouped)
        return "is in a group of sections: other objects' copies could be called instead";
    if (!entry_is_name(symbol->name))
        return strchr(symbol->name, '@') != NULL ? "is a symbol with a version"
                                                 : "has a name that no entry file can have";
    return NULL;
}

static const char *weak_refusal(const struct preparation *preparation,
                                const struct archive_symbol *symbol)
{
    const struct object *object = &preparation->archive->member[symbol->member].object;
    if (symbol->kind == SYMBOL_REFERENCE)
        return preparation->renames_references
                   ? NULL
                   : "another member refers to it weakly, which links no trampoline: use -x";
    if (preparation->renames_references)
        return "is weak: programs may have their own, which the library would not call with -x";
    return object_refers_to(object, symbol->number)
               ? "is weak, and its own object would no longer call a program's own"
               : NULL;
}

const char *entry_refusal(const struct preparation *preparation, size_t at, size_t count)
{
    const struct archive_symbol *const *of = preparation->symbols->by_name + at;
    const char *fault = NULL;
    bool is_defined = false;
    for (size_t i = 0; i < count && fault == NULL; i++) {
        is_defined |= of[i]->kind != SYMBOL_REFERENCE;
        if (of[i]->kind != SYMBOL_REFERENCE)
            fault = definition_refusal(of[i]);
        if (fault == NULL && of[i]->is_weak)
            fault = weak_refusal(preparation, of[i]);
    }
    if (fault == NULL && !is_defined)
        fault = count == 0 ? "is not in the archive" : "is not defined in the archive, only used";
    if (fault == NULL && preparation->has_trampolines &&
        strlen(of[0]->name) > ROUTINE_NOTE_NAME_MAX)
        fault = "has a name of more than 255 bytes, which is not noted";
    return fault;
}

/* Whether Fortran may write one for the other: in either case, with underscores behind or none. */
static bool is_alike(const char *a, const char *b)
{
    for (; *a != '\0' && tolower((unsigned char)*a) == tolower((unsigned char)*b); a++)
        b++;
    return a[strspn(a, "_")] == '\0' && b[strspn(b, "_")] == '\0';
}

/* The fault of a name that is not there, in `room`. */
static const char *not_there(const struct archive_symbols *symbols, const char *name,
                             const char *fault, char room[TERMINAL_WORD_SIZE + 64])
{
    char word[TERMINAL_WORD_SIZE];
    for (size_t i = 0; i < symbols->count; i++)
        if (symbols->item[i].kind == SYMBOL_ROUTINE && is_alike(symbols->item[i].name, name)) {
            terminal_word(symbols->item[i].name, word);
            snprintf(room, TERMINAL_WORD_SIZE + 64, "%s; did you mean %s?", fault, word);
            return room;
        }
    return fault;
}

long entries_check(const struct preparation *preparation, const struct entries *entries,
                   entry_complaint *complain, void *context)
{
    long faults = 0;
    for (size_t i = 0; i < entries->count; i++) {
        const struct entry *entry = &entries->item[i];
        size_t count, others;
        size_t at = archive_symbols_find(preparation->symbols, entry->name, &count);
        archive_symbols_find(preparation->symbols, entry->renamed, &others);
        char room[TERMINAL_WORD_SIZE + 64];
        const char *fault = entry_refusal(preparation, at, count);
        if (count == 0)
            fault = not_there(preparation->symbols, entry->name, fault, room);
        if (fault != NULL)
            complain(context, entry->line, entry->name, fault);
        else if (others > 0)
            complain(context, entry->line, entry->renamed,
                     "the archive has something of this new name already");
        faults += fault != NULL || others > 0;
    }
    return faults;
}
