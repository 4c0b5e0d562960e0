/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records as files: [file] dir/[KIND/][NNN/]NAME, as XALT lays them out. A file appears whole: it
 * is written under a name that begins with a dot, and renamed when its bytes are on the disk.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/directory.h"
#include "conf/base/grow.h"
#include "conf/base/io.h"
#include "submit/outbox/transport.h"

enum { DIRECTORY_MODE = 0750 };

/* How many records are written before they are renamed together: one syncfs(2) is for all. */
enum { GROUP = 1024 };

struct file_state {
    const struct conf *conf;
    int root;
    bool is_synced;
};

/* A directory below the root that records of a group went to. */
struct file_place {
    char path[32];
    int fd;
};

static int open_root(const struct conf *conf, bool is_synced, void **state,
                     struct transport_trouble *trouble)
{
    struct file_state *opened = malloc(sizeof *opened);
    int root = directory_make(conf->file_dir, DIRECTORY_MODE);
    if (opened == NULL || root < 0) {
        snprintf(trouble->text, sizeof trouble->text, "%.180s: %s", conf->file_dir,
                 strerror(root < 0 ? -root : ENOMEM));
        free(opened);
        if (root >= 0)
            close(root);
        return root < 0 ? root : -ENOMEM;
    }
    *opened = (struct file_state){.conf = conf, .root = root, .is_synced = is_synced};
    *state = opened;
    return 0;
}

static int file_open(const struct conf *conf, void **state, struct transport_trouble *trouble)
{
    return open_root(conf, true, state, trouble);
}

static int unsynced_open(const struct conf *conf, void **state, struct transport_trouble *trouble)
{
    return open_root(conf, false, state, trouble);
}

/* The number is XALT's: of the uuid's last seven digits, as many digits as the largest has. */
static void place_path(const struct conf *conf, const struct record_view *record, char *path,
                       size_t size)
{
    char digits[8] = "";
    path[0] = '\0';
    if (!conf->file_separate && conf->file_subdirectories == 0)
        return;
    if (conf->file_separate)
        snprintf(path, size, "%.*s", (int)record->kind_word.length, record->kind_word.at);
    if (conf->file_subdirectories == 0)
        return;
    unsigned long hash = record->uuid == NULL ? 0 : strtoul(record->uuid + 29, NULL, 16);
    int width = snprintf(digits, sizeof digits, "%u", conf->file_subdirectories);
    size_t used = strlen(path);
    snprintf(path + used, size - used, "%s%0*lu", used > 0 ? "/" : "", width,
             hash % conf->file_subdirectories);
}

static int open_place(const struct file_state *state, const char *path)
{
    char part[32];
    if (path[0] == '\0')
        path = ".";
    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        int error = directory_make_one(state->root, part, DIRECTORY_MODE);
        if (error != 0)
            return error;
    }
    return path[0] == '.' ? directory_open(state->root, path)
                          : directory_make_open(state->root, path, DIRECTORY_MODE);
}

static int temporary_name(const char *name, char *temporary)
{
    int length = snprintf(temporary, NAME_MAX + 1, ".%s.new", name);
    return length < 0 || length > NAME_MAX ? -ENAMETOOLONG : 0;
}

static int write_file(int directory, const struct record_view *record)
{
    char name[NAME_MAX + 1];
    int error = temporary_name(record->name, name);
    if (error != 0)
        return error;
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0640);
    if (fd < 0)
        return -errno;
    const struct iovec parts[] = {{(void *)record->text, record->length}, {(void *)"\n", 1}};
    error = io_write_parts(fd, parts, 2);
    if (close(fd) != 0 && error == 0)
        error = -errno;
    if (error != 0)
        unlinkat(directory, name, 0);
    return error;
}

/* The records of a group, each with the number of its place. */
struct group {
    struct transport_item *items[GROUP];
    unsigned place_of[GROUP];
    size_t count;
    struct file_place *places; /* owned, with their descriptors */
    size_t place_count;
};

