/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/profile_read.h"

#include <sys/mman.h>

#include "test/unit/fixture/cases.h"

enum {
    PROCESS_AT = PROFILE_PAGE,
    THREAD_AT = PROCESS_AT + PROFILE_PROCESS_BYTES,
    PIECE_AT = THREAD_AT + PROFILE_THREAD_BYTES,
    PIECE_COUNT = 3 * PROFILE_NODES,
    PIECE_BYTES = PROFILE_PAGE + PIECE_COUNT * 64,
    ROUTINES_AT = PIECE_AT + PIECE_BYTES,
    CALLS_AT = ROUTINES_AT + PROFILE_PAGE,
    FILE_BYTES = CALLS_AT + 2 * PROFILE_PAGE,
    BIAS = 0x1000,
};

/* A file of one process: main calls work(), which calls itself; the thread is in the inner one. */
static struct made {
    int fd;
    _Alignas(8) char bytes[FILE_BYTES];
    struct profile_header *header;
    struct profile_process *process;
    struct profile_thread *thread;
    struct profile_frame *frame;
    struct profile_node *node;
    struct profile_chunk *piece;
    struct profile_node *more;
    struct profile_routines *routines;
    struct profile_calls *calls[2]; /* of two threads */
} made;

static void make_objects(void)
{
    const struct profile_object object = {.bytes = 72,
                                          .path_bytes = 10,
                                          .build_id_bytes = 8,
                                          .flags = PROFILE_OBJECT_EXECUTABLE,
                                          .bias = BIAS,
                                          .start = 0x1000,
                                          .end = 0x9000};
    char *at = (char *)(made.process + 1);
    memcpy(at, &object, sizeof object);
    memcpy(at + sizeof object, "\1\2\3\4\5\6\7\10/bin/prog1", 18);
    made.process->object_bytes = 72;
}

static void make_thread(void)
{
    struct profile_node *node = made.node;
    node[1] = (struct profile_node){.calls = 1};
    node[2] = (struct profile_node){.parent = 1};
    node[3] = (struct profile_node){.function = 0x2000, .calls = 1, .parent = 1, .object = 1};
    node[4] = (struct profile_node){.function = 0x3000,
                                    .calls = 5,
                                    .timed = 4,
                                    .ticks = 400,
                                    .largest = 200,
                                    .parent = 3,
                                    .object = 1};
    node[5] = (struct profile_node){.function = 0x3000, .calls = 1, .parent = 4, .object = 1};
    made.thread->nodes = 6;
    made.thread->threads = 1;
    made.thread->tid = 50;
    const uint32_t nodes[] = {1, 3, 4, 5};
    for (uint64_t i = 0; i < 4; i++)
        made.frame[i] = (struct profile_frame){.start = 100 * (i + 1), .node = nodes[i]};
}

static struct profile_count *count_of(int thread)
{
    return (struct profile_count *)(void *)((char *)made.calls[thread] + PROFILE_COUNTS_AT);
}

/* The first thread is in solve(), and there in MPI_Recv() since 900. */
static void make_calls(void)
{
    struct profile_routine *routine = (struct profile_routine *)(void *)(made.routines + 1);
    made.routines->chunk = (struct profile_chunk){PROFILE_CHUNK_MAGIC, ROUTINES_AT, PROCESS_AT,
                                                  PROFILE_PAGE, PROFILE_ROUTINES};
    made.routines->count = 2;
    made.routines->before_ns = 5;
    routine[0] = (struct profile_routine){.name = "MPI_Recv", .flags = PROFILE_ROUTINE_MPI};
    routine[1] = (struct profile_routine){.name = "solve"};
    for (int i = 0; i < 2; i++) {
        made.calls[i]->chunk =
            (struct profile_chunk){PROFILE_CHUNK_MAGIC, CALLS_AT + (uint64_t)i * PROFILE_PAGE,
                                   PROCESS_AT, PROFILE_PAGE, PROFILE_CALLS};
        made.calls[i]->count = 2;
        count_of(i)[0] = (struct profile_count){
            .calls = 3, .ticks = 60, .largest = 30 + (uint64_t)i, .bytes = 16, .sized = 2};
    }
    count_of(0)[1] = (struct profile_count){.calls = 1};
    made.calls[0]->open[0] = (struct profile_open){.start = 600, .inner = 60, .routine = 2};
    made.calls[0]->open[1] = (struct profile_open){.start = 900, .routine = 1};
}

