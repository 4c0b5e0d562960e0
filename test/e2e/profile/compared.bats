#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the list of first calls and the profile have of real programs: see compared.bash
# bats file_tags=needs:profile,needs:routines
# shellcheck disable=SC2016,SC2034 # programs have $, fixtures read variables

bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/profile
load compared

NUMPY='import numpy as n; a, b = n.ones((200, 200)), n.eye(9) + 1; c = n.linalg; print((a @ a)[0, 0], c.eigvalsh(b)[0] < 2,
    c.solve(b, b)[0, 0].round(9), c.svd(b)[1][0] > 1, c.qr(b)[0].shape, n.dot(b[0], b[1]), c.eig(b)[0].shape)'

@test "numpy" {
    on_reference /usr/bin/python3 -c "$NUMPY"
}

@test "numpy on OpenBLAS" {
    on_openblas /usr/bin/python3 -c "$NUMPY"
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
