/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libuse/libuse_status.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/terminal_text.h"
#include "conf/conf_libraries.h"
#include "contrib/libraries/library_date.h"
#include "contrib/libraries/libuse/libuse_tell.h"
#include "contrib/libraries/scan/library_reads.h"
#include "contrib/libraries/scan/library_witness.h"

struct status {
    const struct conf *conf;
    struct json_object *json; /* an array, or NULL */
    bool is_watched, is_complete;
    int64_t polled_s; /* of the place */
};

static void print_json(struct status *status, const char *path, const char *witness,
                       const char *reason, bool is_both)
{
    struct json_object *json = json_object_new_object();
    libuse_json_text(json, "path", path);
    libuse_json_text(json, "witness", witness);
    libuse_json_text(json, "reason", reason);
    json_object_object_add(json, "watch_too", json_object_new_boolean(is_both));
    if (status->polled_s != LIBRARY_READS_NEVER)
        json_object_object_add(json, "last_turn", json_object_new_int64(status->polled_s));
    json_object_array_add(status->json, json);
}

/* On a file system that hosts share the watch sees this host's opens, and times of last access
 * those of all: the same uses, if both are on. */
static void tell_place(struct status *status, const char *path)
{
    char shown[2 * TERMINAL_WORD_SIZE], when[LIBRARY_DATE_SIZE];
    enum library_witness witness = library_witness_of(path, status->is_watched);
    const char *word = library_witness_word(witness), *reason = library_witness_reason(witness);
    bool is_both = status->is_watched && witness != WITNESS_WATCH && directory_is_shared(path);
    if (library_witness_is_atime(witness) && !status->conf->library_use_atime) {
        word = is_both ? "watch" : "none";
        reason = is_both ? "the watch counts the opens of this host (fanotify), and of no other"
                         : "no watch counts opens here, and there is no use_atime = yes";
        is_both = false;
    }
    status->is_complete &= strcmp(word, "none") != 0;
    if (status->json != NULL) {
        print_json(status, path, word, reason, is_both);
        return;
    }
    terminal_text(path, strlen(path), shown, sizeof shown);
    printf("%-5s  %s: %s", word, shown, reason);
    if (is_both)
        printf("; the watch of this host counts some of the same uses");
    if (strcmp(word, "atime") == 0)
        printf("; last turn: %s", status->polled_s == LIBRARY_READS_NEVER         ? "none"
                                  : library_date_iso(status->polled_s, when) == 0 ? when
                                                                                  : "?");
    putchar('\n');
}

/* The mounts below the trees, in the order of the state. */
static int tell_places(struct status *status, struct library_state *state)
{
    struct library_places places = {NULL, 0};
    int error = library_state_places(state, &places);
    for (size_t i = 0; i < places.count && error == 0; i++) {
        CLEANUP_FREE char *path = malloc(places.place[i].size + 1);
        if (path == NULL)
            error = -ENOMEM;
        else
            library_path(places.place[i].key, places.place[i].size, path);
        const struct conf_line *tree = error == 0 ? conf_library_tree(status->conf, path) : NULL;
        if (tree == NULL)
            continue;
        error = library_reads_polled(state, i, &status->polled_s);
        if (error == 0)
            tell_place(status, path);
    }
    library_places_free(&places);
    return error;
}

static int tell_end(struct status *status)
{
    if (status->json != NULL)
        puts(json_object_to_json_string_ext(status->json, JSON_C_TO_STRING_PLAIN));
    else
        puts(
            "Counts are lower bounds. Uses by watch and by atime may be the same ones: they are in "
            "logs of their own,\nand in records with another source; do not add them up.");
    return status->is_complete ? 1 : 0;
}

int libuse_status(const struct conf *conf, bool is_json)
{
    char path[PATH_MAX];
    struct library_state *state = NULL;
    struct status status = {
        .conf = conf,
        .json = is_json ? json_object_new_array() : NULL,
        .is_watched = library_witness_is_watched(conf),
        .is_complete = true,
    };
    snprintf(path, sizeof path, "%s/libraries.db", conf->library_state);
    int error = library_state_open(path, true, &state);
    if (error == 0)
        error = tell_places(&status, state);
    if (error != 0)
        fprintf(stderr, "jobtrail-libuse: the state in %s: %s\n", conf->library_state,
                library_state_error(state));
    library_state_close(state);
    if (error == 0)
        error = tell_end(&status);
    json_object_put(status.json);
    return error;
}
