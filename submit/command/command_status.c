/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "submit/command/node_metrics.h"
#include "submit/command/node_status.h"
#include "submit/command/submit_command.h"
#include "submit/job/broken_flushes.h"

/* Says on stderr what could not be read. Returns 0 or the first error. */
static int report_errors(const struct conf *conf, const struct node_status *node)
{
    static const char *const places[NODE_PLACES] = {
        [PLACE_BREAKS] = BROKEN_FLUSHES,
        [PLACE_SPOOL] = "the spool",
        [PLACE_QUARANTINE] = "the quarantine",
        [PLACE_OUTBOX] = "the outbox",
    };
    int first = 0;
    for (size_t i = 0; i < NODE_PLACES; i++) {
        if (node->error[i] == 0)
            continue;
        fprintf(stderr, "jobtrail-submit: status: %s%s%s cannot be read: %s\n", places[i],
                i == PLACE_SPOOL ? " " : " in ", i == PLACE_SPOOL ? conf->spool : conf->state,
                strerror(-node->error[i]));
        first = first == 0 ? node->error[i] : first;
    }
    return first;
}

static void print_figure(FILE *to, const struct node_figure *figure)
{
    char when[32] = "-";
    struct tm local;
    time_t time = (time_t)figure->value;
    if (node_figure_is_told(figure) && !figure->is_time)
        snprintf(when, sizeof when, "%" PRIu64, figure->value);
    else if (node_figure_is_told(figure) && localtime_r(&time, &local) != NULL)
        strftime(when, sizeof when, "%FT%T", &local);
    fprintf(to, "%-46s %s\n", figure->text, when);
}

static void print_node(FILE *to, const struct node_status *node)
{
    struct node_figure figures[NODE_FIGURES], of_transport[TRANSPORT_FIGURES];
    node_figures(node, figures);
    for (size_t i = 0; i < NODE_FIGURES; i++)
        print_figure(to, &figures[i]);
    for (size_t t = 0; t < node->transport_count; t++) {
        fprintf(to, "transport %s%s\n", node->transport[t].name,
                node->transport[t].is_configured ? "" : " (not configured)");
        node_figures_of_transport(&node->transport[t], of_transport);
        for (size_t i = 0; i < TRANSPORT_FIGURES; i++)
            print_figure(to, &of_transport[i]);
    }
}

static void add_figures(struct json_object *table, const struct node_figure *figures, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_object_object_add(
            table, figures[i].name,
            node_figure_is_told(&figures[i]) ? json_object_new_uint64(figures[i].value) : NULL);
}

static void print_node_json(FILE *to, const struct node_status *node)
{
    struct node_figure figures[NODE_FIGURES], of_transport[TRANSPORT_FIGURES];
    struct json_object *table = json_object_new_object(), *array = json_object_new_array();
    node_figures(node, figures);
    add_figures(table, figures, NODE_FIGURES);
    for (size_t t = 0; t < node->transport_count; t++) {
        struct json_object *transport = json_object_new_object();
        json_object_object_add(transport, "transport",
                               json_object_new_string(node->transport[t].name));
        node_figures_of_transport(&node->transport[t], of_transport);
        add_figures(transport, of_transport, TRANSPORT_FIGURES);
        json_object_array_add(array, transport);
    }
    json_object_object_add(table, "transports", array);
    fprintf(to, "%s\n", json_object_to_json_string_ext(table, JSON_C_TO_STRING_PLAIN));
    json_object_put(table);
}

enum submit_status command_status(const struct submit_options *options)
{
    struct conf conf;
    struct node_status node;
    if (options->json + options->openmetrics + options->write > 1)
        return SUBMIT_USAGE;
    enum submit_status status = submit_conf_load(options, &conf);
    if (status != SUBMIT_OK)
        return status;
    node_status_read(&conf, options->node, &node);
    int error = report_errors(&conf, &node);
    if (options->write && conf.metrics[0] != '\0') {
        int written = node_metrics_write(conf.metrics, &node);
        if (written != 0)
            fprintf(stderr, "jobtrail-submit: %s: %s\n", conf.metrics, strerror(-written));
        error = error == 0 ? written : error;
    } else if (options->openmetrics) {
        node_metrics_print(stdout, &node);
    } else if (options->json) {
        print_node_json(stdout, &node);
    } else if (!options->write) {
        print_node(stdout, &node);
    }
    conf_free(&conf);
    return node.broken >= BROKEN_FLUSHES_MANY ? SUBMIT_BREAKS
           : error != 0                       ? SUBMIT_UNUSABLE
                                              : SUBMIT_OK;
}
