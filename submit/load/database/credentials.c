/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/database/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"

#define BLANKS " \t\r\n"

static const char *const names[CREDENTIALS] = {
    [CREDENTIAL_USER] = "user",
    [CREDENTIAL_PASSWORD] = "password",
    [CREDENTIAL_HOST] = "host",
    [CREDENTIAL_PORT] = "port",
    [CREDENTIAL_SOCKET] = "socket",
    [CREDENTIAL_SSL_CA] = "ssl-ca",
    [CREDENTIAL_SSL_CAPATH] = "ssl-capath",
    [CREDENTIAL_SSL_CERT] = "ssl-cert",
    [CREDENTIAL_SSL_KEY] = "ssl-key",
    [CREDENTIAL_SSL_CIPHER] = "ssl-cipher",
    [CREDENTIAL_SSL_CRL] = "ssl-crl",
    [CREDENTIAL_TLS_VERSION] = "tls-version",
    [CREDENTIAL_SSL] = "ssl",
    [CREDENTIAL_VERIFY] = "ssl-verify-server-cert",
};

const char *credentials_path(void)
{
    const char *path = getenv("JOBTRAIL_CREDENTIALS");
    return path == NULL || path[0] == '\0' ? JOBTRAIL_SYSCONFDIR "/jobtrail/mariadb.cnf" : path;
}

/* ---- A line --------------------------------------------------------------------------------- */

static char *trim_text(char *text)
{
    text += strspn(text, BLANKS);
    size_t length = strlen(text);
    while (length > 0 && strchr(BLANKS, text[length - 1]) != NULL)
        length--;
    text[length] = '\0';
    return text;
}

/* Takes quotes away that stand around it, and the backslashes that MariaDB's option files have. */
static char *plain_value(char *text)
{
    static const char from[] = "btnrs\\", to[] = "\b\t\n\r \\";
    size_t length = strlen(text);
    if (length > 1 && strchr("'\"", text[0]) != NULL && text[length - 1] == text[0]) {
        text[length - 1] = '\0';
        text++;
    }
    char *out = text;
    for (const char *at = text; *at != '\0'; at++) {
        const char *escaped = at[0] == '\\' && at[1] != '\0' ? strchr(from, at[1]) : NULL;
        *out++ = escaped == NULL ? *at : to[escaped - from];
        at += escaped != NULL;
    }
    *out = '\0';
    return text;
}

/* "0", "1", or NULL when the text is neither. */
static const char *as_switch(const char *text)
{
    static const char *const words[] = {"0", "1", "off", "on", "no", "yes", "false", "true"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(text, words[i]) == 0)
            return words[i % 2];
    return NULL;
}

static bool skip_prefix(const char **name, const char *prefix)
{
    size_t length = strlen(prefix);
    bool found = strncmp(*name, prefix, length) == 0;
    *name += found ? length : 0;
    return found;
}

/* NAME, NAME = VALUE, skip-NAME. `value` is NULL where there is none. */
static int take_option(struct credentials *credentials, char *written, char *value)
{
    for (char *at = written; *at != '\0'; at++)
        *at = *at == '_' ? '-' : *at;
    const char *name = written;
    skip_prefix(&name, "loose-");
    bool off = skip_prefix(&name, "skip-") || skip_prefix(&name, "disable-");
    int at = 0;
    while (at < CREDENTIALS && strcmp(name, names[at]) != 0)
        at++;
    bool is_switch = at == CREDENTIAL_SSL || at == CREDENTIAL_VERIFY;
    /* What is not for us is left out, but nothing that may be about TLS. */
    if (at == CREDENTIALS || (!is_switch && (off || value == NULL)))
        return strncmp(name, "ssl", 3) == 0 || strncmp(name, "tls", 3) == 0 ? -EINVAL : 0;
    const char *text = value;
    if (is_switch)
        text = off ? "0" : value == NULL ? "1" : as_switch(plain_value(value));
    else
        text = plain_value(value);
    if (text == NULL)
        return -EINVAL;
    free(credentials->value[at]);
    credentials->value[at] = strdup(text);
    return credentials->value[at] == NULL ? -ENOMEM : 0;
}

/* `*ours`: whether the line stands in a group that is read. */
static int take_line(struct credentials *credentials, char *line, bool *ours)
{
    line = trim_text(line);
    if (line[0] == '[') {
        line[strcspn(line, "]")] = '\0';
        *ours = strcmp(line, "[client") == 0 || strcmp(line, "[jobtrail") == 0;
        return 0;
    }
    if (line[0] == '!')
        return -EINVAL;
    if (!*ours || line[0] == '\0' || line[0] == '#' || line[0] == ';')
        return 0;
    char *value = strchr(line, '=');
    if (value != NULL) {
        *value++ = '\0';
        value = trim_text(value);
    }
    return take_option(credentials, trim_text(line), value);
}

/* ---- The file ------------------------------------------------------------------------------- */

static int check_file(int fd, const char *path, char *trouble, size_t size)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0)
        snprintf(trouble, size, "%s: %s", path, strerror(errno));
    else if (facts.st_uid != 0 && facts.st_uid != geteuid())
        snprintf(trouble, size, "%s belongs to another user", path);
    else if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        snprintf(trouble, size, "%s may be read by others: chmod 600 it", path);
    else
        return 0;
    return -EACCES;
}

static int read_lines(FILE *file, const char *path, struct credentials *credentials, char *trouble,
                      size_t size)
{
    CLEANUP_FREE char *line = NULL;
    size_t room = 0;
    bool ours = false;
    int error = 0;
    for (unsigned number = 1; error == 0 && getline(&line, &room, file) >= 0; number++) {
        error = take_line(credentials, line, &ours);
        if (error != 0)
            snprintf(trouble, size, "%s:%u: %s", path, number,
                     error == -ENOMEM ? "out of memory"
                                      : "unknown option; see jobtrail-load(1), MARIADB");
    }
    return error;
}

int credentials_read(const char *path, struct credentials *credentials, char *trouble, size_t size)
{
    *credentials = (struct credentials){.value = {NULL}};
    int fd = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0) {
        snprintf(trouble, size, "%s: %s", path, strerror(errno));
        return -EACCES;
    }
    int error = check_file(fd, path, trouble, size);
    CLEANUP_FCLOSE FILE *file = error == 0 ? fdopen(fd, "r") : NULL;
    if (file == NULL) {
        close(fd);
        return error != 0 ? error : -ENOMEM;
    }
    return read_lines(file, path, credentials, trouble, size);
}
