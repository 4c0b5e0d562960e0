/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The service for answers (jobtrail-answer(8)): whether this machine can ask it, and whether it
 * runs on its collector. Without it records are made and loaded as ever, so nothing here is bad.
 */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/program_run.h"
#include "conf/command/doctor_checks.h"
#include "conf/conf_defaults.h"

/* For each address that a name has; for a question, which may wait while the service asks Slurm. */
enum { CONNECT_MS = 5000, QUESTION_MS = 60000 };

/* Where libmunge looks for munged, as distributions build it. */
#define MUNGE_SOCKET "/run/munge/munge.socket.2"

#define CHECK "answers"

static int connect_to(const struct sockaddr *address, socklen_t length)
{
    int error = 0;
    socklen_t size = sizeof error;
    CLEANUP_CLOSE int fd =
        socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (connect(fd, address, length) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return -errno;
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    int count = poll(&ready, 1, CONNECT_MS);
    if (count == 0)
        return -ETIMEDOUT;
    if (count < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        return -errno;
    return -error;
}

/* `place` as conf_value_place has it. Without a host, or with that of all addresses, it is this
 * machine. Returns NULL where one of the addresses takes a connection, or else the reason. */
static const char *connect_to_place(const char *place)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *all = NULL;
    char host[256];
    const char *port = strrchr(place, ':');
    bool is_bracketed = place[0] == '[';
    int length = (int)(port - place) - (is_bracketed ? 2 : 0);
    snprintf(host, sizeof host, "%.*s", length, place + is_bracketed);
    bool is_here = host[0] == '\0' || strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;
    int error = getaddrinfo(is_here ? NULL : host, port + 1, &hints, &all);
    if (error != 0)
        return gai_strerror(error);
    for (const struct addrinfo *one = all; one != NULL; one = one->ai_next) {
        error = connect_to(one->ai_addr, one->ai_addrlen);
        if (error == 0)
            break;
    }
    freeaddrinfo(all);
    return error == 0 ? NULL : strerror(-error);
}

/* Whether the name in `key` of [answers] is a user's here. Adds a finding without advice unless it
 * is. */
static bool has_user(struct doctor *doctor, const char *key, const char *name)
{
    if (getpwnam(name) != NULL)
        return true;
    doctor_add(doctor, FINDING_WARN, CHECK, name, "", "[answers] %s: there is no such user here",
               key);
    return false;
}

/* Whether munged takes connections. munged notes in its log that nothing was asked. Adds a
 * finding. */
static bool has_munge(struct doctor *doctor, const struct conf *conf)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = conf->munge_socket[0] != '\0' ? conf->munge_socket : MUNGE_SOCKET;
    int error = -ENAMETOOLONG;
    if (strlen(path) < sizeof address.sun_path) {
        strcpy(address.sun_path, path);
        error = connect_to((const struct sockaddr *)&address, sizeof address);
    }
    if (error == 0 || error == -EAGAIN) { /* EAGAIN: others wait */
        doctor_add(doctor, FINDING_OK, CHECK, path, "", "munged takes connections");
        return true;
    }
    doctor_add(doctor, FINDING_WARN, CHECK, path, "", "munged: %s", strerror(-error));
    doctor_mend(doctor, "systemctl start munge; or fix [answers] munge_socket in %s", doctor->conf);
    return false;
}

