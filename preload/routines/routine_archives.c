/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/memory.h"
#include "preload/routines/routine_memory.h"
#include "preload/routines/routine_note.h"

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

uint32_t routine_archives_count(const struct image *image, const struct designation *rules)
{
    const char *known[ROUTINE_ARCHIVES_MAX];
    struct image_notes notes = image_exec_notes(image);
    struct archive_note note;
    uint32_t count = 0;
    while (count < ROUTINE_ARCHIVES_MAX && next_note(&notes, &note)) {
        uint32_t at = 0;
        while (at < count && !text_equal(known[at], note.archive))
            at++;
        if (at == count && designation_has_archive(rules, note.archive))
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

/* The archive of that name, which gets its field when it is met first. NULL: it is not designated,
 * or is one too many. */
static const struct designated_archive *find_archive(struct routine_memory *memory,
                                                     const char *name)
{
    uint32_t i = 0;
    while (i < memory->archive_count && !text_equal(memory->archive[i].name, name))
        i++;
    if (i < memory->archive_count)
        return &memory->archive[i];
    if (!designation_has_archive(&memory->slots.rules, name))
        return NULL;
    if (i == ROUTINE_ARCHIVES_MAX) {
        routine_miss(memory, 1);
        return NULL;
    }
    memory->archive[memory->archive_count++] = (struct designated_archive){
        .name = name,
        .after = designation_after(&memory->slots.rules, name),
        .number = routine_list_library(&memory->list, (struct image_bytes){NULL, 0}, name),
    };
    return &memory->archive[i];
}

static void look_at_note(struct routine_memory *memory, const struct archive_note *note)
{
    const struct designated_archive *archive = find_archive(memory, note->archive);
    if (archive == NULL || designation_skip(&memory->slots.rules, archive->after, note->name))
        return;
    const struct routine_watch watch = {
        .name = note->name,
        .length = note->length,
        .library = archive->number,
        .slot = (uintptr_t *)note->word,
    };
    bool is_watched = is_word(&memory->image, note->word) &&
                      text_after(note->name, "__regcall") == NULL && routine_watch(memory, &watch);
    routine_miss(memory, !is_watched);
}

void routine_archives_find(struct routine_memory *memory)
{
    struct image_notes notes = image_exec_notes(&memory->image);
    struct archive_note note;
    memory->archive_entries = memory->entry_count;
    while (next_note(&notes, &note))
        look_at_note(memory, &note);
}

#endif
