/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libinih parses the lines that conf_line.c lets through; conf_take.c takes what they give.
 */
#include "conf/conf.h"

#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/trusted.h"
#include "conf/conf_keys.h"
#include "conf/conf_loader.h"
#include "conf/conf_rules.h"
#include "conf/conf_sampling.h"
#include "conf/conf_transport.h"
#include "conf/policy/policy_path.h"

int conf_refuse(struct conf_loader *loader, size_t column, const char *format, ...)
{
    va_list args;
    loader->rc = -EINVAL;
    loader->error.line = loader->line;
    loader->error.column = (unsigned)column;
    va_start(args, format);
    vsnprintf(loader->error.reason, sizeof loader->error.reason, format, args);
    va_end(args);
    return loader->rc;
}

void conf_refuse_hint(struct conf_loader *loader, const char *text)
{
    snprintf(loader->error.hint, sizeof loader->error.hint, "%s", text);
}

int conf_give_up(struct conf_loader *loader, int rc)
{
    loader->rc = rc;
    snprintf(loader->error.reason, sizeof loader->error.reason, "%s", strerror(-rc));
    return rc;
}

static int parse(struct conf_loader *loader)
{
    int rc = ini_parse_stream(conf_line_read, loader, conf_line_take, loader);
    if (loader->rc != 0)
        return loader->rc;
    if (rc < 0)
        return conf_give_up(loader, -ENOMEM);
    if (rc == 0)
        return 0;
    loader->line = (unsigned)rc;
    conf_refuse(loader, 1, "neither a comment, a [SECTION] nor KEY = VALUE");
    conf_refuse_hint(loader, "start a comment with '#'");
    return loader->rc;
}

static int set_defaults(struct conf_loader *loader)
{
    struct conf_fault fault = {0};
    const struct conf_key *key = NULL;
    int rc = conf_keys_default(loader->conf, &key, &fault);
    if (rc == -EINVAL) {
        conf_refuse(loader, 0, "built-in default of %s in [%s]: %s", key->name, key->section,
                    fault.reason);
        conf_refuse_hint(loader, fault.hint);
    } else if (rc != 0) {
        conf_give_up(loader, rc);
    }
    return rc;
}

/* `path` made absolute, malloc'ed; symbolic links stay as they are. */
static char *absolute(const char *path)
{
    char *text = NULL;
    if (path[0] == '/')
        return strdup(path);
    CLEANUP_FREE char *here = getcwd(NULL, 0);
    if (here == NULL || asprintf(&text, "%s/%s", here, path) < 0)
        return NULL;
    return text;
}

static FILE *open_trusted(struct conf_loader *loader)
{
    char culprit[PATH_MAX];
    int fd = trusted_open(loader->conf->path, culprit, sizeof culprit);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "r");
    if (fd >= 0 && stream == NULL)
        close(fd);
    if (stream != NULL)
        return stream;
    conf_give_up(loader, fd < 0 ? fd : -errno);
    if (fd == -EPERM) {
        snprintf(loader->error.reason, sizeof loader->error.reason,
                 "root does not act on it: %.180s can be changed by others", culprit);
        conf_refuse_hint(loader, "give it to root, writable by root alone");
    }
    return NULL;
}

static FILE *open_file(const char *path, struct conf_loader *loader)
{
    if (loader->trusted)
        return open_trusted(loader);
    FILE *stream = fopen(path, "re");
    if (stream == NULL)
        conf_give_up(loader, -errno);
    return stream;
}

static int load(const char *path, struct conf_loader *loader)
{
    int rc = set_defaults(loader);
    if (rc != 0)
        return rc;
    loader->conf->path = absolute(path);
    if (loader->conf->path == NULL)
        return conf_give_up(loader, -errno);
    CLEANUP_FCLOSE FILE *stream = open_file(path, loader);
    if (stream == NULL)
        return loader->rc;
    loader->stream = stream;
    rc = parse(loader);
    if (rc != 0)
        return rc;
    rc = conf_transport_check(loader);
    if (rc != 0)
        return rc;
    rc = conf_lists_default(loader->conf);
    if (rc == 0)
        rc = conf_tables_default(loader->conf);
    return rc == 0 ? 0 : conf_give_up(loader, rc);
}

static int load_new(const char *path, int trusted, struct conf *out, struct conf_error *error)
{
    struct conf conf = {0};
    struct conf_loader loader = {.conf = &conf, .trusted = trusted};
    snprintf(loader.error.file, sizeof loader.error.file, "%s", path);
    int rc = load(path, &loader);
    free(loader.text);
    if (rc != 0) {
        *error = loader.error;
        conf_free(&conf);
        return rc;
    }
    *out = conf;
    return 0;
}

int conf_load(const char *path, struct conf *out, struct conf_error *error)
{
    return load_new(path, 0, out, error);
}

int conf_load_trusted(const char *path, struct conf *out, struct conf_error *error)
{
    return load_new(path, 1, out, error);
}

void conf_free(struct conf *conf)
{
    free(conf->path);
    conf_keys_free(conf);
    conf_lists_free(conf);
    conf_tables_free(conf);
    *conf = (struct conf){0};
}

void conf_error_text(const struct conf_error *error, char *text, size_t size)
{
    char where[32] = "";
    const char *open = error->hint[0] != '\0' ? " (" : "";
    const char *close = error->hint[0] != '\0' ? ")" : "";
    if (error->line != 0 && error->column != 0)
        snprintf(where, sizeof where, "%u:%u:", error->line, error->column);
    else if (error->line != 0)
        snprintf(where, sizeof where, "%u:", error->line);
    snprintf(text, size, "%s:%s %s%s%s%s", error->file, where, error->reason, open, error->hint,
             close);
}

char *conf_policy_path(const char *path)
{
    size_t size = strlen(path) + sizeof ".policy";
    char *text = malloc(size);
    if (text != NULL)
        policy_path(path, text, size); /* it fits */
    return text;
}
