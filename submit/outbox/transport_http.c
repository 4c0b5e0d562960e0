/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records in POST requests (http_body.h), by libcurl. A module.
 */
#include <curl/curl.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "conf/base/clocks.h"
#include "conf/base/uuid7.h"
#include "conf/conf_transport.h"
#include "conf/secret_file.h"
#include "submit/outbox/http_ack.h"
#include "submit/outbox/http_body.h"
#include "submit/outbox/transport.h"

enum { TOKEN_MAX = 4096, ANSWER_MAX = 16 << 20, CONNECT_TIMEOUT_MS = 5000 };

struct http_state {
    const struct conf *conf;
    enum http_format format;
    CURL *curl;
    struct curl_slist *headers;
    struct curl_slist *ack_headers;
    struct http_ack *ack;       /* NULL: nobody waits for acknowledgements */
    char channel[UUID_STR_LEN]; /* of HTTP_SPLUNK */
    char place[128];            /* the URL, for people */
};

struct http_answer {
    char *text;
    size_t size;
};

/* What became of a request. */
enum verdict { VERDICT_TAKEN, VERDICT_REFUSED, VERDICT_LATER };

/* The first line of a file that nobody but its owner may look into. */
static int read_token(const char *path, char *token)
{
    ssize_t length = secret_file_read(path, token, TOKEN_MAX);
    if (length < 0)
        return (int)length;
    token[strcspn(token, "\r\n")] = '\0';
    return 0;
}

static int add_header(struct curl_slist **headers, const char *text)
{
    struct curl_slist *longer = curl_slist_append(*headers, text);
    if (longer == NULL)
        return -ENOMEM;
    *headers = longer;
    return 0;
}

static int add_token(const struct http_state *state, struct curl_slist **headers,
                     struct transport_trouble *trouble)
{
    char token[TOKEN_MAX], header[TOKEN_MAX + 64];
    const char *path = state->conf->http_token_file;
    if (path[0] == '\0')
        return 0;
    int error = read_token(path, token);
    if (error != 0) {
        snprintf(trouble->text, sizeof trouble->text, "%.120s: %s", path,
                 secret_file_trouble(error));
        return error;
    }
    snprintf(header, sizeof header, "Authorization: %s %s",
             state->format == HTTP_SPLUNK ? "Splunk" : "Bearer", token);
    error = add_header(headers, header);
    explicit_bzero(token, sizeof token);
    explicit_bzero(header, sizeof header);
    return error;
}

static int add_headers(const struct http_state *state, struct curl_slist **headers,
                       const char *type, struct transport_trouble *trouble)
{
    char channel[64];
    int error = add_header(headers, type);
    snprintf(channel, sizeof channel, "X-Splunk-Request-Channel: %s", state->channel);
    if (error == 0)
        error = add_header(headers, "Expect:"); /* no extra round trip */
    /* Splunk wants it where the token has indexer acknowledgement, and ignores it elsewhere. */
    if (error == 0 && state->format == HTTP_SPLUNK)
        error = add_header(headers, channel);
    return error == 0 ? add_token(state, headers, trouble) : error;
}

static int set_headers(struct http_state *state, struct transport_trouble *trouble)
{
    uuid_t channel;
    uuid_generate_random(channel);
    uuid_unparse_lower(channel, state->channel);
    int error = add_headers(state, &state->headers,
                            state->format == HTTP_BULK ? "Content-Type: application/x-ndjson"
                                                       : "Content-Type: application/json",
                            trouble);
    if (error == 0 && state->conf->http_gzip)
        error = add_header(&state->headers, "Content-Encoding: gzip");
    if (error == 0)
        error = add_headers(state, &state->ack_headers, "Content-Type: application/json", trouble);
    return error;
}

static size_t take_answer(char *bytes, size_t one, size_t count, void *context)
{
    struct http_answer *answer = context;
    size_t size = one * count;
    if (size > ANSWER_MAX - answer->size)
        return 0;
    char *larger = realloc(answer->text, answer->size + size + 1);
    if (larger == NULL)
        return 0;
    memcpy(larger + answer->size, bytes, size);
    answer->text = larger;
    answer->size += size;
    larger[answer->size] = '\0';
    return size;
}

/* What goes to the collector, a token above all, goes nowhere else: not where an answer, or the
 * environment that slurmd happens to have, would send it. A proxy before TLS sees nothing. */
