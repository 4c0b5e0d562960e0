/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command_session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf.h"
#include "session.h"
#include "spool.h"

enum { EXIT_NOT_HERE = 1, EXIT_UNUSABLE = 3 };

static int make(const struct conf *conf, char path[PATH_MAX])
{
    struct session session;
    int result = session_own(&session);
    int directory = result != 0 ? result : session_make(conf->sessions, &session, path);
    if (directory < 0)
        return directory;
    result = spool_make_ledger(directory, geteuid(), getegid(), conf->ledger_bytes);
    close(directory);
    return result;
}

static int print_variables(const struct conf *conf, const char *path)
{
    char *policy = conf_policy_path(conf->path);
    if (policy == NULL)
        return EXIT_UNUSABLE;
    printf("JOBTRAIL_SPOOL %s\nJOBTRAIL_POLICY %s\nXALT_EXECUTABLE_TRACKING yes\nLD_PRELOAD %s\n",
           path, policy, conf->library);
    free(policy);
    return 0;
}

int command_session(const char *path)
{
    struct conf conf;
    struct conf_error error;
    char text[1024], spool[PATH_MAX];
    if (conf_load(path, &conf, &error) != 0) {
        conf_error_text(&error, text, sizeof text);
        fprintf(stderr, "jobtrail-submit: %s\n", text);
        return EXIT_UNUSABLE;
    }
    int status = EXIT_NOT_HERE;
    if (conf.sessions[0] != '\0') {
        int result = make(&conf, spool);
        if (result != 0 && result != -ENOENT)
            fprintf(stderr, "jobtrail-submit: session in %s: %s\n", conf.sessions,
                    strerror(-result));
        status = result == -ENOENT ? EXIT_NOT_HERE
                 : result != 0     ? EXIT_UNUSABLE
                                   : print_variables(&conf, spool);
    }
    conf_free(&conf);
    return status;
}
