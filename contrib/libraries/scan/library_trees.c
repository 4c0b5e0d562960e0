/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_trees.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "contrib/libraries/globs.h"
#include "contrib/libraries/scan/library_facts.h"
#include "contrib/libraries/scan/library_reads.h"
#include "contrib/libraries/scan/library_state.h"
#include "contrib/libraries/scan/library_walk.h"

enum { PROGRESS_FILES = 4096 };

/* So many bytes of users who are not believed are read before others' news are told. */
#define OTHERS_BYTES (UINT64_C(64) << 20)

/* The path of a key, valid until the next call; "?" when out of memory. */
static const char *path_of(struct scan *scan, const char *key, size_t size)
{
    if (GROW_TO(scan->path, scan->path_room, size + 1) != 0)
        return "?";
    library_path(key, size, scan->path);
    return scan->path;
}

/* ---- Rows that the walk has passed ----------------------------------------------------------- */

static int next_row(struct scan *scan)
{
    int result = library_state_next(scan->state, &scan->row);
    scan->has_row = result == 1;
    return result < 0 ? scan_state_failed(scan, result) : 0;
}

/* Whether the name of the key is one of a library, by the patterns as they are now. */
static bool is_library(const struct scan *scan, const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    return globs_match(scan->patterns, name) && !globs_match(scan->except, name);
}

static int row_missing(struct scan *scan)
{
    struct library_pending pending = {
        .key = scan->row.key,
        .size = scan->row.size,
        .kind = LIBRARY_REMOVED,
        .was_place = scan->row.place,
        .is_place = scan->row.place,
        .was = scan->row.file,
    };
    library_state_rest(scan->state, &pending.was);
    pending.is_forgotten = !is_library(scan, path_of(scan, scan->row.key, scan->row.size));
    if (pending.is_forgotten)
        scan->counts->forgotten++;
    else if (scan->row.place < scan->places.count)
        scan->places.place[scan->row.place].missing++;
    int error = scan_state_failed(scan, library_state_pend(scan->state, &pending));
    return error == 0 ? next_row(scan) : error;
}

static int compare_keys(const char *a, size_t a_size, const char *b, size_t b_size)
{
    int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}

/* Rows before the key are of files that the walk has not met. */
static int pass_rows(struct scan *scan, const char *key, size_t size)
{
    int error = 0;
    while (error == 0 && scan->has_row &&
           compare_keys(scan->row.key, scan->row.size, key, size) < 0)
        error = row_missing(scan);
    return error;
}

/* ---- What the walk meets --------------------------------------------------------------------- */

static int scan_unreadable(void *context, const char *key, size_t size, int error)
{
    struct scan *scan = context;
    int failed = pass_rows(scan, key, size);
    bool is_users = error == -EXDEV; /* which ends no scan with 1 */
    scan->counts->unreadable += !is_users;
    scan_warn(scan, path_of(scan, key, size),
              is_users ? "a file system of a user's is mounted there: it is left out"
                       : strerror(-error));
    while (failed == 0 && scan->has_row && scan->row.size >= size &&
           memcmp(scan->row.key, key, size) == 0 &&
           (scan->row.size == size || scan->row.key[size] == '\0')) {
        scan->counts->away++;
        failed = next_row(scan);
    }
    return failed;
}

static bool looks_at(struct scan *scan, const char *path)
{
    struct library_beat *beat = scan->order->beat;
    for (unsigned i = 0; beat != NULL && i < beat->left_count; i++)
        if (strcmp(beat->left[i], path) == 0)
            return false;
    if (beat != NULL) {
        snprintf(beat->at, sizeof beat->at, "%s", path);
        __atomic_add_fetch(&beat->count, 1, __ATOMIC_RELAXED);
    }
    return true;
}

static bool scan_looks(void *context, const char *key, size_t size)
{
    struct scan *scan = context;
    return scan->order->beat == NULL || looks_at(scan, path_of(scan, key, size));
}

