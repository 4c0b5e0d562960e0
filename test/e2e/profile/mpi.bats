#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Time in MPI, of programs that were built with the mpicc of Open MPI and of MPICH and know nothing of it: calls and
# bytes exactly, times within bounds that the program measures itself, ranks that were killed.

# bats file_tags=needs:profile

bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/profile

setup() {
    new_profiled_job
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TZ=UTC
}

teardown() {
    [[ -z ${LAUNCHER-} ]] || kill "$LAUNCHER" || true
}

# ranks MPI PROGRAM...: two ranks of it
ranks() {
    local launcher=(mpirun."$1")
    [[ $1 != openmpi ]] || launcher+=(--oversubscribe)
    ${EXEC-} env "${PROFILED[@]}" "${launcher[@]}" -n 2 env LD_PRELOAD="$PROFILE_LIBRARY" "${@:2}"
}

# dumped RANK ROUTINE COLUMN
dumped() {
    "$JOBTRAIL_BIN/jobtrail-profile" dump --mpi "$PROFILE_FILE" |
        awk -F '\t' -v rank="$1" -v name="$2" -v column="$3" '$3 == rank && $4 == name { print $column }'
}

# has_counts SOURCE: each rank has called each routine as often as the source says, and no other one
has_counts() {
    local name number want
    want=$(sed -n '/calls:/,/^ \*$\|^[^ !/*]/p' "$1" | sed 's|^[/!]* *\**||; s|calls:||' | tr , '\n' | sed -n 's/^ *\([A-Za-z_]*[iI][_A-Za-z]* [0-9]*\)$/\1/p')
    for rank in 0 1; do
        while read -r name number; do
            [[ $(dumped $rank "$name" 5) == "$number" ]] || {
                echo "rank $rank: $(dumped $rank "$name" 5) calls of $name, not $number"
                return 1
            }
        done <<<"$want"
        [[ $(routine_rows --rank $rank | wc -l) == $(wc -l <<<"$want") ]]
    done
}

@test "calls and bytes are those of the program, and times lie between what it measures within and around" {
    local mpi rank within around barrier
    for mpi in openmpi mpich; do
        new_profile
        mpicc.$mpi -O2 "$PROFILE_PROGRAMS/mpi_known.c" -o known
        ranks $mpi ./known >seen
        [[ $(wc -l <seen) == 2 ]]
        has_counts "$PROFILE_PROGRAMS/mpi_known.c"
        while read -r rank within around barrier; do
            is_between "$(dumped "$rank" MPI_Reduce_local 6)" "$within" "$around"
            is_between "$(dumped "$rank" MPI_Reduce_local 7)" "$within" "$around"
            is_between "$(dumped "$rank" MPI_Barrier 6)" 0 "$barrier"
            [[ $(dumped "$rank" MPI_Allreduce 8) == $((100 * 4 * 8)) ]]
            [[ $(dumped "$rank" MPI_Allreduce 9) == exact ]]
            [[ $(dumped "$rank" MPI_Sendrecv 8) == $((10 * 4)) ]]
            # in the second call what rank 0 gives has no meaning
            [[ $(dumped "$rank" MPI_Gather 8) == $((4 + 4 * rank)) ]]
            [[ $(dumped "$rank" MPI_Recv 9) == at_most ]]
        done <seen
        [[ $(dumped 0 MPI_Gather 9) == at_least && $(dumped 1 MPI_Gather 9) == exact ]]
        [[ $(dumped 0 MPI_Send 8) == $((2 * 15 * 8)) && $(dumped 1 MPI_Send 8) == 80 ]]
        [[ $(dumped 0 MPI_Recv 8) == 320 && $(dumped 1 MPI_Recv 8) == 240 ]]
    done
}

@test "calls are counted whatever links the program, and without a procedure linkage table" {
    local mpi linker options
    for mpi in openmpi mpich; do
        for linker in bfd gold lld mold; do
            for options in "-fno-plt" "-Wl,-z,lazy"; do
                # shellcheck disable=SC2086 # words
                alone $mpi $options "-fuse-ld=$linker" <<<'#include <mpi.h>
                    int main(int argc, char **argv) { int one = 1, all; MPI_Init(&argc, &argv);
                    for (int i = 0; i < 7; i++) MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
                    MPI_Finalize(); return all - 1; }'
                [[ $(dumped 0 MPI_Allreduce 5) == 7 && $(dumped 0 MPI_Init 5) == 1 && $(dumped 0 MPI_Finalize 5) == 1 ]]
                "$JOBTRAIL_BIN/jobtrail-profile" show --mpi --json "$PROFILE_FILE" | jq -e '.missed_mpi == 0 and .missed == 0'
            done
        done
    done
}

