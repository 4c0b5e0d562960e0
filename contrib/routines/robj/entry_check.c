/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/robj/entry_check.h"

#include <string.h>

#include "preload/routines/routine_note.h"

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
        [SYMBOL_TLS] = "is data of each thread, not a routine",
        [SYMBOL_IFUNC] = "is an IFUNC: the program's start-up code calls it to choose the routine",
        [SYMBOL_UNTYPED] = "has no type, so that it is not known to be a routine",
    };
    if (symbol->kind != SYMBOL_ROUTINE)
        return texts[symbol->kind];
    if (symbol->is_grouped)
        return "is in a group of sections: other objects can have copies, which would be called";
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
                   : "another member asks whether it is linked in (a weak reference), which a stub "
                     "is not by that; -x helps";
    if (preparation->renames_references)
        return "is weak: programs may have their own in its place, which -x would keep from the "
               "library";
    return object_refers_to(object, symbol->number)
               ? "is weak, and its own object uses it, which would not use a program's own"
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
    if (fault == NULL && preparation->has_stubs && strlen(of[0]->name) > ROUTINE_NOTE_NAME_MAX)
        fault = "has a name of more than 255 bytes, which is not noted";
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
        const char *fault = entry_refusal(preparation, at, count);
        if (fault != NULL)
            complain(context, entry->line, entry->name, fault);
        else if (others > 0)
            complain(context, entry->line, entry->renamed,
                     "the archive has something of this new name already");
        faults += fault != NULL || others > 0;
    }
    return faults;
}
