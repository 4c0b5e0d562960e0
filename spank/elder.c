/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/elder.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/directory.h"
#include "conf/base/trusted.h"
#include "spank/helper.h"
#include "spank/job_formats.h"
#include "spank/slurm_release.h"
#include "spank/spool.h"
#include "spank/spool_path.h"
#include "spank/version_note.h"

typedef int (*callback)(spank_t spank, int argc, char *argv[]);

/* A version's plugin, loaded. */
struct elder {
    callback call[ELDER_CALLS]; /* NULL: it has none */
    char conf[PATH_MAX + 8];    /* its argument in plugstack.conf: conf=PATH */
};

static struct elder *present; /* of this process's job; NULL: none */
static uint32_t lost_restart;
static bool is_elder;

uint32_t jobtrail_hand_over(void)
{
    is_elder = true;
    return slurm_release_is_known() ? JOB_FORMATS : 0;
}

bool elder_is_one(void)
{
    return is_elder;
}

uint32_t elder_lost_restart(void)
{
    return lost_restart;
}

void elder_note_spool(const struct settings *settings)
{
    const char *own = plugin_path();
    int error = own == NULL
                    ? -ENOENT
                    : version_note_write(settings->spool, settings->conf, own, settings->submit);
    if (error != 0)
        slurm_info("jobtrail: %s/" VERSION_NOTE " cannot be written (%s): another version will "
                   "not know whose jobs are there",
                   settings->spool, strerror(-error));
}

/* dlsym(3) returns a pointer to data. */
static void find_symbol(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
}

/* Returns why it is not the plugin of the version `note`, or NULL. The library stays loaded: what
 * it has registered with fork(2) and with Slurm points into it. */
