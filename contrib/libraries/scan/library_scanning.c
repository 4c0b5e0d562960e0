/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_scanning.h"

#include <stdarg.h>
#include <stdio.h>

enum { WARNINGS_MAX = 1000 };

int scan_fail(struct scan *scan, int error, const char *format, ...)
{
    va_list args;
    if (scan->trouble[0] != '\0')
        return error;
    va_start(args, format);
    vsnprintf(scan->trouble, scan->trouble_size, format, args);
    va_end(args);
    return error;
}

int scan_state_failed(struct scan *scan, int error)
{
    return error >= 0
               ? error
               : scan_fail(scan, error, "the state in %s: %s", scan->order->conf->library_state,
                           library_state_error(scan->state));
}

/* Users can make as many files of which something is to be said as they like. */
void scan_warn(struct scan *scan, const char *path, const char *text)
{
    if (scan->is_silent)
        return;
    if (scan->warnings++ < WARNINGS_MAX)
        scan->order->warn(scan->order->teller.context, path, text);
    else if (scan->warnings == WARNINGS_MAX + 1)
        scan->order->warn(scan->order->teller.context, path, "further messages are left out");
}