static void scan_too_deep(void *context)
{
    struct scan *scan = context;
    scan->counts->too_deep++;
}

static int add_place(struct scan *scan, const struct library_root *root, size_t *place)
{
    struct library_places *places = &scan->places;
    char *key = malloc(root->size);
    if (key == NULL || GROW(places->place, places->count) != 0) {
        free(key);
        return -ENOMEM;
    }
    memcpy(key, root->key, root->size);
    places->place[places->count] = (struct library_place){.key = key, .size = root->size};
    *place = places->count++;
    return 0;
}

static int scan_root(void *context, const struct library_root *root, size_t *place)
{
    struct scan *scan = context;
    struct library_places *places = &scan->places;
    size_t found = places->count;
    for (size_t i = 0; i < places->count && found == places->count; i++) {
        const struct library_place *other = &places->place[i];
        if (compare_keys(other->key, other->size, root->key, root->size) == 0)
            found = i;
    }
    int error = found == places->count ? add_place(scan, root, &found) : 0;
    if (error != 0)
        return error;
    if (root->is_tree)
        library_owners_tree(scan->owners, root->owner);
    places->place[found].is_visited = true;
    places->place[found].device = root->device;
    places->place[found].inode = root->inode;
    *place = found;
    return 0;
}

static int look_closely(struct scan *scan, const struct library_seen *seen, bool is_hashed,
                        struct library_file *file)
{
    *file = (struct library_file){.size = 0};
    library_identity(seen->status, file);
    int known = library_state_known(scan->state, file);
    if (known < 0)
        return scan_state_failed(scan, known);
    const char *path = path_of(scan, seen->key, seen->size);
    int error = 0;
    uint64_t *owners_ms = library_owners_ms(scan->owners, file);
    struct file_hash_bounds bounds = scan->bounds;
    if (owners_ms != NULL && *owners_ms < bounds.ms)
        bounds.ms = *owners_ms;
    if (known == 0) {
        uint64_t ms = bounds.ms;
        error = library_facts(seen->directory, seen->name, seen->status, is_hashed ? &bounds : NULL,
                              file);
        scan->bounds.ms -= ms - bounds.ms;
        if (owners_ms != NULL)
            *owners_ms -= ms - bounds.ms;
        scan->counts->hashed += error == 0 || error == -EFBIG;
    }
    if (error == -ENOENT)
        return error;
    if (error == -EFBIG) {
        scan->counts->unhashed++;
        scan_warn(
            scan, path,
            bounds.ms == 0
                ? "it gets its hash by one of the next scans: this one has taken too long"
                : "it has no hash: it is beyond hash_file_size of [submit], took too long, or "
                  "is half of holes");
    } else if (error != 0) {
        scan->counts->unreadable++;
        scan_warn(scan, path, strerror(-error));
    }
    file->is_private |= seen->is_private;
    error = library_name(scan->naming, path, file);
    const char *trouble = library_naming_trouble(scan->naming);
    if (trouble[0] != '\0')
        scan_warn(scan, "packages", trouble);
    return error == 0 ? 0
                      : scan_fail(scan, error, "the map of modules %s: %s",
                                  scan->order->conf->link_modules, strerror(-error));
}

static bool is_same(const struct library_row *row, const struct library_seen *seen)
{
    struct library_file is;
    library_identity(seen->status, &is);
    return row->file.inode == is.inode && row->file.size == is.size &&
           row->file.modified_ns == is.modified_ns && row->file.changed_ns == is.changed_ns &&
           row->file.is_private == (is.is_private || seen->is_private) && row->place == seen->place;
}

/* Reads a file that is new or may have changed. Returns 0, or -ENOENT where it is gone. */
static int look_closer(struct scan *scan, const struct library_seen *seen, bool is_hashed,
                       struct library_file *file)
{
    const bool is_silent = scan->is_silent;
    scan->is_silent = false;
    int error = look_closely(scan, seen, is_hashed, file);
    scan->is_silent = is_silent;
    return error;
}