static int make(void **state)
{
    (void)state;
    memset(made.bytes, 0, sizeof made.bytes);
    made.header = (void *)made.bytes;
    made.process = (void *)(made.bytes + PROCESS_AT);
    made.thread = (void *)(made.bytes + THREAD_AT);
    made.frame = (void *)(made.bytes + THREAD_AT + PROFILE_FRAMES_AT);
    made.node = (void *)(made.bytes + THREAD_AT + PROFILE_NODES_AT);
    made.piece = (void *)(made.bytes + PIECE_AT);
    made.more = (void *)(made.bytes + PIECE_AT + PROFILE_PAGE);
    made.routines = (void *)(made.bytes + ROUTINES_AT);
    made.calls[0] = (void *)(made.bytes + CALLS_AT);
    made.calls[1] = (void *)(made.bytes + CALLS_AT + PROFILE_PAGE);
    *made.header = (struct profile_header){
        .magic = PROFILE_MAGIC, .size_bytes = FILE_BYTES, .used_bytes = FILE_BYTES};
    *made.process = (struct profile_process){.chunk = {PROFILE_CHUNK_MAGIC, PROCESS_AT, PROCESS_AT,
                                                       PROFILE_PROCESS_BYTES, PROFILE_PROCESS},
                                             .pid = 50,
                                             .rank = 3,
                                             .size = 4,
                                             .task = "2.7.49"};
    made.thread->chunk = (struct profile_chunk){PROFILE_CHUNK_MAGIC, THREAD_AT, PROCESS_AT,
                                                PROFILE_THREAD_BYTES, PROFILE_THREAD};
    *made.piece = (struct profile_chunk){PROFILE_CHUNK_MAGIC, PIECE_AT, PROCESS_AT, PIECE_BYTES,
                                         PROFILE_PIECE};
    make_objects();
    make_thread();
    make_calls();
    made.fd = memfd_create("profile", MFD_CLOEXEC);
    return made.fd < 0;
}

static int unmake(void **state)
{
    (void)state;
    return close(made.fd);
}

static struct profile_content read_made(void)
{
    struct profile_content content;
    assert_int_equal(pwrite(made.fd, made.bytes, sizeof made.bytes, 0), sizeof made.bytes);
    assert_int_equal(profile_read(made.fd, 1 << 30, &content), 0);
    return content;
}

TEST(a_process_has_what_it_says)
{
    struct profile_content content = read_made();
    assert_int_equal(content.damaged, 0);
    assert_int_equal(content.process_count, 1);
    const struct profiled_process *process = content.processes;
    assert_int_equal(process->step, 2);
    assert_int_equal(process->task, 7);
    assert_int_equal(process->task_pid, 49);
    assert_int_equal(process->rank, 3);
    assert_int_equal(process->object_count, 1);
    assert_string_equal(process->objects[0].path, "/bin/prog1");
    assert_int_equal(process->objects[0].build_id_size, 8);
    const struct call_tree *tree = &process->tree;
    assert_int_equal(tree->children.count, 4);
    assert_int_equal(tree->children.key[1].what, 0x2000 - BIAS);
    assert_int_equal(tree->node[2].calls, 5);
    assert_int_equal(tree->node[2].inclusive, 400);
    assert_int_equal(tree->children.key[3].parent, 2);
    profile_content_free(&content);
}

TEST(open_calls_are_found_from_the_innermost_outwards)
{
    /* the call of frame 2 was left by longjmp(): main called work() again */
    made.frame[3] = made.frame[2];
    made.frame[3].start = 450;
    made.frame[2].node = 5;
    struct profile_content content = read_made();
    const struct call_tree *tree = &content.processes[0].tree;
    assert_int_equal(tree->open_count, 3);
    assert_int_equal(tree->open[0].node, 2);
    assert_true(tree->open[0].is_top);
    assert_int_equal(tree->open[0].start, 450);
    assert_int_equal(tree->open[1].node, 1);
    assert_false(tree->open[1].is_top);
    assert_int_equal(tree->open[2].node, 0);
    assert_int_equal(content.processes[0].dead_frames, 1);
    assert_int_equal(content.processes[0].newest, 900); /* of a routine */
    profile_content_free(&content);
}

TEST(nodes_go_on_in_pieces)
{
    made.thread->more_nodes.piece[0] = PIECE_AT;
    made.thread->nodes = PROFILE_NODES + 1;
    made.more[0] = (struct profile_node){.function = 0x4000, .calls = 9, .parent = 3, .object = 1};
    struct profile_content content = read_made();
    assert_int_equal(content.damaged, 0);
    assert_int_equal(content.processes[0].tree.children.count, 5);
    assert_int_equal(content.processes[0].tree.node[4].calls, 9);
    profile_content_free(&content);
}

TEST(a_piece_belongs_to_one_array)
{
    made.thread->more_nodes.piece[0] = PIECE_AT;
    made.thread->more_nodes.piece[1] = PIECE_AT;
    made.thread->more_frames.piece[0] = THREAD_AT;
    struct profile_content content = read_made();
    assert_int_equal(content.damaged, 2);
    profile_content_free(&content);
}

TEST(a_node_whose_parent_is_not_before_it_is_left_out)
{
    made.node[4].parent = 5;
    struct profile_content content = read_made();
    assert_int_equal(content.damaged, 2); /* its child, too */
    assert_int_equal(content.processes[0].tree.children.count, 2);
    profile_content_free(&content);
}

TEST(a_thread_of_no_process_is_left_out)
{
    made.thread->chunk.process = THREAD_AT;
    struct profile_content content = read_made();
    assert_int_equal(content.damaged, 1);
    assert_int_equal(content.processes[0].tree.children.count, 1);
    profile_content_free(&content);
}

