#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the list of first calls and the profile have of real programs, compared with each other, and with breakpoints of
# gdb at each routine that the designated library exports.
# bats file_tags=needs:profile,needs:routines
# shellcheck disable=SC2016,SC2034 # programs of R have $, fixtures read variables

bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/profile

OPENBLAS=$(echo /usr/lib/*/openblas-pthread)
NUMPY='import numpy as n; a, b = n.ones((200, 200)), n.eye(9) + 1; c = n.linalg; print((a @ a)[0, 0], c.eigvalsh(b)[0] < 2,
    c.solve(b, b)[0, 0].round(9), c.svd(b)[1][0] > 1, c.qr(b)[0].shape, n.dot(b[0], b[1]), c.eig(b)[0].shape)'

setup() {
    [[ -d $OPENBLAS ]]
    LEDGER=$((4 << 20))
    cd "$BATS_TEST_TMPDIR" || return
}

# objects: what the run had loaded
objects() {
    records | jq -r '.[] | .userT.exec_path, .libA[][0]' | grep '^/' | while read -r path; do [[ ! -f $path ]] || echo "$path"; done
}

# has_all NOTED MISSED TABLED: what gdb saw was noted, or is known to be missed, and nothing else was noted; prints numbers. Of more than
# sixteen that are missed not all have names: these lie in tables.
has_all() {
    awk -v noted="$1" -v missed="$2" -v tabled="$3" '
        function all(names, set, i, n, one) { n = split(names, one, " "); for (i = 1; i <= n; i++) if (one[i] in set) return 1; return 0 }
        function read(file, set, line) { while ((getline line < file) > 0) set[line] = 1; close(file) }
        BEGIN { read(noted, N); read(missed, M); read(tabled, T) }
        /^\?/ { sub(/^\?/, ""); split($0, some, " "); for (i in some) open[some[i]] = 1; next }
        { split($0, some, " "); for (i in some) called[some[i]] = 1
          if (all($0, N)) seen++
          else if (all($0, M) || all($0, T)) left++
          else { lost++; print "called, and neither noted nor missed: " $0 } }
        END { for (name in N) if (!(name in called) && !(name in open)) { print "noted, and not called: " name; wrong++ }
              print seen + 0, "noted,", left + 0, "missed,", lost + 0, "neither"
              exit lost + wrong > 0 || seen == 0 }' called
}

# compared SONAMES [VARIABLE=VALUE]... PROGRAM ARGUMENT...: of routines whose names match $ONLY
compared() {
    local sonames=$1 variables=()
    shift
    while [[ $1 == *=* ]]; do
        variables+=("$1")
        shift
    done
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:'$sonames another_job
    with_rules
    env "${PROFILED[@]}" "${TRACKED[@]:1:3}" "${variables[@]}" LD_PRELOAD="$LIBRARY $PROFILE_LIBRARY" "$@" >plain || return
    routine_rows | cut -f 4 | LC_ALL=C sort -u >timed
    "$JOBTRAIL_BIN/jobtrail-profile" show --mpi --json "$PROFILE_FILE" >told || return
    jq -r '.missed_routines[]?.routine | select(startswith("(") | not)' told | LC_ALL=C sort -u >untimed
    flush || return
    records | jq -r '.[] | select(.routineT) | .routineT.routineA[][1]' | LC_ALL=C sort -u >noted
    records | jq -r '.[] | select(.routineT) | .routineT.missedA[][1]' | LC_ALL=C sort -u >missed
    sed -ni "/${ONLY-.}/p" noted
    diff noted timed || return
    env "${variables[@]}" ARGUMENTS="$(printf '%q ' "${@:2}") >printed" CALLED="$PWD/called" DESIGNATED="$sonames.*" \
        gdb -batch -nx -x "$JOBTRAIL_SOURCE/test/e2e/fixture/called_by_gdb.py" "$1" >gdb.log 2>&1 || return
    diff plain printed || return
    objects >loaded
    xargs -d '\n' readelf -rW <loaded >relocations 2>/dev/null
    awk '$3 ~ /^R_X86_64_(64|GLOB_DAT)$/ { sub(/@.*/, "", $5); print $5 }' relocations | LC_ALL=C sort -u >tabled
    sed -ni "/${ONLY-.}/p" called missed untimed
    diff missed untimed || return
    (($(wc -l <missed) == 16)) || : >tabled
    has_all noted missed tabled
}

