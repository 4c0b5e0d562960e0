/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * log_message_read(), log_message_line(): what any user hands in, and the line of
 * the log that comes of it. A line is one line of printable ASCII that begins with what root has
 * put there.
 */
#include <stdlib.h>
#include <string.h>

#include "contrib/libraries/log_write.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static const char begin[] = "Mon_Mar_06_1995_07:00 filei";
    struct log_message message;
    char line[LOG_LINE_SIZE + 1], *bytes = malloc(size + 1);
    if (bytes == NULL)
        abort();
    memcpy(bytes, data, size);
    if (log_message_read(bytes, size, &message) == 0) {
        if (!log_name_is_good(message.name) || strchr(message.name, '/') != NULL)
            abort();
        memset(line, 'x', sizeof line);
        int length = log_message_line(&message, "Mon_Mar_06_1995_07:00", "filei", line);
        if (line[LOG_LINE_SIZE] != 'x')
            abort();
        if (length >= 0 && (strlen(line) != (size_t)length || line[length - 1] != '\n' ||
                            strncmp(line, begin, strlen(begin)) != 0))
            abort();
        for (int i = 0; i + 1 < length; i++)
            if (line[i] < ' ' || line[i] > '~')
                abort();
    }
    free(bytes);
    return 0;
}
