/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Answers of collectors, which may be anybody's: to _bulk requests, and of Splunk's HTTP Event
 * Collector. Whatever one says, a record is accepted only where it says so of that record.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "submit/outbox/http_ack.c"

#include "submit/outbox/http_body.h"
#include "test/fuzz/fuzz.h"

enum { ITEMS_MAX = 4 };

/* As often as the word stands there. */
static size_t count_word(const char *text, size_t size, const char *word)
{
    size_t found = 0, length = strlen(word);
    for (size_t i = 0; i + length <= size; i++)
        found += strncasecmp(text + i, word, length) == 0; /* json-c reads True, too */
    return found;
}

static void check_bulk(const char *answer, size_t size, size_t count)
{
    struct transport_item item[ITEMS_MAX] = {0}, *items[ITEMS_MAX];
    size_t decided = 0;
    for (size_t i = 0; i < count; i++)
        items[i] = &item[i];
    int result = http_bulk_answer(answer, size, items, count);
    for (size_t i = 0; i < count; i++) {
        if (item[i].outcome > TRANSPORT_REFUSED ||
            memchr(item[i].why, '\0', sizeof item[i].why) == NULL)
            abort();
        decided += item[i].outcome != TRANSPORT_PENDING;
        if ((item[i].outcome == TRANSPORT_REFUSED) != (item[i].why[0] != '\0'))
            abort();
    }
    /* keys may have escapes */
    if (result != 0 ? decided > 0 : decided > count_word(answer, size, "{"))
        abort();
}

/* In two pieces, as it may come. */
static void check_ack(const char *answer, size_t size, size_t cut)
{
    struct http_ack ack = {.size = 0};
    char first[16], rest[ANSWER_MAX];
    size_t one = cut < size ? cut : size, more = size - one;
    memcpy(first, answer, one);
    if (take_answer(first, 1, one, &ack) != one)
        abort();
    if (more > sizeof rest)
        more = sizeof rest;
    memcpy(rest, answer + one, more);
    size_t taken = take_answer(rest, 1, more, &ack);
    if (ack.size > sizeof ack.answer || (taken != more && taken != 0) ||
        (taken == more) != (one + more <= ANSWER_MAX))
        abort();
    if (http_splunk_acknowledges(ack.answer, ack.size, 7) &&
        count_word(ack.answer, ack.size, "true") == 0)
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    uint64_t number = 0;
    if (size == 0)
        return 0;
    size_t count = 1 + data[0] % ITEMS_MAX, cut = data[0] % 16;
    char *answer = malloc(size); /* with a NUL behind it, as take_answer() in transport_http.c */
    if (answer == NULL)
        abort();
    memcpy(answer, data + 1, size - 1);
    answer[size - 1] = '\0';
    check_bulk(answer, size - 1, count);
    check_ack(answer, size - 1, cut);
    http_splunk_refuses(answer, size - 1);
    if (http_splunk_number(answer, size - 1, &number) && number > INT64_MAX)
        abort();
    free(answer);
    return 0;
}
