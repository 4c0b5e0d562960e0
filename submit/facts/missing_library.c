/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/missing_library.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/elf_sections.h"
#include "conf/base/grow.h"
#include "conf/base/io.h"

/* The order of bytes of what this machine runs. */
#define OWN_ENCODING (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)

enum { OBJECTS_MAX = 1024, PLACES_MAX = 4096, ENTRIES_MAX = 1 << 16, INCLUDES_MAX = 8 };

struct texts {
    char **text; /* owned, each too */
    size_t count;
};

struct library_search {
    struct texts places;  /* directories */
    struct texts objects; /* files: the program, and what was found for it */
    struct texts names;   /* of objects that are there anyway */
    bool passes_over_cwd, is_unsure;
    bool has_old; /* a library of the name that is looked for lacks a version */
    unsigned *looks;
    enum loader_verdict verdict;
    char name[LIBRARY_NAME_SIZE]; /* of the library that the verdict is about */
    int class;
    unsigned machine; /* EM_X86_64, ...; with `class` those of the program */
};

/* A section with the texts that it names. */
struct elf_section {
    size_t index; /* 0: the object has none */
    bool is_read; /* it was tried */
    int error;    /* with which it was */
    struct elf_part data, texts;
};

/* An open ELF file. */
struct elf_file {
    const char *path;
    int fd;
    struct elf_sections elf;
    struct elf_section dynamic, needed_versions, versions;
};

/* ---- Lists ----------------------------------------------------------------------------------- */

static bool has_text(const struct texts *texts, const char *text)
{
    for (size_t i = 0; i < texts->count; i++)
        if (strcmp(texts->text[i], text) == 0)
            return true;
    return false;
}

static void add_text(struct library_search *search, struct texts *texts, const char *text,
                     size_t most)
{
    if (has_text(texts, text))
        return;
    char *copy = texts->count < most ? strdup(text) : NULL;
    if (copy == NULL || GROW(texts->text, texts->count) != 0) {
        free(copy);
        search->is_unsure = true;
        return;
    }
    texts->text[texts->count++] = copy;
}

static void free_texts(struct texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->text[i]);
    free(texts->text);
}

/* ---- Objects --------------------------------------------------------------------------------- */

static void free_section(struct elf_section *section)
{
    free(section->data.bytes);
    free(section->texts.bytes);
}

static void close_object(struct elf_file *object)
{
    free_section(&object->dynamic);
    free_section(&object->needed_versions);
    free_section(&object->versions);
    elf_sections_free(&object->elf);
    cleanup_close(&object->fd);
}

static bool find_sections(struct elf_file *object)
{
    for (size_t i = 1; i < object->elf.count; i++) {
        uint32_t type = object->elf.shdr[i].sh_type;
        if (type == SHT_DYNAMIC)
            object->dynamic.index = i;
        else if (type == SHT_GNU_verneed)
            object->needed_versions.index = i;
        else if (type == SHT_GNU_verdef)
            object->versions.index = i;
    }
    return object->dynamic.index != 0;
}

/* Returns 0, or -errno: -ENOEXEC where it is no such object as the program is. close_object()
 * releases `*object` after success. */
static int open_object(struct library_search *search, const char *path, struct elf_file *object)
{
    *object = (struct elf_file){.path = path, .fd = io_open_regular(AT_FDCWD, path, 0)};
    if (object->fd < 0)
        return object->fd;
    int error = elf_sections_read(object->fd, &object->elf);
    const struct elf_segments *file = &object->elf.file;
    if (error == 0 && search->machine == EM_NONE) {
        search->class = file->class;
        search->machine = file->machine;
    }
    /* versions are read as they are */
    if (error == 0 && (file->encoding != OWN_ENCODING || file->machine != search->machine ||
                       file->class != search->class || !find_sections(object)))
        error = -ENOEXEC;
    if (error != 0)
        close_object(object);
    return error;
}

