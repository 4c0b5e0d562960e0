/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/link_job.h"

#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/uuid7.h"
#include "ldwrap/called_linkers.h"
#include "ldwrap/descriptor_numbers.h"
#include "ldwrap/elf_target.h"
#include "ldwrap/link_switches.h"
#include "ldwrap/note_object.h"
#include "ldwrap/startup.h"
#include "submit/evidence/watermark.h"
#include "submit/record/record.h"

/* ---- The uuid of a link ---------------------------------------------------------------------- */

/* "ccXXXXXX.o", "ccXXXXXX.res", "ccXXXXXX.ltrans0.ltrans.o": gcc's. */
static bool is_temporary(const char *name)
{
    if (strncmp(name, "cc", 2) != 0)
        return false;
    for (int i = 2; i < 8; i++) {
        if (!isalnum((unsigned char)name[i]))
            return false;
    }
    return name[8] == '.';
}

int link_uuid_reproducible(const char *source_date_epoch, const struct strings *arguments,
                           char uuid[UUID_STR_LEN])
{
    /* The namespace of our names: itself a random uuid. */
    static const unsigned char names_of_links[16] = {0x5d, 0x0f, 0x2b, 0x8e, 0x93, 0x6c,
                                                     0x4c, 0x1a, 0xa4, 0x77, 0x1e, 0xb9,
                                                     0x60, 0x3d, 0xc8, 0x52};
    CLEANUP_FREE char *name = NULL;
    size_t size;
    uuid_t made;
    FILE *stream = open_memstream(&name, &size);
    if (stream == NULL)
        return -ENOMEM;
    fwrite(source_date_epoch, strlen(source_date_epoch) + 1, 1, stream);
    for (size_t i = 1; i < arguments->count; i++) {
        const char *text = basename(arguments->item[i]);
        text = is_temporary(text) ? "" : text;
        fwrite(text, strlen(text) + 1, 1, stream);
    }
    if (fclose(stream) != 0)
        return -ENOMEM;
    uuid_generate_sha1(made, names_of_links, name, size);
    uuid_unparse_lower(made, uuid);
    return 0;
}

/* The environment first, since the password file may be a slow directory service. A user can set
 * the variables, but the record is the user's own. */
const char *link_job_user(void)
{
    const char *name = getenv("USER");
    if (name == NULL || name[0] == '\0')
        name = getenv("LOGNAME");
    if (name != NULL && name[0] != '\0')
        return name;
    static char number[16];
    const struct passwd *entry = getpwuid(getuid());
    snprintf(number, sizeof number, "%u", (unsigned)getuid());
    return entry == NULL ? number : entry->pw_name;
}

/* The variable's value, or "". */
static const char *variable_text(const char *variable)
{
    const char *value = getenv(variable);
    return value == NULL ? "" : value;
}

const char *link_job_cluster(void)
{
    return variable_text("SLURM_CLUSTER_NAME");
}

static const char *load_conf(struct link_job *job)
{
    struct conf_error error;
    const char *path = getenv("JOBTRAIL_CONF");
    if (conf_load_trusted(path == NULL ? JOBTRAIL_CONF : path, &job->conf, &error) != 0)
        return "the configuration cannot be read";
    return job->conf.track_links ? NULL : "switched off by the configuration";
}

static void load_modules(struct link_job *job)
{
    const char *path = job->conf.link_modules;
    if (path[0] == '\0' || !switch_functions())
        return;
    int error = module_map_load(path, &job->modules);
    if (error != 0)
        switch_trace("no function tracking: %s: %s", path, strerror(-error));
}

static int name_link(struct link_job *job)
{
    const struct ancestor *compiler = ancestors_compiler(&job->ancestors);
    const struct ancestor *wrapper = ancestors_wrapper(&job->ancestors);
    uuid_t uuid;
    job->epoch = getenv("SOURCE_DATE_EPOCH");
    job->start_ns = clock_ns(CLOCK_REALTIME);
    if (job->epoch != NULL && job->epoch[0] != '\0') {
        if (link_uuid_reproducible(job->epoch, &job->arguments, job->uuid) != 0)
            return -ENOMEM;
    } else {
        uuid7_random(job->start_ns, uuid);
        uuid_unparse_lower(uuid, job->uuid);
    }
    job->program = compiler == NULL ? job->called : compiler->name;
    job->program_path = compiler == NULL ? job->linker : compiler->path;
    job->wrapper = wrapper == NULL ? "" : wrapper->name;
    job->cwd = getcwd(NULL, 0);
    if (gethostname(job->host, sizeof job->host - 1) != 0)
        job->host[0] = '\0';
    return 0;
}

