/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/outbox/http_ack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf/base/clocks.h"
#include "conf/base/uuid7.h"
#include "submit/outbox/http_body.h"

#define COLLECTOR "/services/collector"

/* Indexers take their time; nobody is to be asked all the time. */
enum { ANSWER_MAX = 4096, FIRST_PAUSE_MS = 50, LONGEST_PAUSE_MS = 1000 };

struct http_ack {
    CURL *curl;
    char answer[ANSWER_MAX];
    size_t size;
};

static size_t take_answer(char *bytes, size_t one, size_t count, void *context)
{
    struct http_ack *ack = context;
    size_t size = one * count;
    if (size > sizeof ack->answer - ack->size)
        return 0;
    memcpy(ack->answer + ack->size, bytes, size);
    ack->size += size;
    return size;
}

static int set_path(CURLU *url)
{
    char *path = NULL, *longer = NULL;
    if (curl_url_get(url, CURLUPART_PATH, &path, 0) != CURLUE_OK)
        return -EINVAL;
    char *collector = strstr(path, COLLECTOR);
    size_t length =
        collector == NULL ? strlen(path) : (size_t)(collector - path) + strlen(COLLECTOR);
    while (length > 0 && path[length - 1] == '/')
        length--;
    int printed = asprintf(&longer, "%.*s/ack", (int)length, path);
    int error =
        printed > 0 && curl_url_set(url, CURLUPART_PATH, longer, 0) == CURLUE_OK ? 0 : -ENOMEM;
    if (printed > 0)
        free(longer);
    curl_free(path);
    return error;
}

/* Sets where to ask: curl has its own copy then. */
static int set_url(CURL *curl, const char *collector, const char *channel)
{
    char query[sizeof "channel=" + UUID_STR_LEN], *text = NULL;
    CURLU *url = curl_url();
    if (url == NULL)
        return -ENOMEM;
    snprintf(query, sizeof query, "channel=%.36s", channel);
    int error =
        curl_url_set(url, CURLUPART_URL, collector, 0) != CURLUE_OK ? -EINVAL : set_path(url);
    if (error == 0 && (curl_url_set(url, CURLUPART_QUERY, query, 0) != CURLUE_OK ||
                       curl_url_get(url, CURLUPART_URL, &text, 0) != CURLUE_OK ||
                       curl_easy_setopt(curl, CURLOPT_URL, text) != CURLE_OK))
        error = -ENOMEM;
    curl_free(text);
    curl_url_cleanup(url);
    return error;
}

struct http_ack *http_ack_new(CURL *like, struct curl_slist *headers, const char *url,
                              const char *channel)
{
    struct http_ack *ack = calloc(1, sizeof *ack);
    if (ack == NULL)
        return NULL;
    ack->curl = curl_easy_duphandle(like);
    if (ack->curl == NULL || set_url(ack->curl, url, channel) != 0) {
        http_ack_free(ack);
        return NULL;
    }
    curl_easy_setopt(ack->curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(ack->curl, CURLOPT_WRITEFUNCTION, take_answer);
    curl_easy_setopt(ack->curl, CURLOPT_WRITEDATA, ack);
    return ack;
}

void http_ack_free(struct http_ack *ack)
{
    if (ack != NULL)
        curl_easy_cleanup(ack->curl);
    free(ack);
}

/* Whether it is acknowledged; why not, for people. */
static int ask_collector(struct http_ack *ack, uint64_t number, unsigned left_ms, char *why,
                         size_t size)
{
    char body[64];
    long status = 0;
    snprintf(body, sizeof body, "{\"acks\":[%" PRIu64 "]}", number);
    ack->size = 0;
    curl_easy_setopt(ack->curl, CURLOPT_TIMEOUT_MS, (long)left_ms);
    curl_easy_setopt(ack->curl, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(ack->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(body));
    CURLcode code = curl_easy_perform(ack->curl);
    curl_easy_getinfo(ack->curl, CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK)
        snprintf(why, size, "not acknowledged in time: %s", curl_easy_strerror(code));
    else if (status != 200)
        snprintf(why, size, "not acknowledged in time: status %ld", status);
    else if (http_splunk_acknowledges(ack->answer, ack->size, number))
        return 1;
    else
        snprintf(why, size, "not acknowledged in time by the indexers");
    return 0;
}

int http_ack_wait(struct http_ack *ack, uint64_t number, uint64_t deadline_ns, char *why,
                  size_t size)
{
    unsigned left, pause_ms = FIRST_PAUSE_MS;
    snprintf(why, size, "no time for an acknowledgement");
    while ((left = clock_left_ms(deadline_ns)) > 0) {
        if (ask_collector(ack, number, left, why, size))
            return 0;
        left = clock_left_ms(deadline_ns);
        unsigned wait_ms = left < pause_ms ? left : pause_ms;
        const struct timespec pause = {.tv_sec = wait_ms / 1000,
                                       .tv_nsec = (long)(wait_ms % 1000) * 1000000};
        nanosleep(&pause, NULL);
        pause_ms = 2 * pause_ms < LONGEST_PAUSE_MS ? 2 * pause_ms : LONGEST_PAUSE_MS;
    }
    return -ETIMEDOUT;
}
