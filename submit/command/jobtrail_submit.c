/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-submit: what the epilog runs, and what an administrator runs by hand.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/descriptors.h"
#include "conf/base/host.h"
#include "conf/conf.h"
#include "spank/epilog_note.h"
#include "spank/spool_path.h"
#include "submit/command/command_hand_in.h"
#include "submit/command/command_outbox.h"
#include "submit/command/command_session.h"
#include "submit/flush/complaints.h"
#include "submit/flush/flush.h"
#include "submit/flush/low_priority.h"
#include "submit/flush/watch.h"

enum { EXIT_SOME_FAILED = 1, EXIT_USAGE = 2, EXIT_UNUSABLE = 3 };

static const char usage[] =
    "Usage: jobtrail-submit flush [--conf FILE] [--node NAME] (--job ID | --all |\n"
    "                                                          [--job ID] --orphans) [--dry-run]\n"
    "       jobtrail-submit flush [--conf FILE] [--node NAME] --epilog\n"
    "       jobtrail-submit flush [--conf FILE] [--node NAME] --sessions\n"
    "       jobtrail-submit session [--conf FILE] [--node NAME]\n"
    "       jobtrail-submit hand-in [--conf FILE]\n"
    "       jobtrail-submit watch [--conf FILE] [--node NAME] [--detach | --stop]\n"
    "       jobtrail-submit send|outbox ...    see jobtrail-submit outbox --help\n"
    "\n"
    "flush\n"
    "Turns what a job left in this node's spool into records and sends them. The SPANK plugin\n"
    "runs it in the epilog; by hand it does the same, at any time and any number of times.\n"
    "\n"
    "  --job ID      the job, all its restarts\n"
    "  --all         every job that the spool holds and that has no process here\n"
    "  --sessions    users' sessions outside of Slurm instead\n"
    "  --orphans     those of them whose epilog has begun, or that the node's last boot ended\n"
    "  --epilog      the job whose Epilog script (slurm.conf) this is, and who it was billed to;\n"
    "                needed with PrologFlags=RunInJob alone\n"
    "  --conf FILE   the configuration (default " JOBTRAIL_CONF ")\n"
    "  --node NAME   this node's name in Slurm (default: SLURMD_NODENAME or the host's name)\n"
    "  --dry-run     print the records on stdout, send and remove nothing\n"
    "  --json        print the summary as JSON\n"
    "\n"
    "watch\n"
    "Sends start records of large MPI programs soon after their starts, until it is ended. The "
    "SPANK\n"
    "plugin starts it with slurmd; a new one takes the place of the old.\n"
    "\n"
    "  --detach      go on in the background\n"
    "  --stop        end the watcher that there is\n"
    "\n"
    "session\n"
    "Makes the place where the processes of this login or batch session, outside of Slurm, are "
    "recorded,\n"
    "and prints the variables that they need. The modulefile runs it, as the user.\n"
    "\n"
    "hand-in\n"
    "Hands in the records of links that wait in your own outbox, see jobtrail-ld(1).\n"
    "\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 all done; 1 something could not be flushed and stays for the next try, or a\n"
    "job still runs; 2 usage; 3 configuration, spool or outbox cannot be used.\n";

struct arguments {
    const char *conf;
    struct flush_options flush;
    int all, epilog, json, stop, detach, watch, session, hand_in;
};

static int parse_job(const char *text, uint32_t *job)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (errno != 0 || *text < '0' || *text > '9' || *end != '\0' || value == 0 ||
        value > UINT32_MAX) {
        fprintf(stderr, "jobtrail-submit: not a job id: %s\n", text);
        return -EINVAL;
    }
    *job = (uint32_t)value;
    return 0;
}

/* Returns 0 to go on, or what to exit with, plus 1. */
static int parse(int argc, char *argv[], struct arguments *arguments)
{
    static const struct option options[] = {
        {"job", required_argument, NULL, 'j'},  {"all", no_argument, NULL, 'a'},
        {"conf", required_argument, NULL, 'c'}, {"node", required_argument, NULL, 'n'},
        {"dry-run", no_argument, NULL, 'd'},    {"json", no_argument, NULL, 'J'},
        {"orphans", no_argument, NULL, 'o'},    {"epilog", no_argument, NULL, 'e'},
        {"stop", no_argument, NULL, 's'},       {"detach", no_argument, NULL, 'D'},
        {"help", no_argument, NULL, 'h'},       {"version", no_argument, NULL, 'V'},
        {"sessions", no_argument, NULL, 'S'},   {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(argc, argv, "j:h", options, NULL)) != -1) {
        switch (option) {
        case 'j':
            if (parse_job(optarg, &arguments->flush.job) != 0)
                return EXIT_USAGE + 1;
            break;
        case 'a':
            arguments->all = 1;
            break;
        case 'o':
            arguments->flush.orphans = 1;
            break;
        case 'e':
            arguments->epilog = 1;
            break;
        case 'S':
            arguments->flush.sessions = 1;
            break;
        case 'c':
            arguments->conf = optarg;
            break;
        case 'n':
            arguments->flush.node = optarg;
            break;
        case 'd':
            arguments->flush.dry_run = 1;
            break;
        case 'J':
            arguments->json = 1;
            break;
        case 's':
            arguments->stop = 1;
            break;
        case 'D':
            arguments->detach = 1;
            break;
        case 'h':
            fputs(usage, stdout);
            return 1;
        case 'V':
            puts("jobtrail-submit " JOBTRAIL_VERSION);
            return 1;
        default:
            fputs("Try 'jobtrail-submit --help'.\n", stderr);
            return EXIT_USAGE + 1;
        }
    }
    if (arguments->epilog) {
        const char *id = getenv("SLURM_JOB_ID");
        if (parse_job(id == NULL ? "none in SLURM_JOB_ID" : id, &arguments->flush.job) != 0)
            return EXIT_USAGE + 1;
    }
    const char *command = optind == argc - 1 ? argv[optind] : "";
    int job = arguments->all || arguments->flush.orphans || arguments->flush.job != 0 ||
              arguments->flush.sessions;
    arguments->session = strcmp(command, "session") == 0;
    arguments->hand_in = strcmp(command, "hand-in") == 0;
    if ((arguments->session || arguments->hand_in) && !job && !arguments->stop &&
        !arguments->detach)
        return 0;
    arguments->watch = strcmp(command, "watch") == 0;
    if (arguments->watch ? job || (arguments->stop && arguments->detach)
                         : strcmp(command, "flush") != 0 || arguments->stop || arguments->detach ||
                               !job || (arguments->all && arguments->flush.job != 0) ||
                               (arguments->epilog && arguments->flush.dry_run) ||
                               (arguments->flush.sessions &&
                                (arguments->all || arguments->flush.orphans ||
                                 arguments->flush.job != 0 || arguments->flush.dry_run))) {
        fputs(usage, stderr);
        return EXIT_USAGE + 1;
    }
    return 0;
}

