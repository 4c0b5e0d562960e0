/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bodies of HTTP requests that carry records, and what the answers say of each.
 *
 *   json    one record: the object; several, or none: an array of them
 *   bulk    Elasticsearch's and OpenSearch's _bulk: lines {"create":{"_id":KEY}} and RECORD
 *   splunk  Splunk's HTTP Event Collector: one object {"event":RECORD, ...} after the other
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "submit/outbox/transport.h"

enum http_format { HTTP_JSON, HTTP_BULK, HTTP_SPLUNK };

enum http_format http_format_of(const char *name);

/* Whether a status (RFC 9110) is about what was sent, and not about the collector, or our access to
 * it. */
int http_status_refuses(long status);

/* Whether a Splunk HTTP Event Collector's answer of status 400 is: it says the same of an index or
 * a token that is not set up for this ("HTTP Event Collector error codes" of its documentation). */
int http_splunk_refuses(const char *answer, size_t size);

/* Whether an answer that refuses a request is one of a receiver of this format: of Splunk's, with a
 * number `code`; of _bulk's, with an `error`. Of HTTP_JSON anything may be. */
int http_is_receivers(enum http_format format, const char *answer, size_t size);

/* The number under which an accepted request will be acknowledged. Returns whether there is one. */
int http_splunk_number(const char *answer, size_t size, uint64_t *number);

/* Whether an answer of .../ack says that the request with this number is acknowledged. */
int http_splunk_acknowledges(const char *answer, size_t size, uint64_t number);

/* The body that carries these items, malloc'ed, its length in `*size`; NULL when out of memory. */
char *http_body(enum http_format format, struct transport_item *const items[], size_t count,
                size_t *size);

/* Sets the outcomes of the items from the answer to a _bulk request, which tells of each by itself:
 * created or already there is accepted; a status as of http_status_refuses() refused; any other is
 * pending. Returns 0, or -EPROTO when it is no answer to this request: then nothing is set. */
int http_bulk_answer(const char *answer, size_t size, struct transport_item *const items[],
                     size_t count);