# missed: how many routines and objects of MPI were
missed() {
    "$JOBTRAIL_BIN/jobtrail-profile" show --mpi --json "$PROFILE_FILE" | jq .missed_mpi
}

@test "objects that are loaded later are timed, or their routines are missed" {
    local mpi way binding
    for mpi in openmpi mpich; do
        for binding in lazy now; do
            mpicc.$mpi -O2 -shared -fPIC -xc - -o plugin.so "-Wl,-z,$binding" <<<'#include <mpi.h>
                int solve(void) { int one = 1, all = 0; for (int i = 0; i < 7; i++) MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); return all; }'
            for way in before after; do
                alone $mpi "-DWAY=\"$way\"" <<<'#include <dlfcn.h>
                    #include <mpi.h>
                    #include <stdio.h>
                    static int (*find(void))(void) { void *plugin = dlopen("./plugin.so", RTLD_LAZY); return plugin ? (int (*)(void))dlsym(plugin, "solve") : 0; }
                    int main(int argc, char **argv) { int (*solve)(void) = *WAY == 98 ? find() : 0; MPI_Init(&argc, &argv); if (!solve) solve = find();
                    printf("%d\n", solve()); MPI_Finalize(); return 0; }'
                echo "$mpi $binding $way: $(dumped 0 MPI_Allreduce 5) calls, $(missed) missed"
                [[ $(dumped 0 MPI_Init 5) == 1 && $(dumped 0 MPI_Finalize 5) == 1 ]]
                if [[ $(missed) == 0 ]]; then
                    [[ $(dumped 0 MPI_Allreduce 5) == 7 ]]
                else # a program with several threads is not looked at
                    [[ $(missed) == 1 && $(dumped 0 MPI_Allreduce 5) == "" && $way == after ]]
                    "$JOBTRAIL_BIN/jobtrail-profile" show --mpi "$PROFILE_FILE" >log
                    grep -q "of MPI could not be counted.*: \(MPI_Allreduce\|(loaded later)\)$" log
                fi
            done
        done
    done
}

@test "components of MPI are not looked at, and what is loaded again is timed again" {
    local mpi
    for mpi in openmpi mpich; do
        mpicc.$mpi -O2 -shared -fPIC -xc - -o plugin.so <<<'#include <mpi.h>
            int solve(void) { int is; return MPI_Initialized(&is); }'
        cp plugin.so mca_plugin.so
        alone $mpi <<<'#include <dlfcn.h>
            #include <mpi.h>
            static int solve(const char *path) { void *plugin = dlopen(path, RTLD_NOW); int error = ((int (*)(void))dlsym(plugin, "solve"))();
            return error + dlclose(plugin); }
            int main(int argc, char **argv) { int error = 0; for (int i = 0; i < 3; i++) error += solve("./plugin.so") + solve("./mca_plugin.so");
            MPI_Init(&argc, &argv); MPI_Finalize(); return error; }'
        [[ $(dumped 0 MPI_Initialized 5) == 3 && $(missed) == 0 ]]
    done
}

@test "programs of mpi4py are timed" {
    printf 'import ctypes, json, sqlite3\nfrom array import array\nfrom mpi4py import MPI\nsum = array("i", [0])\nfor i in range(5): MPI.COMM_WORLD.Allreduce(array("i", [1]), sum)\nMPI.COMM_WORLD.Barrier()\nprint("rank %%d of %%d" %% (MPI.COMM_WORLD.rank, sum[0]))\n' >solve.py
    mpirun.openmpi --oversubscribe -n 2 /usr/bin/python3 solve.py | grep -o "rank . of 2" | sort >without
    ranks openmpi /usr/bin/python3 solve.py | grep -o "rank . of 2" | sort >with
    diff without with
    for rank in 0 1; do
        [[ $(dumped $rank MPI_Barrier 5) == 1 && $(dumped $rank MPI_Finalize 5) == 1 ]]
        [[ $(dumped $rank MPI_Allreduce 5) == 5 && $(dumped $rank MPI_Allreduce 8) == 20 ]]
    done
    "$JOBTRAIL_BIN/jobtrail-profile" show --mpi "$PROFILE_FILE"
    [[ $(missed) == 0 ]]
    "$JOBTRAIL_BIN/jobtrail-profile" show --mpi --json "$PROFILE_FILE" | jq -e '.ranks == 2 and .mpi_share > 0'
}

