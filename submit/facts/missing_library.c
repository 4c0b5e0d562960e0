/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/missing_library.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"

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

/* An open ELF file. */
struct object {
    const char *path;
    int fd;
    Elf *elf;
    Elf_Scn *dynamic, *needed_versions, *versions; /* NULL: it has no such section */
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

static void close_object(struct object *object)
{
    elf_end(object->elf);
    cleanup_close(&object->fd);
}

static bool find_sections(struct object *object)
{
    for (Elf_Scn *section = elf_nextscn(object->elf, NULL); section != NULL;
         section = elf_nextscn(object->elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL)
            return false;
        if (header.sh_type == SHT_DYNAMIC)
            object->dynamic = section;
        else if (header.sh_type == SHT_GNU_verneed)
            object->needed_versions = section;
        else if (header.sh_type == SHT_GNU_verdef)
            object->versions = section;
    }
    return object->dynamic != NULL;
}

/* Returns 0, or -errno: -ENOEXEC where it is no such object as the program is. close_object()
 * releases `*object` after success. */
static int open_object(struct library_search *search, const char *path, struct object *object)
{
    GElf_Ehdr header;
    *object = (struct object){.path = path,
                              .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (object->fd < 0)
        return -errno;
    object->elf =
        elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(object->fd, ELF_C_READ, NULL);
    if (object->elf != NULL && elf_kind(object->elf) == ELF_K_ELF &&
        gelf_getehdr(object->elf, &header) != NULL) {
        if (search->machine == EM_NONE) {
            search->class = header.e_ident[EI_CLASS];
            search->machine = header.e_machine;
        }
        if (header.e_machine == search->machine && header.e_ident[EI_CLASS] == search->class &&
            find_sections(object))
            return 0;
    }
    close_object(object);
    return -ENOEXEC;
}

/* Calls `take` with each text of the dynamic section that has this tag. */
static void each_dynamic(struct library_search *search, const struct object *object, int64_t tag,
                         void (*take)(struct library_search *, const struct object *, const char *))
{
    GElf_Shdr header;
    GElf_Dyn entry = {.d_tag = DT_NULL};
    Elf_Data *data = elf_getdata(object->dynamic, NULL);
    if (data == NULL || gelf_getshdr(object->dynamic, &header) == NULL) {
        search->is_unsure = true;
        return;
    }
    for (int i = 0; i < ENTRIES_MAX && gelf_getdyn(data, i, &entry) != NULL &&
                    entry.d_tag != DT_NULL && search->verdict != LOADER_MISSING;
         i++) {
        const char *text =
            entry.d_tag == tag ? elf_strptr(object->elf, header.sh_link, entry.d_un.d_val) : "";
        if (text == NULL)
            search->is_unsure = true;
        else if (entry.d_tag == tag)
            take(search, object, text);
    }
}

/* An offset in a section's data; -1, which libelf refuses, where there is none. */
static int offset_behind(int at, uint32_t distance)
{
    return distance > (uint32_t)(INT_MAX - at) ? -1 : at + (int)distance;
}

/* ---- Versions -------------------------------------------------------------------------------- */

static bool defines_version(const struct object *library, const char *version)
{
    GElf_Shdr header;
    GElf_Verdef definition = {.vd_next = 0};
    Elf_Data *data = elf_getdata(library->versions, NULL);
    if (data == NULL || gelf_getshdr(library->versions, &header) == NULL)
        return true;
    int at = 0;
    for (int i = 0; i < ENTRIES_MAX && gelf_getverdef(data, at, &definition) != NULL; i++) {
        GElf_Verdaux name;
        const char *text =
            gelf_getverdaux(data, offset_behind(at, definition.vd_aux), &name) == NULL
                ? NULL
                : elf_strptr(library->elf, header.sh_link, name.vda_name);
        if (text == NULL || strcmp(text, version) == 0)
            return true;
        if (definition.vd_next == 0)
            return false;
        at = offset_behind(at, definition.vd_next);
    }
    return true;
}

/* What `need`, at `at` of `data`, lists of the library. */
static bool defines_listed(const struct object *object, const GElf_Shdr *header, Elf_Data *data,
                           int at, const GElf_Verneed *need, const struct object *library)
{
    int entry = offset_behind(at, need->vn_aux);
    for (int i = 0; i < need->vn_cnt && i < ENTRIES_MAX; i++) {
        GElf_Vernaux version;
        const char *text = gelf_getvernaux(data, entry, &version) == NULL
                               ? NULL
                               : elf_strptr(object->elf, header->sh_link, version.vna_name);
        if (text == NULL)
            return true;
        if ((version.vna_flags & VER_FLG_WEAK) == 0 && !defines_version(library, text))
            return false;
        entry = offset_behind(entry, version.vna_next);
    }
    return true;
}

/* Whether the library has all versions that the object needs of what it calls `name`. Of one
 * without versions the loader takes anything. */
static bool has_versions(const struct object *object, const char *name,
                         const struct object *library)
{
    GElf_Shdr header;
    GElf_Verneed need = {.vn_next = 0};
    Elf_Data *data =
        object->needed_versions == NULL ? NULL : elf_getdata(object->needed_versions, NULL);
    if (library->versions == NULL || data == NULL ||
        gelf_getshdr(object->needed_versions, &header) == NULL)
        return true;
    int at = 0;
    for (int i = 0; i < ENTRIES_MAX && gelf_getverneed(data, at, &need) != NULL; i++) {
        const char *file = elf_strptr(object->elf, header.sh_link, need.vn_file);
        if (file != NULL && strcmp(file, name) == 0)
            return defines_listed(object, &header, data, at, &need, library);
        if (need.vn_next == 0)
            break;
        at = offset_behind(at, need.vn_next);
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
static void add_expanded(struct library_search *search, const struct object *object,
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

static void add_search_path(struct library_search *search, const struct object *object,
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
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        search->is_unsure |= errno != ENOENT;
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
        const char *slash = strrchr(path, '/');
        add_text(search, &search->names, slash == NULL ? path : slash + 1, OBJECTS_MAX);
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
static bool take_library(struct library_search *search, const struct object *object,
                         const char *name, const char *path)
{
    struct object library;
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
static bool take_below(struct library_search *search, const struct object *object, const char *name,
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

/* The loader looks for versions when it has all libraries, and names the first one that it lacks.
 */
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
static void find_needed(struct library_search *search, const struct object *object,
                        const char *name)
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

static void add_name(struct library_search *search, const struct object *object, const char *name)
{
    (void)object;
    add_text(search, &search->names, name, OBJECTS_MAX);
}

static void examine(struct library_search *search, const char *path)
{
    struct object object;
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
    CLEANUP_CLOSE int fd = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    Elf *elf =
        fd < 0 || elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    size_t count = 0;
    if (elf != NULL && elf_kind(elf) == ELF_K_ELF && elf_getphdrnum(elf, &count) != 0)
        count = 0;
    for (size_t i = 0; i < count && i < 64; i++) {
        GElf_Phdr phdr;
        if (gelf_getphdr(elf, (int)i, &phdr) == NULL || phdr.p_type != PT_INTERP ||
            phdr.p_filesz >= sizeof loader)
            continue;
        ssize_t got = pread(fd, loader, phdr.p_filesz, (off_t)phdr.p_offset);
        loader[got < 0 ? 0 : got] = '\0';
    }
    elf_end(elf);
    const char *slash = strncmp(loader, "/lib", 4) == 0 ? strchr(loader + 4, '/') : NULL;
    if (slash == NULL || slash - (loader + 4) > 2)
        return false;
    return strncmp(slash, "/ld-linux", 9) == 0 || strncmp(slash, "/ld64.so", 8) == 0;
}

enum loader_verdict missing_library(const char *program, const struct loader_places *places,
                                    unsigned *looks, char name[LIBRARY_NAME_SIZE])
{
    struct library_search search = {.passes_over_cwd = places->passes_over_cwd, .looks = looks};
    const struct object none = {.path = program};
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
