/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/cycles.h"

#include <fcntl.h>
#include <string.h>

#include "conf/base/io.h"

bool cycles_are_clock(void)
{
    char text[32] = "";
    io_read_text(AT_FDCWD, "/sys/devices/system/clocksource/clocksource0/current_clocksource", text,
                 sizeof text);
    text[strcspn(text, "\n")] = '\0';
    return strcmp(text, "tsc") == 0 || strcmp(text, "arch_sys_counter") == 0;
}