static const char *open_plugin(const struct version_note *note, struct elder *elder)
{
    static const char *const names[ELDER_CALLS] = {
        [ELDER_INIT] = "slurm_spank_init",
        [ELDER_INIT_POST_OPT] = "slurm_spank_init_post_opt",
        [ELDER_TASK_INIT_PRIVILEGED] = "slurm_spank_task_init_privileged",
        [ELDER_TASK_INIT] = "slurm_spank_task_init",
        [ELDER_TASK_POST_FORK] = "slurm_spank_task_post_fork",
        [ELDER_TASK_EXIT] = "slurm_spank_task_exit",
        [ELDER_EXIT] = "slurm_spank_exit",
        [ELDER_JOB_PROLOG] = "slurm_spank_job_prolog",
        [ELDER_JOB_EPILOG] = "slurm_spank_job_epilog",
    };
    uint32_t (*hand_over)(void);
    char culprit[PATH_MAX];
    int error = trusted_check(note->plugin, culprit, sizeof culprit);
    if (error != 0)
        return error == -EPERM ? "others than root can change it" : strerror(-error);
    void *library = dlopen(note->plugin, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return dlerror();
    find_symbol(library, "jobtrail_hand_over", &hand_over);
    if (hand_over == NULL || hand_over == jobtrail_hand_over || hand_over() != note->formats)
        return "it does not work in this release of Slurm, or is of another version by now";
    for (size_t i = 0; i < ELDER_CALLS; i++)
        find_symbol(library, names[i], &elder->call[i]);
    snprintf(elder->conf, sizeof elder->conf, "conf=%s", note->conf);
    return NULL;
}

/* Returns NULL after saying why in slurmd's log. */
static struct elder *load_plugin(const char *spool, uint32_t job)
{
    struct version_note note = {.formats = 0};
    struct elder *elder = calloc(1, sizeof *elder);
    int error = elder == NULL ? -ENOMEM : version_note_read(spool, &note);
    const char *why = error != 0               ? strerror(-error)
                      : note.plugin[0] == '\0' ? "no plugin is named there"
                                               : open_plugin(&note, elder);
    if (why == NULL)
        return elder;
    slurm_info("jobtrail: job %u began under another version, of %s, and cannot go on under it (%s "
               "%s): what it starts from now on is recorded by this one",
               job, spool, note.plugin, why);
    free(elder);
    return NULL;
}

/* The highest restart count of the job's directories in the spool; -1: there are none. */
static int64_t last_restart(const char *spool, uint32_t job)
{
    int64_t last = -1;
    uint32_t restart;
    DIR *listing;
    listing_take(directory_open_own(AT_FDCWD, spool), &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;) {
        if (spool_parse_run(name, job, &restart) && restart > last)
            last = restart;
    }
    if (listing != NULL)
        closedir(listing);
    return last;
}

void elder_find(const struct settings *settings, uint32_t job)
{
    uint32_t formats[VERSIONS_MAX], found = JOB_FORMATS;
    char spool[PATH_MAX];
    size_t count = version_note_others(settings->spools, formats);
    int64_t last = count == 0 ? -1 : last_restart(settings->spool, job);
    for (size_t i = 0; i < count; i++) {
        int64_t restart = version_note_path(settings->spools, formats[i], spool) == 0
                              ? last_restart(spool, job)
                              : -1;
        if (restart > last) {
            last = restart;
            found = formats[i];
        }
    }
    if (found == JOB_FORMATS || version_note_path(settings->spools, found, spool) != 0)
        return;
    present = load_plugin(spool, job);
    lost_restart = present == NULL ? (uint32_t)last : 0;
}

void elder_find_run(const struct settings *settings, uint32_t job, uint32_t restart)
{
    uint32_t formats[VERSIONS_MAX];
    char spool[PATH_MAX], run[PATH_MAX + SPOOL_NAME_MAX + 1], name[SPOOL_NAME_MAX];
    spool_name(job, restart, name);
    snprintf(run, sizeof run, "%s/%s", settings->spool, name);
    if (access(run, F_OK) == 0)
        return;
    size_t count = version_note_others(settings->spools, formats);
    for (size_t i = 0; i < count && present == NULL; i++) {
        if (version_note_path(settings->spools, formats[i], spool) != 0)
            continue;
        snprintf(run, sizeof run, "%s/%s", spool, name);
        if (access(run, F_OK) == 0)
            present = load_plugin(spool, job);
    }
}

/* The user may have set the variable to anything: the file and the plugin must be root's, or the
 * user's own, who decides what their srun loads anyway. */
void elder_find_around(void)
{
    const char *user = getenv("JOBTRAIL_SPOOL"); /* <spool>/JOB.RESTART/user */
    char spool[PATH_MAX];
    struct version_note note;
    if (user == NULL || user[0] != '/' || strlen(user) >= sizeof spool)
        return;
    strcpy(spool, user);
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(spool, '/');
        if (slash == NULL || slash == spool)
            return;
        *slash = '\0';
    }
    struct elder *elder = calloc(1, sizeof *elder);
    if (elder != NULL && version_note_read(spool, &note) == 0 && note.formats != JOB_FORMATS &&
        note.plugin[0] != '\0' && open_plugin(&note, elder) == NULL)
        present = elder;
    else
        free(elder);
}

static void hand_over_to(struct elder *elder, enum elder_call call, spank_t spank)
{
    char *argv[] = {elder->conf, NULL};
    if (elder->call[call] != NULL)
        elder->call[call](spank, 1, argv);
}

bool elder_takes(enum elder_call call, spank_t spank)
{
    if (present == NULL)
        return false;
    hand_over_to(present, call, spank);
    return true;
}

static void elder_mark_over(void *job, uint32_t restart, int directory)
{
    (void)restart;
    int error = spool_mark(directory, SPOOL_OVER);
    if (error != 0)
        slurm_info("jobtrail: job %u: its epilog is not noted for another version: %s",
                   *(const uint32_t *)job, strerror(-error));
}

bool elder_epilogs(const struct settings *settings, uint32_t job, spank_t spank)
{
    uint32_t formats[VERSIONS_MAX];
    char spool[PATH_MAX];
    size_t count = version_note_others(settings->spools, formats);
    bool is_lost = false;
    for (size_t i = 0; i < count; i++) {
        if (version_note_path(settings->spools, formats[i], spool) != 0 ||
            last_restart(spool, job) < 0)
            continue;
        spool_find_runs(spool, job, elder_mark_over, &job);
        struct elder *elder = load_plugin(spool, job);
        if (elder != NULL)
            hand_over_to(elder, ELDER_JOB_EPILOG, spank);
        is_lost = is_lost || elder == NULL;
        free(elder);
    }
    return is_lost;
}