@test "Fortran: names of other compilers are those of MPI as well" {
    local mpi
    declare -A libraries=([openmpi]=mpi_mpifh [mpich]=mpichfort)
    for mpi in openmpi mpich; do
        alone $mpi "-l${libraries[$mpi]}" <<<'void MPI_INIT(int *), MPI_FINALIZE(int *), mpi_initialized_(int *, int *);
            int main(void) { int error, world = 0, is; mpi_initialized_(&is, &error); MPI_INIT(&error); mpi_initialized_(&is, &error);
            MPI_FINALIZE(&error); return 0; }'
        [[ $(routine_rows | cut -f 4,5 | LC_ALL=C sort | xargs) == "MPI_FINALIZE 1 MPI_INIT 1 mpi_initialized_ 2" ]]
    done
}

@test "the summary has the share of MPI, and the rank that makes others wait" {
    mpicc.mpich -O2 "$PROFILE_PROGRAMS/mpi_known.c" -o known
    ranks mpich ./known
    "$JOBTRAIL_BIN/jobtrail-profile" show --mpi --json "$PROFILE_FILE" >summary
    jq -e '.ranks == 2 and .missed_mpi == 0 and .missed == 0 and .has_times and .end_known and .mpi_calls == 246' summary
    # rank 1 slept for 0.3 s outside of MPI
    jq -e '.most_on_rank == 1 and .imbalance_percent > 0' summary
    jq -e '(.run_seconds - .mpi_seconds >= 0.3) and ((.mpi_share * .run_seconds - .mpi_seconds) | fabs < 1e-6)' summary
    jq -e '.mpi_seconds - ([.routines[].seconds] | add) | fabs < 1e-6' summary
    jq -e '[.by_rank[] | .rank] == [0, 1] and (.by_rank[0].routines | length) == 14' summary
    run "$JOBTRAIL_BIN/jobtrail-profile" show --mpi "$PROFILE_FILE"
    ((status == 0))
    [[ $output == *"# 2 ranks counted calls of MPI: "*"# most time outside of MPI: rank 1, "*" MPI_Allreduce"* ]]
    # there are no stacks in it: what there is, is said
    run -0 "$JOBTRAIL_BIN/jobtrail-profile" show "$PROFILE_FILE"
    [[ ${lines[0]} == "# step 0, $PWD/known: 2 ranks on -" && ${lines[1]} == "# 2 ranks, 1 different profile" ]]
    [[ ${lines[-2]} == "# no call of a function that was built with -finstrument-functions" ]]
    [[ ${lines[-1]} == "# calls of MPI or of designated libraries were counted: --mpi shows their times" ]]
    run -0 "$JOBTRAIL_BIN/jobtrail-profile" show --mpi "$PROFILE_FILE"
    [[ ${lines[0]} == "# step 0, $PWD/known: 2 ranks on -" ]]
    "$JOBTRAIL_BIN/jobtrail-profile" merge -o merged "$PROFILE_FILE"
    [[ $("$JOBTRAIL_BIN/jobtrail-profile" dump --mpi merged | head -1) == $'step\ttask\trank\troutine\tcalls\tns\tlargest_ns\tbytes\tbytes_are\topen\topen_since_ns' ]]
    diff <("$JOBTRAIL_BIN/jobtrail-profile" dump --mpi merged | cut -f 1-5,8-10) \
        <("$JOBTRAIL_BIN/jobtrail-profile" dump --mpi "$PROFILE_FILE" | cut -f 1-5,8-10)
    run ! "$JOBTRAIL_BIN/jobtrail-profile" show --mpi --sort calls "$PROFILE_FILE"
}

