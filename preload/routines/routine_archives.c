/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/memory.h"
#include "preload/routines/routine_note.h"
#include "preload/routines/routine_search.h"

/* What a note tells (routine_note.h). */
struct archive_note {
    const char *name, *archive;
    uint32_t length; /* of the name */
    uintptr_t word;
};

/* The text that ends with a NUL within the bytes, which then begin behind it; NULL: none. */
static const char *take_text(struct image_bytes *bytes)
{
    const char *text = (const char *)bytes->at;
    for (size_t i = 0; i < bytes->size; i++) {
        if (text[i] != '\0')
            continue;
        bytes->at += i + 1;
        bytes->size -= i + 1;
        return text;
    }
    return NULL;
}

static bool read_note(struct image_bytes bytes, struct archive_note *note)
{
    int64_t distance;
    if (bytes.size < sizeof distance)
        return false;
    memcpy(&distance, bytes.at, sizeof distance);
    note->word = (uintptr_t)bytes.at + (uintptr_t)distance;
    bytes.at += sizeof distance;
    bytes.size -= sizeof distance;
    note->name = take_text(&bytes);
    note->archive = note->name == NULL ? NULL : take_text(&bytes);
    if (note->archive == NULL || text_length(note->archive) > ROUTINE_NOTE_LIBRARY_MAX)
        return false;
    note->length = (uint32_t)text_length(note->name);
    return note->length <= ROUTINE_NOTE_NAME_MAX;
}

/* The next one that is as routine_note.h says. */
static bool next_note(struct image_notes *notes, struct archive_note *note)
{
    for (;;) {
        struct image_bytes bytes = image_notes_next(notes, ROUTINE_NOTE_OWNER, ROUTINE_NOTE_TYPE);
        if (bytes.at == NULL)
            return false;
        if (read_note(bytes, note))
            return true;
    }
}

uint32_t routine_search_count_archives(const struct routine_search *search)
{
    const char *known[ROUTINE_LIBRARIES_MAX];
    struct image_notes notes = image_exec_notes(search->image);
    struct archive_note note;
    uint32_t count = 0;
    while (count < ROUTINE_LIBRARIES_MAX && next_note(&notes, &note)) {
        uint32_t at = 0;
        while (at < count && !text_equal(known[at], note.archive))
            at++;
        if (at == count && routine_search_is_archive(search, note.archive))
            known[count++] = note.archive;
    }
    return count;
}

#if ROUTINE_STUBS > 0

/* Whether the executable has there a word that can be written to. */
static bool is_word(const struct image *image, uintptr_t at)
{
    bool can_write = false;
    for (size_t i = 0; i < image->phdr_count; i++) {
        const ElfW(Phdr) *phdr = &image->phdr[i];
        uintptr_t start = image->load_bias + phdr->p_vaddr;
        bool is_within = at >= start && at - start < phdr->p_memsz &&
                         phdr->p_memsz - (at - start) >= sizeof(uintptr_t);
        if (is_within && phdr->p_type == PT_GNU_RELRO)
            return false;
        can_write |= is_within && phdr->p_type == PT_LOAD && (phdr->p_flags & PF_W) != 0;
    }
    return can_write && at % sizeof(uintptr_t) == 0;
}

/* The number of the archive of that name, which gets its field when it is met first. Returns
 * ROUTINE_LIBRARIES_MAX where it is not designated, or is one too many. */
static uint32_t find_archive(struct routine_search *search, const char *name)
{
    struct routine_memory *memory = search->memory;
    for (uint32_t i = 0; i < memory->library_count; i++) {
        if (memory->library[i].entry == NULL && text_equal(memory->library[i].name, name))
            return i;
    }
    if (!routine_search_is_archive(search, name))
        return ROUTINE_LIBRARIES_MAX;
    if (memory->library_count == ROUTINE_LIBRARIES_MAX) {
        search->missed++;
        return ROUTINE_LIBRARIES_MAX;
    }
    struct designated_library *library = &memory->library[memory->library_count];
    *library = (struct designated_library){.name = name};
    routine_search_put_library(search, library);
    return memory->library_count++;
}

static void look_at_note(struct routine_search *search, const struct archive_note *note)
{
    const struct routine_import import = {
        .name = note->name,
        .length = note->length,
        .slot = (uintptr_t *)note->word,
    };
    uint32_t library = find_archive(search, note->archive);
    if (library == ROUTINE_LIBRARIES_MAX)
        return;
    if (is_word(search->image, note->word))
        routine_search_add(search, &import, library);
    else
        search->missed++;
}

/* As if they were the imports of one more object. */
void routine_search_archives(struct routine_search *search)
{
    struct routine_memory *memory = search->memory;
    struct image_notes notes = image_exec_notes(search->image);
    struct archive_note note;
    struct routine_object *object = &memory->object[memory->object_count++];
    object->first = memory->entry_count;
    while (next_note(&notes, &note))
        look_at_note(search, &note);
    object->count = memory->entry_count - object->first;
    object->is_new = object->count > 0;
}

#endif
