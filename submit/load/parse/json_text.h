/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * JSON text that is put together piece by piece. What does not fit into memory, or into the size
 * that a record may have, is left out and noted: ask json_text_take() at the end.
 */
#ifndef JOBTRAIL_JSON_TEXT_H
#define JOBTRAIL_JSON_TEXT_H

#include <stddef.h>

struct json_text {
    char *text; /* owned; {0} at first */
    size_t size, room;
    int error; /* 0, or why pieces were left out: -ENOMEM or -EFBIG */
};

/* Adds the text as it is. */
void json_text_raw(struct json_text *json, const char *text);
void json_text_bytes(struct json_text *json, const char *bytes, size_t size);

/* Adds the `size` bytes as a string, with its quotes. Bytes that are no UTF-8 stay as they are:
 * load_record() maps them. */
void json_text_string(struct json_text *json, const char *bytes, size_t size);

/* Adds the number, which becomes null if it is not finite. */
void json_text_number(struct json_text *json, double number);

/* Hands the text over, with a NUL behind it, to be released by free(); `json` is {0} again. Returns
 * 0; or -ENOMEM or -EFBIG, and there is no text. */
int json_text_take(struct json_text *json, char **text, size_t *size);

void json_text_free(struct json_text *json);

#endif
