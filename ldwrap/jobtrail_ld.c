/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-ld: under the name of a linker it is that linker; under its own it prints watermarks.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ldwrap/watermark_print.h"
#include "ldwrap/wrap.h"

enum { STATUS_USAGE = 2 };

static const char usage[] =
    "Usage: jobtrail-ld --show FILE...\n"
    "\n"
    "Prints the watermark of programs and libraries, jobtrail's or XALT's.\n"
    "\n"
    "Under the name of a linker (ld, ld.bfd, ld.gold, ld.lld, ld.mold, ...) it is that linker, and "
    "marks\n"
    "and records what it links: put the directory that has it under these names in front of PATH "
    "and\n"
    "COMPILER_PATH, see jobtrail-ld(1).\n"
    "\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 done; 1 a file has no watermark or cannot be read; 2 usage.\n";

static int refuse(void)
{
    fputs("Try jobtrail-ld --help\n", stderr);
    return STATUS_USAGE;
}

static int own_command(int argc, char **argv)
{
    static const struct option options[] = {
        {"show", no_argument, NULL, 's'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {NULL, 0, NULL, 0},
    };
    bool has_show = false;
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 's':
            has_show = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        case 'V':
            puts("jobtrail-ld " JOBTRAIL_VERSION);
            return 0;
        default:
            return refuse();
        }
    }
    return has_show && optind < argc ? watermark_print_files(argc - optind, argv + optind)
                                     : refuse();
}

int main(int argc, char **argv)
{
    const char *called = argc == 0 ? "jobtrail-ld" : basename(argv[0]);
    if (strcmp(called, "jobtrail-ld") == 0)
        return own_command(argc, argv);
    return wrap(called, argc, argv);
}