/* Lets jobtrail-acct ask for what ran in this second. Adds a finding. */
static void ask(struct doctor *doctor, const char *address)
{
    char program[PATH_MAX], conf[PATH_MAX + 16];
    doctor_installed(ACCT_FROM_BIN, program, sizeof program);
    snprintf(conf, sizeof conf, "JOBTRAIL_CONF=%s", doctor->conf);
    const char *const argv[] = {
        "env", "-u", "JOBTRAIL_STORE", conf, program, "--no-sacct", "--starttime", "now", NULL};
    CLEANUP_PROGRAM struct program_result result = {.text = NULL};
    if (program[0] == '\0') {
        doctor_add(doctor, FINDING_OK, CHECK, address, "",
                   "it takes connections; jobtrail-acct, which asks there, is not installed here");
        return;
    }
    int error = program_run(argv, NULL, QUESTION_MS, &result);
    if (error == 0 && result.status == 0)
        doctor_add(doctor, FINDING_OK, CHECK, address, "", "the service answers");
    else
        doctor_add(doctor, FINDING_WARN, CHECK, address,
                   "see journalctl -u jobtrail-answer there; munge's key and the clocks of the two "
                   "hosts must be the same",
                   "jobtrail-acct: %s", error != 0 ? strerror(-error) : result.complaint);
}

static void check_address(struct doctor *doctor, const char *address, bool can_ask)
{
    const char *why = connect_to_place(address);
    if (why != NULL) {
        doctor_add(doctor, FINDING_WARN, CHECK, address, "", "users get no answers: %s", why);
        doctor_mend(doctor,
                    "systemctl enable --now jobtrail-answer on that host, and open the port in its "
                    "firewall; or fix [answers] address in %s",
                    doctor->conf);
    } else if (can_ask) {
        ask(doctor, address);
    } else {
        doctor_add(doctor, FINDING_OK, CHECK, address, "", "it takes connections");
    }
}

/* The socket for the site's web server is made by the service when it starts. */
static void check_pages(struct doctor *doctor, const struct conf *conf)
{
    struct stat status;
    if (!has_user(doctor, "web_proxy_user", conf->web_proxy_user))
        doctor_mend(doctor,
                    "set [answers] web_proxy_user in %s to the user of the web server; the service "
                    "does not start before",
                    doctor->conf);
    if (stat(conf->web_socket, &status) != 0)
        doctor_add(doctor, FINDING_WARN, CHECK, conf->web_socket,
                   "systemctl restart jobtrail-answer, and see journalctl -u jobtrail-answer",
                   "users get no pages: %s", strerror(errno));
    else if (!S_ISSOCK(status.st_mode))
        doctor_add(doctor, FINDING_WARN, CHECK, conf->web_socket,
                   "remove it, and systemctl restart jobtrail-answer",
                   "users get no pages: it is no socket");
    else
        doctor_add(doctor, FINDING_OK, CHECK, conf->web_socket, "", "the socket is there");
}

/* On the collector. */
static void check_listening(struct doctor *doctor, const char *listen)
{
    const char *why = connect_to_place(listen);
    if (why == NULL)
        doctor_add(doctor, FINDING_OK, CHECK, listen, "", "something listens there");
    else
        doctor_add(doctor, FINDING_WARN, CHECK, listen,
                   "systemctl enable --now jobtrail-answer; journalctl -u jobtrail-answer says why "
                   "it does not start",
                   "jobtrail-answer does not listen: %s", why);
}

void doctor_answers(struct doctor *doctor, const struct conf *conf)
{
    bool is_asking = conf->answers_address[0] != '\0';
    bool is_serving = (doctor->roles & ROLE_COLLECTOR) && conf->answers_listen[0] != '\0';
    if (!is_asking && !is_serving)
        return;
    const char *user = conf->answers_user;
    bool has_its_user = has_user(doctor, "user", user);
    if (!has_its_user && is_serving)
        doctor_mend(doctor,
                    "useradd --system --shell /usr/sbin/nologin %s, the user of the service", user);
    else if (!has_its_user)
        doctor_mend(doctor,
                    "create the user %s, with the same uid as on the collector; until then "
                    "answers are refused here",
                    user);
    bool can_ask = has_munge(doctor, conf) && has_its_user;
    if (is_serving)
        check_listening(doctor, conf->answers_listen);
    if (is_serving && conf->web_socket[0] != '\0')
        check_pages(doctor, conf);
    if (is_asking)
        check_address(doctor, conf->answers_address, can_ask);
}