BLAS='lib(blas|lapack)\.so\.3'
SCIPY='import numpy as n, scipy.linalg as l, scipy.optimize as o, scipy.sparse as s, scipy.sparse.linalg as p
b = n.eye(9) * 3 + 1
print(l.lu_factor(b)[1], l.solve(b, b)[0, 0].round(9), l.svd(b)[1][0] > 1, l.eigh(b)[0][0] > 1, l.schur(b)[0].shape, l.qr(b)[0].shape)
print(o.minimize(lambda x: (x * x).sum(), n.ones(3), method="BFGS").success, o.least_squares(lambda x: x - 1, n.zeros(2)).success,
    o.linprog([1, 1], A_ub=[[-1, -2]], b_ub=[-1]).success, o.minimize(lambda x: (x * x).sum(), n.ones(3), method="SLSQP").success)
c = s.csc_matrix(b)
print(p.spsolve(c, n.ones(9)).shape, p.eigsh(c, k=2, v0=n.arange(9.))[0].shape, p.splu(c).L.shape, p.svds(c, k=2, v0=n.arange(9.))[1].shape, p.expm(c).shape)'
R='a <- diag(3, 9) + 1; b <- a %*% a; print(sum(solve(b))); print(dim(svd(a)$u)); print(eigen(a)$values[1]); print(dim(qr.Q(qr(a))));
    print(chol(a)[1]); print(coef(lm(dist ~ speed, cars))); print(crossprod(a)[1])'
OCTAVE='a = eye(9) * 3 + 1; b = a * a; disp(sum(sum(inv(b)))); disp(size(svd(a))); disp(max(eig(a))); disp(size(qr(a))); disp(det(a));
    disp(size(a \ b)); disp(chol(a)(1)); disp(size(schur(a))); disp(rank(a)); disp(norm(a)); disp(size(sparse(a) \ b))'

# on each BLAS: COMMAND [VARIABLE=VALUE]... PROGRAM...
on_reference() {
    compared "$BLAS" "$@"
}
on_openblas() { # with one thread, and with several
    compared "$BLAS" LD_LIBRARY_PATH="$OPENBLAS" OPENBLAS_NUM_THREADS=1 "$@" || return
    compared "$BLAS" LD_LIBRARY_PATH="$OPENBLAS" OPENBLAS_NUM_THREADS=4 "$@"
}
in_r() { # COMMAND
    echo "$R" >program.R
    "$1" R_HOME=/usr/lib/R /usr/lib/R/bin/exec/R --vanilla --no-echo --file=program.R
}

@test "numpy" {
    on_reference /usr/bin/python3 -c "$NUMPY"
}

@test "numpy on OpenBLAS" {
    on_openblas /usr/bin/python3 -c "$NUMPY"
}

# bats test_tags=soak
@test "scipy" {
    on_reference /usr/bin/python3 -c "$SCIPY"
}

# bats test_tags=soak
@test "scipy on OpenBLAS" {
    on_openblas /usr/bin/python3 -c "$SCIPY"
}

# bats test_tags=soak
@test "R" {
    in_r on_reference
}

# bats test_tags=soak
@test "R on OpenBLAS" {
    in_r on_openblas
}

# bats test_tags=soak
@test "Octave" {
    on_reference /usr/bin/octave-cli --norc --eval "$OCTAVE"
}

# bats test_tags=soak
@test "Octave on OpenBLAS" {
    on_openblas /usr/bin/octave-cli --norc --eval "$OCTAVE"
}

@test "sqlite3" {
    compared 'libsqlite3\.so\.0' /usr/bin/sqlite3 :memory: 'create table a(b); insert into a values(1), (2); select sum(b) from a;'
}

@test "openssl" {
    compared 'lib(ssl|crypto)\.so\.3' /usr/bin/openssl dgst -sha256 /etc/passwd
}

@test "git" {
    git init -q repo
    git -C repo -c user.name=x -c user.email=x@x commit -q --allow-empty -m first
    compared 'lib(z|pcre2-8)\.so\.[01]' /usr/bin/git -C repo log -P --grep 'f[i]rst' --format=%s
}

@test "mpi4py, of a library that is MPI's and designated as well" {
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self OMPI_MCA_pml=ob1
    ONLY='\bMPI_' # the profile leaves out what Open MPI's plugins call of libmpi
    compared 'libmpi\.so\.[0-9]*' /usr/bin/python3 -c 'import numpy, mpi4py.MPI as m
w = m.COMM_WORLD
a = numpy.ones(4)
w.Sendrecv(a, 0, recvbuf=numpy.zeros(4))
print(w.allreduce(1), w.Get_size(), w.bcast("x"))'
}