/* Reads the section and its texts, once. Returns 0 or -errno. */
static int read_section(struct elf_file *object, struct elf_section *section, Elf_Type type)
{
    if (section->is_read || section->index == 0)
        return section->index == 0 ? -ENOENT : section->error;
    section->is_read = true;
    section->error = elf_section_part(&object->elf, section->index, type, &section->data);
    if (section->error == 0)
        section->error = elf_section_part(&object->elf, object->elf.shdr[section->index].sh_link,
                                          ELF_T_BYTE, &section->texts);
    return section->error;
}

/* Calls `take` with each text of the dynamic section that has this tag. */
static void each_dynamic(struct library_search *search, struct elf_file *object, int64_t tag,
                         void (*take)(struct library_search *, struct elf_file *, const char *))
{
    const struct elf_part *data = &object->dynamic.data;
    GElf_Dyn entry;
    if (read_section(object, &object->dynamic, ELF_T_DYN) != 0) {
        search->is_unsure = true;
        return;
    }
    for (size_t i = 0; i < ENTRIES_MAX && search->verdict != LOADER_MISSING &&
                       elf_dynamic_entry(&object->elf.file, data->bytes, data->size, i, &entry);
         i++) {
        const char *text =
            entry.d_tag == tag ? elf_part_text(&object->dynamic.texts, entry.d_un.d_val) : "";
        if (text == NULL)
            search->is_unsure = true;
        else if (entry.d_tag == tag)
            take(search, object, text);
    }
}

/* ---- Versions: their structs are the same for both classes ----------------------------------- */

static bool defines_version(struct elf_file *library, const char *version)
{
    const struct elf_section *section = &library->versions;
    Elf64_Verdef definition;
    size_t at = 0;
    if (read_section(library, &library->versions, ELF_T_BYTE) != 0)
        return true;
    for (int i = 0;
         i < ENTRIES_MAX && elf_part_copy(&section->data, at, &definition, sizeof definition) == 0;
         i++) {
        Elf64_Verdaux name;
        const char *text =
            elf_part_copy(&section->data, at + definition.vd_aux, &name, sizeof name) != 0
                ? NULL
                : elf_part_text(&section->texts, name.vda_name);
        if (text == NULL || strcmp(text, version) == 0)
            return true;
        if (definition.vd_next == 0)
            return false;
        at += definition.vd_next;
    }
    return true;
}

/* What `need`, at `at` of the needed versions, lists of the library. */
static bool defines_listed(const struct elf_section *needed, size_t at, const Elf64_Verneed *need,
                           struct elf_file *library)
{
    size_t entry = at + need->vn_aux;
    for (int i = 0; i < need->vn_cnt && i < ENTRIES_MAX; i++) {
        Elf64_Vernaux version;
        const char *text = elf_part_copy(&needed->data, entry, &version, sizeof version) != 0
                               ? NULL
                               : elf_part_text(&needed->texts, version.vna_name);
        if (text == NULL)
            return true;
        if ((version.vna_flags & VER_FLG_WEAK) == 0 && !defines_version(library, text))
            return false;
        entry += version.vna_next;
    }
    return true;
}

/* Whether the library has all versions that the object needs of what it calls `name`. Of one
 * without versions the loader takes anything. */
static bool has_versions(struct elf_file *object, const char *name, struct elf_file *library)
{
    const struct elf_section *needed = &object->needed_versions;
    Elf64_Verneed need;
    size_t at = 0;
    if (library->versions.index == 0 ||
        read_section(object, &object->needed_versions, ELF_T_BYTE) != 0)
        return true;
    for (int i = 0; i < ENTRIES_MAX && elf_part_copy(&needed->data, at, &need, sizeof need) == 0;
         i++) {
        const char *file = elf_part_text(&needed->texts, need.vn_file);
        if (file != NULL && strcmp(file, name) == 0)
            return defines_listed(needed, at, &need, library);
        if (need.vn_next == 0)
            break;
        at += need.vn_next;
    }
    return true;
}

/* ---- Places ---------------------------------------------------------------------------------- */