/* Whether the file, which is to be read, waits for the second turn. A new tree has only one. */
static bool waits(struct scan *scan, const struct library_seen *seen)
{
    struct library_file file = {.size = 0};
    library_identity(seen->status, &file);
    if (!scan->is_first_turn || scan->is_first || library_owners_ms(scan->owners, &file) == NULL ||
        library_state_known(scan->state, &file) != 0)
        return false;
    const uint64_t bytes = (uint64_t)file.size;
    bool is_waiting = bytes > OTHERS_BYTES || scan->others_bytes > OTHERS_BYTES - bytes;
    scan->others_bytes += is_waiting ? 0 : bytes;
    scan->waiting += is_waiting;
    return is_waiting;
}

static int file_new(struct scan *scan, const struct library_seen *seen)
{
    struct library_pending pending = {
        .key = seen->key,
        .size = seen->size,
        .kind = LIBRARY_ADDED,
        .is_first = scan->is_first,
        .is_place = seen->place,
    };
    if (waits(scan, seen))
        return 0;
    int error = look_closer(scan, seen, !scan->order->skips_new, &pending.is);
    if (error != 0)
        return error == -ENOENT ? 0 : error;
    return scan_state_failed(scan, library_state_pend(scan->state, &pending));
}

static bool is_one_device(const struct scan *scan, size_t was, size_t is)
{
    const struct library_places *places = &scan->places;
    return was < places->count && places->place[was].was_device == places->place[is].device;
}

/* The file of the row, which is not as it was. */
static int file_other(struct scan *scan, const struct library_seen *seen)
{
    if (waits(scan, seen))
        return next_row(scan);
    struct library_pending pending = {
        .key = seen->key,
        .size = seen->size,
        .was_place = scan->row.place,
        .is_place = seen->place,
        .was = scan->row.file,
    };
    library_state_rest(scan->state, &pending.was);
    /* Where a turn of jobtrail-libuse that was killed may have moved the time of last change, what
     * the file is tells whether it has changed. */
    int result = library_reads_is_rearmed(scan->state, seen, &pending.was);
    if (result == 1)
        pending.was.changed_ns = 0;
    int error = result < 0 ? scan_state_failed(scan, result) : 0;
    if (error == 0)
        error = look_closer(scan, seen, true, &pending.is);
    if (error == -ENOENT)
        return row_missing(scan);
    if (error != 0)
        return error;
    struct library_file now = pending.is;
    now.changed_ns = library_changed(seen->status); /* also one that is too new to be kept */
    pending.kind = library_change_judge(&pending.was, &now,
                                        is_one_device(scan, pending.was_place, seen->place));
    bool is_kept = pending.kind == LIBRARY_NONE && pending.was_place == pending.is_place &&
                   pending.was.inode == pending.is.inode &&
                   pending.was.modified_ns == pending.is.modified_ns &&
                   pending.was.changed_ns == pending.is.changed_ns &&
                   pending.was.is_private == pending.is.is_private &&
                   strcmp(pending.was.sha1, pending.is.sha1) == 0;
    if (!is_kept)
        error = scan_state_failed(scan, library_state_pend(scan->state, &pending));
    return error == 0 ? next_row(scan) : error;
}

/* By what is there, it shows whether the file system is that of the last scan. */
static void note_found(struct scan *scan, const struct library_seen *seen)
{
    struct library_file is;
    library_identity(seen->status, &is);
    if (scan->row.place >= scan->places.count || scan->row.file.size != is.size ||
        scan->row.file.modified_ns != is.modified_ns)
        return;
    scan->places.place[scan->row.place].found++;
    scan->places.place[scan->row.place].same += scan->row.file.inode == is.inode;
}

