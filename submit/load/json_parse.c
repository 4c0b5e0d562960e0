/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "json_parse.h"

#include <errno.h>
#include <string.h>

#define MAX_DEPTH 32

int json_parse(const char *text, size_t size, struct json_object **parsed,
               struct load_reason *reason)
{
    static struct json_tokener *tokener; /* made once: it is larger than most texts */
    if (tokener == NULL)
        tokener = json_tokener_new_ex(MAX_DEPTH);
    if (tokener == NULL)
        return -ENOMEM;
    json_tokener_reset(tokener);
    struct json_object *value = json_tokener_parse_ex(tokener, text, (int)size + 1);
    enum json_tokener_error trouble = json_tokener_get_error(tokener);
    size_t end = json_tokener_get_parse_end(tokener);
    if (trouble == json_tokener_continue || trouble == json_tokener_error_parse_eof)
        return load_refuse(reason, "JSON is cut short");
    if (trouble != json_tokener_success)
        return load_refuse(reason, "JSON is damaged at byte %zu: %s", end,
                           json_tokener_error_desc(trouble));
    /* json-c takes a comment for blanks, and the byte after the text for the comment's. */
    if (end < size && end + strspn(text + end, " \t\r\n") < size) {
        json_object_put(value);
        return load_refuse(reason, "is not one JSON object");
    }
    *parsed = value;
    return 0;
}
