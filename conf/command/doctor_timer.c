/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What starts jobtrail's programs at regular times: timers of systemd, lines of cron. They are
 * found by what they run, whatever a site has called them. Another scheduler, or a script that a
 * timer runs, cannot be known here.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/program_run.h"
#include "conf/command/doctor_checks.h"
#include "conf/command/doctor_timer.h"

enum { SYSTEMCTL_MS = 20000 };

static const struct doctor_duty duties[] = {
    {ROLE_NODE, "jobtrail-submit flush --orphans", "jobtrail-submit", "--orphans",
     "jobtrail-send.timer", "what an epilog could not flush or send waits for the next epilog"},
    {ROLE_LOGIN, "jobtrail-submit flush --sessions", "jobtrail-submit", "--sessions",
     "jobtrail-send.timer", "records of links and of sessions stay here"},
    {ROLE_COLLECTOR, "jobtrail-load", "jobtrail-load", "", "jobtrail-load.timer",
     "records are not loaded into the store"},
};

static bool is_run_by(const char *command, const struct doctor_duty *duty)
{
    return strstr(command, duty->program) != NULL && strstr(command, duty->option) != NULL;
}

/* Whether systemd is this system's init: sd_booted(3). */
static bool has_systemd(void)
{
    return access("/run/systemd/system", F_OK) == 0;
}

static bool is_active(const char *unit)
{
    const char *const argv[] = {"systemctl", "is-active", "--quiet", unit, NULL};
    CLEANUP_PROGRAM struct program_result result = {.text = NULL};
    return program_run(argv, NULL, SYSTEMCTL_MS, &result) == 0 && result.status == 0;
}

/* The active timer that starts a service, given as lines of `systemctl show`. */
static bool find_timer(char *service, const struct doctor_duty *duty, char *timer, size_t size)
{
    static const char key[] = "TriggeredBy=";
    char *rest = NULL, *by = strstr(service, key);
    if (by == NULL || !is_run_by(service, duty))
        return false;
    by += strlen(key);
    by[strcspn(by, "\n")] = '\0';
    for (char *unit = strtok_r(by, " ", &rest); unit != NULL; unit = strtok_r(NULL, " ", &rest)) {
        snprintf(timer, size, "%s", unit);
        if (is_active(unit))
            return true;
    }
    return false;
}

/* `systemctl show` has an empty line between two units. */
static bool has_timer(const struct doctor_duty *duty, char *timer, size_t size)
{
    const char *const argv[] = {"systemctl", "show",      "--property=ExecStart,TriggeredBy",
                                "--all",     "*.service", NULL};
    CLEANUP_PROGRAM struct program_result result = {.text = NULL};
    bool is_found = false;
    if (program_run(argv, NULL, SYSTEMCTL_MS, &result) != 0)
        return false;
    for (char *unit = result.text, *next; unit != NULL && !is_found; unit = next) {
        next = strstr(unit, "\n\n");
        if (next != NULL) {
            *next = '\0';
            next += 2;
        }
        is_found = find_timer(unit, duty, timer, size);
    }
    return is_found;
}

static bool has_cron_line(const char *path, const struct doctor_duty *duty)
{
    char line[4096];
    bool is_found = false;
    CLEANUP_FCLOSE FILE *file = fopen(path, "re");
    while (file != NULL && !is_found && fgets(line, sizeof line, file) != NULL)
        is_found = line[strspn(line, " \t")] != '#' && is_run_by(line, duty);
    return is_found;
}

/* The file with the line; "" where there is none. */
static void find_cron_file(const struct doctor_duty *duty, char *path, size_t size)
{
    static const char patterns[] = "{/etc/crontab,/etc/cron.d/*,/var/spool/cron/root,"
                                   "/var/spool/cron/{crontabs,tabs}/root}";
    glob_t files = {0};
    path[0] = '\0';
    if (glob(patterns, GLOB_BRACE, NULL, &files) == 0)
        for (size_t f = 0; f < files.gl_pathc && path[0] == '\0'; f++)
            if (has_cron_line(files.gl_pathv[f], duty))
                snprintf(path, size, "%s", files.gl_pathv[f]);
    globfree(&files);
}

bool doctor_duty(struct doctor *doctor, const struct doctor_duty *duty, bool is_needed)
{
    char found[PATH_MAX];
    if (has_systemd() && has_timer(duty, found, sizeof found)) {
        doctor_add(doctor, FINDING_OK, "timer", duty->command, "", "%s is active", found);
        return true;
    }
    find_cron_file(duty, found, sizeof found);
    if (found[0] != '\0') {
        doctor_add(doctor, FINDING_OK, "timer", duty->command, "",
                   "a line in %s runs it; whether cron is running is not checked", found);
    } else if (is_needed) {
        doctor_add(doctor, FINDING_WARN, "timer", duty->command, "",
                   "no %sline of cron's runs it: %s. Another scheduler, or a script that runs it, "
                   "cannot be seen from here",
                   has_systemd() ? "active timer of systemd's and no "
                                 : "systemd runs here, and no ",
                   duty->otherwise);
        if (has_systemd())
            doctor_mend(doctor, "systemctl enable --now %s", duty->timer);
        else
            doctor_mend(doctor, "let cron run '%s', as %s does", duty->command, duty->timer);
    }
    return found[0] != '\0';
}

void doctor_timer(struct doctor *doctor, const struct conf *conf)
{
    (void)conf;
    for (size_t i = 0; i < sizeof duties / sizeof *duties; i++)
        if ((doctor->roles & duties[i].roles) != 0)
            doctor_duty(doctor, &duties[i], true);
}