static void keep_to_collector(const struct http_state *state)
{
    curl_easy_setopt(state->curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(state->curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(state->curl, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
    curl_easy_setopt(state->curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (strncasecmp(state->conf->http_url, "http://", 7) == 0)
        curl_easy_setopt(state->curl, CURLOPT_PROXY, "");
}

static void set_options(const struct http_state *state)
{
    CURL *curl = state->curl;
    keep_to_collector(state);
    curl_easy_setopt(curl, CURLOPT_URL, state->conf->http_url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, state->headers);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "jobtrail/" JOBTRAIL_VERSION);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
    if (state->conf->http_ca[0] != '\0') {
        curl_easy_setopt(curl, CURLOPT_CAINFO, state->conf->http_ca);
        curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
    }
}

static void http_close(void *context)
{
    struct http_state *state = context;
    http_ack_free(state->ack);
    curl_slist_free_all(state->headers);
    curl_slist_free_all(state->ack_headers);
    curl_easy_cleanup(state->curl);
    free(state);
}

static int set_ack(struct http_state *state)
{
    if (state->format != HTTP_SPLUNK || !state->conf->http_ack)
        return 0;
    state->ack =
        http_ack_new(state->curl, state->ack_headers, state->conf->http_url, state->channel);
    return state->ack == NULL ? -ENOMEM : 0;
}

static int http_open(const struct conf *conf, void **state, struct transport_trouble *trouble)
{
    struct http_state *opened = calloc(1, sizeof *opened);
    if (opened == NULL)
        return -ENOMEM;
    opened->conf = conf;
    opened->format = http_format_of(conf->http_format);
    url_print(conf->http_url, opened->place, sizeof opened->place);
    opened->curl = curl_easy_init();
    int error = opened->curl == NULL ? -ENOMEM : set_headers(opened, trouble);
    if (error == 0) {
        set_options(opened);
        error = set_ack(opened);
    }
    if (error != 0) {
        http_close(opened);
        return error;
    }
    *state = opened;
    return 0;
}

/* A gzip member of the body, malloc'ed. */
static char *compressed(const char *body, size_t size, size_t *packed_size)
{
    z_stream stream = {0};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        return NULL;
    size_t room = deflateBound(&stream, size);
    char *packed = malloc(room);
    stream.next_in = (Bytef *)body;
    stream.avail_in = (uInt)size;
    stream.next_out = (Bytef *)packed;
    stream.avail_out = (uInt)room;
    int done = packed != NULL && deflate(&stream, Z_FINISH) == Z_STREAM_END;
    *packed_size = stream.total_out;
    deflateEnd(&stream);
    if (!done) {
        free(packed);
        return NULL;
    }
    return packed;
}

static int refuses(const struct http_state *state, long status, const struct http_answer *answer)
{
    if (status == 400 && state->format == HTTP_SPLUNK && answer->text != NULL)
        return http_splunk_refuses(answer->text, answer->size);
    return http_status_refuses(status);
}

static enum verdict judge(const struct http_state *state, CURLcode code, const char *error,
                          const struct http_answer *answer, struct transport_item *const items[],
                          size_t count, struct transport_trouble *trouble)
{
    long status = 0;
    curl_easy_getinfo(state->curl, CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK) {
        snprintf(trouble->text, sizeof trouble->text, "%.120s: %.120s", state->place,
                 error[0] != '\0' ? error : curl_easy_strerror(code));
        return VERDICT_LATER;
    }
    if (status >= 200 && status < 300 && state->format == HTTP_BULK &&
        http_bulk_answer(answer->text == NULL ? "" : answer->text, answer->size, items, count) !=
            0) {
        snprintf(trouble->text, sizeof trouble->text, "%.120s: not an answer to _bulk",
                 state->place);
        return VERDICT_LATER;
    }
    if (status >= 200 && status < 300)
        return VERDICT_TAKEN;
    snprintf(trouble->text, sizeof trouble->text, "%.120s: status %ld: %.80s", state->place, status,
             answer->text == NULL ? "" : answer->text);
    curl_off_t wait = 0; /* Retry-After (RFC 9110, 10.2.3), in seconds or as a date */
    curl_easy_getinfo(state->curl, CURLINFO_RETRY_AFTER, &wait);
    trouble->wait_s = wait <= 0 ? 0 : wait > INT_MAX ? INT_MAX : (unsigned)wait;
    if (!refuses(state, status, answer))
        return VERDICT_LATER;
    /* of a request without records only the receiver's own words show that it was understood */
    bool is_understood =
        count > 0 ||
        http_is_receivers(state->format, answer->text == NULL ? "" : answer->text, answer->size);
    return is_understood ? VERDICT_REFUSED : VERDICT_LATER;
}

/* A token without acknowledgement gives no number to ask for: what the collector has is taken. */
static enum verdict wait_for_ack(const struct http_state *state, const struct http_answer *answer,
                                 uint64_t deadline_ns, struct transport_trouble *trouble)
{
    uint64_t number, end_ns = clock_deadline(state->conf->http_timeout_s * UINT64_C(1000));
    char why[160];
    if (answer->text == NULL || !http_splunk_number(answer->text, answer->size, &number) ||
        http_ack_wait(state->ack, number, end_ns < deadline_ns ? end_ns : deadline_ns, why,
                      sizeof why) == 0)
        return VERDICT_TAKEN;
    snprintf(trouble->text, sizeof trouble->text, "%.90s: %.150s", state->place, why);
    return VERDICT_LATER;
}

static enum verdict post(const struct http_state *state, const char *body, size_t size,
                         uint64_t deadline_ns, struct transport_item *const items[], size_t count,
                         struct transport_trouble *trouble)
{
    char error[CURL_ERROR_SIZE] = "";
    struct http_answer answer = {NULL, 0};
    unsigned left = clock_left_ms(deadline_ns), limit = state->conf->http_timeout_s * 1000u;
    long timeout = left < limit ? left : limit;
    if (timeout == 0) {
        snprintf(trouble->text, sizeof trouble->text, "%.120s: no time left", state->place);
        return VERDICT_LATER;
    }
    curl_easy_setopt(state->curl, CURLOPT_TIMEOUT_MS, timeout);
    curl_easy_setopt(state->curl, CURLOPT_CONNECTTIMEOUT_MS,
                     timeout < CONNECT_TIMEOUT_MS ? timeout : (long)CONNECT_TIMEOUT_MS);
    curl_easy_setopt(state->curl, CURLOPT_ERRORBUFFER, error);
    curl_easy_setopt(state->curl, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(state->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
    curl_easy_setopt(state->curl, CURLOPT_WRITEDATA, &answer);
    CURLcode code = curl_easy_perform(state->curl);
    enum verdict verdict = judge(state, code, error, &answer, items, count, trouble);
    if (verdict == VERDICT_TAKEN && state->ack != NULL)
        verdict = wait_for_ack(state, &answer, deadline_ns, trouble);
    curl_easy_setopt(state->curl, CURLOPT_ERRORBUFFER, NULL);
    free(answer.text);
    return verdict;
}

static enum verdict send_together(const struct http_state *state,
                                  struct transport_item *const items[], size_t count,
                                  uint64_t deadline_ns, struct transport_trouble *trouble)
{
    size_t size, packed_size;
    enum verdict verdict = VERDICT_LATER;
    char *body = http_body(state->format, items, count, &size);
    if (body != NULL && state->conf->http_gzip) {
        char *packed = compressed(body, size, &packed_size);
        free(body);
        body = packed;
        size = packed_size;
    }
    if (body == NULL)
        snprintf(trouble->text, sizeof trouble->text, "out of memory");
    else
        verdict = post(state, body, size, deadline_ns, items, count, trouble);
    free(body);
    return verdict;
}

/* Where several records together are refused, halves are tried: one of them may be to blame. */
static int send_some(const struct http_state *state, struct transport_item *const items[],
                     size_t count, uint64_t deadline_ns, struct transport_trouble *trouble)
{
    enum verdict verdict = send_together(state, items, count, deadline_ns, trouble);
    if (verdict == VERDICT_LATER)
        return -EAGAIN;
    if (verdict == VERDICT_REFUSED && count > 1) {
        int error = send_some(state, items, count / 2, deadline_ns, trouble);
        return error != 0
                   ? error
                   : send_some(state, items + count / 2, count - count / 2, deadline_ns, trouble);
    }
    if (verdict == VERDICT_REFUSED) {
        items[0]->outcome = TRANSPORT_REFUSED;
        snprintf(items[0]->why, sizeof items[0]->why, "%.150s", trouble->text);
    }
    for (size_t i = 0; i < count && state->format != HTTP_BULK; i++)
        if (items[i]->outcome == TRANSPORT_PENDING)
            items[i]->outcome = TRANSPORT_ACCEPTED;
    return 0;
}

static int http_send(void *context, struct transport_item *items, size_t count,
                     uint64_t deadline_ns, struct transport_trouble *trouble)
{
    const struct http_state *state = context;
    size_t batch = state->conf->http_batch, pending = 0;
    struct transport_item **some = calloc(batch, sizeof *some);
    int error = some == NULL ? -ENOMEM : 0;
    for (size_t i = 0; i < count && error == 0;) {
        size_t n = 0;
        for (; i < count && n < batch; i++)
            if (items[i].outcome == TRANSPORT_PENDING)
                some[n++] = &items[i];
        if (n > 0)
            error = send_some(state, some, n, deadline_ns, trouble);
    }
    free(some);
    for (size_t i = 0; i < count && error == 0; i++)
        pending += items[i].outcome == TRANSPORT_PENDING;
    if (pending > 0) {
        snprintf(trouble->text, sizeof trouble->text, "%.120s: %zu records are to be sent again",
                 state->place, pending);
        error = -EAGAIN;
    }
    return error;
}

/* A request without a record. What is refused for what it is has been understood: the token is
 * good, and the address. Of the format json no answer is known to be a receiver's. */
static int http_ask(void *context, uint64_t deadline_ns, struct transport_trouble *trouble)
{
    const struct http_state *state = context;
    struct transport_trouble said;
    enum verdict verdict = send_together(state, NULL, 0, deadline_ns, trouble);
    if (verdict != VERDICT_REFUSED || state->format != HTTP_JSON)
        return verdict == VERDICT_LATER ? -EAGAIN : 0;
    said = *trouble;
    snprintf(trouble->text, sizeof trouble->text, "answers, and refuses an empty list: %.200s",
             said.text);
    return -EPROTO;
}

const struct transport jobtrail_transport = {"http", http_open, http_send, http_ask, http_close};