static int find_place(const struct file_state *state, struct group *group,
                      const struct record_view *record, unsigned *place)
{
    char path[sizeof group->places->path];
    place_path(state->conf, record, path, sizeof path);
    for (size_t i = group->place_count; i > 0; i--) {
        if (strcmp(group->places[i - 1].path, path) == 0) {
            *place = (unsigned)(i - 1);
            return 0;
        }
    }
    if (GROW(group->places, group->place_count) != 0)
        return -ENOMEM;
    struct file_place *added = &group->places[group->place_count];
    added->fd = open_place(state, path);
    if (added->fd < 0)
        return added->fd;
    strcpy(added->path, path);
    *place = (unsigned)group->place_count++;
    return 0;
}

/* Writes what there is time for. */
static int write_group(const struct file_state *state, struct group *group, uint64_t deadline_ns)
{
    for (size_t i = 0; i < group->count; i++) {
        const struct record_view *record = &group->items[i]->record;
        int error = clock_left_ms(deadline_ns) == 0 ? -ETIMEDOUT : 0;
        if (error == 0)
            error = find_place(state, group, record, &group->place_of[i]);
        if (error == 0)
            error = write_file(group->places[group->place_of[i]].fd, record);
        if (error != 0) {
            group->count = i;
            return error;
        }
    }
    return 0;
}

/* A record that came twice has been renamed once. */
static int rename_file(int directory, const char *name)
{
    char temporary[NAME_MAX + 1];
    int error = temporary_name(name, temporary);
    if (error != 0 || renameat(directory, temporary, directory, name) == 0)
        return error;
    return errno == ENOENT && faccessat(directory, name, F_OK, 0) == 0 ? 0 : -errno;
}

/* Gives what was written its names, durably. */
static int finish_group(const struct file_state *state, const struct group *group)
{
    int error = state->is_synced && syncfs(state->root) != 0 ? -errno : 0;
    for (size_t i = 0; i < group->count && error == 0; i++)
        error = rename_file(group->places[group->place_of[i]].fd, group->items[i]->record.name);
    for (size_t i = 0; state->is_synced && i < group->place_count && error == 0; i++)
        if (fsync(group->places[i].fd) != 0)
            error = -errno;
    for (size_t i = 0; i < group->count && error == 0; i++)
        group->items[i]->outcome = TRANSPORT_ACCEPTED;
    return error;
}

/* What was written before something failed is brought to its end all the same. */
static int send_group(const struct file_state *state, struct group *group, uint64_t deadline_ns)
{
    int error = write_group(state, group, deadline_ns);
    int finished = group->count == 0 ? 0 : finish_group(state, group);
    for (size_t i = 0; i < group->place_count; i++)
        close(group->places[i].fd);
    free(group->places);
    return error != 0 ? error : finished;
}

static int file_send(void *context, struct transport_item *items, size_t count,
                     uint64_t deadline_ns, struct transport_trouble *trouble)
{
    const struct file_state *state = context;
    int error = 0;
    for (size_t i = 0; i < count && error == 0;) {
        struct group group = {.count = 0};
        for (; i < count && group.count < GROUP; i++)
            if (items[i].outcome == TRANSPORT_PENDING)
                group.items[group.count++] = &items[i];
        error = send_group(state, &group, deadline_ns);
    }
    if (error != 0)
        snprintf(trouble->text, sizeof trouble->text, "%.180s: %s", state->conf->file_dir,
                 strerror(-error));
    return error;
}

static int file_ask(void *context, uint64_t deadline_ns, struct transport_trouble *trouble)
{
    const struct file_state *state = context;
    (void)deadline_ns;
    int error = faccessat(state->root, ".", W_OK | X_OK, AT_EACCESS) != 0 ? -errno : 0;
    if (error != 0)
        snprintf(trouble->text, sizeof trouble->text, "%.180s: %s", state->conf->file_dir,
                 strerror(-error));
    return error;
}

static void file_close(void *context)
{
    struct file_state *state = context;
    close(state->root);
    free(state);
}

int transport_file_put(const char *path, const struct record_view *record)
{
    CLEANUP_CLOSE int directory = directory_make(path, DIRECTORY_MODE);
    int error = directory < 0 ? directory : write_file(directory, record);
    return error != 0 ? error : rename_file(directory, record->name);
}

const struct transport transport_file = {"file", file_open, file_send, file_ask, file_close};

const struct transport transport_file_unsynced = {"file", unsynced_open, file_send, file_ask,
                                                  file_close};