static int watch(const struct arguments *arguments)
{
    const char *node = arguments->flush.node;
    if (!arguments->stop)
        return watch_run(arguments->conf, node, arguments->detach) == 0 ? 0 : EXIT_UNUSABLE;
    int result = watch_stop(arguments->conf, node);
    if (result == 0)
        return 0;
    fprintf(stderr, "jobtrail-submit: watch: %s\n", strerror(-result));
    return EXIT_UNUSABLE;
}

static void print_count(const struct flush_count *count, int json)
{
    const struct {
        const char *name;
        uint64_t value;
    } values[] = {
        {"jobs", count->jobs},
        {"records", count->records},
        {"packages", count->packages},
        {"unhooked", count->unhooked},
        {"dropped", count->dropped},
        {"damaged", count->damaged},
        {"left_out", count->left_out},
        {"quarantined", count->quarantined},
        {"lost", count->lost},
        {"left", count->left},
        {"running", count->running},
        {"failed", count->failed},
        {"overflowed", count->overflowed},
        {"refused", count->refused},
        {"waiting", count->waiting},
    };
    const char *quote = json ? "\"" : "", *colon = json ? ":" : "";
    fputs(json ? "{" : "", stdout);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        printf("%s%s%s%s%s %" PRIu64, i == 0 ? "" : ", ", quote, values[i].name, quote, colon,
               values[i].value);
    puts(json ? "}" : "");
}

/* Whose job it is stands in the script's environment, as what else the line tells. */
static void note_epilog(const struct conf *conf, const struct flush_options *options)
{
    char spool[PATH_MAX], *end;
    const char *text = getenv("SLURM_JOB_UID");
    unsigned long uid = text == NULL ? UINT32_MAX : strtoul(text, &end, 10);
    if (uid < UINT32_MAX && *end == '\0' && end != text &&
        spool_expand(conf->spool, options->node, spool, sizeof spool) == 0)
        epilog_note(spool, options->job, (uid_t)uid);
}

int main(int argc, char *argv[])
{
    struct arguments arguments = {.conf = JOBTRAIL_CONF, .flush = {.node = host_node()}};
    struct conf conf;
    struct conf_error error;
    struct flush_count count;
    char text[1024];

    if (command_outbox_is(argc, argv)) {
        signal(SIGPIPE, SIG_IGN);
        return command_outbox(argc, argv);
    }
    int parsed = parse(argc, argv, &arguments);
    if (parsed != 0)
        return parsed - 1;
    signal(SIGPIPE, SIG_IGN);
    descriptors_keep((const int[]){0, 1, 2}, 3);
    complaints_open();
    if (arguments.session)
        return command_session(arguments.conf, arguments.flush.node);
    if (arguments.hand_in)
        return command_hand_in(arguments.conf);
    low_priority();
    if (arguments.watch)
        return watch(&arguments);
    if (conf_load_trusted(arguments.conf, &conf, &error) != 0) {
        conf_error_text(&error, text, sizeof text);
        fprintf(stderr, "jobtrail-submit: %s\n", text);
        return EXIT_UNUSABLE;
    }
    if (arguments.epilog)
        note_epilog(&conf, &arguments.flush);
    int result = flush_run(&conf, &arguments.flush, &count);
    if (result != 0)
        fprintf(stderr, "jobtrail-submit: nothing flushed: %s (spool %s, outbox in %s)\n",
                result == -ESTALE
                    ? "slurmd has mounted the spool in a mount namespace of its own: flush from "
                      "there (nsenter --mount), or say [spool] mount = no"
                    : strerror(-result),
                conf.spool, conf.state);
    conf_free(&conf);
    if (result != 0)
        return EXIT_UNUSABLE;
    if (!arguments.flush.dry_run)
        print_count(&count, arguments.json);
    return count.failed > 0 || count.running > 0 ? EXIT_SOME_FAILED : 0;
}
