/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-submit(8): the command line.
 */
#include <getopt.h>
#include <limits.h>
#include <linux/ioprio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "conf/base/caller.h"
#include "conf/base/command_options.h"
#include "conf/base/descriptors.h"
#include "conf/base/host.h"
#include "conf/base/stderr_or_syslog.h"
#include "conf/flush_cgroup.h"
#include "spank/job_formats.h"
#include "spank/version_note.h"
#include "submit/command/submit_command.h"

static const char usage[] =
    "Usage: jobtrail-submit flush [--conf FILE] [--node NAME] (--job ID | --all |\n"
    "                                                          [--job ID] --orphans) [--dry-run]\n"
    "       jobtrail-submit flush [--conf FILE] [--node NAME] --sessions\n"
    "       jobtrail-submit prolog [--conf FILE] [--node NAME]\n"
    "       jobtrail-submit session [--conf FILE] [--node NAME]\n"
    "       jobtrail-submit hand-in [--conf FILE]\n"
    "       jobtrail-submit watch [--conf FILE] [--node NAME] [--detach | --once | --stop]\n"
    "       jobtrail-submit witness [--conf FILE] [--node NAME] [--detach]\n"
    "       jobtrail-submit status [--conf FILE] [--node NAME] [--json | --openmetrics | --write]\n"
    "       jobtrail-submit send|outbox ...    see jobtrail-submit outbox --help\n"
    "\n"
    "flush         turns what a job left in this node's spool into records, and sends them; the\n"
    "              plugin runs it in the epilog, and it can be repeated at any time\n"
    "  --job ID      the job, all its restarts\n"
    "  --all         every job in the spool that has no process here\n"
    "  --orphans     of all jobs or of the job ID, those whose epilog has begun, that the node's\n"
    "                last boot ended, or that have ended without an epilog of SPANK's\n"
    "  --sessions    users' sessions outside of Slurm instead\n"
    "  --dry-run     print the records on stdout, send and remove nothing\n"
    "  --json        print the summary as JSON\n"
    "\n"
    "watch         looks at the processes of running jobs once a minute, and sends start records\n"
    "              of large MPI programs; the plugin starts it with slurmd; a new one replaces it\n"
    "  --detach      continue in the background\n"
    "  --once        look once at the processes, beside the process watch\n"
    "  --stop        end the process watch\n"
    "\n"
    "witness       writes down what the kernel reports of every process of a job, as [witness]\n"
    "              level of jobtrail.conf says; the process watch runs it\n"
    "  --detach      messages go to syslog\n"
    "\n"
    "status        prints what waits in spool and outbox, what is in the quarantine, and whether\n"
    "              the flush fails for job after job\n"
    "  --openmetrics print it in the format of OpenMetrics\n"
    "  --write       write that to the file [submit] metrics, if it is set, and print nothing\n"
    "\n"
    "prolog        for the site's Prolog script, with PrologFlags=RunInJob: notes the restart\n"
    "              count, account and partition. Write 'jobtrail-submit prolog || true'\n"
    "session       makes the directory for a session outside of Slurm, and prints its variables;\n"
    "              the modulefile runs it, as the user\n"
    "hand-in       hands in the records of links in your own outbox, see jobtrail-ld(1)\n"
    "\n"
    "All:\n"
    "  --conf FILE   the configuration (default " JOBTRAIL_CONF ")\n"
    "  --node NAME   this node's name in Slurm (default: SLURMD_NODENAME or the host's name)\n"
    "  --formats N   leave jobs of other versions alone (not status, session, hand-in)\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 all done; 1 something stays for the next try, or a job still runs; 2 usage;\n"
    "3 configuration, spool or outbox cannot be used; 4 --formats has another version's number;\n"
    "5 (of status) the flush fails for job after job.\n";

static const char outbox_usage[] =
    "Usage: jobtrail-submit send [--conf FILE] [--timeout SECONDS] [--json]\n"
    "       jobtrail-submit outbox list [--conf FILE] [--transport NAME] [--json]\n"
    "       jobtrail-submit outbox ask [--conf FILE] [--transport NAME] [--timeout SECONDS] "
    "[--json]\n"
    "       jobtrail-submit outbox retry [--conf FILE] [--transport NAME] [--timeout SECONDS]\n"
    "                                    [--json]\n"
    "       jobtrail-submit outbox drop [--conf FILE] (--transport NAME | --all)\n"
    "                                   [--older-than DAYS] [--json]\n"
    "\n"
    "send    hands the records in the outbox to the transports, except for those that have failed\n"
    "        lately; a timer runs it\n"
    "list    prints what waits for which transport, and how its last try went\n"
    "ask     asks each receiver whether it would take records, and sends none\n"
    "retry   as send, also to transports that have failed lately\n"
    "drop    removes records that wait for a transport, for good\n"
    "\n"
    "  --conf FILE          the configuration (default " JOBTRAIL_CONF ")\n"
    "  --transport NAME     only of this transport\n"
    "  --all                of all transports\n"
    "  --older-than DAYS    only what has waited longer\n"
    "  --timeout SECONDS    how long to send, or to ask each receiver, 1 to 86400 (default 300)\n"
    "  --json               print JSON\n"
    "  --help\n"
    "\n"
    "Exit status: 0 all done; 1 records still wait, or a receiver was not reached; 2 usage;\n"
    "3 configuration or outbox cannot be used; 4 --formats has another version's number.\n";