static int scan_file(void *context, const struct library_seen *seen)
{
    struct scan *scan = context;
    int error = pass_rows(scan, seen->key, seen->size);
    if (error != 0)
        return error;
    if (++scan->counts->files % PROGRESS_FILES == 0 && scan->order->progress != NULL)
        scan->order->progress(scan->order->teller.context, scan->counts->files);
    if (!scan->has_row || compare_keys(scan->row.key, scan->row.size, seen->key, seen->size) != 0)
        return file_new(scan, seen);
    note_found(scan, seen);
    return is_same(&scan->row, seen) ? next_row(scan) : file_other(scan, seen);
}

/* ---- Trees ----------------------------------------------------------------------------------- */

/* The rows of a tree that is not there. They are kept, unless they count as removed. */
static int tree_away(struct scan *scan, const char *tree, int why)
{
    int error = 0;
    uint64_t before = scan->counts->away;
    while (error == 0 && scan->has_row) {
        if (scan->order->is_accepted && why == -ENOENT) {
            error = row_missing(scan);
        } else {
            scan->counts->away++;
            error = next_row(scan);
        }
    }
    scan->counts->trees_away++;
    const char *text = why == -ELOOP || why == -ENOTDIR
                           ? "a part of its path is a symbolic link or no directory: name the "
                             "directory itself"
                           : strerror(-why);
    scan_warn(scan, tree, text);
    if (scan->counts->away > before)
        scan_warn(scan, tree, "the tree is away; its libraries do not count as removed");
    return error;
}

static int scan_tree(struct scan *scan, const char *tree)
{
    size_t size = strlen(tree);
    CLEANUP_FREE char *key = malloc(size + 1);
    if (key == NULL)
        return scan_fail(scan, -ENOMEM, "out of memory");
    library_key(tree, size, key);
    int error = scan_state_failed(scan, library_state_rows(scan->state, key, size));
    if (error == 0)
        error = next_row(scan);
    scan->is_first = !scan->has_row;
    const struct library_walk walk = {
        .patterns = scan->patterns,
        .except = scan->except,
        .context = scan,
        .root = scan_root,
        .file = scan_file,
        .unreadable = scan_unreadable,
        .looks = scan_looks,
        .too_deep = scan_too_deep,
    };
    if (error != 0)
        return error;
    error = looks_at(scan, tree) ? library_walk(&walk, tree) : -ETIMEDOUT;
    if (scan->order->beat != NULL)
        scan->order->beat->at[0] = '\0';
    if (error != 0 && scan->trouble[0] == '\0' && error != -ENOMEM)
        return tree_away(scan, tree, error);
    while (error == 0 && scan->has_row)
        error = row_missing(scan);
    return error == 0 ? 0 : scan_fail(scan, error, "%s", strerror(-error));
}

/* ---- What is in no tree any more ------------------------------------------------------------- */

/* Forgets the rows that have been begun. */
static int forget_rows(struct scan *scan)
{
    char text[128];
    CLEANUP_FREE char *first = NULL;
    uint64_t before = scan->counts->forgotten;
    int error = next_row(scan);
    if (error == 0 && scan->has_row)
        first = strdup(path_of(scan, scan->row.key, scan->row.size));
    while (error == 0 && scan->has_row) {
        struct library_pending pending = {
            .key = scan->row.key,
            .size = scan->row.size,
            .kind = LIBRARY_REMOVED,
            .is_forgotten = true,
            .was_place = scan->row.place,
            .is_place = scan->row.place,
            .was = scan->row.file,
        };
        scan->counts->forgotten++;
        error = scan_state_failed(scan, library_state_pend(scan->state, &pending));
        if (error == 0)
            error = next_row(scan);
    }
    snprintf(text, sizeof text,
             "it lies in no tree of [libraries] any more: it is forgotten, and %" PRIu64
             " others here",
             scan->counts->forgotten - before - 1);
    if (first != NULL)
        scan_warn(scan, first, text);
    return error;
}

