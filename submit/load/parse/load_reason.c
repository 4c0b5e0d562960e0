/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/parse/load_reason.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int load_refuse(struct load_reason *reason, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason->text, sizeof reason->text, format, arguments);
    va_end(arguments);
    return -EBADMSG;
}