@test "of a script that calls mpirun twice each program has its own log, and one can be chosen" {
    local mpi
    for mpi in openmpi mpich; do
        new_profile
        for times in 2 3 5; do
            mpicc.$mpi -O2 "-DTIMES=$times" -xc - -o "times$times" <<<'#include <mpi.h>
                int main(int argc, char **argv) { MPI_Init(&argc, &argv); for (int i = 0; i < TIMES; i++) MPI_Barrier(MPI_COMM_WORLD); return MPI_Finalize(); }'
        done
        profiled ./times2 # beside the ranks that a launcher has numbered
        ranks $mpi ./times3
        ranks $mpi ./times5
        run -0 "$JOBTRAIL_BIN/jobtrail-profile" show --mpi "$PROFILE_FILE"
        [[ ${lines[0]} =~ ^"# programs: - times2, "[0-9a-f]{16}" times"[35]", "[0-9a-f]{16}" times"[35]$ ]]
        [[ ${lines[0]} =~ ([0-9a-f]{16})" times5" ]]
        hash=${BASH_REMATCH[1]}
        [[ $(awk '$NF == "MPI_Barrier" { print $1, $8 }' <<<"$output" | sort -n) == $'2 1\n6 2\n10 2' ]]
        [[ $(grep -c "^# [12] ranks\? counted calls of MPI" <<<"$output") == 3 ]]
        run -0 "$JOBTRAIL_BIN/jobtrail-profile" show "$PROFILE_FILE"
        [[ $(grep -cx "# 2 ranks, 1 different profile" <<<"$output") == 2 ]]
        for name in times5 "$PWD/times5" "$hash"; do
            "$JOBTRAIL_BIN/jobtrail-profile" show --mpi --json --program "$name" "$PROFILE_FILE" >one
            jq -se --arg hash "$hash" 'length == 1 and (.[0] | .ranks == 2 and .by_rank[1].program_hash == $hash)' one
            [[ $("$JOBTRAIL_BIN/jobtrail-profile" dump --mpi --program "$name" "$PROFILE_FILE" | awk '$4 == "MPI_Barrier" { sum += $5 } END { print sum }') == 10 ]]
        done
        run -2 "$JOBTRAIL_BIN/jobtrail-profile" diff --program time5 "$PROFILE_FILE" "$PROFILE_FILE"
        [[ $output == "jobtrail-profile: there is no program time5 in what was read" ]]
        run -0 "$JOBTRAIL_BIN/jobtrail-profile" flame "$PROFILE_FILE"
        [[ $output == "jobtrail-profile: the times of 3 programs are added: "* ]]
        run -0 "$JOBTRAIL_BIN/jobtrail-profile" flame --program times3 "$PROFILE_FILE"
        [[ $output == "" ]]
    done
}

@test "a rank that was killed shows in which call it was, and since when" {
    local mpi pid since
    for mpi in openmpi mpich; do
        new_profile
        mpicc.$mpi -O2 "$PROFILE_PROGRAMS/mpi_known.c" -o known
        before=$(date +%s)
        EXEC="exec" ranks $mpi ./known wait >seen 2>/dev/null 3>&- &
        LAUNCHER=$!
        wait_for has_open
        pid=$(awk '$1 == "pid" { print $2 }' seen)
        kill -KILL "$pid"
        wait "$LAUNCHER" || true
        LAUNCHER=
        after=$(($(date +%s) + 1))
        [[ $(dumped 0 MPI_Recv 5) == 2 && $(dumped 0 MPI_Recv 10) == 1 && $(dumped 0 MPI_Finalize 5) == "" ]]
        since=$(dumped 0 MPI_Recv 11)
        ((since / 1000000000 >= before && since / 1000000000 <= after))
        run "$JOBTRAIL_BIN/jobtrail-profile" show --mpi "$PROFILE_FILE"
        [[ $output == *"# rank 0 of 2, step 0, node -, pid $pid: was in MPI_Recv since 2"* ]]
    done
}

# has_open: rank 0 is in the call that does not end, and has said who it is
has_open() {
    grep -q '^pid ' seen && [[ $(dumped 0 MPI_Recv 10) == 1 ]]
}

@test "Fortran: calls are counted once, as the program makes them" {
    local mpi
    for mpi in openmpi mpich; do
        new_profile
        mpif90.$mpi -O2 "$PROFILE_PROGRAMS/mpi_known.f90" -o known
        ranks $mpi ./known
        has_counts "$PROFILE_PROGRAMS/mpi_known.f90"
        [[ $(dumped 1 mpi_allreduce_ 8) == $((100 * 4 * 8)) && $(dumped 1 mpi_bcast_ 8) == $((3 * 2 * 8)) ]]
        [[ $(dumped 0 mpi_sendrecv_ 8) == 8 && $(dumped 0 mpi_sendrecv_ 9) == exact ]]
    done
}