static char *write_mark(const struct link_job *job, size_t *size)
{
    struct utsname names = {.sysname = ""};
    char os[sizeof names.sysname + sizeof names.release + 1];
    uname(&names);
    snprintf(os, sizeof os, "%s %s", names.sysname, names.release);
    return watermark_write(
        &(struct watermark_facts){
            .version = "jobtrail-" JOBTRAIL_VERSION,
            .uuid = job->uuid,
            .syshost = record_syshost(&job->conf, link_job_cluster()),
            .compiler = job->program,
            .compiler_path = job->program_path,
            .cwd = job->cwd,
            .host = job->host,
            .user = link_job_user(),
            .os = os,
            .loaded_modules = variable_text("LOADEDMODULES"),
            .lmfiles = variable_text("_LMFILES_"),
            .epoch = (double)job->start_ns / 1e9,
        },
        size);
}

/* A mark with nothing in it that depends on the user, the place or the time of the build. */
static char *write_reproducible_mark(const struct link_job *job, size_t *size)
{
    return watermark_write(
        &(struct watermark_facts){
            .version = "jobtrail-" JOBTRAIL_VERSION,
            .uuid = job->uuid,
            .compiler = job->program,
            .epoch = watermark_epoch(job->epoch),
            .is_utc = true,
        },
        size);
}

static int make_mark(struct link_job *job, const struct elf_target *target)
{
    size_t size;
    CLEANUP_FREE char *text = job->epoch != NULL && job->epoch[0] != '\0'
                                  ? write_reproducible_mark(job, &size)
                                  : write_mark(job, &size);
    if (text == NULL)
        return -ENOMEM;
    job->mark = descriptor_memory("jobtrail watermark");
    return job->mark < 0 ? -errno : note_object_write(job->mark, target, text, size);
}

static const char *add_to_link(struct link_job *job)
{
    struct elf_target target;
    if (job->line.why_unmarked != NULL)
        return NULL;
    if (elf_target_find(&job->line.inputs, &target) != 0)
        return "no ELF object among the inputs";
    if (make_mark(job, &target) != 0)
        return "no watermark can be made";
    if (startup_is_wanted(&job->line, job->conf.link_startup))
        job->startup = startup_open(&target, "", ".o", !xalt_wrapper_is(job->linker));
    if (profile_archive_place(&job->line, job->conf.profile_steps, &job->arguments) != 0)
        job->profile = startup_open(&target, "profile-", ".a", !xalt_wrapper_is(job->linker));
    return NULL;
}

static bool has_xalt_object(const struct strings *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        if (xalt_wrapper_made(inputs->item[i]))
            return true;
    }
    return false;
}

const char *link_job_prepare(struct link_job *job)
{
    bool is_xalts = xalt_wrapper_has_called(&job->ancestors);
    int count = job->argc;
    job->mark = job->startup = job->profile = -1;
    if (is_xalts && strcmp(job->argv[count - 1], "-t") == 0)
        count--; /* for XALT's record: nobody sees the report */
    if (response_expand(count, job->argv, &job->arguments) != 0)
        return "its arguments cannot be read";
    if (link_line_has_pipe(&job->arguments, false)) /* for the linker alone to open, and once */
        return "an argument names a pipe or a device";
    if (link_line_read(&job->arguments, &job->line) != 0)
        return "its arguments cannot be read";
    if (is_xalts && job->line.why_unmarked != NULL && !has_xalt_object(&job->line.inputs))
        return "XALT's wrapper asks for a report, and links after it";
    if (job->line.why_plain != NULL)
        return job->line.why_plain;
    const char *why = load_conf(job);
    if (why != NULL)
        return why;
    if (name_link(job) != 0)
        return "out of memory";
    why = add_to_link(job);
    if (why == NULL)
        load_modules(job);
    return why;
}

void link_job_free(struct link_job *job)
{
    strings_free(&job->arguments);
    link_line_free(&job->line);
    conf_free(&job->conf);
    module_map_free(&job->modules);
    free(job->cwd);
}
