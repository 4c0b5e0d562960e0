/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/conf.h"

#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/trusted.h"
#include "conf/conf_extension.h"
#include "conf/conf_keys.h"
#include "conf/conf_rules.h"
#include "conf/conf_sampling.h"
#include "conf/conf_take.h"
#include "conf/conf_transport.h"
#include "conf/policy/policy_open.h"

static int parse_file(struct conf_loader *loader)
{
    int error = ini_parse_stream(conf_line_read, loader, conf_line_take, loader);
    if (loader->error != 0)
        return loader->error;
    if (error < 0)
        return conf_give_up(loader, -ENOMEM);
    if (error == 0)
        return 0;
    loader->line = (unsigned)error;
    conf_refuse(loader, 1, "neither a comment, a [SECTION] nor KEY = VALUE");
    conf_refuse_hint(loader, "start a comment with '#'");
    return loader->error;
}

/* `path` made absolute, malloc'ed; symbolic links stay as they are. */
static char *absolute_path(const char *path)
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
        snprintf(loader->why.reason, sizeof loader->why.reason,
                 "root does not act on it: %.180s can be changed by others", culprit);
        conf_refuse_hint(loader, "give it to root, writable by root alone");
    }
    return NULL;
}

static FILE *open_file(const char *path, struct conf_loader *loader)
{
    if (loader->is_trusted)
        return open_trusted(loader);
    FILE *stream = fopen(path, "re");
    if (stream == NULL)
        conf_give_up(loader, -errno);
    return stream;
}

/* What no line alone shows: a transport that lacks what it cannot do without, or that would send a
 * token or password in clear text to another host; directories of logs that lie in each other.
 * Returns 0 or -EINVAL. */
static int check_whole(struct conf_loader *loader)
{
    const struct conf *conf = loader->conf;
    const struct conf_transport *lacking = conf_transport_lacking(conf);
    const char *key, *other, *section = conf_clash(conf, &key, &other);
    if (lacking != NULL) {
        loader->line = conf->key_line[conf_key_find("transport", "use")];
        conf_refuse(loader, 1, "the transport %s has no %s", lacking->name, lacking->needs);
        snprintf(loader->why.hint, sizeof loader->why.hint, "write %s = %s in [%s]", lacking->needs,
                 lacking->example, lacking->name);
    } else if (conf_transport_is_clear(conf)) {
        loader->line = conf->key_line[conf_key_find("http", "url")];
        conf_refuse(loader, 1, "a token or password would be sent in clear text");
        conf_refuse_hint(loader, "write url = https://...; http:// to this host is fine");
    } else if (section != NULL) {
        loader->line = conf->key_line[conf_key_find(section, key)];
        conf_refuse(loader, 1, "'%s' and '%s' must be separate directories", key, other);
        conf_refuse_hint(loader, "name a directory of its own");
    }
    return loader->error;
}

static int load_file(const char *path, struct conf_loader *loader)
{
    struct conf_fault fault = {0};
    const struct conf_key *key = NULL;
    int error = conf_keys_default(loader->conf, &key, &fault);
    if (error == -EINVAL) {
        conf_refuse(loader, 0, "built-in default of %s in [%s]: %s", key->name, key->section,
                    fault.reason);
        conf_refuse_hint(loader, fault.hint);
    } else if (error != 0) {
        conf_give_up(loader, error);
    }
    if (error != 0)
        return error;
    loader->conf->path = absolute_path(path);
    if (loader->conf->path == NULL)
        return conf_give_up(loader, -errno);
    CLEANUP_FCLOSE FILE *stream = open_file(path, loader);
    if (stream == NULL)
        return loader->error;
    loader->stream = stream;
    error = parse_file(loader);
    if (error != 0)
        return error;
    error = check_whole(loader);
    if (error != 0)
        return error;
    error = conf_lists_default(loader->conf);
    if (error == 0)
        error = conf_tables_default(loader->conf);
    return error == 0 ? 0 : conf_give_up(loader, error);
}

static int load_new(const char *path, bool is_trusted, struct conf *out, struct conf_error *why)
{
    struct conf conf = {0};
    struct conf_loader loader = {.conf = &conf, .is_trusted = is_trusted};
    snprintf(loader.why.file, sizeof loader.why.file, "%s", path);
    int error = load_file(path, &loader);
    free(loader.text);
    if (error != 0) {
        *why = loader.why;
        conf_free(&conf);
        return error;
    }
    *out = conf;
    return 0;
}

int conf_load(const char *path, struct conf *out, struct conf_error *why)
{
    return load_new(path, false, out, why);
}

int conf_load_trusted(const char *path, struct conf *out, struct conf_error *why)
{
    return load_new(path, true, out, why);
}

void conf_free(struct conf *conf)
{
    free(conf->path);
    conf_keys_free(conf);
    conf_lists_free(conf);
    conf_tables_free(conf);
    conf_lines_free(conf);
    *conf = (struct conf){0};
}

void conf_error_text(const struct conf_error *why, char *text, size_t size)
{
    char where[32] = "";
    const char *open = why->hint[0] != '\0' ? " (" : "";
    const char *close = why->hint[0] != '\0' ? ")" : "";
    if (why->line != 0 && why->column != 0)
        snprintf(where, sizeof where, "%u:%u:", why->line, why->column);
    else if (why->line != 0)
        snprintf(where, sizeof where, "%u:", why->line);
    snprintf(text, size, "%s:%s %s%s%s%s", why->file, where, why->reason, open, why->hint, close);
}

char *conf_policy_path(const char *path)
{
    size_t size = strlen(path) + sizeof ".policy" JOB_FORMATS_SUFFIX;
    char *text = malloc(size);
    if (text != NULL)
        policy_path(path, text, size); /* it fits */
    return text;
}