static void add_place(struct library_search *search, const char *place)
{
    if (place[0] == '/')
        add_text(search, &search->places, place, PLACES_MAX);
    else if (!search->passes_over_cwd)
        search->is_unsure = true;
}

/* The element of a search path, with the object's directory for $ORIGIN. */
static void add_expanded(struct library_search *search, struct elf_file *object,
                         const char *element, size_t length)
{
    static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};
    char real[PATH_MAX] = "", made[2 * PATH_MAX];
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t size = strlen(words[i]);
        if (length < size || strncmp(element, words[i], size) != 0)
            continue;
        char *end = realpath(object->path, real) == NULL ? NULL : strrchr(real, '/');
        if (end == NULL)
            break;
        *end = '\0';
        element += size;
        length -= size;
        break;
    }
    snprintf(made, sizeof made, "%s%.*s", real, (int)length, element);
    if (strchr(made, '$') != NULL) /* $LIB, $PLATFORM */
        search->is_unsure = true;
    else
        add_place(search, made);
}

static void add_search_path(struct library_search *search, struct elf_file *object,
                            const char *path)
{
    for (;;) {
        size_t length = strcspn(path, ":;");
        add_expanded(search, object, path, length);
        if (path[length] == '\0')
            return;
        path += length + 1;
    }
}

static void add_conf(struct library_search *search, const char *path, int includes);

