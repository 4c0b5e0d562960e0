/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libmon/libmon_list.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/host.h"
#include "conf/base/replacement.h"
#include "conf/base/text.h"
#include "conf/base/trusted.h"
#include "contrib/libraries/library_date.h"
#include "contrib/libraries/scan/library_names.h"
#include "contrib/libraries/scan/library_owners.h"
#include "submit/record/json_write.h"
#include "submit/record/record.h"

enum { FORM = 1, CELL_SIZE = 4 * PATH_MAX + 1, LIST_MODE = 0644 };

/* ---- JSON ------------------------------------------------------------------------------------ */

static void write_time(struct json_writer *json, const char *key, int64_t time_s)
{
    char text[LIBRARY_DATE_SIZE] = "";
    json_write_text(json, key, library_date_iso(time_s, text) == 0 ? text : "");
}

static int put_line(FILE *stream, struct json_writer *json)
{
    size_t length;
    CLEANUP_FREE char *text = json_write_end(json, &length);
    if (text == NULL)
        return -ENOMEM;
    fwrite(text, 1, length, stream);
    putc('\n', stream);
    return 0;
}

static int put_head(FILE *stream, const struct conf *conf)
{
    struct json_writer json;
    json_write_begin(&json);
    json_write(&json, "jobtrail_libraries", json_object_new_int(FORM));
    json_write_text(&json, "cluster", record_cluster(conf, ""));
    json_write_text(&json, "node", host_node());
    write_time(&json, "made", (int64_t)time(NULL));
    return put_line(stream, &json);
}

static int put_file(FILE *stream, const struct conf *conf, const struct library_known *known)
{
    struct json_writer json;
    json_write_begin(&json);
    json_write_text(&json, "path", known->path);
    json_write_text(&json, "library", known->file.name);
    json_write_text(&json, "group", library_group(conf, known->file.name));
    json_write_text(&json, "package", known->file.package);
    json_write_text(&json, "version", known->file.version);
    json_write_text(&json, "soname", known->file.soname);
    json_write_text(&json, "build_id", known->file.build_id);
    json_write(&json, "size", json_object_new_int64(known->file.size));
    write_time(&json, "since", known->since_s);
    return put_line(stream, &json);
}

/* ---- The table ------------------------------------------------------------------------------- */

static void print_cell(const char *text, int width)
{
    char cell[CELL_SIZE];
    terminal_text(text, strlen(text), cell, sizeof cell);
    printf("%-*s  ", width, cell[0] == '\0' ? "-" : cell);
}

static void print_row(const struct library_known *known)
{
    char since[LIBRARY_DATE_SIZE] = "", path[CELL_SIZE];
    library_date_iso(known->since_s, since);
    terminal_text(known->path, strlen(known->path), path, sizeof path);
    print_cell(known->file.name, 20);
    print_cell(known->file.version, 16);
    print_cell(known->file.package, 20);
    printf("%12" PRId64 "  %.10s  %s\n", known->file.size, since, path);
}

/* ---- All, or some ---------------------------------------------------------------------------- */

static bool is_chosen(const struct library_known *known, char *const *patterns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fnmatch(patterns[i], strchr(patterns[i], '/') != NULL ? known->path : known->file.name,
                    0) == 0)
            return true;
    return count == 0;
}

int libmon_list_print(const struct conf *conf, bool is_json, char *const *patterns, size_t count,
                      uint64_t *shown)
{
    struct library_names *names;
    struct library_known known;
    *shown = 0;
    int result = library_names_open(conf->library_state, &names);
    if (result != 0)
        return result;
    if (is_json)
        result = put_head(stdout, conf);
    else
        printf("%-20s  %-16s  %-20s  %12s  %-10s  %s\n", "Library", "Version", "Package", "Bytes",
               "Since", "Path");
    while (result == 0 && (result = library_names_next(names, &known)) == 1) {
        result = 0;
        if (!is_chosen(&known, patterns, count))
            continue;
        ++*shown;
        if (is_json)
            result = put_file(stdout, conf, &known);
        else
            print_row(&known);
    }
    library_names_close(names);
    return result;
}

/* ---- The file -------------------------------------------------------------------------------- */

static bool is_later(const char *path, const struct timespec *time)
{
    struct stat status;
    return stat(path, &status) == 0 &&
           (status.st_mtim.tv_sec != time->tv_sec ? status.st_mtim.tv_sec > time->tv_sec
                                                  : status.st_mtim.tv_nsec >= time->tv_nsec);
}

/* A scan that finds no change does not write to the state. A list of a time that is to come was
 * written before the clock was set: its time says nothing. */
static bool is_old(const struct conf *conf, int directory, const char *name)
{
    char state[PATH_MAX];
    struct stat status;
    snprintf(state, sizeof state, "%s/libraries.db", conf->library_state);
    return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
           status.st_mtim.tv_sec > time(NULL) || is_later(state, &status.st_mtim) ||
           is_later(conf->path, &status.st_mtim);
}

static int write_all(const struct conf *conf, FILE *stream)
{
    struct library_names *names;
    struct library_known known;
    int result = library_names_open(conf->library_state, &names);
    if (result != 0)
        return result;
    result = put_head(stream, conf);
    while (result == 0 && (result = library_names_next(names, &known)) == 1)
        result = known.file.is_private ? 0 : put_file(stream, conf, &known);
    library_names_close(names);
    return result;
}

static int write_list(const struct conf *conf, int directory, const char *name)
{
    CLEANUP_CLOSE int fd = replacement_open(directory, name);
    if (fd < 0)
        return fd;
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    CLEANUP_FCLOSE FILE *stream = copy < 0 ? NULL : fdopen(copy, "w");
    int error = stream == NULL ? -errno : write_all(conf, stream);
    if (error == 0 && (fflush(stream) != 0 || ferror(stream) || fsync(fd) != 0))
        error = errno != 0 ? -errno : -EIO;
    return replacement_end(directory, name, fd, LIST_MODE, error);
}

int libmon_list_keep(const struct conf *conf, char *trouble, size_t size)
{
    char culprit[PATH_MAX] = "";
    const char *path = conf->library_list, *name;
    if (path[0] == '\0')
        return 0;
    CLEANUP_CLOSE int directory =
        trusted_parent(path, &name, TRUSTED_ALONE, culprit, sizeof culprit);
    int error = directory < 0                    ? directory
                : !is_old(conf, directory, name) ? 0
                                                 : write_list(conf, directory, name);
    if (error == -EPERM && culprit[0] != '\0')
        snprintf(trouble, size, "root writes no %s: %.200s can be changed by others", path,
                 culprit);
    else if (error != 0)
        snprintf(trouble, size, "the list %s: %s; the next scan writes it", path, strerror(-error));
    return error;
}
