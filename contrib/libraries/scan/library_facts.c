/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/elf_segments.h"
#include "conf/base/io.h"
#include "conf/base/text.h"
#include "conf/library_modules.h"
#include "contrib/libraries/conf_libraries.h"
#include "contrib/libraries/scan/library_packages.h"

/* File systems have times of a limited resolution: a file that was written so shortly before it was
 * read could be written again without a trace. */
enum { SETTLED_S = 2 };

struct library_naming {
    const struct conf *conf;
    const char *root;
    const struct globs *patterns;
    struct library_owners *owners;
    struct module_map modules;
    struct library_packages *packages; /* owned; NULL: not read yet */
    bool has_modules;                  /* they were read */
    bool is_told;                      /* library_naming_trouble() was asked */
    char *directory;                   /* owned: for which `module` is the answer; NULL: none */
    const char *module;
};

/* ---- Names ----------------------------------------------------------------------------------- */

struct library_naming *library_naming_new(const struct conf *conf, const char *root,
                                          const struct globs *patterns,
                                          struct library_owners *owners)
{
    struct library_naming *naming = calloc(1, sizeof *naming);
    if (naming != NULL)
        *naming = (struct library_naming){
            .conf = conf, .root = root, .patterns = patterns, .owners = owners};
    return naming;
}

void library_naming_free(struct library_naming *naming)
{
    if (naming == NULL)
        return;
    module_map_free(&naming->modules);
    library_packages_free(naming->packages);
    free(naming->directory);
    free(naming);
}

const char *library_naming_trouble(struct library_naming *naming)
{
    if (naming->packages == NULL || naming->is_told)
        return "";
    naming->is_told = true;
    return library_packages_trouble(naming->packages);
}

/* Files of one directory follow each other. */
static const char *find_module(struct library_naming *naming, const char *path)
{
    size_t length = (size_t)(strrchr(path, '/') - path);
    if (naming->modules.count == 0)
        return NULL;
    if (naming->directory == NULL || strncmp(naming->directory, path, length) != 0 ||
        naming->directory[length] != '\0') {
        free(naming->directory);
        naming->directory = strndup(path, length);
        naming->module =
            naming->directory == NULL ? NULL : module_map_find(&naming->modules, naming->directory);
    }
    return naming->module;
}

/* "fftw/3.3.10" is version 3.3.10 of fftw. */
static void take_module(struct library_file *file, const char *module)
{
    const char *slash = strrchr(module, '/');
    size_t length = slash == NULL || slash == module ? strlen(module) : (size_t)(slash - module);
    snprintf(file->name, sizeof file->name, "%.*s", (int)length, module);
    if (file->version[0] == '\0' && module[length] == '/')
        snprintf(file->version, sizeof file->version, "%s", module + length + 1);
}

/* libx.so.1.2 and libx-1.so are called libx and libx-1; x.mod is x. */
static void take_stem(struct library_file *file, const char *text)
{
    const char *end = strstr(text, ".so");
    size_t length = end == NULL || end == text
                        ? strcspn(text + (text[0] == '.'), ".") + (text[0] == '.')
                        : (size_t)(end - text);
    snprintf(file->name, sizeof file->name, "%.*s", (int)length, text);
}

