/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What [routines] says about one library: by its soname, its path, and the module that its path is
 * of. What it says about an archive: by its name.
 */
#include "conf/command/explain.h"

#include <ar.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/elf_segments.h"
#include "contrib/routines/routine_modules.h"

enum { SONAME_SIZE = 256 };

#define THIN_MAGIC "!<thin>\n"

/* What is said, and the first rule that keeps: one is enough. */
struct said {
    struct json_object *all; /* NULL: it is printed */
    const struct conf_rule *keep;
};

static void say(const struct explain *explain, const struct explain_verdict *verdict,
                const struct said *said)
{
    if (said->all == NULL)
        explain_print(explain, verdict);
    else
        json_object_array_add(said->all, explain_json(explain, verdict));
}

static int explain_kind(const struct explain *explain, const char *kind, const char *name,
                        struct said *said)
{
    CLEANUP_FREE char *text = NULL;
    if (asprintf(&text, "%s%s", kind, name) < 0) {
        text = NULL;
        return -ENOMEM;
    }
    const struct explain_verdict verdict = explain_text(explain, conf_list_find("routines"), text);
    say(explain, &verdict, said);
    if (said->keep == NULL && verdict.action == POLICY_KEEP)
        said->keep = verdict.rule;
    return 0;
}

static bool is_archive(int fd)
{
    char magic[SARMAG];
    return pread(fd, magic, sizeof magic, 0) == SARMAG &&
           (memcmp(magic, ARMAG, SARMAG) == 0 || memcmp(magic, THIN_MAGIC, SARMAG) == 0);
}

/* By each name that a rule may have for it, and then whether it is designated. */
static int explain_shared(const struct explain *explain, const char *path, const char *soname,
                          struct json_object *all)
{
    struct said said = {all, NULL};
    int error = explain_kind(explain, "soname:", soname, &said);
    if (error == 0)
        error = explain_kind(explain, "path:", path, &said);
    if (error == 0 && routine_modules_rule(explain->conf) != NULL)
        error = explain_kind(explain, ROUTINE_DIRECTORY, path, &said);
    const struct explain_verdict designated = {
        conf_list_find("routines"), path, said.keep == NULL ? POLICY_SKIP : POLICY_KEEP, said.keep};
    if (error == 0)
        say(explain, &designated, &said);
    return error;
}

int explain_routines(const struct explain *explain, const char *path, struct json_object *all)
{
    char name[SONAME_SIZE] = "";
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    const bool of_archive = is_archive(fd);
    if (!of_archive)
        elf_soname(fd, name, sizeof name);
    if (name[0] == '\0')
        snprintf(name, sizeof name, "%s", basename(path));
    return of_archive ? explain_kind(explain, "archive:", name, &(struct said){all, NULL})
                      : explain_shared(explain, path, name, all);
}