static void add_included(struct library_search *search, const char *pattern, int includes)
{
    char absolute[PATH_MAX];
    glob_t found;
    snprintf(absolute, sizeof absolute, "%s%s", pattern[0] == '/' ? "" : "/etc/", pattern);
    if (glob(absolute, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        add_conf(search, found.gl_pathv[i], includes + 1);
    globfree(&found);
}

/* ld.so.conf, of which ldconfig(8) makes what the loader reads. */
static void add_conf(struct library_search *search, const char *path, int includes)
{
    char line[PATH_MAX];
    FILE *file = includes > INCLUDES_MAX ? NULL : fopen(path, "re");
    if (file == NULL) {
        search->is_unsure |= errno != ENOENT;
        return;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        char *word = line + strspn(line, " \t");
        word[strcspn(word, "#\n")] = '\0';
        if (strncmp(word, "include", 7) == 0) {
            add_included(search, word + 7 + strspn(word + 7, " \t"), includes);
            continue;
        }
        word[strcspn(word, " \t=,:")] = '\0';
        if (word[0] == '/')
            add_place(search, word);
    }
    fclose(file);
}

/* The directories of the libraries in ldconfig's cache: it may have been told of others than those
 * of ld.so.conf. Its form is that of glibc 2.2 and later: a head, the entries, and the texts, which
 * the entries name by the offset in the file. */
static void add_cache(struct library_search *search, const char *path)
{
    static const char magic[] = "glibc-ld.so.cache1.1";
    struct cache_head {
        char magic[sizeof magic - 1];
        uint32_t count, text_bytes, more[5];
    } head;
    struct cache_entry {
        int32_t flags;
        uint32_t name, path, version;
        uint64_t processor;
    } entry;
    char library[PATH_MAX];
    CLEANUP_CLOSE int fd = io_open_regular(AT_FDCWD, path, 0);
    if (fd < 0) {
        search->is_unsure |= fd != -ENOENT;
        return;
    }
    bool is_known = pread(fd, &head, sizeof head, 0) == (ssize_t)sizeof head &&
                    memcmp(head.magic, magic, sizeof head.magic) == 0 && head.count <= ENTRIES_MAX;
    for (uint32_t i = 0; is_known && i < head.count; i++) {
        off_t at = (off_t)(sizeof head + (size_t)i * sizeof entry);
        is_known = pread(fd, &entry, sizeof entry, at) == (ssize_t)sizeof entry;
        ssize_t got = is_known ? pread(fd, library, sizeof library - 1, (off_t)entry.path) : 0;
        library[got < 0 ? 0 : got] = '\0';
        char *slash = strrchr(library, '/');
        is_known = is_known && library[0] == '/' && slash != library;
        if (is_known) {
            *slash = '\0';
            add_place(search, library);
        }
    }
    search->is_unsure |= !is_known;
}

static void add_system(struct library_search *search)
{
    static const char *const places[] = {
        "/lib",
        "/usr/lib",
        "/lib64",
        "/usr/lib64",
        "/lib32",
        "/usr/lib32",
        "/usr/local/lib",
        "/lib/x86_64-linux-gnu",
        "/usr/lib/x86_64-linux-gnu",
        "/lib/aarch64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/lib/i386-linux-gnu",
        "/usr/lib/i386-linux-gnu",
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        add_place(search, places[i]);
    add_conf(search, "/etc/ld.so.conf", 0);
    add_cache(search, "/etc/ld.so.cache");
}

/* Objects that are loaded before the program's: they may be what it needs. */
static void add_preloaded(struct library_search *search, const char *preload)
{
    while (*preload != '\0') {
        char path[PATH_MAX];
        size_t length = strcspn(preload, ": ");
        snprintf(path, sizeof path, "%.*s", (int)length, preload);
        add_text(search, &search->names, basename(path), OBJECTS_MAX);
        preload += length;
        preload += *preload != '\0';
    }
}

/* ---- The search ------------------------------------------------------------------------------ */

/* Whether the file's mode, or that of a directory on the way to it, keeps the user out, whatever
 * groups they are in: this process is in the first of them alone. Of a file with an access control
 * list the group's bits bound all entries but the owner's (acl(5)). */
static bool is_closed(const char *path)
{
    char part[PATH_MAX];
    struct stat status;
    size_t size = strlen(path);
    if (geteuid() == 0 || size >= sizeof part)
        return false;
    for (size_t i = 1; i <= size; i++) {
        bool is_last = i == size;
        if (!is_last && path[i] != '/')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (stat(part, &status) != 0)
            return false;
        mode_t wanted = status.st_uid == geteuid() ? (is_last ? S_IRUSR : S_IXUSR)
                        : is_last                  ? S_IRGRP | S_IROTH
                                                   : S_IXGRP | S_IXOTH;
        if ((status.st_mode & wanted) == 0)
            return true;
    }
    return false;
}

/* Returns whether the file is a library that serves. Notes it, and the first one that does not. */
static bool take_library(struct library_search *search, struct elf_file *object, const char *name,
                         const char *path)
{
    struct elf_file library;
    if (*search->looks == 0) {
        search->is_unsure = true;
        return false;
    }
    --*search->looks;
    int error = open_object(search, path, &library);
    if (error != 0) {
        bool is_none = error == -ENOENT || error == -ENOTDIR || error == -ENOEXEC ||
                       (error == -EACCES && is_closed(path));
        search->is_unsure |= !is_none;
        return false;
    }
    bool serves = has_versions(object, name, &library);
    if (serves || !search->has_old)
        add_text(search, &search->objects, path, OBJECTS_MAX);
    search->has_old |= !serves;
    close_object(&library);
    return serves;
}

/* Looks in all places, each with the directory below it. */
static bool take_below(struct library_search *search, struct elf_file *object, const char *name,
                       const char *below)
{
    for (size_t i = 0; i < search->places.count; i++) {
        char path[PATH_MAX];
        int size = snprintf(path, sizeof path, "%s/%s%s", search->places.text[i], below, name);
        if (size > 0 && (size_t)size < sizeof path && take_library(search, object, name, path))
            return true;
    }
    return false;
}

/* The loader looks for versions when it has all libraries, and names the first that it lacks. */
static void lack(struct library_search *search, const char *name)
{
    enum loader_verdict verdict = search->has_old ? LOADER_OLD : LOADER_MISSING;
    if (search->verdict == LOADER_MISSING || search->verdict == verdict)
        return;
    search->verdict = verdict;
    int length = snprintf(search->name, sizeof search->name, "%s", name);
    if (length < 0 || (size_t)length >= sizeof search->name)
        search->name[0] = '\0';
}

/* What is not in a place itself may be in one for a kind of processor below it. */
static void find_needed(struct library_search *search, struct elf_file *object, const char *name)
{
    static const char *const below[] = {"",
                                        "glibc-hwcaps/x86-64-v4/",
                                        "glibc-hwcaps/x86-64-v3/",
                                        "glibc-hwcaps/x86-64-v2/",
                                        "tls/",
                                        "x86_64/",
                                        "haswell/",
                                        "haswell/x86_64/",
                                        "haswell/avx512_1/",
                                        "haswell/avx512_1/x86_64/"};
    bool is_path = strchr(name, '/') != NULL;
    if (has_text(&search->names, name))
        return;
    search->has_old = false;
    search->is_unsure |= is_path && name[0] != '/';
    bool is_found = is_path && take_library(search, object, name, name);
    for (size_t i = 0; i < sizeof below / sizeof below[0] && !is_path && !is_found; i++)
        is_found = take_below(search, object, name, below[i]);
    if (!is_found)
        lack(search, name);
}

static void add_name(struct library_search *search, struct elf_file *object, const char *name)
{
    (void)object;
    add_text(search, &search->names, name, OBJECTS_MAX);
}

static void examine(struct library_search *search, const char *path)
{
    struct elf_file object;
    if (open_object(search, path, &object) != 0) {
        search->is_unsure = true;
        return;
    }
    each_dynamic(search, &object, DT_SONAME, add_name);
    each_dynamic(search, &object, DT_RPATH, add_search_path);
    each_dynamic(search, &object, DT_RUNPATH, add_search_path);
    each_dynamic(search, &object, DT_NEEDED, find_needed);
    close_object(&object);
}

/* Whether its loader is the C library's, by the names that ports of glibc give it, in /lib or
 * /lib64. Others look elsewhere, as musl's /lib/ld-musl-x86_64.so.1. */
static bool has_system_loader(const char *program)
{
    char loader[PATH_MAX] = "";
    struct elf_segments segments;
    CLEANUP_CLOSE int fd = io_open_regular(AT_FDCWD, program, 0);
    if (fd < 0 || elf_segments_read(fd, &segments) != 0)
        return false;
    for (size_t i = 0; i < segments.count; i++) {
        const GElf_Phdr *phdr = &segments.phdr[i];
        if (phdr->p_type != PT_INTERP || phdr->p_filesz >= sizeof loader ||
            phdr->p_offset > INT64_MAX)
            continue;
        ssize_t got = pread(fd, loader, phdr->p_filesz, (off_t)phdr->p_offset);
        loader[got < 0 ? 0 : got] = '\0';
    }
    const char *slash = strncmp(loader, "/lib", 4) == 0 ? strchr(loader + 4, '/') : NULL;
    if (slash == NULL || slash - (loader + 4) > 2)
        return false;
    return strncmp(slash, "/ld-linux", 9) == 0 || strncmp(slash, "/ld64.so", 8) == 0;
}

enum loader_verdict missing_library(const char *program, const struct loader_places *places,
                                    unsigned *looks, char name[LIBRARY_NAME_SIZE])
{
    struct library_search search = {.passes_over_cwd = places->passes_over_cwd, .looks = looks};
    struct elf_file none = {.path = program};
    name[0] = '\0';
    if (!has_system_loader(program))
        return LOADER_STARTS;
    add_preloaded(&search, places->preload);
    if (places->library_path[0] != '\0')
        add_search_path(&search, &none, places->library_path);
    add_system(&search);
    add_text(&search, &search.objects, program, OBJECTS_MAX);
    for (size_t i = 0; i < search.objects.count && search.verdict != LOADER_MISSING; i++)
        examine(&search, search.objects.text[i]);
    free_texts(&search.places);
    free_texts(&search.objects);
    free_texts(&search.names);
    if (search.is_unsure)
        return LOADER_STARTS;
    memcpy(name, search.name, sizeof search.name);
    return search.verdict;
}