int library_name(struct library_naming *naming, const char *path, struct library_file *file)
{
    const char *package = "", *version = "";
    const struct conf_line *line = conf_library_name(naming->conf, path);
    file->package[0] = file->version[0] = '\0';
    if (!library_owners_believe(naming->owners, file))
        return 0;
    int error = 0;
    if (!naming->has_modules && naming->conf->link_modules[0] != '\0')
        error = module_map_load(naming->conf->link_modules, &naming->modules);
    naming->has_modules = error == 0;
    if (error == 0 && naming->packages == NULL)
        error = library_packages_read(naming->root, naming->patterns, &naming->packages);
    if (error != 0)
        return error;
    library_packages_find(naming->packages, path, &package, &version);
    const char *module = find_module(naming, path);
    snprintf(file->package, sizeof file->package, "%s", package);
    snprintf(file->version, sizeof file->version, "%s", version);
    if (line != NULL)
        snprintf(file->name, sizeof file->name, "%s", line->name);
    else if (module != NULL)
        take_module(file, module);
    else if (package[0] != '\0')
        snprintf(file->name, sizeof file->name, "%s", package);
    else
        take_stem(file, file->soname[0] != '\0' ? file->soname : strrchr(path, '/') + 1);
    if (line != NULL && module != NULL && file->version[0] == '\0' && strrchr(module, '/') != NULL)
        snprintf(file->version, sizeof file->version, "%s", strrchr(module, '/') + 1);
    if (file->name[0] == '\0')
        snprintf(file->name, sizeof file->name, "%s", "unnamed");
    if (library_is_others(file->name))
        file->name[0] = '_'; /* that of a file which only looks like it */
    return 0;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Times before 1677 or after 2262 are those: what a user sets does not wrap. */
static int64_t time_ns(const struct timespec *time)
{
    const int64_t most_s = INT64_MAX / 1000000000 - 1;
    if (time->tv_sec < -most_s || time->tv_sec > most_s)
        return time->tv_sec < 0 ? -INT64_MAX : INT64_MAX;
    return (int64_t)((uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec);
}

void library_identity(const struct stat *status, struct library_file *file)
{
    file->device = status->st_dev;
    file->inode = status->st_ino;
    file->size = status->st_size;
    file->modified_ns = time_ns(&status->st_mtim);
    file->changed_ns = time_ns(&status->st_ctim);
    file->owner = status->st_uid;
    file->is_private = (status->st_mode & S_IROTH) == 0;
    file->is_anyones = (status->st_mode & S_IWOTH) != 0;
}

int64_t library_access(const struct stat *status)
{
    return time_ns(&status->st_atim);
}

int64_t library_changed(const struct stat *status)
{
    return time_ns(&status->st_ctim);
}

/* Returns as library_facts(). */
static int read_contents(int fd, struct file_hash_bounds *bounds, struct library_file *file)
{
    unsigned char id[BUILD_ID_MAX];
    struct file_hash hash;
    text_hex(id, elf_build_id_of(fd, id), file->build_id);
    elf_soname(fd, file->soname, sizeof file->soname);
    if (bounds == NULL)
        return 0;
    if (lseek(fd, 0, SEEK_SET) != 0)
        return -errno;
    file_hash_of(NULL, bounds, fd, &hash);
    if (hash.error == 0 && hash.sha1[1] != '\0')
        memcpy(file->sha1, hash.sha1, sizeof file->sha1);
    return hash.error == -ESTALE ? 0 : hash.error; /* it is not settled, which is seen to */
}

/* Whether a write after that of `before` would show in the times. */
static bool is_settled(int fd, const struct library_file *before)
{
    struct stat status;
    struct library_file after = {.size = 0};
    time_t now = time(NULL);
    if (fstat(fd, &status) != 0)
        return false;
    library_identity(&status, &after);
    /* a time that is not now, also one to come, is not that of the next write */
    return after.size == before->size && after.modified_ns == before->modified_ns &&
           after.changed_ns == before->changed_ns &&
           llabs((long long)now - (long long)status.st_ctim.tv_sec) > SETTLED_S;
}

int library_facts(int directory, const char *name, const struct stat *status,
                  struct file_hash_bounds *bounds, struct library_file *file)
{
    struct stat opened;
    *file = (struct library_file){.size = 0};
    library_identity(status, file);
    CLEANUP_CLOSE int fd = io_open_regular(directory, name, O_NOFOLLOW | O_NOATIME);
    if (fd < 0) {
        file->changed_ns = 0; /* the next scan tries again */
        return fd == -ELOOP || fd == -EINVAL ? -ENOENT : fd;
    }
    if (fstat(fd, &opened) != 0 || !S_ISREG(opened.st_mode))
        return -ENOENT;
    library_identity(&opened, file);
    int error = read_contents(fd, bounds, file);
    bool is_tried_again = error == -EFBIG ? bounds->ms == 0 : error != 0;
    if (is_tried_again || !is_settled(fd, file))
        file->changed_ns = 0;
    return error;
}
