/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/batch_writer.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "conf/base/hash.h"

struct batch_writer {
    pthread_t thread;
    pthread_mutex_t mutex;  /* of all that follows */
    pthread_cond_t changed; /* `todo` or `stop` */
    struct store *store;
    struct load_batch *todo; /* NULL: nothing to do */
    struct load_batch *last; /* started, and not waited for yet */
    int error;               /* of the last */
    bool stop;
};

static void *write_batches(void *context)
{
    struct batch_writer *writer = context;
    pthread_mutex_lock(&writer->mutex);
    for (;;) {
        while (writer->todo == NULL && !writer->stop)
            pthread_cond_wait(&writer->changed, &writer->mutex);
        struct load_batch *batch = writer->todo;
        if (batch == NULL)
            break;
        pthread_mutex_unlock(&writer->mutex);
        int error = store_put(writer->store, batch->records, batch->count, batch->results);
        pthread_mutex_lock(&writer->mutex);
        writer->error = error;
        writer->todo = NULL;
        pthread_cond_broadcast(&writer->changed);
    }
    pthread_mutex_unlock(&writer->mutex);
    return NULL;
}

struct batch_writer *batch_writer_new(struct store *store)
{
    struct batch_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return NULL;
    writer->store = store;
    pthread_mutex_init(&writer->mutex, NULL);
    pthread_cond_init(&writer->changed, NULL);
    sigset_t all, before; /* signals are for the thread that reads */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&writer->thread, NULL, write_batches, writer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0)
        return writer;
    pthread_cond_destroy(&writer->changed);
    pthread_mutex_destroy(&writer->mutex);
    free(writer);
    return NULL;
}

void batch_writer_start(struct batch_writer *writer, struct load_batch *batch)
{
    pthread_mutex_lock(&writer->mutex);
    writer->todo = writer->last = batch;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->mutex);
}

struct load_batch *batch_writer_wait(struct batch_writer *writer, int *error)
{
    pthread_mutex_lock(&writer->mutex);
    while (writer->todo != NULL)
        pthread_cond_wait(&writer->changed, &writer->mutex);
    struct load_batch *batch = writer->last;
    writer->last = NULL;
    *error = writer->error;
    pthread_mutex_unlock(&writer->mutex);
    return batch;
}

void batch_writer_free(struct batch_writer *writer)
{
    if (writer == NULL)
        return;
    pthread_mutex_lock(&writer->mutex);
    writer->stop = true;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->mutex);
    pthread_join(writer->thread, NULL);
    pthread_cond_destroy(&writer->changed);
    pthread_mutex_destroy(&writer->mutex);
    free(writer);
}
