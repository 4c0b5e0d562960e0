/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libuse/libuse_poll.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/grow.h"
#include "contrib/libraries/globs.h"
#include "contrib/libraries/scan/library_facts.h"
#include "contrib/libraries/scan/library_reads.h"
#include "contrib/libraries/scan/library_source.h"
#include "contrib/libraries/scan/library_walk.h"

#define SECOND_NS INT64_C(1000000000)
#define DAY_NS    (86400 * SECOND_NS)

enum { WARNINGS_MAX = 100, COMMIT_ROWS = 10000 };

/* A mount on the way; `place` is its number in the state, `is_new` that no scan has seen it. */
struct mount {
    size_t place;
    bool is_new, is_asked;
    int64_t polled_s; /* when the turn before began */
    enum library_source source;
};

struct poll_turn {
    const struct libuse_order *order;
    struct library_state *state;
    struct libuse_counts *counts;
    struct libuse_batch *batch;
    struct library_places places;
    struct mount *mount; /* owned */
    size_t mounts;
    const char *tree;
    uint64_t looked, unheard; /* in the tree; before it */
    int64_t began_s;
    bool is_watched;
    unsigned warnings, waiting; /* `waiting`: rows since the last commit */
};

static void turn_warn(struct poll_turn *turn, const char *path, const char *text)
{
    if (turn->warnings++ < WARNINGS_MAX)
        turn->order->warn(turn->order->context, path, text);
    else if (turn->warnings == WARNINGS_MAX + 1)
        turn->order->warn(turn->order->context, path, "further messages are left out");
}

static void warn_key(struct poll_turn *turn, const char *key, size_t size, const char *text)
{
    CLEANUP_FREE char *path = malloc(size + 1);
    if (path != NULL)
        library_path(key, size, path);
    turn_warn(turn, path == NULL ? "?" : path, text);
}

/* ---- Mounts ---------------------------------------------------------------------------------- */

static int turn_root(void *context, const struct library_root *root, size_t *place)
{
    struct poll_turn *turn = context;
    struct mount mount = {.is_new = true};
    int error = GROW(turn->mount, turn->mounts);
    if (error != 0)
        return error;
    for (size_t i = 0; i < turn->places.count && mount.is_new; i++) {
        const struct library_place *known = &turn->places.place[i];
        mount.place = i;
        mount.is_new = known->size != root->size ||
                       memcmp(known->key, root->key, root->size) != 0 ||
                       known->was_device != root->device;
    }
    error = library_reads_polled(turn->state, mount.place, &mount.polled_s);
    *place = turn->mounts;
    turn->mount[turn->mounts++] = mount;
    return error;
}

/* The first one below a mount is asked what the mount is. */
static int turn_directory(void *context, int fd, const char *key, size_t size)
{
    struct poll_turn *turn = context;
    struct mount *mount = turn->mounts == 0 ? NULL : &turn->mount[turn->mounts - 1];
    char path[64];
    if (mount == NULL || mount->is_asked)
        return 0;
    mount->is_asked = true;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    mount->source = library_source_of(path, turn->is_watched);
    if (mount->source != SOURCE_WATCH && !library_source_is_atime(mount->source))
        warn_key(turn, key, size, library_source_reason(mount->source));
    return 0;
}