enum { DEFAULT_TIMEOUT_S = 300 };

#define MEMBER(name) offsetof(struct submit_options, name)

/* clang-format off */
static const struct option_row option_rows[] = {
    {"job", 'j', OPTION_NUMBER, MEMBER(job), 1, UINT32_MAX, NULL},
    {"all", 'a', OPTION_FLAG, MEMBER(all), 0, 0, NULL},
    {"orphans", 'o', OPTION_FLAG, MEMBER(orphans), 0, 0, NULL},
    {"sessions", 'S', OPTION_FLAG, MEMBER(sessions), 0, 0, NULL},
    {"conf", 'c', OPTION_TEXT, MEMBER(conf), 0, 0, NULL},
    {"node", 'n', OPTION_TEXT, MEMBER(node), 0, 0, NULL},
    {"dry-run", 'd', OPTION_FLAG, MEMBER(dry_run), 0, 0, NULL},
    {"json", 'J', OPTION_FLAG, MEMBER(json), 0, 0, NULL},
    {"stop", 's', OPTION_FLAG, MEMBER(stop), 0, 0, NULL},
    {"detach", 'D', OPTION_FLAG, MEMBER(detach), 0, 0, NULL},
    {"once", '1', OPTION_FLAG, MEMBER(once), 0, 0, NULL},
    {"transport", 't', OPTION_TEXT, MEMBER(transport), 0, 0, NULL},
    {"formats", 'F', OPTION_NUMBER, MEMBER(formats), 1, VERSION_FORMATS_MAX, NULL},
    {"older-than", 'O', OPTION_NUMBER, MEMBER(older_days), 0, 100000, NULL},
    {"timeout", 'T', OPTION_NUMBER, MEMBER(timeout_s), 1, 86400, NULL},
    {"openmetrics", 'M', OPTION_FLAG, MEMBER(openmetrics), 0, 0, NULL},
    {"write", 'w', OPTION_FLAG, MEMBER(write), 0, 0, NULL},
    {"help", 'h', OPTION_FLAG, MEMBER(help), 0, 0, NULL},
    {"version", 'V', OPTION_FLAG, MEMBER(version), 0, 0, NULL},
    {NULL, 0, 0, 0, 0, 0, NULL},
};
/* clang-format on */

/* Reads the options, and into `seen` the letters of those that are there, each once. Returns
 * whether all of them are sound; otherwise stderr tells. */
static bool read_options(int argc, char *argv[], struct submit_options *options, char seen[256])
{
    int letter;
    while ((letter = options_next(argc, argv, "j:h", option_rows, options)) != OPTIONS_END) {
        if (letter == OPTIONS_WRONG) {
            fputs("Try 'jobtrail-submit --help'.\n", stderr);
            return false;
        }
        if (strchr(seen, letter) == NULL)
            seen[strlen(seen)] = (char)letter;
    }
    options->words = argv + optind;
    return true;
}

/* Gives this process, and all that it starts, the lowest priority on the node: nice 19, the idle
 * class for disks, and in a control group of its own (flush_cgroup.h) where one can be made. What
 * cannot be done is left out; jobtrail-conf doctor tells of it. */
static void low_priority(void)
{
    setpriority(PRIO_PROCESS, 0, 19);
    syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
    if (caller_is_root())
        flush_cgroup_make(true);
}

int main(int argc, char *argv[])
{
    struct submit_options options = {.conf = JOBTRAIL_CONF,
                                     .node = host_node(),
                                     .timeout_s = DEFAULT_TIMEOUT_S,
                                     .argv = argv,
                                     .argc = argc};
    char seen[256] = "";
    if (!read_options(argc, argv, &options, seen))
        return SUBMIT_USAGE;
    const char *name = optind < argc ? argv[optind] : "";
    bool is_outbox = strcmp(name, "send") == 0 || strcmp(name, "outbox") == 0;
    const char *text = is_outbox ? outbox_usage : usage;
    if (options.help || options.version) {
        fputs(options.help ? text : "jobtrail-submit " JOBTRAIL_VERSION "\n", stdout);
        return SUBMIT_OK;
    }
    if (options.formats != 0 && options.formats != JOB_FORMATS) {
        fprintf(stderr, "jobtrail-submit: its formats are number %d, not %u\n", JOB_FORMATS,
                (unsigned)options.formats);
        return SUBMIT_OTHER;
    }
    const struct submit_command *command = submit_command_find(argv + optind, argc - optind);
    signal(SIGPIPE, SIG_IGN);
    if (command != NULL && !is_outbox) {
        descriptors_keep((const int[]){STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}, 3);
        stderr_or_syslog_open("jobtrail-submit");
    }
    if (command != NULL && command->low_priority)
        low_priority();
    enum submit_status status = SUBMIT_USAGE;
    if (command != NULL && seen[strspn(seen, command->accepts)] == '\0')
        status = submit_command_run(command, &options);
    if (status == SUBMIT_USAGE)
        fputs(text, stderr);
    return (int)status;
}