# alone MPI [OPTION...]: a program of one process, from stdin, which prints and ends as without a profile
alone() {
    "mpicc.$1" -O2 -w -xc - -o alone "${@:2}"
    new_profile
    observe without ./alone
    observe with "${PROFILED[@]}" LD_PRELOAD="$PROFILE_LIBRARY" ./alone
    diff -r without with
    [[ $(cat with/status) == 0 ]]
}

@test "Fortran's mpi_f08 has bytes with ierror and without" {
    local mpi
    cat >modern.f90 <<'F'
program modern
  use mpi_f08
  implicit none
  integer :: rank, error, i
  double precision :: numbers(4) = 1, sums(4)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  do i = 1, 400
     call MPI_Sendrecv(numbers, 4, MPI_DOUBLE_PRECISION, 1 - rank, 3, sums, 4, &
          MPI_DOUBLE_PRECISION, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end do
  do i = 1, 10
     call MPI_Allreduce(numbers, sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
     call MPI_Allreduce(numbers, sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end do
  call MPI_Finalize()
end program modern
F
    for mpi in openmpi mpich; do
        new_profile
        mpif90.$mpi -O2 modern.f90 -o modern
        ranks $mpi ./modern
        [[ $("$JOBTRAIL_BIN/jobtrail-profile" dump --mpi "$PROFILE_FILE" | awk -F '\t' '$4 ~ /sendrecv|allreduce/ { print $3, $5, $8, $9 }' | sort) == \
            $'0 20 320 exact\n0 400 12800 exact\n1 20 320 exact\n1 400 12800 exact' ]]
    done
}

@test "MPI-IO, one-sided, atomic and neighbour calls have bytes; where lists say them, or a request before, none" {
    local mpi
    for mpi in openmpi mpich; do
        alone $mpi <<<'#include <mpi.h>
            #include <stdio.h>
            int main(int argc, char **argv) { int a[16] = {1}, b[16], *window, one = 1, zero = 0; MPI_File f; MPI_Win w; MPI_Comm ring; MPI_Request r; MPI_Datatype type = MPI_INT;
            MPI_Init(&argc, &argv);
            MPI_File_open(MPI_COMM_WORLD, "written", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
            MPI_File_write(f, a, 3, MPI_INT, MPI_STATUS_IGNORE); MPI_File_write_at_all(f, 12, a, 5, MPI_DOUBLE, MPI_STATUS_IGNORE);
            MPI_File_iwrite_at(f, 0, a, 4, MPI_INT, &r); MPI_Wait(&r, MPI_STATUS_IGNORE); MPI_File_read_at(f, 0, b, 16, MPI_INT, MPI_STATUS_IGNORE); MPI_File_close(&f);
            MPI_Win_allocate(sizeof b, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window, &w); MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
            MPI_Get_accumulate(a, 2, MPI_INT, b + 8, 2, MPI_INT, 0, 0, 2, MPI_INT, MPI_SUM, w); MPI_Fetch_and_op(a, b + 8, MPI_INT, 0, 0, MPI_SUM, w);
            MPI_Compare_and_swap(a, a, b + 8, MPI_INT, 0, 0, w); MPI_Compare_and_swap(a, a, b + 8, MPI_INT, MPI_PROC_NULL, 0, w);
            MPI_Rput(a, 3, MPI_INT, 0, 0, 3, MPI_INT, w, &r); MPI_Wait(&r, MPI_STATUS_IGNORE); MPI_Win_unlock(0, w); MPI_Win_free(&w);
            MPI_Cart_create(MPI_COMM_WORLD, 1, &one, &one, 0, &ring); MPI_Neighbor_allgather(a, 2, MPI_INT, b, 2, MPI_INT, ring); MPI_Neighbor_alltoall(a, 3, MPI_INT, b, 3, MPI_INT, ring);
            MPI_Alltoallv(a, &one, &zero, MPI_INT, b, &one, &zero, MPI_INT, MPI_COMM_WORLD); MPI_Alltoallw(a, &one, &zero, &type, b, &one, &zero, &type, MPI_COMM_WORLD);
            MPI_Reduce_scatter(a, b, &one, MPI_INT, MPI_SUM, MPI_COMM_WORLD); MPI_Recv_init(b, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r); MPI_Request_free(&r);
            zero = 0; MPI_Pack(a, 3, MPI_INT, b, sizeof b, &zero, MPI_COMM_WORLD); zero = 0; MPI_Unpack(b, sizeof b, &zero, a, 2, MPI_INT, MPI_COMM_WORLD);
            MPI_Finalize(); return 0; }'
        [[ $("$JOBTRAIL_BIN/jobtrail-profile" dump --mpi "$PROFILE_FILE" | awk -F '\t' '$4 ~ /File_.*[re]ad|write|_swap|cumul|op$|Rput|Neigh|Alltoall|scatter|_init|ack$/ { print $4, $8, $9 }' | sort | sed s/MPI_//) == \
            "Alltoallv 0 unknown
Alltoallw 0 unknown
Compare_and_swap 4 exact
Fetch_and_op 4 exact
File_iwrite_at 16 exact
File_read_at 64 at_most
File_write 12 exact
File_write_at_all 40 exact
Get_accumulate 8 exact
Neighbor_allgather 8 exact
Neighbor_alltoall 12 exact
Pack 12 exact
Recv_init 0 unknown
Reduce_scatter 0 unknown
Rput 12 exact
Unpack 8 exact" ]]
    done
}

@test "routines of a program's own with names as of MPI are none of MPI" {
    local mpi many twenty
    twenty=$(printf 'long *a%d, ' {1..25})
    many=$(printf '&a, %.0s' {1..25})
    printf 'void mpi_exchange_all_(%slong *sum) { *sum = *a1 + *a25; }\nvoid mpi_wait_(%slong *sum) { *sum = *a2 + *a24 + *a25; }\n' \
        "$twenty" "$twenty" | gcc -O2 -shared -fPIC -xc - -Wl,-soname,libmine.so -o libmine.so
    for mpi in openmpi mpich; do
        alone $mpi -L. -lmine -Wl,-rpath,"$PWD" <<<"#include <mpi.h>
            #include <stdio.h>
            int main(int argc, char **argv) { long a = 1, b = 0, c = 0; MPI_Init(&argc, &argv); mpi_exchange_all_($many &b); mpi_wait_($many &c);
            printf(\"%ld %ld\\n\", b, c); MPI_Finalize(); return 0; }"
        [[ $(cat with/stdout) == "2 3" ]]
        [[ $(routine_rows | cut -f 4 | sort | xargs) == "MPI_Finalize MPI_Init" ]]
    done
}

@test "time within a tool's wrappers is in MPI; wrappers in the program itself are missed, and the share is a bound" {
    local mpi
    gcc -O2 -shared -fPIC -xc - -o libtool.so -Wl,-soname,libtool.so <<<'
        #include <unistd.h>
        void pmpi_allreduce_(void *, void *, int *, int *, int *, int *, int *);
        void mpi_allreduce_(void *a, void *b, int *n, int *t, int *o, int *c, int *e) { usleep(1000); pmpi_allreduce_(a, b, n, t, o, c, e); }'
    for mpi in openmpi mpich; do
        new_profile
        mpif90.$mpi -O2 "$PROFILE_PROGRAMS/mpi_known.f90" -L. -ltool -Wl,-rpath,"$PWD" -o known
        ranks $mpi ./known
        has_counts "$PROFILE_PROGRAMS/mpi_known.f90"
        [[ $(dumped 1 mpi_allreduce_ 8) == $((100 * 4 * 8)) ]]
        (($(dumped 1 mpi_allreduce_ 6) >= 100000000))
        "$JOBTRAIL_BIN/jobtrail-profile" show --mpi --json "$PROFILE_FILE" | jq -e '.missed_mpi == 0'
        alone $mpi -rdynamic <<<'#include <mpi.h>
            int MPI_Barrier(MPI_Comm comm) { return PMPI_Barrier(comm); }
            int main(int argc, char **argv) { MPI_Init(&argc, &argv); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }'
        run "$JOBTRAIL_BIN/jobtrail-profile" show --mpi "$PROFILE_FILE"
        [[ $output == *" s in it (at least "* && $output == *"# 1 routine or object of MPI could not be counted, times in it are too short: PMPI_Barrier"* ]]
    done
}

@test "a datatype that was freed has its handle and another size as the next one" {
    local mpi
    for mpi in openmpi mpich; do
        alone $mpi <<<'#include <mpi.h>
            #include <stdio.h>
            int main(int argc, char **argv) { MPI_Datatype type, before = MPI_DATATYPE_NULL; int numbers[10] = {0}, same = 0;
            MPI_Init(&argc, &argv);
            for (int i = 1; i <= 9; i++) { MPI_Type_contiguous(i, MPI_INT, &type); MPI_Type_commit(&type); same += type == before; before = type;
                MPI_Bcast(numbers, 1, type, 0, MPI_COMM_SELF); MPI_Bcast(numbers, 1, type, 0, MPI_COMM_SELF); MPI_Type_free(&type); }
            MPI_Finalize(); printf("%d\n", same > 0); return 0; }'
        [[ $(<with/stdout) == 1 ]]
        [[ $(dumped 0 MPI_Bcast 5) == 18 && $(dumped 0 MPI_Bcast 8) == $((2 * 45 * 4)) && $(dumped 0 MPI_Bcast 9) == exact ]]
    done
}

@test "a program that handles errors of MPI gets its own alone, and bytes are of calls that had none" {
    local mpi
    for mpi in openmpi mpich; do
        alone $mpi <<<'#include <mpi.h>
            #include <stdio.h>
            static void handler(MPI_Comm *comm, int *code, ...) { int class; MPI_Error_class(*code, &class); printf("%d\n", class == MPI_ERR_TYPE); }
            int main(int argc, char **argv) { MPI_Comm comm; MPI_Errhandler handling; int one = 1, class;
            MPI_Init(&argc, &argv); MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            MPI_Comm_create_errhandler(handler, &handling); MPI_Comm_set_errhandler(comm, handling);
            MPI_Error_class(MPI_Bcast(&one, 1, MPI_DATATYPE_NULL, 0, comm), &class); printf("%d\n", class == MPI_ERR_TYPE);
            MPI_Bcast(&one, 1, MPI_INT, 0, comm); MPI_Bcast(&one, 1, MPI_INT, 0, comm); MPI_Finalize(); return 0; }'
        [[ $(xargs <with/stdout) == "1 1" ]]
        [[ $(dumped 0 MPI_Bcast 5) == 3 && $(dumped 0 MPI_Bcast 8) == 8 && $(dumped 0 MPI_Bcast 9) == at_least ]]
    done
}

@test "an MPI whose integers have 8 bytes in Fortran is asked with such ones" {
    printf '#include <stdint.h>\n#include <stdio.h>\nvoid PMPI_Init(void) {}
        void pmpi_type_size_(int64_t *t, int64_t *b, int64_t *e) { if (*t != 3) puts("unknown"); *b = 8; *e = 0; }
        void pmpi_type_get_envelope_(int64_t *t, int64_t *a, int64_t *b, int64_t *c, int64_t *d, int64_t *e)
        { if (*t != 3) puts("unknown"); *a = *b = *c = *d = *e = 0; }
        void mpi_bcast_(void *p, int64_t *n, int64_t *t, int64_t *r, int64_t *c, int64_t *e) { *e = 0; }\n' |
        gcc -O2 -shared -fPIC -xc - -Wl,-soname,libmpi_wide.so -o libmpi_wide.so
    alone mpich -L. -lmpi_wide -Wl,-rpath,"$PWD" <<<'#include <stdint.h>
        void mpi_bcast_(void *, int64_t *, int64_t *, int64_t *, int64_t *, int64_t *);
        int main(void) { int64_t one = 1, type = 3, zero = 0, error; for (int i = 0; i < 3; i++) mpi_bcast_(&error, &one, &type, &zero, &zero, &error); return 0; }'
    [[ $(dumped 0 mpi_bcast_ 5) == 3 && $(dumped 0 mpi_bcast_ 8) == 24 ]]
}

@test "a program that nobody asked counts nothing" {
    mpicc.mpich -O2 "$PROFILE_PROGRAMS/mpi_known.c" -o known
    PROFILED=(JOBTRAIL_SPOOL="$SPOOL/$JOB.0/user" JOBTRAIL_TASK=0.0.1)
    ranks mpich ./known
    [[ $(routine_rows) == "" ]]
}