/* Whether files of the mount are looked at; else counts this one. */
static bool is_looked_at(const struct mount *mount, struct libuse_counts *counts)
{
    counts->watched += mount->source == SOURCE_WATCH;
    counts->no_atime += mount->source == SOURCE_NO_ATIME;
    counts->fixed += mount->source == SOURCE_FIXED;
    counts->layers += mount->source == SOURCE_LAYERS;
    counts->waiting += mount->is_new && library_source_is_atime(mount->source);
    return !mount->is_new && library_source_is_atime(mount->source);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static bool is_same(const struct library_read_row *row, const struct library_file *is, size_t place)
{
    return row->place == place && row->file.inode == is->inode && row->file.size == is->size &&
           row->file.modified_ns == is->modified_ns && row->file.changed_ns == is->changed_ns;
}

/* The times of other hosts' clocks may be before those of this one's turns. */
static int add_use(struct poll_turn *turn, const struct library_seen *seen,
                   const struct mount *mount, int64_t atime_ns)
{
    int64_t after_s = atime_ns / SECOND_NS;
    if (mount->polled_s != LIBRARY_READS_NEVER && mount->polled_s < after_s)
        after_s = mount->polled_s;
    return library_reads_add(turn->state, turn->tree, seen->key, seen->size, after_s,
                             (int64_t)time(NULL) + 1);
}

/* Whether relatime lets the next read move the time of last access: relatime_need_update() of
 * Linux. */
static bool is_armed(const struct library_file *is, int64_t atime_ns)
{
    const int64_t now_s = (int64_t)clock_ns(CLOCK_REALTIME) / SECOND_NS;
    return is->modified_ns >= atime_ns || is->changed_ns >= atime_ns ||
           now_s - atime_ns / SECOND_NS >= DAY_NS / SECOND_NS;
}

/* Without a time in the state, each turn would find the same, and set it again. */
static int pass_over(struct poll_turn *turn, const struct library_seen *seen)
{
    turn->counts->not_noted++;
    warn_key(turn, seen->key, seen->size, library_state_error(turn->state));
    return 0;
}

static int look_at(struct poll_turn *turn, const struct library_seen *seen,
                   const struct mount *mount, const struct library_read_row *row,
                   const struct library_file *is)
{
    const int64_t atime_ns = library_access(seen->status);
    /* a time that was set is a second before what is counted already */
    bool is_known = row->seen_ns != LIBRARY_READS_NEVER;
    bool is_used = is_known && atime_ns > row->seen_ns;
    bool is_other = !is_known || is_used || atime_ns < row->seen_ns - SECOND_NS;
    int error = is_other ? library_reads_seen(turn->state, is, atime_ns) : 0;
    if (error == -ESTALE)
        return pass_over(turn, seen);
    if (error == 0 && is_used)
        error = add_use(turn, seen, mount, atime_ns);
    if (error == 0 && is_other && ++turn->waiting % COMMIT_ROWS == 0)
        error = library_state_commit(turn->state);
    turn->looked++;
    turn->counts->looked++;
    if (error != 0 || mount->source != SOURCE_REARMED || is_armed(is, atime_ns))
        return error;
    return libuse_batch_add(turn->batch, turn->state, seen, &turn->counts->set);
}

/* The file is not as the last scan saw it. */
static int leave_to_scan(struct poll_turn *turn, const struct library_seen *seen,
                         struct library_read_row *row)
{
    int result = library_reads_is_rearmed(turn->state, seen, &row->file);
    turn->counts->waiting++;
    row->file.device = seen->status->st_dev;
    return result == 1 ? library_reads_changed(turn->state, &row->file, 0) : result;
}

static int turn_file(void *context, const struct library_seen *seen)
{
    struct poll_turn *turn = context;
    const struct mount *mount = &turn->mount[seen->place];
    struct library_read_row row;
    struct library_file is;
    turn->counts->files++;
    if (!is_looked_at(mount, turn->counts))
        return 0;
    int found = library_reads_find(turn->state, seen->key, seen->size, &row);
    if (found <= 0) {
        turn->counts->waiting += found == 0;
        return found;
    }
    library_identity(seen->status, &is);
    return is_same(&row, &is, mount->place) ? look_at(turn, seen, mount, &row, &is)
                                            : leave_to_scan(turn, seen, &row);
}

static int turn_unreadable(void *context, const char *key, size_t size, int error)
{
    struct poll_turn *turn = context;
    turn->counts->unreadable++;
    warn_key(turn, key, size, strerror(-error));
    return 0;
}

/* The scan says it. */
static void turn_too_deep(void *context)
{
    (void)context;
}

/* ---- Trees ----------------------------------------------------------------------------------- */

/* Whether what has read the tree was no program that needs its libraries is shown by how much of it
 * was read. */
static int end_tree(struct poll_turn *turn)
{
    struct library_reads_sum sum = {0};
    int error = libuse_batch_end(turn->batch, turn->state, &turn->counts->set);
    if (turn->counts->set.unheard > turn->unheard)
        turn->order->unheard(turn->order->context, turn->tree,
                             turn->counts->set.unheard - turn->unheard, turn->began_s);
    for (size_t i = 0; i < turn->mounts && error == 0; i++)
        if (!turn->mount[i].is_new && library_source_is_atime(turn->mount[i].source))
            error = library_reads_set_polled(turn->state, turn->mount[i].place, turn->began_s);
    if (error == 0)
        error = library_reads_sum(turn->state, turn->tree, &sum);
    bool is_all = sum.files >= LIBUSE_ALL_FILES && 2 * sum.files > turn->looked;
    if (error == 0)
        error = library_reads_end(turn->state, turn->tree, is_all);
    if (error == 0)
        error = library_state_commit(turn->state);
    turn->counts->uses += is_all ? 0 : sum.files;
    if (error == 0 && is_all)
        error = turn->order->all(turn->order->context, turn->tree, &sum, turn->looked);
    return error;
}

static int poll_tree(struct poll_turn *turn, const struct library_walk *walk, const char *tree)
{
    turn->tree = tree;
    turn->looked = 0;
    turn->unheard = turn->counts->set.unheard;
    turn->mounts = 0;
    int error = library_walk(walk, tree);
    bool is_away = turn->mounts == 0 && error != 0 && error != -ENOMEM;
    if (is_away) {
        turn->counts->away++;
        turn_warn(turn, tree, strerror(-error));
        return 0;
    }
    return error == 0 ? end_tree(turn) : error;
}

static int poll_trees(struct poll_turn *turn, const struct globs *patterns,
                      const struct globs *except)
{
    const struct conf_lines *trees = &turn->order->conf->library_trees;
    const struct library_walk walk = {
        .patterns = patterns,
        .except = except,
        .context = turn,
        .root = turn_root,
        .directory = turn_directory,
        .file = turn_file,
        .unreadable = turn_unreadable,
        .too_deep = turn_too_deep,
    };
    int error = library_reads_prepare(turn->state);
    if (error == 0)
        error = library_state_places(turn->state, &turn->places);
    for (size_t i = 0; i < trees->count && error == 0; i++)
        error = poll_tree(turn, &walk, trees->line[i].text);
    return error;
}

int libuse_poll(const struct libuse_order *order, struct library_state *state,
                struct libuse_counts *counts)
{
    struct poll_turn turn = {
        .order = order,
        .state = state,
        .counts = counts,
        .batch = libuse_batch_new(),
        .began_s = (int64_t)time(NULL),
        .is_watched = library_source_is_watched(order->conf),
    };
    struct globs *patterns = NULL, *except = NULL;
    int error = turn.batch == NULL ? -ENOMEM : globs_read(order->conf->library_patterns, &patterns);
    if (error == 0)
        error = globs_read(order->conf->library_except, &except);
    if (error == 0)
        error = poll_trees(&turn, patterns, except);
    libuse_batch_free(turn.batch);
    library_places_free(&turn.places);
    globs_free(patterns);
    globs_free(except);
    free(turn.mount);
    return error;
}