TEST(a_chunk_that_is_being_filled_is_no_damage)
{
    made.thread->chunk.kind = PROFILE_NONE;
    struct profile_content content = read_made();
    assert_int_equal(content.damaged, 0);
    profile_content_free(&content);
}

TEST(objects_beyond_their_chunk_are_left_out)
{
    made.process->object_bytes = PROFILE_PROCESS_BYTES;
    struct profile_content content = read_made();
    assert_int_equal(content.damaged, 1);
    assert_int_equal(content.processes[0].object_count, 0);
    profile_content_free(&content);
}

TEST(another_file_is_refused)
{
    struct profile_content content;
    made.header->magic++;
    assert_int_equal(pwrite(made.fd, made.bytes, sizeof made.bytes, 0), sizeof made.bytes);
    assert_int_equal(profile_read(made.fd, 1 << 30, &content), -EINVAL);
    assert_int_equal(ftruncate(made.fd, 10), 0);
    assert_int_equal(profile_read(made.fd, 1 << 30, &content), -EINVAL);
}

TEST(no_more_is_read_than_was_asked_for)
{
    struct profile_content content;
    assert_int_equal(pwrite(made.fd, made.bytes, sizeof made.bytes, 0), sizeof made.bytes);
    assert_int_equal(profile_read(made.fd, THREAD_AT, &content), 0);
    assert_int_equal(content.process_count, 1);
    assert_int_equal(content.processes[0].threads, 0);
    profile_content_free(&content);
}

TEST(routines_have_what_all_threads_counted)
{
    struct profile_content content = read_made();
    const struct profiled_process *process = content.processes;
    assert_int_equal(content.damaged, 0);
    assert_int_equal(process->routine_count, 2);
    assert_int_equal(process->callers, 2);
    assert_int_equal(process->before_ns, 5);
    assert_string_equal(process->routines[0].name, "MPI_Recv");
    assert_int_equal(process->routines[0].flags, PROFILE_ROUTINE_MPI);
    assert_int_equal(process->routines[0].calls, 6);
    assert_int_equal(process->routines[0].ticks, 120);
    assert_int_equal(process->routines[0].largest, 31);
    assert_int_equal(process->routines[0].bytes, 32);
    assert_int_equal(process->routines[0].sized, 4);
    profile_content_free(&content);
}

TEST(routines_that_were_missed_have_names_behind_those_with_counts)
{
    struct profile_routine *routine = (struct profile_routine *)(void *)(made.routines + 1);
    routine[2] = (struct profile_routine){
        .name = "MPI_Send", .flags = PROFILE_ROUTINE_MPI | PROFILE_ROUTINE_MISSED | 4};
    made.routines->count = 3;
    made.process->missed_routines = 4;
    made.process->missed_mpi = 2;
    struct profile_content content = read_made();
    const struct profiled_process *process = &content.processes[0];
    assert_int_equal(content.damaged, 0);
    assert_int_equal(process->routine_count, 3);
    assert_string_equal(process->routines[2].name, "MPI_Send");
    assert_int_equal(process->routines[2].flags, PROFILE_ROUTINE_MPI | PROFILE_ROUTINE_MISSED);
    assert_int_equal(process->routines[2].calls, 0);
    assert_int_equal(process->routines[0].calls, 6);
    assert_int_equal(process->missed_routines, 4);
    assert_int_equal(process->missed_mpi, 2);
    profile_content_free(&content);
}

TEST(open_calls_of_routines_end_with_the_run_and_none_counts_twice)
{
    struct profile_content content = read_made();
    struct profiled_process *process = content.processes;
    calls_finish(process, 1000);
    assert_int_equal(process->routines[0].ticks, 120 + 100);
    assert_int_equal(process->routines[0].largest, 100);
    assert_int_equal(process->routines[0].open, 1);
    assert_int_equal(process->routines[0].open_start, 900);
    /* 60 of the time until it called MPI_Recv() were in calls before that one */
    assert_int_equal(process->routines[1].ticks, 300 - 60);
    assert_int_equal(process->routines[1].largest, 400);
    profile_content_free(&content);
}

TEST(chunks_of_routines_that_do_not_fit_are_left_out)
{
    made.calls[0]->count = 3;
    made.calls[1]->open[0].routine = 3;
    made.calls[1]->open[1] = (struct profile_open){.start = UINT64_MAX, .routine = 1};
    struct profile_content content = read_made();
    assert_int_equal(content.damaged, 2);
    assert_int_equal(content.processes[0].callers, 1);
    calls_finish(content.processes, 1000);
    assert_int_equal(content.processes[0].routines[0].ticks, 60);
    profile_content_free(&content);
    made.routines->count = (PROFILE_PAGE - sizeof *made.routines) / 128 + 1;
    content = read_made();
    assert_int_equal(content.damaged, 3);
    assert_int_equal(content.processes[0].routine_count, 0);
    profile_content_free(&content);
    made.routines->count = 2;
    made.routines->chunk.process = THREAD_AT;
    content = read_made();
    assert_int_equal(content.damaged, 3);
    profile_content_free(&content);
}

EACH(make, unmake)