static int by_key(const void *a, const void *b)
{
    const char *const *one = a, *const *other = b;
    size_t size = strlen(*one), other_size = strlen(*other);
    for (size_t i = 0; i < size && i < other_size; i++) {
        int byte = (*one)[i] == '/' ? 0 : (unsigned char)(*one)[i];
        int other_byte = (*other)[i] == '/' ? 0 : (unsigned char)(*other)[i];
        if (byte != other_byte)
            return byte - other_byte;
    }
    return (size > other_size) - (size < other_size);
}

/* What lies in front of the trees, between them and behind them, in the order of keys. */
static int forget_outside(struct scan *scan)
{
    const struct conf_lines *trees = &scan->order->conf->library_trees;
    CLEANUP_FREE const char **tree = calloc(trees->count + 1, sizeof *tree);
    CLEANUP_FREE char *from = NULL, *to = NULL;
    size_t from_size = 0, from_room = 0, to_room = 0;
    int error = tree == NULL ? -ENOMEM : GROW_TO(from, from_room, 1);
    for (size_t i = 0; i < trees->count && error == 0; i++)
        tree[i] = trees->line[i].text;
    if (error == 0 && trees->count > 1)
        qsort(tree, trees->count, sizeof *tree, by_key);
    for (size_t i = 0; i <= trees->count && error == 0; i++) {
        size_t size = i < trees->count ? strlen(tree[i]) : 1;
        if (GROW_TO(to, to_room, size) != 0 || GROW_TO(from, from_room, size + 1) != 0)
            return scan_fail(scan, -ENOMEM, "out of memory");
        library_key(i < trees->count ? tree[i] : "\1", size, to);
        error = scan_state_failed(
            scan, library_state_rows_between(scan->state, from, from_size, to, size));
        if (error == 0)
            error = forget_rows(scan);
        memcpy(from, to, size);
        from[size] = 1; /* what lies below has a NUL there */
        from_size = size + 1;
    }
    return error == 0 ? 0 : scan_fail(scan, error, "%s", strerror(-error));
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* A place is away where it was not met, or where its directory is another one that has none of its
 * files. The number of a device alone tells nothing, as it can change at each boot and mount. */
static enum library_place_verdict judge_place(const struct library_place *place)
{
    bool is_other = place->was_device != place->device;
    if (!place->was_known || place->missing == 0)
        return LIBRARY_PLACE_HERE;
    if (!place->is_visited || (place->found == 0 && (is_other || place->was_inode != place->inode)))
        return LIBRARY_PLACE_AWAY;
    return is_other && place->same == 0 ? LIBRARY_PLACE_OTHER : LIBRARY_PLACE_HERE;
}

int library_trees_compare(struct scan *scan)
{
    const struct conf_lines *trees = &scan->order->conf->library_trees;
    int error = scan_state_failed(scan, library_state_places(scan->state, &scan->places));
    for (size_t i = 0; i < trees->count && error == 0; i++)
        error = scan_tree(scan, trees->line[i].text);
    if (error == 0)
        error = forget_outside(scan);
    if (error != 0)
        return error;
    /* Says which places are away, and counts their files. */
    for (size_t i = 0; i < scan->places.count; i++) {
        struct library_place *place = &scan->places.place[i];
        if (!scan->order->is_accepted)
            place->verdict = judge_place(place);
        if (place->verdict == LIBRARY_PLACE_HERE)
            continue;
        scan->counts->away += place->missing;
        scan->counts->trees_away++;
        scan_warn(scan, path_of(scan, place->key, place->size),
                  place->verdict == LIBRARY_PLACE_OTHER
                      ? "another file system is mounted than before; from the next scan on, what "
                        "is missing counts as removed"
                  : place->is_visited
                      ? "another directory is there than before, with none of the files; they do "
                        "not count as removed"
                      : "it is not mounted any more; its libraries do not count as removed");
    }
    return scan_state_failed(scan,
                             library_state_settle(scan->state, &scan->places, (int64_t)time(NULL)));
}
